/// What user names and new passwords may look like in one protocol. Apps in the stores keep the rules that their own
/// service had, as the protocol's adapter brings them; Okaeri's own protocol never weakens for them.
package struct AccountRules: Hashable, Sendable {
    package enum UserNames: Hashable, Sendable {
        /// Visible signs of one alphabet, nothing that looks like an address; see `NewIdentifiers`.
        case visible
        /// Any text without control characters.
        case anyText(maximumCharacters: Int)
        /// So many of `a–z A–Z 0–9 - _ .`
        case plain(ClosedRange<Int>)
    }

    package enum Passwords: Hashable, Sendable {
        /// Requirements 1 to 4; see `PasswordRules`.
        case strong
        /// Any text.
        case anyText(minimumCharacters: Int)
        /// Printable ASCII.
        case printable(ClosedRange<Int>)
    }

    package var userNames: UserNames
    package var passwords: Passwords
    /// The fewest characters of a user name, beside what `userNames` says; see `SignUpRules`.
    var userNameMinimumCharacters = 1
    /// Whether nobody registers without a mail address; see `SignUpRules`.
    var demandsEmail = false
    /// Whether the protocol has a mail address among the identifiers.
    let takesEmail: Bool

    package init(userNames: UserNames, passwords: Passwords, takesEmail: Bool = true) {
        self.userNames = userNames
        self.passwords = passwords
        self.takesEmail = takesEmail
    }

    /// The rules of Okaeri's own protocol.
    package static let native = AccountRules(userNames: .visible, passwords: .strong)

    /// The rules that a user name breaks.
    func faults(ofUserName name: String) -> [ValidationError] {
        let faults = formFaults(ofUserName: name)
        guard userNameMinimumCharacters > 1, faults.isEmpty,
            shown(name).compatible.unicodeScalars.count < userNameMinimumCharacters
        else { return faults }
        let rule = ValidationError.Rule.tooShort(minimumCharacters: userNameMinimumCharacters)
        return [ValidationError(field: "username", rule: rule)]
    }

    private func formFaults(ofUserName name: String) -> [ValidationError] {
        switch userNames {
        case .visible: return NewIdentifiers.faults(ofUserName: name)
        case .anyText(let maximum):
            let rule = TextRule(maximumCharacters: maximum)
            let faults = rule.faults(of: name, field: "username")
            guard faults.isEmpty else { return faults }
            // Spelled out it must keep to the limit too. What is all invisible is the protocol's to take.
            return rule.faults(of: IdentifierFolding.folded(name), field: "username").filter { $0.rule != .empty }
        case .plain(let length):
            let isName =
                length.contains(name.utf8.count)
                && name.utf8.allSatisfy { Base62.alphabet.contains($0) || "-_.".utf8.contains($0) }
            return isName ? [] : [ValidationError(field: "username", rule: .notAUserName)]
        }
    }

    /// A user name as it is shown.
    func shown(_ name: String) -> String {
        userNames == .visible ? NewIdentifiers.userViewName(name) : name
    }

    /// The rules of a foreign protocol that a password breaks; `nil` when the native ones count.
    func faults(ofPassword text: String) -> [ValidationError.Rule]? {
        let range: ClosedRange<Int>
        switch passwords {
        case .strong: return nil
        case .anyText(let minimum): range = minimum...Password.maximumBytes
        case .printable(let sizes):
            guard text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else { return [.controlCharacter] }
            range = sizes
        }
        guard text.utf8.count <= Password.maximumBytes else { return [.tooManyBytes(maximum: Password.maximumBytes)] }
        guard !text.utf8.contains(0) else { return [.controlCharacter] }
        if text.unicodeScalars.count < range.lowerBound { return [.tooShort(minimumCharacters: range.lowerBound)] }
        if text.unicodeScalars.count > range.upperBound { return [.tooLong(maximumCharacters: range.upperBound)] }
        return []
    }
}
