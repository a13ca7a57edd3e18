/// All admins, oldest first.
package struct ListAdmins: Sendable {
    let store: any Store

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> [Admin] {
        try await store.read { transaction throws(DomainError) in try transaction.admins() }
    }
}

/// Makes an admin, who sets password and one-time codes by a link.
package struct CreateAdmin: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let audit: AuditTrail

    /// - Parameters:
    ///   - name: What will be typed at log-in.
    ///   - role: What the admin is there for.
    ///   - applications: Which ones may be seen; `nil` for all.
    ///   - who: Who does it.
    /// - Returns: the admin.
    /// - Throws: `fieldsRefused`, `administration(nameTaken)`, `administration(notFound)` for an application that there
    ///   is not, `administration(adminRequired)` for a session that ended meanwhile, `storageUnavailable`.
    package func callAsFunction(
        name: String, role: AdminRole, applications: Set<Identifier<Application>>?, by who: Operator
    ) async throws(DomainError) -> Admin {
        let faults = Admin.nameRule.faults(of: name, field: "name") + role.faults(applications)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let now = clock.now
        let admin = Admin(
            id: randomness.newIdentifier(at: now), name: name, role: role, applications: applications, createdAt: now)
        let entry = audit.draft(.adminCreated, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(who.session)
            guard try transaction.admin(named: admin.foldedName) == nil else { throw .administration(.nameTaken) }
            try transaction.requireApplications(applications)
            try transaction.insert(admin)
            try entry.record(
                on: .admin(admin.id), details: ["role": role.rawValue, "applications": applications.inAudit],
                in: transaction)
        }
        return admin
    }
}

/// Changes what an admin may do, or whether they may come in at all.
package struct ChangeAdmin: Sendable {
    let store: any Store
    let clock: any WallClock
    let audit: AuditTrail

    package struct Changes: Sendable {
        package var role: AdminRole?
        package var applications: ValueChange<Set<Identifier<Application>>>
        package var isDisabled: Bool?

        package init(
            role: AdminRole? = nil, applications: ValueChange<Set<Identifier<Application>>> = .unchanged,
            isDisabled: Bool? = nil
        ) {
            self.role = role
            self.applications = applications
            self.isDisabled = isDisabled
        }
    }

    /// - Parameters:
    ///   - id: Whom.
    ///   - changes: What changes.
    ///   - version: When the admin was last changed, as the caller knows it; `nil` to change whatever there is.
    ///   - who: Who does it.
    /// - Returns: the admin afterwards.
    /// - Throws: `administration(notFound)`, `administration(changedMeanwhile)`, `administration(lastOwner)`,
    ///   `administration(adminRequired)` for a session that ended meanwhile, `fieldsRefused`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Admin>, _ changes: Changes, version: Timestamp?, by who: Operator
    ) async throws(DomainError) -> Admin {
        let now = clock.now
        let entry = audit.draft(.adminChanged, by: who.actor, in: AuditEntry.server, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(who.session)
            guard var admin = try transaction.admin(id) else { throw .administration(.notFound) }
            guard version == nil || version == admin.updatedAt else { throw .administration(.changedMeanwhile) }
            let (before, wasActingOwner) = (admin, admin.isActingOwner)
            admin.role = changes.role ?? admin.role
            admin.applications = changes.applications.applied(to: admin.applications)
            if let isDisabled = changes.isDisabled { admin.disabledAt = isDisabled ? admin.disabledAt ?? now : nil }
            let faults = admin.role.faults(admin.applications)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            try transaction.requireApplications(admin.applications)
            // Two changes in one millisecond are two versions.
            admin.updatedAt = max(now, admin.updatedAt + .milliseconds(1))
            try transaction.update(admin)
            if wasActingOwner { try transaction.requireOwner() }
            let keys = admin.isDisabled ? try transaction.removeAllAccess(of: id) : 0
            try entry.record(
                on: .admin(id),
                details: [
                    "role": admin.role.rawValue, "disabled": String(admin.isDisabled),
                    "role-before": admin.role == before.role ? nil : before.role.rawValue,
                    "applications": admin.applications.inAudit,
                    "applications-before": admin.applications == before.applications
                        ? nil : before.applications.inAudit,
                    "keys-ended": keys == 0 ? nil : String(keys),
                ].compactMapValues(\.self), in: transaction)
            return admin
        }
    }
}

/// Removes an admin, whose sessions, links, passkeys, identity at the provider of admins and API keys end at once. What they did stays in the audit log.
package struct RemoveAdmin: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `administration(adminRequired)` for a session that ended meanwhile, `administration(notFound)`,
    ///   `administration(lastOwner)`, `storageUnavailable`.
    package func callAsFunction(_ id: Identifier<Admin>, by who: Operator) async throws(DomainError) {
        let entry = audit.draft(.adminRemoved, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            try transaction.requireOpen(who.session)
            guard let admin = try transaction.admin(id) else { throw .administration(.notFound) }
            let keys = try transaction.removeAllAccess(of: id)
            try transaction.removePasskeys(of: id)
            try transaction.removeIdentity(of: id)
            try transaction.removeAdmin(id)
            if admin.isActingOwner { try transaction.requireOwner() }
            try entry.record(
                on: .admin(id),
                details: [
                    "name": admin.name, "role": admin.role.rawValue, "keys-ended": keys == 0 ? nil : String(keys),
                ].compactMapValues(\.self), in: transaction)
        }
    }
}

extension Optional where Wrapped == Set<Identifier<Application>> {
    /// The most ids that an entry of the audit log names.
    private static var maximumInAudit: Int { 100 }

    /// The ids, as far as an entry has room, or `all`.
    var inAudit: String {
        guard let ids = self?.map(\.rawValue).sorted() else { return "all" }
        let named = ids.prefix(Self.maximumInAudit).joined(separator: " ")
        return ids.count > Self.maximumInAudit ? "\(named) +\(ids.count - Self.maximumInAudit)" : named
    }
}

extension Admin {
    /// Whether the admin can look after other admins now.
    var isActingOwner: Bool { role == .owner && isSetUp && !isDisabled }
}

extension AdminRole {
    /// An owner looks after the whole server.
    func faults(_ applications: Set<Identifier<Application>>?) -> [ValidationError] {
        let faults = Admin.faults(ofApplications: applications)
        guard faults.isEmpty, applications != nil, self == .owner else { return faults }
        return [ValidationError(field: "applications", rule: .notOffered)]
    }
}

extension Admin {
    /// The rules that the applications break which an admin or a key is confined to; `nil` for all there are.
    static func faults(ofApplications applications: Set<Identifier<Application>>?) -> [ValidationError] {
        switch applications {
        case .some(let list) where list.isEmpty: [ValidationError(field: "applications", rule: .empty)]
        case .some(let list) where list.count > maximumApplications:
            [ValidationError(field: "applications", rule: .tooManyFields(maximum: maximumApplications))]
        default: []
        }
    }
}

/// Ends the wait that wrong passwords brought an admin's name: strangers can send them, and keep the admin out.
package struct UnlockAdmin: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    package func callAsFunction(_ id: Identifier<Admin>, by who: Operator) async throws(DomainError) {
        let entry = audit.draft(.adminUnlocked, by: who.actor, in: AuditEntry.server, from: who.origin)
        try await store.write { transaction throws(DomainError) in
            guard let admin = try transaction.admin(id) else { throw .administration(.notFound) }
            try transaction.removeFailures(of: admin.failureSubject, in: AuditEntry.server)
            try entry.record(on: .admin(id), in: transaction)
        }
    }
}

/// Until when log-ins by the names of admins are refused, from any client.
package struct ListAdminLocks: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Returns: only those who have to wait.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> [Identifier<Admin>: Timestamp] {
        let now = clock.now
        return try await store.read { transaction throws(DomainError) in
            var locks: [Identifier<Admin>: Timestamp] = [:]
            for admin in try transaction.admins() {
                let failures = try transaction.failures(of: admin.failureSubject, in: AuditEntry.server)
                if let wait = failures?.wait(at: now) { locks[admin.id] = now + wait }
            }
            return locks
        }
    }
}

extension Transaction {
    /// Ends all passkeys of an admin.
    func removePasskeys(of admin: Identifier<Admin>) throws(DomainError) {
        for passkey in try passkeys(of: admin) { try removePasskey(passkey.id, of: admin) }
    }

    /// Ends all that lets an admin in, or a program in the admin's name.
    ///
    /// - Returns: how many API keys were among it.
    func removeAllAccess(of id: Identifier<Admin>) throws(DomainError) -> Int {
        try removeAccess(of: id)
        return try removeAdminKeys(madeBy: id)
    }

    /// - Throws: `administration(lastOwner)` when nobody could look after admins any more.
    func requireOwner() throws(DomainError) {
        guard try admins().contains(where: \.isActingOwner) else { throw .administration(.lastOwner) }
    }

    /// - Throws: `administration(notFound)` when one of them is not there.
    func requireApplications(_ applications: Set<Identifier<Application>>?) throws(DomainError) {
        for id in applications ?? [] {
            guard try application(id) != nil else { throw .administration(.notFound) }
        }
    }
}
