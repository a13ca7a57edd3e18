public import Foundation

/// Which field of a screen.
public enum FieldID: Hashable, Sendable {
    /// A user name; at log-in whatever names the account.
    case username
    /// A mail address.
    case email
    /// A phone number.
    case phone
    /// A password.
    case password
    /// The name to greet by.
    case displayName
    /// A code from a mail.
    case code
    /// The token from the mail that allows a new password.
    case token
    /// The code from another device.
    case transferCode
    /// The word that confirms a deletion.
    case confirmation
    /// The check box "log in automatically".
    case rememberMe
    /// One of the application's own, by its name.
    case custom(String)
    /// A consent, by its name.
    case consent(String)

    /// The name in accessibility identifiers: `username`, `custom.town`.
    public var name: String {
        switch self {
        case .username: "username"
        case .email: "email"
        case .phone: "phone"
        case .password: "password"
        case .displayName: "displayName"
        case .code: "code"
        case .token: "token"
        case .transferCode: "transferCode"
        case .confirmation: "confirmation"
        case .rememberMe: "rememberMe"
        case .custom(let name): "custom.\(name)"
        case .consent(let name): "consent.\(name)"
        }
    }
}

/// What a field takes, from which keyboards, autofill and drawing follow.
public enum FieldKind: Hashable, Sendable {
    /// Whatever names an account at log-in: user name, mail address, phone number.
    case identifier
    /// A new user name.
    case username
    /// A mail address.
    case email
    /// A phone number.
    case phone
    /// A password that there is already.
    case password
    /// A password that is chosen now; its strength is shown.
    case newPassword
    /// A person's name.
    case name
    /// One line of text.
    case text
    /// Several lines of text.
    case multiline
    /// A number.
    case number
    /// A day.
    case date
    /// The address of a page.
    case address
    /// One of several values.
    case choice([FieldChoice])
    /// Yes or no.
    case checkbox
    /// Yes or no, with a page to read before.
    case consent(page: URL?)
    /// Digits from a mail.
    case oneTimeCode
    /// A long code, in capital letters.
    case longCode

    /// Whether the text must not be seen.
    public var isSecret: Bool { self == .password || self == .newPassword }
    /// Whether it is ticked, not typed.
    public var isTicked: Bool {
        switch self {
        case .checkbox, .consent: true
        default: false
        }
    }
}

/// One value of a choice.
public struct FieldChoice: Hashable, Sendable {
    /// What is sent.
    public let value: String
    /// What people see.
    public let label: ScreenMessage
}

/// A field with what stands in it. It hides its text when printed.
public struct FormField: Hashable, Sendable, Identifiable {
    /// Which one.
    public let id: FieldID
    /// What it takes.
    public let kind: FieldKind
    /// What stands beside it.
    public let label: ScreenMessage
    /// What stands below it.
    public let hint: ScreenMessage?
    /// What its text must keep to.
    public var rule: FieldRule
    /// What is typed; for a check box "true" or "".
    public internal(set) var text: String
    /// Why the text cannot be taken, to be shown beside the field.
    public internal(set) var fault: ValidationError?
    /// Whether a password can be read.
    public internal(set) var isRevealed = false
    /// How strong a new password is, once there is one.
    public internal(set) var strength: PasswordStrength?

    package init(
        _ id: FieldID, _ kind: FieldKind, label: ScreenMessage, hint: ScreenMessage? = nil, rule: FieldRule,
        text: String = ""
    ) {
        self.id = id
        self.kind = kind
        self.label = label
        self.hint = hint
        self.rule = rule
        self.text = text
    }

    /// Whether a check box is ticked.
    public var isOn: Bool { text == "true" }

    /// The longest text that a field holds, in characters. Nothing that is longer could be meant.
    static let maximumCharacters = 4096

    func currentFault() -> ValidationError? {
        guard kind.isTicked else { return rule.fault(of: text) }
        return rule.isRequired && !isOn ? .notAccepted : nil
    }
}

extension FormField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Which field, and whether it is empty.
    public var description: String { "\(id.name): \(text.isEmpty ? "empty" : "<text>")" }
    /// Which field, and whether it is empty.
    public var debugDescription: String { description }
    /// Which field, and whether it is empty.
    public var customMirror: Mirror { Mirror(self, children: ["field": description]) }
}

/// Tells apart where a person has moved the focus to, and what a view says of the focus before it has done what the form
/// wants.
package struct FocusWatch: Hashable, Sendable {
    /// Where the focus was when it was last looked at; nowhere before a view appears.
    private var former: FieldID?

    package init() {}

    /// Takes where the focus is now.
    ///
    /// - Parameters:
    ///   - focus: The field that has it.
    ///   - wanted: The field of which the form knows.
    /// - Returns: Whether the form has to hear of it.
    package mutating func takes(_ focus: FieldID?, wanted: FieldID?) -> Bool {
        guard focus != former else { return false }
        former = focus
        return focus != wanted
    }
}
