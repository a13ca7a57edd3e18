/// What a user leaves in the database for months by acts that cost next to nothing. It is limited for each user and address (IPv6: one
/// /48 network): else a client with one account fills the disk, and nobody can write any more (requirement 47).
///
/// A thief's acts use up nothing of what the owner may do from elsewhere. Operators have two of their own (`OperatorTrace`);
/// providers, commands and the server have none.
/// What a stranger leaves is counted for the address (IPv6: for the /64 network, and a hundred times as much for the /48 network), where
/// the request has no limit of its own.
enum UserTrace: String, Sendable {
    /// An entry of the audit log, with its event.
    case entry = "user-entry"
    /// The event of a changed profile, which has no entry. Apps write fields often.
    case profileEvent = "user-profile-event"

    var limit: RateLimit {
        switch self {
        case .entry: .hourly(600)
        case .profileEvent: .hourly(3600)
        }
    }

    /// What has a limit or a price of its own: a password's hash, the address of a registration, and the mail for a reset, which
    /// must lead an owner in whatever a thief does, as must the link that gives an address back. `SessionIssuer` counts the log-ins
    /// that have none.
    static let uncounted: Set<AuditEntry.Action> = [.loggedIn, .userCreated, .passwordReset, .emailRecovered]

    /// Ways of log-in whose refusals have a limit of their own: tries of passwords and second factors are counted, and a code of
    /// the pages that comes again is recorded once. `SessionIssuer` counts all others.
    static let limitedRefusals: Set<Session.LogInMethod> = Set(
        [Session.LogInMethod.password, .pages]
            + SecondFactorChallenge.Factor.allCases.map { Session.LogInMethod(rawValue: $0.rawValue) })
}

/// What an admin or a key leaves in the database and the revocation journal, and could fill the disk of all applications with that has
/// rights in one (decisions 0262 and 0323). Each of them is counted in each application.
enum OperatorTrace: String, Sendable {
    /// The journal gets all settings of the application anew, some hundred kilobytes with a theme (decision 0193).
    case settings = "settings-entry"
    /// A new user, with fields of up to a quarter of a megabyte.
    case newUser = "operator-user"

    /// - Parameter action: What an entry of the audit log is about; `nil` for all that is not counted.
    init?(_ action: AuditEntry.Action) {
        switch action {
        case .userCreated: self = .newUser
        case .settingsChanged, .themeChanged, .redirectsChanged, .fieldRulesChanged, .mailSettingsChanged,
            .claimsChanged, .rolesChanged, .userListViewsChanged, .providerSet, .providerRemoved, .protocolEnabled,
            .protocolDisabled:
            self = .settings
        default: return nil
        }
    }

    var limit: RateLimit {
        switch self {
        case .settings: .hourly(600)
        // As many as apps of old protocols make from one address.
        case .newUser: .hourly(3000)
        }
    }
}

extension AuditDraft {
    /// Counts what an admin or a key is about to leave, in the action's transaction. Users and strangers, who make users too, are
    /// counted elsewhere.
    ///
    /// - Throws: `rateLimited` when it is too much, `storageUnavailable`.
    func countOperator(_ actor: AuditEntry.Actor, in transaction: any Transaction) throws(DomainError) {
        guard hasLimits, let trace = OperatorTrace(action), !actor.isUser,
            ![AuditEntry.Actor.operator, .server, .unknown].contains(actor)
        else { return }
        let key = RateLimitKey(application: application, kind: trace.rawValue, subject: actor.rawValue)
        try trace.limit.admit(transaction.count(key, window: trace.limit.window, at: at), at: at)
    }

    /// Counts what is about to be left, in the action's transaction.
    ///
    /// - Parameters:
    ///   - trace: What.
    ///   - actor: Who leaves it. Strangers of one address are counted together.
    ///   - transaction: The action's.
    /// - Throws: `rateLimited` when it is too much, `storageUnavailable`.
    func count(
        _ trace: UserTrace, of actor: AuditEntry.Actor, in transaction: any Transaction
    ) throws(DomainError) {
        guard hasLimits, actor.isUser || actor == .unknown, let address = origin.address else { return }
        let client = ClientAddress(text: address)
        var counters = AddressLimit(trace.limit).counters(of: trace.rawValue, in: application, from: client)
        if actor.isUser {
            let subject = "\(actor.rawValue) \(client.ownerGroup)"
            let key = RateLimitKey(application: application, kind: trace.rawValue, subject: subject)
            counters = [(key: key, limit: trace.limit)]
        }
        for (key, limit) in counters {
            try limit.admit(transaction.count(key, window: limit.window, at: at), at: at)
        }
    }
}

extension AuditEntry.Actor {
    var isUser: Bool { rawValue.hasPrefix("user:") }
}
