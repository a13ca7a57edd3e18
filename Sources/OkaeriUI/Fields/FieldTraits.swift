/// What a system should know of a field: which keyboard, and what to fill in. SwiftUI and UIKit have their own words for it.
public struct FieldTraits: Hashable, Sendable {
    /// A keyboard.
    public enum Keyboard: Hashable, Sendable {
        /// Letters.
        case letters
        /// Letters, `@` and dots.
        case email
        /// Digits and `+`.
        case phone
        /// Digits.
        case digits
        /// Numbers with a fraction.
        case decimal
        /// Letters and slashes.
        case address
        /// Latin letters and digits.
        case ascii
    }

    /// What can be filled in.
    public enum Content: Hashable, Sendable {
        /// A user name.
        case username
        /// A mail address.
        case email
        /// A phone number.
        case phone
        /// The password of an account.
        case password
        /// A password that the system may propose.
        case newPassword
        /// A person's name.
        case name
        /// A code that has just arrived.
        case oneTimeCode
        /// A page.
        case address
    }

    /// Which keyboard.
    public let keyboard: Keyboard
    /// What can be filled in, if anything.
    public let content: Content?
    /// Whether the text runs from left to right whatever the language.
    public let isLeftToRight: Bool

    /// The traits of a kind of field.
    public init(_ kind: FieldKind) {
        switch kind {
        // With autofill for the name, the system offers the password beside it.
        case .identifier, .username: (keyboard, content, isLeftToRight) = (.letters, .username, false)
        case .email: (keyboard, content, isLeftToRight) = (.email, .email, true)
        case .phone: (keyboard, content, isLeftToRight) = (.phone, .phone, true)
        case .password: (keyboard, content, isLeftToRight) = (.letters, .password, false)
        case .newPassword: (keyboard, content, isLeftToRight) = (.letters, .newPassword, false)
        case .name: (keyboard, content, isLeftToRight) = (.letters, .name, false)
        case .number: (keyboard, content, isLeftToRight) = (.decimal, nil, true)
        case .date: (keyboard, content, isLeftToRight) = (.ascii, nil, true)
        case .address: (keyboard, content, isLeftToRight) = (.address, .address, true)
        case .oneTimeCode: (keyboard, content, isLeftToRight) = (.digits, .oneTimeCode, true)
        case .longCode: (keyboard, content, isLeftToRight) = (.ascii, nil, true)
        case .text, .multiline, .choice, .checkbox, .consent:
            (keyboard, content, isLeftToRight) = (.letters, nil, false)
        }
    }

    /// The traits of a field. To the system one that names the account is a user name, also where that is a mail address: it
    /// offers passwords and passkeys there, and saves them (Apple, "Enabling Password AutoFill on a Text Input View").
    public init(_ field: FormField) {
        let ofKind = FieldTraits(field.kind)
        (keyboard, isLeftToRight) = (ofKind.keyboard, ofKind.isLeftToRight)
        content = field.id == .username ? .username : ofKind.content
    }
}

extension ScreenName {
    /// The name for user interface tests: `okaeri.logIn.username`, `okaeri.signUp.submit`.
    public func identifier(_ part: String) -> String { "okaeri.\(rawValue).\(part)" }

    /// The name of a field for user interface tests.
    public func identifier(_ field: FieldID) -> String { identifier(field.name) }
}
