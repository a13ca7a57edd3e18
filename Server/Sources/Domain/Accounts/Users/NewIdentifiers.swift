import Foundation

/// Identifiers that a person chose.
package struct NewIdentifiers: Sendable {
    package var username: ValueChange<String>
    package var email: ValueChange<String>
    package var phone: ValueChange<String>
    /// An address that becomes the user's when its owner has answered a mail: judged with the others, and not written.
    package var pendingEmail: String?
    /// What they must look like.
    package var rules: AccountRules

    package init(
        username: ValueChange<String> = .unchanged, email: ValueChange<String> = .unchanged,
        phone: ValueChange<String> = .unchanged, rules: AccountRules
    ) {
        self.username = username
        self.email = email
        self.phone = phone
        self.rules = rules
    }

    /// The longest user name, in characters.
    package static let maximumCharacters = 64

    /// Whether nothing is asked.
    package var isEmpty: Bool { changed.isEmpty }

    /// The kinds that are asked to change, by their names.
    var changed: [String] {
        [(LogInIdentifier.Kind.username, username), (.email, email), (.phone, phone)].compactMap { kind, change in
            if case .unchanged = change { nil } else { kind.rawValue }
        }
    }

    /// Whether they say something of an address or number, which others than the user are not shown.
    var nameAddress: Bool { changed.contains { $0 != LogInIdentifier.Kind.username.rawValue } }

    /// Writes the identifiers into a user, in the form in which they are shown. An address or number that is another
    /// one than before is not verified any more.
    ///
    /// - Returns: the rules that they break.
    package func apply(to user: inout User) -> [ValidationError] {
        var faults: [ValidationError] = []
        user.username = username.applied(to: user.username)
        if case .set(let name) = username {
            user.username = rules.shown(name)
            faults += rules.faults(ofUserName: name)
        }
        let before = (email: user.email, phone: user.phone)
        user.email = email.applied(to: user.email)
        if case .set(let text) = email {
            user.email = MailAddress(text)?.text
            if user.email == nil { faults.append(ValidationError(field: "email", rule: .notAMailAddress)) }
        }
        if let pendingEmail, MailAddress(pendingEmail) == nil {
            faults.append(ValidationError(field: "email", rule: .notAMailAddress))
        }
        user.phone = phone.applied(to: user.phone)
        if case .set(let text) = phone {
            user.phone = PhoneNumber(text)?.text
            if user.phone == nil { faults.append(ValidationError(field: "phone", rule: .notAPhoneNumber)) }
        }
        // Imports keep both as they were written, and clients send back what they read: that is no other one.
        if let present = before.email, let new = user.email, MailAddress(present)?.text == new { user.email = present }
        if let present = before.phone, let new = user.phone, PhoneNumber(present)?.text == new { user.phone = present }
        if user.email != before.email { user.emailVerifiedAt = nil }
        if user.phone != before.phone { user.phoneVerifiedAt = nil }
        return faults
    }

    static func userViewName(_ text: String) -> String {
        guard text.utf8.count <= ForeignText.maximumBytes else { return text }
        return text.withoutBlanks.composed
    }

    /// A user name is what people see as one word or a few: visible signs of one alphabet, single spaces between them,
    /// no `@` and no `+` in front, so that nobody can choose what looks like another's address or number.
    static func faults(ofUserName text: String) -> [ValidationError] {
        let name = userViewName(text)
        var faults = TextRule(maximumCharacters: maximumCharacters).faults(of: name, field: "username")
        guard faults.isEmpty else { return faults }
        // Spelled out it must keep to the limit too: `ﷺ` is eighteen letters.
        faults = TextRule(maximumCharacters: maximumCharacters).faults(
            of: IdentifierFolding.folded(name), field: "username")
        guard faults.isEmpty else { return faults }
        let compatible = name.compatible
        let words = compatible.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false)
        let isWellFormed = words.allSatisfy { word in !word.isEmpty && word.allSatisfy { $0.isVisible && $0 != "@" } }
        if !isWellFormed || compatible.hasPrefix("+") || compatible.unicodeScalars.hasUnseenDot {
            faults.append(ValidationError(field: "username", rule: .notAUserName))
        } else if Set(compatible.unicodeScalars.compactMap(LookAlikeScript.init)).count > 1 {
            faults.append(ValidationError(field: "username", rule: .mixedScripts))
        }
        return faults
    }
}

extension String.UnicodeScalarView {
    /// Whether a dot stands above a letter that has one, or that is one without it: `i` with U+0307 looks like `i`.
    fileprivate var hasUnseenDot: Bool {
        var isDotted = false
        for scalar in self {
            if scalar == "\u{307}", isDotted { return true }
            if scalar.properties.generalCategory != .nonspacingMark {
                isDotted = scalar.properties.isSoftDotted || scalar == "\u{131}" || scalar == "\u{237}"
            }
        }
        return false
    }
}

/// Alphabets with letters that look like letters of another (UTS #39 §5.1). Others, such as kana, kanji and hangul,
/// may stand beside any of them.
private enum LookAlikeScript: Hashable {
    case latin, greek, cyrillic, armenian, cherokee, coptic

    /// The alphabet of a letter, by its block; `nil` for all others and for what is no letter.
    init?(_ scalar: Unicode.Scalar) {
        guard scalar.properties.isAlphabetic else { return nil }
        switch scalar.value {
        case 0x41...0x7a, 0xc0...0x24f, 0x1e00...0x1eff, 0x2c60...0x2c7f, 0xa720...0xa7ff: self = .latin
        case 0x370...0x3e1, 0x3f0...0x3ff, 0x1f00...0x1fff: self = .greek
        case 0x400...0x52f, 0x1c80...0x1c8f, 0x2de0...0x2dff, 0xa640...0xa69f: self = .cyrillic
        case 0x530...0x58f: self = .armenian
        case 0x13a0...0x13ff, 0xab70...0xabbf: self = .cherokee
        case 0x3e2...0x3ef, 0x2c80...0x2cff: self = .coptic
        default: return nil
        }
    }
}
