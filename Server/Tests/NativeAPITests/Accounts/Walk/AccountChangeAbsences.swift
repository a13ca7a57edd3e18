import Domain

/// Why a surface has no request for a row of the table.
extension AccountChangeStep {
    struct Absence: Sendable {
        let reason: String
        let rows: [AccountChange]

        init(_ reason: String, _ rows: AccountChange...) {
            self.reason = reason
            self.rows = rows
        }
    }

    private static let operators = "Operators alone may make it."
    private static let ofPasskeys = Absence(
        "Passkeys are added, named and removed by the native API and on the pages.", .passkeyAdded, .passkeyRenamed,
        .passkeyRemoved)
    private static let ofSecondFactors = Absence(
        "Second factors are added, removed and shown by the native API and on the pages.", .secondFactorAdded,
        .secondFactorRemoved,
        .recoveryCodesReplaced, .recoveryCodeUsed)
    private static let ofResets = Absence(
        "The admin API and the dashboard remove second factors that are lost.", .secondFactorsReset)
    private static let codes = "It has no transfer codes and no merges."
    private static let grace = "A deletion has a grace there."
    private static let notices = "Providers send their messages to one route, which is native."
    private static let keys = "Its sessions are of no device key, and it ends one session at a time."
    private static let texts = "It sends no text messages."
    private static let ofMigrations = Absence(
        "A log-in makes it while another service is asked: MigrationTests play it.", .passwordMigrated)
    private static let ofRecoveries = Absence(
        "A mail to the former address leads to the pages, where it happens.", .emailRecovered)
    private static let ofYields = Absence(
        "It goes with another user's proof: KiiUnprovedNumberTests and EmailRecoveryTests play it.", .identifierYielded)
    private static let retirement = "A weak password goes when a device key joins, which apps of Okaeri's own SDK have."

    static func absences(on surface: Surface) -> [Absence] {
        switch surface {
        case .native:
            [
                Absence("Who signs up is logged in.", .created),
                Absence("Its route is for the own profile, of which nothing is recorded.", .profileChanged),
                Absence("Its users have no access list.", .aclChanged), Absence(texts, .phoneVerified, .phoneReplaced),
                Absence(
                    operators, .disabled, .enabled, .rolesChanged, .allSessionsEnded, .mergedByOperator,
                    .secondFactorsReset),
                Absence(grace, .erased, .erasedAtOnce), ofMigrations, ofRecoveries, ofYields,
            ]
        case .pages:
            [
                Absence("Its form is for the own profile, of which nothing is recorded.", .profileChanged),
                Absence("Its users have no access list.", .aclChanged),
                Absence("A user name is chosen once, with the upgrade.", .identifiersChanged),
                Absence("Another address counts when the mail to it was answered.", .addressChanged),
                Absence(texts, .phoneVerified, .phoneReplaced), Absence(retirement, .weakPasswordRetired),
                Absence(operators, .disabled, .enabled, .rolesChanged, .allSessionsEnded, .mergedByOperator),
                Absence(notices, .consentRevoked, .providerAccountDeleted),
                Absence(
                    "One key is removed at a time; the end of all sessions takes them all.", .otherDeviceKeysRemoved),
                Absence("A browser has no device key that could join.", .transferCodeRedeemed),
                Absence("The app undoes a merge, or an operator.", .mergeUndone),
                Absence(grace, .erased, .erasedAtOnce), ofResets, ofMigrations, ofYields,
            ]
        case .admin:
            operatorAbsences + [Absence("The admin API deletes with the grace; a command does without.", .erased)]
        case .dashboard:
            operatorAbsences + [
                Absence("The dashboard deletes with the grace; a command does without.", .erased),
                Absence("The page of a user removes one key at a time.", .otherDeviceKeysRemoved),
            ]
        case .command:
            operatorAbsences + [
                ofResets, Absence("No command edits a user.", .profileChanged, .identifiersChanged, .addressChanged),
                Absence("A code is read out to somebody who asks, by the dashboard.", .transferCodeIssued),
                Absence("Two users are compared in the dashboard.", .mergedByOperator, .mergeUndone),
            ]
        case .time:
            [
                Absence(
                    "Somebody asks for it: no time is set for it.", .created, .signedUp, .profileChanged, .aclChanged,
                    .rolesChanged,
                    .identifiersChanged, .addressChanged, .emailVerified, .emailReplaced, .phoneVerified,
                    .phoneReplaced,
                    .upgraded, .passwordChanged, .passwordReset, .weakPasswordRetired, .disabled, .enabled,
                    .identityLinked, .identityUnlinked, .consentRevoked, .providerAccountDeleted, .deviceKeyRemoved,
                    .otherDeviceKeysRemoved, .otherSessionsEnded, .allSessionsEnded, .transferCodeIssued,
                    .transferCodeWithdrawn, .transferCodeRedeemed, .transferConfirmed, .transferUndone,
                    .mergeOffered, .mergeKept, .mergeSwitched, .merged, .mergedByOperator, .mergeUndone,
                    .deletionRequested, .restored, .erasedAtOnce),
                ofPasskeys, ofSecondFactors, ofResets, ofMigrations, ofRecoveries, ofYields,
            ]
        case .ncmb:
            oldAppAbsences + [
                ofRoles,
                Absence("The page that a mail leads to makes the user.", .created),
                Absence("Fields alone change, of which nothing is recorded.", .profileChanged),
                Absence(
                    "A mail leads to the pages, where it happens.", .emailVerified, .emailReplaced, .passwordChanged,
                    .passwordReset),
                Absence(texts, .phoneVerified, .phoneReplaced),
                Absence("A member without a name stays without one.", .upgraded),
                Absence("It has no operators' key.", .disabled, .enabled),
            ]
        case .parse:
            oldAppAbsences + [
                Absence("Who signs up is logged in.", .created),
                Absence("A mail leads to the pages, where it happens.", .emailReplaced, .passwordReset),
                Absence(texts, .phoneVerified, .phoneReplaced),
                Absence("An anonymous user gets a name by an edit.", .upgraded),
            ]
        case .kii: oldAppAbsences + [ofRoles, Absence("Its users have no access list.", .aclChanged)]
        case .envelope:
            oldAppAbsences + [
                ofRoles,
                Absence("A log-in is a request of its own.", .signedUp),
                Absence(
                    "It has sign-up, log-in, log-out and the own profile, and nothing that changes an account.",
                    .profileChanged, .aclChanged, .identifiersChanged, .addressChanged, .emailVerified, .emailReplaced,
                    .phoneVerified, .phoneReplaced, .upgraded, .passwordChanged, .passwordReset, .disabled, .enabled,
                    .identityLinked, .identityUnlinked, .erasedAtOnce),
            ]
        }
    }

    /// What no operator asks for.
    private static let operatorAbsences: [Absence] = [
        Absence(
            "Users come by a protocol, or by an import of those that there are.", .created, .signedUp),
        Absence("An access list is part of what old apps do.", .aclChanged),
        Absence(
            "A code shows it, which the user alone has.", .emailVerified, .emailReplaced, .phoneVerified,
            .phoneReplaced, .passwordReset, .transferCodeRedeemed, .mergeOffered, .mergeKept, .mergeSwitched, .merged),
        Absence(
            "The user alone chooses what leads to the account.", .upgraded, .passwordChanged, .identityLinked,
            .identityUnlinked, .transferCodeWithdrawn, .transferConfirmed, .transferUndone, .passkeyAdded,
            .passkeyRenamed),
        Absence("An operator ends all of a user's sessions.", .otherSessionsEnded),
        Absence(retirement, .weakPasswordRetired), Absence(notices, .consentRevoked, .providerAccountDeleted),
        Absence(grace, .erasedAtOnce), ofSecondFactors, ofMigrations, ofRecoveries, ofYields,
    ]

    private static let ofRoles = Absence("Roles are Okaeri's own and Parse's.", .rolesChanged)

    /// What the services of old apps never had.
    private static let oldAppAbsences: [Absence] = [
        Absence(retirement, .weakPasswordRetired), Absence(notices, .consentRevoked, .providerAccountDeleted),
        Absence(keys, .deviceKeyRemoved, .otherDeviceKeysRemoved, .otherSessionsEnded, .allSessionsEnded),
        Absence(
            codes, .transferCodeIssued, .transferCodeWithdrawn, .transferCodeRedeemed, .transferConfirmed,
            .transferUndone, .mergeOffered, .mergeKept, .mergeSwitched, .merged, .mergedByOperator, .mergeUndone),
        Absence("A user is erased at once, as there.", .deletionRequested, .restored, .erased), ofPasskeys,
        ofSecondFactors, ofResets, ofMigrations, ofRecoveries, ofYields,
    ]
}
