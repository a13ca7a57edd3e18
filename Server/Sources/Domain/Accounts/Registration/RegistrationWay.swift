/// The ways in which users come to be. The table of what differs between them: everything else is the same for all.
package enum RegistrationWay: String, CaseIterable, Hashable, Sendable {
    /// By identifiers and a password, and logged in.
    case signUp
    /// As apps of foreign protocols register: by identifiers and a password, or with nothing that a person could type.
    case account
    /// By identities that other services or clients vouch for, with or without identifiers.
    case identities
    /// By a mail address alone, whose owner chooses a password on the page that the mail leads to.
    case mail
    /// By the first log-in with a provider.
    case provider
    /// By the first launch of a device.
    case device
    /// By a record of another service.
    case importing
    /// By a log-in that the service of before vouches for.
    case migration
    /// By an admin, without a password: the person chooses one by the mail of a reset.
    case admin

    /// Whether a password comes with the request.
    enum PasswordNeed: Hashable, Sendable {
        case required
        /// Of everybody but a user without identifiers who gets a session.
        case requiredOfNamed
        /// Taken when there is something to type beside it.
        case optional
        /// It comes later, ready made, or never.
        case none
    }

    var password: PasswordNeed {
        switch self {
        case .signUp, .mail: .required
        case .account: .requiredOfNamed
        case .identities: .optional
        case .provider, .device, .importing, .migration, .admin: .none
        }
    }

    /// Whether the fields that the application requires must be there. Where nobody can be asked they come later.
    var demandsFields: Bool {
        switch self {
        case .signUp, .account, .identities, .provider, .device: true
        case .mail, .importing, .migration, .admin: false
        }
    }

    /// Whether log-ins that failed because nobody had the name are no guesses any more (requirement 52).
    var forgivesFailures: Bool {
        switch self {
        case .signUp, .account, .identities, .migration: true
        case .mail, .provider, .device, .importing, .admin: false
        }
    }

    /// Whether its identifiers may be another user's of another kind when they are typed.
    var takesOtherCandidates: Bool {
        switch self {
        case .signUp, .account, .identities, .mail, .provider, .device, .admin: false
        case .importing, .migration: true
        }
    }

    /// Whether the application's hook is asked first. An import is the operator's own decision, and so are a migration and a user
    /// made by an admin.
    var asksHook: Bool {
        switch self {
        case .signUp, .account, .identities, .mail, .provider, .device: true
        case .importing, .migration, .admin: false
        }
    }

    /// Where the profile stands in the request, for the names of faults.
    var profilePath: String {
        switch self {
        case .provider, .device: "user."
        case .signUp, .account, .identities, .mail, .importing, .migration, .admin: ""
        }
    }

    /// Who stands in the audit log as the maker of a user that has no log-in entry; `nil` when no entry is written,
    /// because the log-in has one or because the session, the report of the import, or the entry of the admin's action is the record.
    func recordedActor(of user: User, hasPassword: Bool) -> AuditEntry.Actor? {
        switch self {
        case .account: hasPassword ? .user(user.id) : nil
        case .mail, .migration: .unknown
        case .signUp, .identities, .provider, .device, .importing, .admin: nil
        }
    }

    /// The faults of a profile by the names that the request has for them.
    func named(_ faults: [ValidationError]) -> [ValidationError] {
        faults.map { ValidationError(field: profilePath + $0.field, rule: $0.rule) }
    }
}
