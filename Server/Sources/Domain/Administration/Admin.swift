/// Somebody who looks after applications over the network: in the dashboard or by the admin API.
package struct Admin: Hashable, Sendable {
    /// The most applications that an admin or a key is confined to.
    package static let maximumApplications = 1000

    package let id: Identifier<Admin>
    /// What is typed at log-in: a word or a mail address.
    package var name: String
    package var role: AdminRole
    /// The applications that the admin may see; `nil` for all, and for the server itself.
    package var applications: Set<Identifier<Application>>?
    /// The one-time codes' key, sealed, and the last step of time that was used; `nil` until the admin is set up.
    package var sealedTOTP: [UInt8]?
    package var lastTOTPStep: Int64
    package var passwordHash: PasswordHash?
    /// Digests of the recovery codes that are left.
    package var recoveryDigests: [SecretDigest]
    /// Whether the admin has given up the password: one passkey always stays.
    package var usesPasskeysOnly = false
    package let createdAt: Timestamp
    package var updatedAt: Timestamp
    package var lastLogInAt: Timestamp?
    package var disabledAt: Timestamp?

    package init(
        id: Identifier<Admin>, name: String, role: AdminRole, applications: Set<Identifier<Application>>?,
        createdAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.applications = applications
        self.createdAt = createdAt
        updatedAt = createdAt
        lastTOTPStep = 0
        recoveryDigests = []
    }

    /// Whether the admin has chosen a password and set up one-time codes, or has passkeys instead.
    package var isSetUp: Bool { usesPasskeysOnly || passwordHash != nil && sealedTOTP != nil }
    /// Whether the admin has a password alone: the first owner of a server for development.
    package var lacksAuthenticator: Bool { passwordHash != nil && sealedTOTP == nil }
    /// Whether the admin has come in by the provider of admins and by nothing else.
    package var usesSignOnOnly: Bool { passwordHash == nil && !usesPasskeysOnly && lastLogInAt != nil }
    package var isDisabled: Bool { disabledAt != nil }

    /// How far an admin has come, as lists show it.
    package enum Standing: Hashable, Sendable {
        case disabled
        /// A password alone leads in.
        case withoutAuthenticator
        case active
        /// The link by which the admin sets up a way in was not used.
        case invited
    }

    package var standing: Standing {
        if isDisabled { return .disabled }
        if isSetUp || usesSignOnOnly { return .active }
        return lacksAuthenticator ? .withoutAuthenticator : .invited
    }

    /// The name as it is compared.
    package var foldedName: String { Self.folded(name) }

    package static func folded(_ name: String) -> String { LogInIdentifier(.email, shown: name).folded }

    /// Stands for the name, whatever stands around it, where wrong passwords are counted.
    var failureSubject: SecretDigest { Self.failureSubject(folded: foldedName) }

    static func failureSubject(folded: String) -> SecretDigest {
        SecretDigest(of: "admin:\(IdentifierFolding.trimmed(folded))".utf8)
    }

    package static let nameRule = TextRule(maximumCharacters: 100)
}

/// Whether admins need an authenticator app beside the password.
package enum AdminSecondFactor: Sendable {
    /// All do, those too who came in without one while the server was for development.
    case demanded
    /// The first owner may come in without one, on a server for development that only this machine reaches.
    case optionalForFirstOwner

    /// Whether an admin who has a password, or a program in their name, may come in.
    func admits(_ admin: Admin) -> Bool { self == .optionalForFirstOwner || !admin.lacksAuthenticator }

    /// Whether an admin has all that a log-in needs.
    func isComplete(_ admin: Admin) -> Bool {
        (admin.usesPasskeysOnly || admin.passwordHash != nil) && admits(admin)
    }
}

/// What an admin is there for. Each role is a fixed set of permissions.
package enum AdminRole: String, CaseIterable, Hashable, Sendable {
    /// Everything, other admins included.
    case owner
    /// Everything about applications and users.
    case `operator`
    /// Looks at users, with what is personal masked. Changes nothing.
    case support
    /// Looks at settings, statistics and the audit log. Sees no users.
    case auditor

    package var permissions: Set<AdminPermission> {
        switch self {
        case .owner: Set(AdminPermission.allCases)
        case .operator: Set(AdminPermission.allCases).subtracting([.manageAdmins])
        case .support: [.readUsers, .readStatistics]
        case .auditor: [.readStatistics, .readSettings, .readAudit, .readAdmins]
        }
    }
}

/// One thing that somebody may do; also the scope of an API key.
package enum AdminPermission: String, CaseIterable, Hashable, Sendable {
    /// Users and their sessions, with what is personal masked.
    case readUsers = "users:read"
    /// What is personal in them, and searches by parts of it.
    case readPersonalData = "users:personal"
    case changeUsers = "users:write"
    case readStatistics = "figures:read"
    case readSettings = "settings:read"
    case changeSettings = "settings:write"
    case readAudit = "audit:read"
    /// Makes applications; only for those who may see all.
    case makeApplications = "applications:create"
    case readAdmins = "admins:read"
    /// Makes, changes and resets admins and API keys.
    case manageAdmins = "admins:write"
}
