/// Everything about a user that an operator looks at.
package struct InspectUser: Sendable {
    package static let maximumAuditEntries = 100
    package static let maximumEvents = 100

    let store: any Store

    package struct Findings: Sendable {
        package var user: User
        package var sessions: [Session]
        package var deviceKeys: [DeviceKey]
        package var passkeys: [Passkey]
        package var secondFactors: SecondFactorList
        package var transfers: [Transfer]
        /// What the user did and what was done to the user, newest first.
        package var audit: [AuditEntry]
        /// What the app's backend learns of the user, newest first, as long as events are kept.
        package var events: [Event]
        /// Where the application's events go.
        package var endpoints: [EventEndpoint]
        /// What of the user's events waits for them, or was given up.
        package var deliveries: [EventDelivery]
        package var hasWeakCredential: Bool
        /// Whom the access list names, as far as they are users of the application.
        package var listedUsers: Set<Identifier<User>> = []
    }

    /// - Returns: what the reader may see of it.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Identifier<Application>, for reader: AdminReader
    ) async throws(DomainError) -> Findings {
        let found = try await store.read { transaction throws(DomainError) in
            guard let user = try transaction.user(id, in: application) else { throw .userUnknown }
            let sessions = try transaction.sessions(of: id, in: application)
            let events = try transaction.events(of: id, in: application, limit: Self.maximumEvents)
            let endpoints = try transaction.eventEndpoints(in: application)
            var deliveries: [EventDelivery] = []
            if let oldest = events.compactMap(\.position).min() {
                for endpoint in endpoints {
                    deliveries += try transaction.deliveries(
                        of: id, to: endpoint.id, in: application, from: oldest, limit: Self.maximumEvents)
                }
            }
            var listedUsers: Set<Identifier<User>> = []
            for case .user(let other) in (user.acl?.entries ?? [:]).keys {
                if try transaction.user(other, in: application) != nil { listedUsers.insert(other) }
            }
            return Findings(
                user: user, sessions: sessions, deviceKeys: DeviceKey.keys(of: user, sessions: sessions),
                passkeys: try transaction.passkeys(of: id, in: application),
                secondFactors: try transaction.secondFactors(of: id, in: application),
                transfers: try transaction.transfers(of: id, in: application),
                audit: try transaction.auditEntries(about: id, in: application, limit: Self.maximumAuditEntries),
                events: events, endpoints: endpoints, deliveries: deliveries,
                hasWeakCredential: user.weakPasswordAt != nil, listedUsers: listedUsers)
        }
        return reader.shown(found)
    }
}

/// An operator ends every way into a user's account but those that the user has to log in with (requirements 17, 49).
package struct EndAllSessions: Sendable {
    let store: any Store
    let clock: any WallClock
    let changes: AccountChanges

    /// - Returns: how many sessions ended and device keys were removed. Keys stay when nothing else leads to the user.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        of id: Identifier<User>, in application: Application, by who: Operator
    ) async throws(DomainError) -> Evicted {
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known else { throw .userUnknown }
        let ready = try changes.ready(
            [.allSessionsEnded], of: known, in: application, by: .operator(who), at: clock.now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            return try ready.settle([.allSessionsEnded: [:]], of: &user, keeping: .nothing, in: transaction)
        }
    }
}

/// An operator orders the mail that allows a new password. Nobody but the user ever learns or chooses it
/// (requirement 41).
package struct OrderPasswordReset: Sendable {
    let store: any Store
    let enqueueMessage: EnqueueMessage
    let audit: AuditTrail

    /// - Throws: `userUnknown`, `mailUnavailable`, `fieldsRefused` when the user has no mail address, `rateLimited`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        for id: Identifier<User>, in application: Application, from client: ClientAddress, by who: Operator
    ) async throws(DomainError) {
        let found = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let user = found else { throw .userUnknown }
        guard let address = user.email else { throw .fieldsRefused([ValidationError(field: "email", rule: .required)]) }
        _ = try await enqueueMessage(
            MessageRequest(kind: .passwordReset, address: address, languages: [user.locale].compactMap { $0 }),
            in: application, from: client, toPages: true)
        let entry = audit.draft(.resetOrdered, by: who.actor, in: application.id, from: who.origin)
        try await store.write { transaction throws(DomainError) in try entry.record(on: .user(id), in: transaction) }
    }
}

/// An operator lets one user take over everything of an anonymous one. It can be undone for seven days.
package struct MergeUsers: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let changes: AccountChanges

    /// - Parameters:
    ///   - id: The user that goes; anonymous.
    ///   - other: The user that stays.
    ///   - application: Where.
    ///   - who: Who does it.
    /// - Returns: the merge, to be undone by.
    /// - Throws: `userUnknown`, `alreadyRegistered`, `fieldsRefused` when both together break a limit, or for a user
    ///   that is disabled, on the way out, or the same one; `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, into other: Identifier<User>, in application: Application, by who: Operator
    ) async throws(DomainError) -> Identifier<Merge> {
        let now = clock.now
        let work = UserMerger(
            application: application, id: randomness.newIdentifier(at: now), now: now,
            excess: changes.audit.excessDeviceKeys(in: application.id, at: now))
        let ready = try changes.drawingMail(
            for: changes.audit.ready([.mergedByOperator], in: application.id, by: .operator(who), at: now))
        return try await store.write { transaction throws(DomainError) in
            guard let current = try transaction.user(id, in: application.id),
                var user = try transaction.user(other, in: application.id)
            else { throw .userUnknown }
            guard current.isAnonymous else { throw .alreadyRegistered }
            guard id != other, current.mayBeMerged, user.mayBeMerged else {
                throw .fieldsRefused([ValidationError(field: "into", rule: .notOffered)])
            }
            _ = try work.join(current, into: user, in: transaction)
            try ready.settle(
                [.mergedByOperator: [AccountChange.leftUserDetail: id.rawValue]], of: &user, keeping: .nothing,
                in: transaction)
            return work.id
        }
    }
}

/// Sessions and merges of an application, a page at a time.
package struct ListActivity: Sendable {
    package static let maximumPageSize = 500

    let store: any Store

    /// Sessions, those of the newest users first, as the reader sees them.
    ///
    /// - Throws: `storageUnavailable`.
    package func sessions(
        in application: Identifier<Application>, for reader: AdminReader, protocolName: Session.ProtocolName? = nil,
        from cursor: SessionCursor? = nil, limit: Int
    ) async throws(DomainError) -> [Session] {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            try transaction.sessions(in: application, protocolName: protocolName, from: cursor, limit: limit)
        }
        .map { reader.shown($0) }
    }

    /// Merges, newest first, and how many offers wait.
    ///
    /// - Throws: `storageUnavailable`.
    package func merges(
        in application: Identifier<Application>, before id: Identifier<Merge>? = nil, limit: Int
    ) async throws(DomainError) -> (merges: [Merge], tickets: [MergeTicket]) {
        let limit = min(max(limit, 1), Self.maximumPageSize)
        return try await store.read { transaction throws(DomainError) in
            (
                try transaction.merges(in: application, before: id, limit: limit),
                try transaction.mergeTickets(in: application, limit: limit)
            )
        }
    }
}
