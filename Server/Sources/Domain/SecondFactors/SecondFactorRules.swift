/// What an application decides of second factors.
package struct SecondFactorRules: Hashable, Sendable {
    /// Who has one.
    package enum Mode: String, CaseIterable, Hashable, Sendable {
        /// Nobody is asked for one, and nobody can add one.
        case off
        /// Who has added one is asked for it.
        case optional
        /// The same, and registered users who have none add one with their next log-in by hand.
        case required
    }

    package var mode = Mode.off
    /// Changes of an account that need the second factor within ten minutes, beside those of `AccountChange.guarded`.
    package var demandedFor: Set<AccountChange> = []
    /// Whether a device whose key leads to the user counts as the second factor; otherwise those alone that have passed it.
    package var deviceKeysCount = true
    /// Whether a transfer code lets a user with a second factor in without it.
    package var transferCodesCount = true
    /// Whether old protocols, whose apps cannot ask for it, log users in without it.
    package var exemptsOldProtocols = false

    package init() {}

    /// What breaks a rule.
    var faults: [ValidationError] {
        demandedFor.isSubset(of: AccountChange.demandable)
            ? [] : [ValidationError(field: "secondFactors.demandedFor", rule: .notListed)]
    }

    /// Whether no log-in by the user's password succeeds without the second factor, in any protocol. Somebody who has yet to
    /// add one is let in by the password alone once.
    func guardsPasswords(of user: User) -> Bool {
        need(of: user) == .factor && !exemptsOldProtocols
    }

    /// What a user has to do in a log-in beside showing one credential.
    enum Need: Hashable, Sendable {
        /// To show the second factor.
        case factor
        /// To add one.
        case enrolment
    }

    /// - Parameter user: Who logs in.
    /// - Returns: `nil` for nothing.
    func need(of user: User) -> Need? {
        switch mode {
        case .off: nil
        case .optional: user.hasSecondFactor ? .factor : nil
        case .required: user.hasSecondFactor ? .factor : user.isAnonymous ? nil : .enrolment
        }
    }
}

extension AccountChange {
    /// What a user who has a second factor does only with it: to change it, to make what counts as two factors, and to take
    /// another name or address.
    package static let guarded: Set<AccountChange> = ofSecondFactors.union(openingResets).union([
        .passkeyAdded, .transferCodeIssued,
    ])

    /// What may bring another address: the first reset by one that nobody had proved takes second factors away.
    package static let openingResets: Set<AccountChange> = [.identifiersChanged, .addressChanged]

    /// What changes second factors, also while the application asks nobody for them.
    static let ofSecondFactors: Set<AccountChange> = [.secondFactorAdded, .secondFactorRemoved, .recoveryCodesReplaced]

    /// What an application can demand the second factor for: what owners do, and need a recent log-in for.
    package static let demandable = Set(
        allCases.filter {
            $0.policy.who.contains(.owner) && $0.policy.fresh.contains(.recentLogIn) && $0.demanded == $0
        })

    /// By which change an application demands the second factor for this one: a deletion is a deletion, whether the protocol
    /// has a grace or not.
    var demanded: AccountChange { self == .erasedAtOnce ? .deletionRequested : self }
}

extension User {
    /// Whether a code of an authenticator app is asked for beside one credential.
    package var hasSecondFactor: Bool { secondFactorAt != nil }
}
