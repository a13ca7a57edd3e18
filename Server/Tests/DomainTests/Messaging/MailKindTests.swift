import Testing

@testable import Domain

/// What holds for every kind of message.
@Suite("Kinds of messages")
struct MailKindTests {
    private static let texts: Set<MailKind> = [.phoneVerification, .textedReset, .textedPassword]
    private static let withSecret: Set<MailKind> = [
        .logInCode, .emailVerification, .passwordReset, .registration, .emailRecovery, .phoneVerification,
        .textedReset, .chosenPassword, .textedPassword,
    ]
    private static let ofWholeAccount: Set<MailKind> = [
        .accountUpgraded, .accountDisabled, .accountEnabled, .deletionRequested, .accountRestored,
        .accountErased,
    ]

    @Test("go to a phone number as text messages, and to a mail address otherwise", arguments: MailKind.allCases)
    func address(kind: MailKind) {
        #expect(kind.isText == Self.texts.contains(kind))
        #expect(kind.addressKind == (kind.isText ? .phone : .email))
    }

    @Test("carry a secret to nobody who has not confirmed an address for the account", arguments: MailKind.allCases)
    func secret(kind: MailKind) {
        #expect(kind.hasSecret == Self.withSecret.contains(kind))
        #expect(kind.reachesUnverified == Self.ofWholeAccount.contains(kind))
        #expect(!(kind.hasSecret && kind.reachesUnverified))
        #expect(!kind.isText || kind.hasSecret)
        // It leads back from another address.
        #expect(kind.outlivesAddress == (kind == .emailRecovery))
    }

    @Test("that say what was done to an account are mails without a secret", arguments: AccountChange.allCases)
    func changes(change: AccountChange) {
        guard let kind = change.policy.mail else { return }
        #expect(!kind.hasSecret && !kind.isText, "\(kind)")
    }
}
