/// What holds for one kind of change of an account: a row of the table.
package struct AccountPolicy: Hashable, Sendable {
    /// Who may make it. Nobody else can, whatever an access list says (requirement 50).
    package let who: Set<AccountRole>
    /// What has to be shown anew, where the protocol's apps can show it; any one of them is enough.
    package let fresh: Set<Proof>
    /// What ends with it, beside what the caller uses (requirement 49).
    package let evicts: Set<Eviction>
    /// What stands in the audit log (requirement 51).
    package let action: AuditEntry.Action
    /// Who is notified.
    package let tells: Set<Notice>
    /// The event that the app's backends get; `nil` for none.
    package let event: EventType?

    /// What shows that the right person asks.
    package enum Proof: String, CaseIterable, Hashable, Sendable {
        case recentLogIn = "recent log-in"
        case currentPassword = "current password"
        /// Mailed or texted to the address that it is about.
        case code
        case transferCode = "transfer code"
        case mergeTicket = "merge ticket"
        /// What an identity provider signed.
        case providerToken = "provider's token"
        case passkey
        case secondFactor = "second factor"
    }

    package enum Notice: Hashable, Sendable {
        /// A mail to the address from before and to the one from now on, as far as they were shown to be the user's
        /// (requirement 5); what concerns the whole account goes to an unconfirmed address too, three times a day.
        case mail(MailKind)
        /// The device whose key led to the user before, at its next log-in or in its list of notices.
        case oldDevice
    }

    /// Which event there is of a change.
    enum Publication: Sendable {
        /// One with the name that the audit log has for the change.
        case asRecorded
        case named(EventType)
        case none
    }

    init(
        _ who: Set<AccountRole>, fresh: Set<Proof> = [], ends: Set<Eviction> = [], records action: AuditEntry.Action,
        tells: Set<Notice> = [], publishes publication: Publication = .asRecorded
    ) {
        event =
            switch publication {
            case .asRecorded: EventType(rawValue: action.rawValue)
            case .named(let type): type
            case .none: nil
            }
        self.who = who
        self.fresh = fresh
        evicts = ends
        self.action = action
        self.tells = tells
    }

    /// The mail that tells the user.
    package var mail: MailKind? {
        for case .mail(let kind) in tells { return kind }
        return nil
    }
}

extension AccountChange {
    /// The table: who may, what must be fresh, what ends, what is recorded, whom it tells. Every protocol, page and command
    /// goes by it, and the threat model shows it.
    package var policy: AccountPolicy {
        let (all, account) = (Eviction.everything, Set<AccountRole>([.owner, .operator]))
        // What may have been got by a way in that is no more, in a session that ends with it, or by showing it beside another user's.
        let begun: Set<Eviction> = [.transferCodes, .mergeTickets]
        return switch self {
        // Accounts come to be
        // Each registration has its event, recorded or not: see `UserRegistration`.
        case .created: AccountPolicy([.stranger], records: .userCreated, publishes: .none)
        case .signedUp: AccountPolicy([.stranger], records: .loggedIn, publishes: .none)
        case .upgraded:
            AccountPolicy(
                account, fresh: [.recentLogIn], records: .userUpgraded, tells: [.mail(.accountUpgraded)])
        // Profile and identifiers
        case .profileChanged: AccountPolicy([.writer, .owner, .operator], records: .userChanged)
        case .aclChanged: AccountPolicy(account, records: .aclChanged)
        case .rolesChanged: AccountPolicy([.operator], records: .userRolesChanged)
        case .identifiersChanged:
            AccountPolicy(
                account, fresh: [.recentLogIn], records: .identifiersChanged, tells: [.mail(.identifiersChanged)])
        case .addressChanged:
            AccountPolicy(
                account, fresh: [.recentLogIn], ends: all, records: .identifiersChanged,
                tells: [.mail(.emailChanged), .oldDevice])
        case .emailVerified: AccountPolicy([.holder, .operator], fresh: [.code], records: .emailVerified)
        case .emailReplaced:
            AccountPolicy(
                [.holder], fresh: [.code], ends: all, records: .emailVerified,
                tells: [.mail(.emailChanged), .oldDevice])
        case .emailRecovered:
            // As a reset: who changed the address may have added a passkey since.
            AccountPolicy(
                [.holder], fresh: [.code], ends: all.union([.passkeys]), records: .emailRecovered,
                tells: [.mail(.emailChanged), .oldDevice])
        case .phoneVerified: AccountPolicy([.holder, .operator], fresh: [.code], records: .phoneVerified)
        case .phoneReplaced:
            AccountPolicy(
                [.holder], fresh: [.code], ends: all, records: .phoneVerified,
                tells: [.mail(.emailChanged), .oldDevice])
        case .identifierYielded:
            AccountPolicy([.server], records: .identifiersChanged, tells: [.mail(.identifiersChanged)])
        // Passwords
        case .passwordChanged:
            AccountPolicy(
                account, fresh: [.currentPassword, .recentLogIn], ends: all, records: .passwordChanged,
                tells: [.mail(.passwordChanged), .oldDevice])
        case .passwordReset:
            // Who asks for another password may fear that somebody else is in the account: a passkey may be theirs.
            AccountPolicy(
                [.holder], fresh: [.code], ends: all.union([.passkeys]), records: .passwordReset,
                tells: [.mail(.passwordChanged), .oldDevice])
        case .weakPasswordRetired: AccountPolicy([.server], records: .weakPasswordRetired)
        case .passwordMigrated: AccountPolicy([.server], records: .passwordMigrated)
        // Standing
        case .disabled:
            AccountPolicy(
                [.operator], ends: all, records: .userDisabled, tells: [.mail(.accountDisabled), .oldDevice])
        case .enabled: AccountPolicy([.operator], records: .userEnabled, tells: [.mail(.accountEnabled)])
        // What leads to the account
        case .identityLinked:
            AccountPolicy(
                account, fresh: [.recentLogIn], records: .identityLinked, tells: [.mail(.identityLinked)])
        case .identityUnlinked:
            // The server takes the anonymous id of a disabled user for a new one, where a protocol has it so.
            AccountPolicy(
                account.union([.server]), fresh: [.recentLogIn], ends: begun, records: .identityUnlinked,
                tells: [.mail(.identityUnlinked)])
        case .consentRevoked, .providerAccountDeleted:
            AccountPolicy([.provider], ends: begun, records: .providerNotified)
        case .passkeyAdded:
            AccountPolicy(
                [.owner], fresh: [.recentLogIn], records: .passkeyAdded, tells: [.mail(.identityLinked)])
        case .passkeyRenamed: AccountPolicy([.owner], records: .passkeyRenamed)
        case .passkeyRemoved:
            AccountPolicy(
                account, fresh: [.recentLogIn], ends: begun, records: .passkeyRemoved,
                tells: [.mail(.identityUnlinked)])
        // Of `AccountChange.guarded`: who has a second factor shows it too.
        case .secondFactorAdded:
            // What needs the factor from now on, and was ordered without it.
            AccountPolicy(
                [.owner], fresh: [.recentLogIn], ends: [.transferCodes, .mergeTickets, .newAddresses],
                records: .secondFactorAdded, tells: [.mail(.secondFactorChanged)])
        case .secondFactorRemoved:
            AccountPolicy(
                [.owner], fresh: [.recentLogIn], records: .secondFactorRemoved, tells: [.mail(.secondFactorChanged)])
        case .secondFactorsReset:
            AccountPolicy(
                [.operator], ends: [.tickets, .newAddresses], records: .secondFactorsReset,
                tells: [.mail(.secondFactorChanged)])
        case .recoveryCodesReplaced:
            AccountPolicy(
                [.owner], fresh: [.recentLogIn], records: .recoveryCodesReplaced,
                tells: [.mail(.secondFactorChanged)])
        case .recoveryCodeUsed:
            AccountPolicy(
                [.owner], fresh: [.secondFactor], records: .recoveryCodeUsed, tells: [.mail(.recoveryCodeUsed)])
        case .deviceKeyRemoved:
            // The server takes those that are more than a user may have. A transfer code may have been issued on the device, which
            // may hold tickets too, and a token of a service that the user has left (decision 0127).
            AccountPolicy(
                account.union([.server]), fresh: [.recentLogIn], ends: [.transferCodes, .tickets],
                records: .deviceKeyRemoved, tells: [.oldDevice])
        case .otherDeviceKeysRemoved:
            AccountPolicy(
                account, fresh: [.recentLogIn], ends: [.deviceKeys, .transferCodes, .tickets],
                records: .otherDeviceKeysRemoved, tells: [.oldDevice])
        case .otherSessionsEnded:
            AccountPolicy(
                [.owner], fresh: [.recentLogIn], ends: all, records: .otherSessionsEnded, tells: [.oldDevice])
        case .allSessionsEnded:
            // An operator has looked into it: nobody but an operator ends the way back to a former address.
            AccountPolicy(
                [.operator], ends: all.union([.emailRecoveries]), records: .sessionsEnded, tells: [.oldDevice])
        // Transfer codes
        case .transferCodeIssued: AccountPolicy(account, fresh: [.recentLogIn], records: .transferCodeIssued)
        case .transferCodeWithdrawn: AccountPolicy([.owner], records: .transferCodeWithdrawn)
        case .transferCodeRedeemed:
            AccountPolicy(
                [.holder], fresh: [.transferCode], records: .transferCodeRedeemed,
                tells: [.mail(.deviceJoined), .oldDevice])
        case .transferConfirmed: AccountPolicy([.owner], records: .transferConfirmed)
        case .transferUndone:
            AccountPolicy([.owner], ends: [.transferCodes], records: .transferUndone, tells: [.oldDevice])
        // Merges
        case .mergeOffered:
            AccountPolicy(
                [.holder], fresh: [.currentPassword, .providerToken, .passkey], records: .mergeOffered,
                publishes: .none)
        case .mergeKept: AccountPolicy([.holder], fresh: [.mergeTicket], records: .mergeKept, publishes: .none)
        case .mergeSwitched:
            AccountPolicy(
                [.holder], fresh: [.mergeTicket], records: .mergeSwitched, publishes: .named(.userSwitched))
        case .merged:
            AccountPolicy([.holder], fresh: [.mergeTicket], records: .merged, publishes: .named(.userMerged))
        case .mergedByOperator:
            // Unlike the two above, nobody has shown to be the user who gets another one's ways in.
            AccountPolicy(
                [.operator], records: .usersMerged, tells: [.mail(.identityLinked)], publishes: .named(.userMerged))
        case .mergeUndone:
            // A device that goes back may have got a transfer code.
            AccountPolicy(
                account, fresh: [.recentLogIn], ends: [.transferCodes], records: .mergeUndone,
                publishes: .named(.mergeUndone))
        // The end
        case .deletionRequested:
            AccountPolicy(
                [.owner, .operator, .provider], fresh: [.recentLogIn],
                ends: [.sessions, .transferCodes, .mergeTickets, .tickets, .newAddresses], records: .deletionRequested,
                tells: [.mail(.deletionRequested)])
        case .restored: AccountPolicy(account, records: .userRestored, tells: [.mail(.accountRestored)])
        case .erased:
            AccountPolicy([.server, .operator], records: .userErased, tells: [.mail(.accountErased)])
        case .erasedAtOnce:
            AccountPolicy(account, fresh: [.recentLogIn], records: .userErased, tells: [.mail(.accountErased)])
        }
    }
}

extension AuditEntry.Action {
    static let emailRecovered = AuditEntry.Action(rawValue: "email.recovered")
    static let mergeKept = AuditEntry.Action(rawValue: "merge.keep")
    static let mergeSwitched = AuditEntry.Action(rawValue: "merge.switch")
    static let merged = AuditEntry.Action(rawValue: "merge.merge")
    static let transferConfirmed = AuditEntry.Action(rawValue: "transfer.confirmed")
    static let passkeyAdded = AuditEntry.Action(rawValue: "passkey.added")
    static let passkeyRenamed = AuditEntry.Action(rawValue: "passkey.renamed")
    static let passkeyRemoved = AuditEntry.Action(rawValue: "passkey.removed")
    static let secondFactorAdded = AuditEntry.Action(rawValue: "second-factor.added")
    static let secondFactorRemoved = AuditEntry.Action(rawValue: "second-factor.removed")
    static let secondFactorsReset = AuditEntry.Action(rawValue: "second-factor.reset")
    static let recoveryCodesReplaced = AuditEntry.Action(rawValue: "recovery-codes.replaced")
    static let recoveryCodeUsed = AuditEntry.Action(rawValue: "recovery-code.used")
    static let weakPasswordRetired = AuditEntry.Action(rawValue: "password.retired")
    static let passwordMigrated = AuditEntry.Action(rawValue: "password.migrated")
}

extension AccountChange {
    /// The table in Markdown, as the threat model shows it.
    package static var policyTable: String {
        let head = """
            | change | who may | must be fresh | ends | audit | notifies | event |
            | --- | --- | --- | --- | --- | --- | --- |
            """
        return ([head] + allCases.map(\.policyRow)).joined(separator: "\n")
    }

    private var policyRow: String {
        let policy = policy
        let cells = [
            "`\(rawValue)`", Self.list(AccountRole.allCases, policy.who) { $0.rawValue },
            Self.list(AccountPolicy.Proof.allCases, policy.fresh) { $0.rawValue },
            policy.evicts.isSuperset(of: Eviction.everything)
                ? (["everything else"] + policy.evicts.subtracting(Eviction.everything).map(\.text))
                    .joined(separator: ", ") : Self.list(Eviction.allCases, policy.evicts) { $0.text },
            "`\(policy.action.rawValue)`",
            Self.list(AccountPolicy.Notice.allCases, policy.tells) { $0.text },
            policy.event.map { "`\($0.rawValue)`" } ?? "–",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// The members of a set, in the order of all values.
    private static func list<Value: Hashable>(
        _ all: [Value], _ members: Set<Value>, _ text: (Value) -> String
    ) -> String {
        members.isEmpty ? "–" : all.filter(members.contains).map(text).joined(separator: ", ")
    }
}

extension Eviction {
    fileprivate var text: String {
        switch self {
        case .sessions: "sessions"
        case .deviceKeys: "device keys"
        case .anonymousIds: "ids of clients"
        case .mailedCodes: "codes"
        case .transferCodes: "transfer codes"
        case .mergeTickets: "merge tickets"
        case .tickets: "tickets"
        case .newAddresses: "new addresses"
        case .passkeys: "passkeys"
        case .emailRecoveries: "links back to a former address"
        }
    }
}

extension AccountPolicy.Notice: CaseIterable {
    package static var allCases: [AccountPolicy.Notice] { MailKind.allCases.map { .mail($0) } + [.oldDevice] }

    fileprivate var text: String {
        switch self {
        case .mail(let kind): "mail `\(kind.rawValue)`"
        case .oldDevice: "the device that is out"
        }
    }
}
