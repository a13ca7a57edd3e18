/// Changes an application's roles and groups, and what becomes claims of its access tokens. It counts from the next token
/// and the next request on.
package struct ChangeAccessRules: Sendable {
    /// How many users one transaction forgets who had a role or were in a group. Everybody else's changes wait for it, and it writes a
    /// line for each of them to the journal of what ended: 300,000 in one took five seconds.
    static let forgottenAtOnce = 500

    let editApplication: EditApplication
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness

    /// Makes a role or a group.
    ///
    /// - Parameters:
    ///   - name: Free among its kind, in any case.
    ///   - content: What it gives.
    ///   - id: The application.
    ///   - isCurrent: Whether the application is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    /// - Returns: the role or group.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`.
    package func create(
        _ name: String, _ content: Grant.Content, in id: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> Grant {
        try Self.refuse(content.excess)
        let grant = Grant(id: randomness.newIdentifier(at: clock.now), name: name, content: content)
        _ = try await edit(id, isCurrent: isCurrent, by: who) { rules throws(DomainError) in
            rules[grant.id] = grant
            return try rules.judged(grant, "created")
        }
        return grant
    }

    /// Changes the name or the content of a role or group; what is `nil` stays.
    ///
    /// - Throws: `applicationUnknown`, `administration(notFound)` also for one of another application or kind,
    ///   `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`.
    package func change(
        _ grantId: Identifier<Grant>, name: String?, _ content: Grant.Content?, _ kind: Grant.Kind,
        in id: Identifier<Application>, isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true },
        by who: Operator
    ) async throws(DomainError) -> Grant {
        try Self.refuse(content?.excess ?? [])
        let application = try await edit(id, isCurrent: isCurrent, by: who) { rules throws(DomainError) in
            guard var grant = rules[grantId], grant.kind == kind else { throw .administration(.notFound) }
            if let name { grant.name = name }
            if let content { grant.content = content }
            rules[grantId] = grant
            return try rules.judged(grant, "changed")
        }
        guard let grant = application.settings.access[grantId] else { throw .administration(.notFound) }
        return grant
    }

    /// Removes a role or a group. From then on nobody has it.
    ///
    /// - Throws: `applicationUnknown`, `administration(notFound)`, `administration(changedMeanwhile)`, `storageUnavailable`.
    package func remove(
        _ grantId: Identifier<Grant>, _ kind: Grant.Kind, in id: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) {
        _ = try await edit(id, isCurrent: isCurrent, by: who) { rules throws(DomainError) in
            guard let grant = rules[grantId], grant.kind == kind else { throw .administration(.notFound) }
            rules[grantId] = nil
            return grant.details("removed")
        }
        // Nothing is lost between them: without its rule a membership gives nothing, and its id is never given out again.
        var count = Self.forgottenAtOnce
        while count == Self.forgottenAtOnce {
            count = try await store.write { transaction throws(DomainError) in
                try transaction.removeMembers(of: grantId, in: id, limit: Self.forgottenAtOnce)
            }
        }
    }

    /// Replaces the rules of claims.
    ///
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `fieldsRefused`, `storageUnavailable`.
    package func setClaims(
        _ claims: [ClaimRule], in id: Identifier<Application>,
        isCurrent: @escaping @Sendable (Application) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> Application {
        try await editApplication(id, .claimsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            application.settings.access.claims = claims
            let faults = application.settings.access.claimFaults(application.settings.fieldRules)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            let names = claims.map { [$0.within, $0.name].compactMap { $0 }.joined(separator: " ") }
            return ["claims": names.joined(separator: ", ")]
        }
    }

    /// Before anything waits for the change: names that are far too many are sorted and compared for nobody.
    private static func refuse(_ excess: [ValidationError]) throws(DomainError) {
        guard excess.isEmpty else { throw .fieldsRefused(excess) }
    }

    private func edit(
        _ id: Identifier<Application>, isCurrent: @escaping @Sendable (Application) -> Bool, by who: Operator,
        _ change: @escaping @Sendable (inout AccessRules) throws(DomainError) -> [String: String]
    ) async throws(DomainError) -> Application {
        try await editApplication(id, .rolesChanged, isCurrent: isCurrent, by: who) { application throws(DomainError) in
            try change(&application.settings.access)
        }
    }
}

extension AccessRules {
    /// What the audit log says of a change.
    ///
    /// - Throws: `fieldsRefused` when a rule is broken.
    fileprivate func judged(_ grant: Grant, _ change: String) throws(DomainError) -> [String: String] {
        let faults = grant.faults + faults
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        return grant.details(change)
    }
}

extension Grant {
    fileprivate func details(_ change: String) -> [String: String] {
        [kind.rawValue: id.rawValue, "name": name, "change": change]
    }
}

extension AuditEntry.Action {
    package static let rolesChanged = AuditEntry.Action(rawValue: "roles.changed")
    package static let claimsChanged = AuditEntry.Action(rawValue: "claims.changed")
    package static let userRolesChanged = AuditEntry.Action(rawValue: "user.roles-changed")
}
