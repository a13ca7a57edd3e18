import Domain
import PageSupport

/// The passkeys' part of the form of an application's settings. A member more is a line of the table.
enum PasskeyForm {
    /// One member, by the name that its field and its faults have.
    private struct Member: Sendable {
        let name: String
        let value: Value
    }

    private enum Value: Sendable {
        /// One a line.
        case lines(any WritableKeyPath<PasskeyRules, [String]> & Sendable)
        case truth(any WritableKeyPath<PasskeyRules, Bool> & Sendable)
        case text(any WritableKeyPath<PasskeyRules, String?> & Sendable)
        /// One a word.
        case list(any WritableKeyPath<PasskeyRules, [String]> & Sendable)
    }

    private static let members = [
        Member(name: "passkeys.enabled", value: .truth(\.isEnabled)),
        Member(name: "passkeys.domain", value: .text(\.domain)),
        Member(name: "passkeys.origins", value: .list(\.origins)),
        Member(name: "passkeys.userVerificationRequired", value: .truth(\.requiresUserVerification)),
        Member(name: "passkeys.allowedAuthenticators", value: .list(\.allowedAuthenticators)),
        Member(name: "passkeys.refusedAuthenticators", value: .list(\.refusedAuthenticators)),
        Member(name: "passkeys.attestationRoots", value: .lines(\.attestationRootLines)),
        Member(name: "passkeys.appleApps", value: .list(\.appleApps)),
        Member(name: "passkeys.androidApps", value: .lines(\.androidAppLines)),
    ]

    /// The rules that were sent. A form that does not have this part leaves them.
    static func rules(_ form: FormValues, _ before: PasskeyRules) -> PasskeyRules {
        guard form["passkeys.domain"] != nil else { return before }
        var rules = before
        for member in members {
            let sent = form.text(member.name)
            switch member.value {
            case .truth(let path): rules[keyPath: path] = !sent.isEmpty
            case .text(let path): rules[keyPath: path] = sent.isEmpty ? nil : sent
            case .list(let path): rules[keyPath: path] = sent.words
            case .lines(let path): rules[keyPath: path] = sent.split(whereSeparator: \.isNewline).map(String.init)
            }
        }
        return rules
    }

    /// The fields, each with its name, its present value and its kind.
    static func fields(_ rules: PasskeyRules) -> [(name: String, value: String, kind: PageField.Kind)] {
        members.map { member in
            switch member.value {
            case .truth(let path): (member.name, rules[keyPath: path] ? "yes" : "", .checkbox)
            case .text(let path): (member.name, rules[keyPath: path] ?? "", .text)
            case .list(let path), .lines(let path):
                (member.name, rules[keyPath: path].joined(separator: "\n"), .multiline)
            }
        }
    }
}
