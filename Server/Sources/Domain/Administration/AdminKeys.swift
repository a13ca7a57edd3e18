/// All keys of the admin API, newest first.
package struct ListAdminKeys: Sendable {
    let store: any Store

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> [AdminKey] {
        try await store.read { transaction throws(DomainError) in try transaction.adminKeys() }
    }
}

/// Makes a key for a program. It may do no more than who makes it.
package struct CreateAdminKey: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail

    package struct Request: Sendable {
        package var name: String
        package var scopes: Set<AdminPermission>
        /// `nil` for all.
        package var applications: Set<Identifier<Application>>?
        package var life: Duration

        package init(
            name: String, scopes: Set<AdminPermission>, applications: Set<Identifier<Application>>?, life: Duration
        ) {
            self.name = name
            self.scopes = scopes
            self.applications = applications
            self.life = life
        }
    }

    /// - Returns: the key's record and, this once, the key.
    /// - Throws: `fieldsRefused`, `administration(notAllowed)` for a scope that the maker has not and for a key that makes keys,
    ///   `administration(notFound)` for an application that there is not, `storageUnavailable`.
    package func callAsFunction(
        _ request: Request, by access: AdminAccess, from origin: RequestOrigin
    ) async throws(DomainError) -> (key: AdminKey, secret: Secret) {
        var faults = AdminKey.nameRule.faults(of: request.name, field: "name")
        if request.scopes.isEmpty { faults.append(ValidationError(field: "scopes", rule: .empty)) }
        if request.applications?.isEmpty == true { faults.append(ValidationError(field: "applications", rule: .empty)) }
        if request.life <= .zero { faults.append(ValidationError(field: "expiresAt", rule: .inThePast)) }
        if request.life > AdminKey.longestLife { faults.append(ValidationError(field: "expiresAt", rule: .notOffered)) }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        for scope in request.scopes.sorted(by: { $0.rawValue < $1.rawValue }) where !access.may(scope) {
            throw .administration(.notAllowed(scope))
        }
        // A key that makes admins would outlive the one who made it.
        guard !request.scopes.contains(.manageAdmins) else {
            throw .fieldsRefused([ValidationError(field: "scopes", rule: .notOffered)])
        }
        guard let maker = access.admin else { throw .administration(.notAllowed(.manageAdmins)) }
        let now = clock.now
        let secret = Secret(AdminKey.tokenPrefix + Base64URL.text(of: randomness.bytes(32)))
        let key = AdminKey(
            id: randomness.newIdentifier(at: now), digest: secret.digest, name: request.name, scopes: request.scopes,
            applications: request.applications, maker: .init(id: maker.id, name: maker.name), createdAt: now,
            expiresAt: now + request.life)
        let entry = audit.draft(.adminKeyCreated, by: access.actor, in: AuditEntry.server, from: origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.requireApplications(key.applications)
            try transaction.insert(key)
            try entry.record(
                on: .adminKey(key.id),
                details: ["scopes": key.scopes.map(\.rawValue).sorted().joined(separator: " ")], in: transaction)
        }
        return (key, secret)
    }
}

/// Ends a key at once.
package struct RemoveAdminKey: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    package func callAsFunction(_ id: Identifier<AdminKey>, by who: Operator) async throws(DomainError) {
        let entry = audit.draft(.adminKeyRemoved, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            guard try transaction.removeAdminKey(id) else { throw .administration(.notFound) }
            try entry.record(on: .adminKey(id), in: transaction)
        }
    }
}
