/// Operators decide to which addresses an application's events are sent. Each change is in the audit log.
package struct ManageEventEndpoints: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let secrets: EventSecrets
    let carrier: any EventCarrier
    let audit: AuditTrail

    /// What is decided of an endpoint.
    package struct Draft: Hashable, Sendable {
        package var url: String
        package var types: [EventType]
        package var includesUser: Bool
        package var isPaused: Bool

        package init(url: String, types: [EventType] = [], includesUser: Bool = false, isPaused: Bool = false) {
            self.url = url
            self.types = types
            self.includesUser = includesUser
            self.isPaused = isPaused
        }

        package init(_ endpoint: EventEndpoint) {
            self.init(
                url: endpoint.url, types: endpoint.types, includesUser: endpoint.includesUser,
                isPaused: endpoint.isPaused)
        }

        /// Which action it is to let an endpoint be so, whatever it was before: who moves one that gets profiles reads them.
        package var action: AdminAction { includesUser ? .includeUsersInEvents : .changeEvents }

        fileprivate func apply(to endpoint: inout EventEndpoint) {
            endpoint.url = url
            endpoint.types = types
            endpoint.includesUser = includesUser
            endpoint.isPaused = isPaused
        }
    }

    /// - Throws: `storageUnavailable`.
    package func list(in application: Identifier<Application>) async throws(DomainError) -> [EventEndpoint] {
        try await store.read { transaction throws(DomainError) in
            try transaction.eventEndpoints(in: application)
        }
    }

    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    package func find(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>
    ) async throws(DomainError) -> EventEndpoint {
        try await store.read { transaction throws(DomainError) in
            guard let endpoint = try transaction.eventEndpoint(id, in: application) else {
                throw .administration(.notFound)
            }
            return endpoint
        }
    }

    /// Adds an endpoint, from which on events are recorded.
    ///
    /// - Parameters:
    ///   - draft: What is decided of it.
    ///   - application: Whose events.
    ///   - attempt: Names the attempt, so that its repetition makes no second endpoint.
    ///   - who: Who does it.
    /// - Returns: the endpoint, and the secret that signs, which is shown once.
    /// - Throws: `fieldsRefused`, `applicationUnknown`, `attemptReused` for an attempt that made one, `storageUnavailable`.
    package func create(
        _ draft: Draft, in application: Identifier<Application>, attempt: Attempt? = nil, by who: Operator
    ) async throws(DomainError) -> (endpoint: EventEndpoint, secret: Secret) {
        let now = clock.now
        let id: Identifier<EventEndpoint> = randomness.newIdentifier(at: now)
        let made = try secrets.make(for: id, in: application)
        var endpoint = EventEndpoint(
            id: id, application: application, url: draft.url, createdAt: now, sealedSecret: made.sealed)
        draft.apply(to: &endpoint)
        let faults = endpoint.faults(carrier)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let written = endpoint
        let entry = audit.draft(.settingsChanged, by: who.actor, in: application, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            guard var known = try transaction.application(application) else { throw .applicationUnknown }
            try transaction.take(attempt?.making(.eventEndpoint), by: who, in: application, at: now)
            guard try transaction.eventEndpoints(in: application).count < EventEndpoint.maximumPerApplication else {
                throw .fieldsRefused([
                    ValidationError(
                        field: "endpoints", rule: .tooManyFields(maximum: EventEndpoint.maximumPerApplication))
                ])
            }
            try transaction.insert(written)
            if !known.settings.events.hasEndpoints {
                known.settings.events.hasEndpoints = true
                try transaction.update(known)
            }
            try entry.record(
                on: .application(application), details: ["event-endpoint": id.rawValue, "change": "created"],
                in: transaction)
        }
        return (written, made.secret)
    }

    /// - Parameters:
    ///   - id: Which one.
    ///   - application: Whose.
    ///   - isCurrent: Whether the endpoint is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    ///   - require: Refuses an action that `who` may not do: it is asked for the action of what the endpoint becomes.
    ///   - change: Makes of the endpoint as it is what it shall be.
    /// - Returns: the endpoint as it is then.
    /// - Throws: `administration(notFound)`, `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`,
    ///   and what `require` throws.
    package func change(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>,
        isCurrent: @escaping @Sendable (EventEndpoint) -> Bool = { _ in true }, by who: Operator,
        requiring require: @escaping @Sendable (AdminAction) throws(DomainError) -> Void,
        _ change: @escaping @Sendable (inout Draft) -> Void
    ) async throws(DomainError) -> EventEndpoint {
        let now = clock.now
        return try await edit(id, in: application, "changed", by: who) { endpoint, _ throws(DomainError) in
            guard isCurrent(endpoint) else { throw .administration(.changedMeanwhile) }
            var draft = Draft(endpoint)
            change(&draft)
            try require(draft.action)
            if draft.url != endpoint.url || !draft.isPaused { endpoint.goneAt = nil }
            draft.apply(to: &endpoint)
            endpoint.failures = 0
            endpoint.resumesAt = now
            let faults = endpoint.faults(carrier)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
        }
    }

    /// Replaces the secret. Those before sign beside it for a while, so that receivers can change over.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - application: Whose.
    ///   - overlap: How long the one before signs; none before that signs for longer.
    ///   - attempt: Names the attempt, so that its repetition makes no second secret.
    ///   - who: Who does it.
    /// - Returns: the new secret, which is shown once.
    /// - Throws: `administration(notFound)`, `administration(changedMeanwhile)` for another rotation at the same time,
    ///   `fieldsRefused` when too many sign already, `attemptReused` for an attempt that made one, `storageUnavailable`.
    package func rotate(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>, overlap: SecretOverlap,
        attempt: Attempt? = nil, by who: Operator
    ) async throws(DomainError) -> (endpoint: EventEndpoint, secret: Secret) {
        let known = try await find(id, in: application).secrets
        let now = clock.now
        let made = try secrets.replacing(
            known, overlap: overlap, purpose: EventSecrets.purpose(id, application), at: now)
        let endpoint = try await edit(id, in: application, "secret-rotated", by: who) {
            endpoint, transaction throws(DomainError) in
            try transaction.take(attempt?.making(.endpointSecret(id)), by: who, in: application, at: now)
            guard endpoint.secrets == known else { throw .administration(.changedMeanwhile) }
            try made.require()
            endpoint.secrets = made.sealed
        }
        return (endpoint, made.secret)
    }

    /// Removes an endpoint with all that waits for it. Where that is very much, the rest goes with old events, so that nobody waits for
    /// it.
    ///
    /// - Throws: `administration(notFound)`, `administration(changedMeanwhile)`, `storageUnavailable`.
    package func remove(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>,
        isCurrent: @escaping @Sendable (EventEndpoint) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) {
        let entry = audit.draft(.settingsChanged, by: who.actor, in: application, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            let endpoints = try transaction.eventEndpoints(in: application)
            guard let endpoint = endpoints.first(where: { $0.id == id }) else { throw .administration(.notFound) }
            guard isCurrent(endpoint) else { throw .administration(.changedMeanwhile) }
            try transaction.remove(endpoint)
            _ = try transaction.removeDeliveries(toRemovedEndpointsOf: application, count: RemoveOldEvents.batch)
            if endpoints.count == 1, var known = try transaction.application(application) {
                known.settings.events.hasEndpoints = false
                try transaction.update(known)
            }
            try entry.record(
                on: .application(application), details: ["event-endpoint": id.rawValue, "change": "removed"],
                in: transaction)
        }
    }

    private func edit(
        _ id: Identifier<EventEndpoint>, in application: Identifier<Application>, _ name: String, by who: Operator,
        _ change: @escaping @Sendable (inout EventEndpoint, any Transaction) throws(DomainError) -> Void
    ) async throws(DomainError) -> EventEndpoint {
        let entry = audit.draft(.settingsChanged, by: who.actor, in: application, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard var endpoint = try transaction.eventEndpoint(id, in: application) else {
                throw .administration(.notFound)
            }
            try change(&endpoint, transaction)
            try transaction.update(endpoint)
            try transaction.noteCall(of: endpoint)
            try entry.record(
                on: .application(application), details: ["event-endpoint": id.rawValue, "change": name],
                in: transaction)
            return endpoint
        }
    }
}

/// Switches the stream of events on or off, and decides how long events are kept.
package struct ChangeEventSettings: Sendable {
    let editApplication: EditApplication

    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        of id: Identifier<Application>, isStreamed: Bool?, retentionDays: Int64?,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> Application {
        if let retentionDays, !EventSettings.retentionDays.contains(retentionDays) {
            throw .fieldsRefused([
                ValidationError(field: "retentionDays", rule: .outOfRange(EventSettings.retentionDays))
            ])
        }
        return try await editApplication(id, .settingsChanged, isCurrent: isCurrent, by: who) { application in
            if let isStreamed { application.settings.events.isStreamed = isStreamed }
            if let retentionDays { application.settings.events.retention = .days(retentionDays) }
            return ["settings": "events"]
        }
    }
}
