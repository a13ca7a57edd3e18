/// Somebody who has shown to be an admin, or a program with a key, and what they may do.
package struct AdminAccess: Hashable, Sendable {
    package enum Holder: Hashable, Sendable {
        case admin(Admin)
        case key(Identifier<AdminKey>)
        /// The key that an application was made with.
        case applicationKey(Identifier<Application>)
    }

    package let holder: Holder
    package let name: String
    package let permissions: Set<AdminPermission>
    /// The applications that may be seen; `nil` for all.
    package let applications: Set<Identifier<Application>>?
    /// When an admin last gave password and code; `nil` for a program, whose key is its proof.
    package var authenticatedAt: Timestamp?
    /// When the session began by which an admin asks, also under another token; `nil` for everybody else.
    var sessionCreatedAt: Timestamp?

    init(
        holder: Holder, name: String, permissions: Set<AdminPermission>, applications: Set<Identifier<Application>>?
    ) {
        self.holder = holder
        self.name = name
        self.permissions = permissions
        self.applications = applications
    }

    /// What an admin may do.
    ///
    /// - Parameters:
    ///   - admin: Who.
    ///   - authenticatedAt: When the admin last proved to be there; `nil` for a command in the admin's name.
    package init(_ admin: Admin, authenticatedAt: Timestamp?) {
        self.init(
            holder: .admin(admin), name: admin.name, permissions: admin.role.permissions,
            applications: admin.applications)
        self.authenticatedAt = authenticatedAt
    }

    package var actor: AuditEntry.Actor {
        switch holder {
        case .admin(let admin): .admin(admin.id)
        case .key(let id): AuditEntry.Actor(rawValue: "admin-key:\(id)")
        case .applicationKey(let id): AuditEntry.Actor(rawValue: "application-key:\(id)")
        }
    }

    package var admin: Admin? {
        guard case .admin(let admin) = holder else { return nil }
        return admin
    }

    func may(_ permission: AdminPermission) -> Bool { permissions.contains(permission) }

    /// Who does it, for the audit log.
    package func auditActor(from origin: RequestOrigin) -> Operator {
        Operator(
            actor: actor, origin: origin, decidingFor: applications, permissions: permissions, session: session)
    }

    /// The session by which an admin asks; `nil` for everybody else.
    var session: AdminSession.Reference? {
        guard let admin, let sessionCreatedAt else { return nil }
        return AdminSession.Reference(admin: admin.id, createdAt: sessionCreatedAt)
    }

    /// - Parameters:
    ///   - action: What is wanted.
    ///   - application: Where; `nil` for the whole server, which needs access to all applications.
    /// - Throws: `administration(notFound)` for an application that may not be seen, so that its id tells nothing, and
    ///   for what only commands do; `administration(notAllowed)`.
    package func require(_ action: AdminAction, in application: Identifier<Application>?) throws(DomainError) {
        switch action.policy.access {
        case .open, .everyAdmin: return
        case .commandLine: throw .administration(.notFound)
        case .permissions(let needed):
            for permission in needed {
                if let applications {
                    guard let application else { throw .administration(.notAllowedOnServer(permission)) }
                    guard applications.contains(application) else { throw .administration(.notFound) }
                }
                guard may(permission) else { throw .administration(.notAllowed(permission)) }
            }
        }
    }

    /// Whether an action is offered to them at all; step-up is asked for when it is done.
    package func may(_ action: AdminAction, in application: Identifier<Application>?) -> Bool {
        do throws(DomainError) {
            try require(action, in: application)
            return true
        } catch {
            // Why it is not offered is not shown.
            return false
        }
    }

    /// Whether an application may be seen at all.
    package func sees(_ application: Identifier<Application>) -> Bool { applications?.contains(application) ?? true }
}

extension Transaction {
    /// Looks for an admin's session where a change is stored by which somebody comes in as an admin, or does not any more: what
    /// ended the session while the request was under way would not find what is stored now (decision 0185).
    ///
    /// - Parameter session: By which the change was asked for; `nil` for who needs none.
    /// - Throws: `administration(adminRequired)` for a session that has ended, `storageUnavailable`.
    func requireOpen(_ session: AdminSession.Reference?) throws(DomainError) {
        guard let session else { return }
        guard try adminSession(of: session.admin, createdAt: session.createdAt) != nil else {
            throw .administration(.adminRequired)
        }
    }
}

extension AuditEntry.Actor {
    package static func admin(_ id: Identifier<Admin>) -> AuditEntry.Actor { .init(rawValue: "admin:\(id)") }
}

extension AuditEntry.Target {
    package static func admin(_ id: Identifier<Admin>) -> AuditEntry.Target { .init(rawValue: "admin:\(id)") }
    package static func adminKey(_ id: Identifier<AdminKey>) -> AuditEntry.Target {
        .init(rawValue: "admin-key:\(id)")
    }
}

extension AuditEntry.Action {
    package static let adminCreated = AuditEntry.Action(rawValue: "admin.created")
    package static let adminLinked = AuditEntry.Action(rawValue: "admin.link-made")
    package static let adminSetUp = AuditEntry.Action(rawValue: "admin.set-up")
    package static let adminLoggedIn = AuditEntry.Action(rawValue: "admin.logged-in")
    package static let adminReauthenticated = AuditEntry.Action(rawValue: "admin.reauthenticated")
    package static let adminLoggedOut = AuditEntry.Action(rawValue: "admin.logged-out")
    package static let adminChanged = AuditEntry.Action(rawValue: "admin.changed")
    package static let adminUnlocked = AuditEntry.Action(rawValue: "admin.unlocked")
    package static let adminRemoved = AuditEntry.Action(rawValue: "admin.removed")
    package static let adminPasskeyAdded = AuditEntry.Action(rawValue: "admin.passkey-added")
    package static let adminPasskeyRenamed = AuditEntry.Action(rawValue: "admin.passkey-renamed")
    package static let adminPasskeyRemoved = AuditEntry.Action(rawValue: "admin.passkey-removed")
    package static let adminPasswordRemoved = AuditEntry.Action(rawValue: "admin.password-removed")
    package static let adminSignOnLinked = AuditEntry.Action(rawValue: "admin.sign-on-linked")
    package static let adminSignOnUnlinked = AuditEntry.Action(rawValue: "admin.sign-on-unlinked")
    package static let adminKeyCreated = AuditEntry.Action(rawValue: "admin-key.created")
    package static let adminKeyChanged = AuditEntry.Action(rawValue: "admin-key.changed")
    /// A key outside of its networks; what one does within is recorded by what it does.
    package static let adminKeyUsed = AuditEntry.Action(rawValue: "admin-key.used")
    package static let adminKeyRemoved = AuditEntry.Action(rawValue: "admin-key.removed")
    package static let userChanged = AuditEntry.Action(rawValue: "user.changed")
    package static let sessionsEnded = AuditEntry.Action(rawValue: "sessions.all-ended")
    package static let resetOrdered = AuditEntry.Action(rawValue: "password-reset.ordered")
    package static let usersExported = AuditEntry.Action(rawValue: "users.exported")
    package static let usersImported = AuditEntry.Action(rawValue: "users.imported")
    package static let usersMerged = AuditEntry.Action(rawValue: "merge.by-operator")
    package static let testMailSent = AuditEntry.Action(rawValue: "mail.test-sent")
    package static let settingsChanged = AuditEntry.Action(rawValue: "settings.changed")
    package static let eventsReplayed = AuditEntry.Action(rawValue: "events.replayed")
    package static let testEventSent = AuditEntry.Action(rawValue: "events.test-sent")
    package static let hookTested = AuditEntry.Action(rawValue: "hook.tested")
    package static let teamTransferred = AuditEntry.Action(rawValue: "provider.team-transferred")
}
