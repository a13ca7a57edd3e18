import Foundation

/// The keys of the admin API, by which programs act in the name of admins.
package struct AdminKeys: Sendable {
    package let list: ListAdminKeys
    package let create: CreateAdminKey
    package let change: ChangeAdminKey
    package let remove: RemoveAdminKey

    init(_ world: DomainWorld, audit: AuditTrail) {
        let store = world.store
        list = ListAdminKeys(store: store)
        create = CreateAdminKey(store: store, clock: world.clock, randomness: world.randomness, audit: audit)
        change = ChangeAdminKey(store: store, audit: audit)
        remove = RemoveAdminKey(store: store, audit: audit)
    }
}

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
        /// Networks and addresses that requests may come from; none for anywhere.
        package var networks: [String]
        package var life: Duration

        package init(
            name: String, scopes: Set<AdminPermission>, applications: Set<Identifier<Application>>?,
            networks: [String], life: Duration
        ) {
            self.name = name
            self.scopes = scopes
            self.applications = applications
            self.networks = networks
            self.life = life
        }
    }

    /// - Parameters:
    ///   - request: What the key is for.
    ///   - maker: The admin whose key it is.
    ///   - attempt: Names the attempt, so that its repetition makes no second key.
    ///   - who: Who makes it: the admin, or somebody at the server's machine in the admin's name.
    /// - Returns: the key's record and, this once, the key.
    /// - Throws: `fieldsRefused`, `administration(notAllowed)` for a scope that the maker has not and for a key that makes keys,
    ///   `administration(notFound)` for an application that there is not, and for an admin who is gone or disabled,
    ///   `attemptReused` for an attempt that made one, `administration(adminRequired)` for a session that ended meanwhile,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ request: Request, of maker: AdminAccess, attempt: Attempt? = nil, by who: Operator
    ) async throws(DomainError) -> (key: AdminKey, secret: Secret) {
        var faults = AdminKey.nameRule.faults(of: request.name, field: "name")
        if request.scopes.isEmpty { faults.append(ValidationError(field: "scopes", rule: .empty)) }
        faults += Admin.faults(ofApplications: request.applications)
        if request.life <= .zero { faults.append(ValidationError(field: "expiresAt", rule: .inThePast)) }
        if request.life > AdminKey.longestLife { faults.append(ValidationError(field: "expiresAt", rule: .notOffered)) }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        for scope in request.scopes.sorted(by: { $0.rawValue < $1.rawValue }) where !maker.may(scope) {
            throw .administration(.notAllowed(scope))
        }
        // A key that makes admins would outlive the one who made it.
        guard !request.scopes.contains(.manageAdmins) else {
            throw .fieldsRefused([ValidationError(field: "scopes", rule: .notOffered)])
        }
        guard let admin = maker.admin else { throw .administration(.notAllowed(.manageAdmins)) }
        let networks = try AdminKey.Reach.networks(request.networks)
        let now = clock.now
        let secret = Secret(AdminKey.tokenPrefix + Base64URL.text(of: randomness.bytes(32)))
        let key = AdminKey(
            id: randomness.newIdentifier(at: now), digest: secret.digest, name: request.name, scopes: request.scopes,
            reach: .init(applications: request.applications, networks: networks),
            maker: .init(id: admin.id, name: admin.name), createdAt: now, expiresAt: now + request.life)
        let entry = audit.draft(.adminKeyCreated, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(who.session)
            guard let present = try transaction.admin(admin.id), !present.isDisabled else {
                throw .administration(.notFound)
            }
            try transaction.requireApplications(key.reach.applications)
            try transaction.take(attempt?.making(.adminKey), by: who, in: AuditEntry.server, at: now)
            try transaction.insert(key)
            try entry.record(
                on: .adminKey(key.id),
                details: [
                    "scopes": key.scopes.map(\.rawValue).sorted().joined(separator: " "),
                    "networks": key.reach.networksText, "applications": key.reach.applications.inAudit,
                    "expires": Date(timeIntervalSince1970: Double(key.expiresAt.milliseconds) / 1000).ISO8601Format(),
                ].compactMapValues(\.self), in: transaction)
        }
        return (key, secret)
    }
}

/// Changes from where a key can be used. It holds from the next request on.
package struct ChangeAdminKey: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Parameters:
    ///   - id: Which key.
    ///   - networks: Networks and addresses that requests may come from; none for anywhere.
    ///   - isCurrent: Whether the key is still as the caller has seen it; may be asked twice.
    ///   - who: Who does it.
    /// - Returns: the key afterwards.
    /// - Throws: `fieldsRefused`, `administration(adminRequired)` for a session that ended meanwhile, `administration(notFound)`,
    ///   `administration(changedMeanwhile)`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<AdminKey>, networks: [String],
        isCurrent: @escaping @Sendable (AdminKey) -> Bool = { _ in true }, by who: Operator
    ) async throws(DomainError) -> AdminKey {
        let networks = try AdminKey.Reach.networks(networks)
        let entry = audit.draft(.adminKeyChanged, by: who.actor, in: AuditEntry.server, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(who.session)
            guard var key = try transaction.adminKey(id) else { throw .administration(.notFound) }
            guard isCurrent(key) else { throw .administration(.changedMeanwhile) }
            key.reach.networks = networks
            try transaction.updateReach(of: key)
            try entry.record(
                on: .adminKey(id), details: ["networks": key.reach.networksText ?? "anywhere"], in: transaction)
            return key
        }
    }
}

extension AdminKey.Reach {
    /// The networks in one text; `nil` without any.
    fileprivate var networksText: String? {
        networks.isEmpty ? nil : networks.map(\.text).joined(separator: " ")
    }
}

/// Ends a key at once.
package struct RemoveAdminKey: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `administration(adminRequired)` for a session that ended meanwhile, `administration(notFound)`,
    ///   `storageUnavailable`.
    package func callAsFunction(_ id: Identifier<AdminKey>, by who: Operator) async throws(DomainError) {
        let entry = audit.draft(.adminKeyRemoved, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(who.session)
            guard try transaction.removeAdminKey(id) else { throw .administration(.notFound) }
            try entry.record(on: .adminKey(id), in: transaction)
        }
    }
}
