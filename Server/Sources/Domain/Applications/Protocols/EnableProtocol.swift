/// Switches a foreign protocol on for an application, or gives it other keys there.
package struct EnableProtocol: Sendable {
    let store: any Store
    let keyring: ProtocolKeyring
    let audit: AuditTrail

    /// - Parameters:
    ///   - name: One of `ProtocolRegistry.foreign`.
    ///   - given: Keys that apps in the stores carry. The others are made; those that are there already stay.
    ///   - id: Whose protocol.
    ///   - isCurrent: Whether the keys of all protocols are still as the caller has seen them; may be asked twice.
    ///   - who: Who does it.
    /// - Returns: all keys that can be shown.
    /// - Throws: `applicationUnknown`, `fieldsRefused` for another protocol, a key of a wrong form, or a public key that
    ///   another application has; `administration(notAllowed)` when the key that makes an administrator is made or given
    ///   and `who` may not issue it; `administration(changedMeanwhile)`, `busy` when somebody else does it now,
    ///   `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Session.ProtocolName, given: [ProtocolKey: Secret] = [:], of id: Identifier<Application>,
        isCurrent: @escaping @Sendable ([ProtocolKeySet]) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> IssuedKeys {
        let before = try await store.read { transaction throws(DomainError) in
            guard try transaction.application(id) != nil else { throw .applicationUnknown }
            return try transaction.protocolKeys(of: id).first { $0.protocolName == name }
        }
        let made = try keyring.make(name, given: given, of: id, over: before)
        if made.issuesAdministrator { try who.require(.issueAdministratorKeys) }
        let entry = audit.draft(.protocolEnabled, by: who.actor, in: id, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            let all = try transaction.protocolKeys(of: id)
            guard isCurrent(all) else { throw .administration(.changedMeanwhile) }
            let present = all.first { $0.protocolName == name }
            // Two operators at once would each be shown keys of which only the last count.
            guard present == before else { throw .busy(retryAfter: .seconds(1)) }
            try transaction.enable(made)
            var details = ["protocol": name.rawValue]
            // Only with its first keys: afterwards the operator may have set narrower ones.
            if before == nil, let limits = try transaction.widenLimits(of: id, for: made.issued.profile) {
                details["limits"] = limits.words
            }
            try entry.record(on: .application(id), details: details, in: transaction)
        }
        return made.issued
    }
}

extension Transaction {
    /// Writes keys whose public one is free.
    ///
    /// - Throws: `fieldsRefused` when another application has it, `storageUnavailable`.
    func enable(_ made: ProtocolKeyring.Made) throws(DomainError) {
        let (keys, profile) = (made.set, made.issued.profile)
        if let owner = try protocolKeys(keys.protocolName, publicKey: keys.publicKey),
            owner.application != keys.application
        {
            let key = profile.keys.first?.name.rawValue ?? ""
            throw .fieldsRefused([ValidationError(field: "\(profile.name.rawValue).\(key)", rule: .notUnique)])
        }
        try save(keys)
    }

    /// Lets an application's users hold what the apps of a protocol count on.
    ///
    /// - Returns: the limits now; `nil` when they were wide enough.
    fileprivate func widenLimits(
        of id: Identifier<Application>, for profile: ProtocolProfile
    ) throws(DomainError) -> ProfileLimits? {
        guard var application = try application(id) else { throw .applicationUnknown }
        let wide = application.settings.fieldRules.limits.widened(to: profile.limits)
        guard wide != application.settings.fieldRules.limits else { return nil }
        application.settings.fieldRules.limits = wide
        try update(application)
        return wide
    }
}

/// Switches a foreign protocol off for an application. Its keys are forgotten, and its sessions are refused.
package struct DisableProtocol: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Returns: whether it was on.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Session.ProtocolName, of id: Identifier<Application>,
        isCurrent: @escaping @Sendable ([ProtocolKeySet]) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> Bool {
        let entry = audit.draft(.protocolDisabled, by: who.actor, in: id, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard try transaction.application(id) != nil else { throw .applicationUnknown }
            guard isCurrent(try transaction.protocolKeys(of: id)) else { throw .administration(.changedMeanwhile) }
            guard try transaction.removeProtocolKeys(name, of: id) else { return false }
            try entry.record(on: .application(id), details: ["protocol": name.rawValue], in: transaction)
            return true
        }
    }
}

/// The protocols that are on in an application, with the keys that can be shown.
package struct ListProtocolKeys: Sendable {
    let store: any Store
    let protocols: ProtocolRegistry
    let keyring: ProtocolKeyring

    /// - Throws: `applicationUnknown`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(of id: Identifier<Application>) async throws(DomainError) -> [IssuedKeys] {
        try await withVersion(of: id).keys
    }

    /// The same, with the application as it was then and the version of both.
    ///
    /// - Throws: `applicationUnknown`, `secretUnreadable`, `storageUnavailable`.
    package func withVersion(
        of id: Identifier<Application>
    ) async throws(DomainError) -> (application: Application, keys: [IssuedKeys], version: String) {
        let (application, sets) = try await store.read { transaction throws(DomainError) in
            guard let application = try transaction.application(id) else { throw .applicationUnknown }
            return (application, try transaction.protocolKeys(of: id))
        }
        var all: [IssuedKeys] = []
        for profile in protocols.foreign {
            if let set = sets.first(where: { $0.protocolName == profile.name }) { all.append(try keyring.shown(set)) }
        }
        return (application, all, application.protocolsVersion(with: sets))
    }
}
