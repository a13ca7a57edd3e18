/// Makes an application. Its admin key is in the answer and nowhere else.
package struct CreateApplication: Sendable {
    package static let maximumNameCharacters = 100
    package static let maximumAudienceCharacters = 255
    package static let maximumAudiences = 20

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail
    let protocols: ProtocolRegistry
    let keyring: ProtocolKeyring
    let passkeyDomains: PasskeyDomainRule
    let audiences = AudienceRule()

    /// What was made.
    package struct Made: Sendable {
        package let application: Application
        package let adminKey: Secret
        /// The keys of the protocols that were switched on.
        package let protocols: [IssuedKeys]
    }

    /// The rules that the name and settings of a new application break, but for what another setting had already.
    package static func faults(
        _ name: String, _ settings: ApplicationSettings, since before: ApplicationSettings = ApplicationSettings()
    ) -> [ValidationError] {
        let faults = Self.faults(ofName: name) + Self.faults(ofAudiences: settings.audiences)
        return faults + settings.lifeFaults(since: before) + settings.fieldRules.faults
    }

    /// The rules that a name breaks. Lists lead to an application by its name: spaces alone are none that can be seen.
    package static func faults(ofName name: String) -> [ValidationError] {
        TextRule(maximumCharacters: maximumNameCharacters)
            .faults(of: name.allSatisfy(\.isWhitespace) ? "" : name, field: "name")
    }

    static func faults(ofAudiences audiences: [String]) -> [ValidationError] {
        TextRule(maximumCharacters: maximumAudienceCharacters)
            .faults(ofEach: audiences, atMost: maximumAudiences, field: "audiences")
    }

    /// - Parameters:
    ///   - name: The name that people see.
    ///   - settings: What the operator decides.
    ///   - given: Foreign protocols to switch on, each with the keys that its apps carry.
    ///   - attempt: Names the attempt, so that its repetition makes no second application.
    ///   - who: Who does it.
    /// - Returns: the application, with all its keys.
    /// - Throws: `fieldsRefused` for `name`, keys, or a domain or `audiences` of others, `attemptReused` for an attempt that made one,
    ///   `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        name: String, settings: ApplicationSettings = .ofNewApplications,
        protocols given: [Session.ProtocolName: [ProtocolKey: Secret]] = [:], attempt: Attempt? = nil,
        by who: Operator
    ) async throws(DomainError) -> Made {
        let faults = Self.faults(name, settings)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let now = clock.now
        let adminKey = Secret("oka_" + Base64URL.text(of: randomness.bytes(32)))
        var settings = settings
        for name in given.keys {
            let limits = try protocols.foreign(name).limits
            settings.fieldRules.limits = settings.fieldRules.limits.widened(to: limits)
        }
        let application = Application(
            id: randomness.newIdentifier(at: now), name: name, adminKeyDigest: adminKey.digest, settings: settings,
            createdAt: now)
        var made: [ProtocolKeyring.Made] = []
        for name in protocols.foreign.map(\.name) {
            if let keys = given[name] { made.append(try keyring.make(name, given: keys, of: application.id)) }
        }
        let ready = made
        let entry = audit.draft(.applicationCreated, by: who.actor, in: application.id, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.take(attempt?.making(.application), by: who, in: AuditEntry.server, at: now)
            let faults =
                try passkeyDomains.faults(of: application, after: nil, by: who, in: transaction)
                + audiences.faults(of: application, after: nil, by: who, in: transaction)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            try transaction.insert(application)
            for made in ready { try transaction.enable(made) }
            try entry.record(on: .application(application.id), in: transaction)
        }
        return Made(application: application, adminKey: adminKey, protocols: made.map(\.issued))
    }
}
