import Foundation

/// A password as a person typed it. Only `PasswordHashing` looks inside, and the rules for new ones.
package struct Password: Sendable {
    /// Longer ones are refused before anything is done with them (requirement 2).
    package static let maximumBytes = 1024

    /// As sent: what imported hashes were made of.
    package let sent: Secret
    /// As our own hashes are made of it: compatibility composition (NFKC), so that the same password typed on another
    /// keyboard is the same (NIST SP 800-63B-4 §3.1.1.2). Case and length are left alone.
    package let normalized: Secret

    /// The bytes as sent, and those of the composed form where they differ: what lists of leaked passwords are made of.
    package var readings: [[UInt8]] {
        let (sent, normalized) = (Array(sent.revealed.utf8), Array(normalized.revealed.utf8))
        return sent == normalized ? [sent] : [sent, normalized]
    }

    /// Takes what was typed; `nil` when it is empty or too long to be anybody's.
    package init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count) else { return nil }
        sent = Secret(text)
        normalized = Secret(text.compatible)
    }
}

/// What a new password must keep to (requirements 1 to 4). There are no rules of composition and no end of validity.
package struct PasswordRules: Sendable {
    /// The fewest characters that any application can ask for.
    package static let lowestMinimum = 8
    /// The most that an application can ask for: 63B-4 wants passwords of 64 to be taken.
    package static let highestMinimum = 64
    /// What new applications ask for where the password is the only factor (63B-4 §3.1.1.2).
    static let onlyFactorMinimum = 15
    /// Context words that are shorter than this say nothing about a password.
    private static let shortestContextWord = 4

    let minimumCharacters: Int
    let contextWords: [String]
    let rules: AccountRules

    /// - Parameters:
    ///   - application: Whose name no password may hold, and whose settings say how long they must be.
    ///   - user: Whose identifiers no password of theirs may hold.
    ///   - rules: Those of the protocol that the request came by.
    package init(for application: Application, user: User, rules: AccountRules) {
        self.rules = rules
        minimumCharacters = application.settings.passwordMinimum(of: user)
        let words = [
            application.name, user.username, user.displayName, user.email.flatMap { MailAddress($0)?.localPart },
            user.phone.map { String($0.drop { $0 == "+" }) },
        ]
        contextWords = Self.folded(words)
    }

    /// Rules for somebody who is no user.
    ///
    /// - Parameters:
    ///   - minimumCharacters: The fewest characters.
    ///   - words: What no password may be little more than.
    init(minimumCharacters: Int, words: [String?]) {
        self.minimumCharacters = minimumCharacters
        rules = .native
        contextWords = Self.folded(words)
    }

    private static func folded(_ words: [String?]) -> [String] {
        words.compactMap { $0.map(IdentifierFolding.folded) }
            .filter { $0.utf8.count <= Password.maximumBytes && $0.unicodeScalars.count >= shortestContextWord }
    }

    /// The password, when it breaks no rule and nothing else is wrong with the request.
    ///
    /// - Parameters:
    ///   - secret: What was typed; `nil` when the member was missing.
    ///   - field: The member's name.
    ///   - others: What else is wrong, so that one error names everything.
    /// - Returns: the password.
    /// - Throws: `fieldsRefused`.
    package func check(
        _ secret: Secret?, field: String, beside others: [ValidationError] = []
    ) throws(DomainError) -> NewPassword {
        guard let text = secret?.revealed else {
            throw .fieldsRefused(others + [ValidationError(field: field, rule: .required)])
        }
        let faults = others + rules(brokenBy: text).map { ValidationError(field: field, rule: $0) }
        guard faults.isEmpty, let password = Password(text) else { throw .fieldsRefused(faults) }
        return NewPassword(
            password, field: field, mustBeUnknown: rules.faults(ofPassword: text) == nil)
    }

    private func rules(brokenBy text: String) -> [ValidationError.Rule] {
        if let foreign = rules.faults(ofPassword: text) { return foreign }
        guard text.utf8.count <= Password.maximumBytes else { return [.tooManyBytes(maximum: Password.maximumBytes)] }
        let basic = TextRule(maximumCharacters: Password.maximumBytes).faults(of: text, field: "").map(\.rule)
        guard basic.isEmpty else { return basic }
        let normalized = text.compatible
        if normalized.unicodeScalars.count < minimumCharacters {
            return [.tooShort(minimumCharacters: minimumCharacters)]
        }
        let folded = IdentifierFolding.folded(normalized)
        if CommonPasswords.contains(folded) { return [.tooCommon] }
        return contextWords.contains { Self.isLittleMore(folded, than: $0) } ? [.containsContext] : []
    }

    /// Whether a password is a word with no more than a short word's worth around it: `hana.tanaka1` for
    /// `hana.tanaka`. A long sentence may hold a name.
    private static func isLittleMore(_ password: String, than word: String) -> Bool {
        let (bytes, wanted) = (Array(password.utf8), Array(word.utf8))
        // Nothing of more bytes than so many characters can have is looked through.
        let rest = bytes.count - wanted.count
        guard (0..<4 * lowestMinimum).contains(rest),
            password.unicodeScalars.count - word.unicodeScalars.count < lowestMinimum
        else { return false }
        return (0...rest).contains { bytes[$0...].starts(with: wanted) }
    }
}
