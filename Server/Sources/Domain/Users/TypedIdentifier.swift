import Foundation

/// What a person types to name a user: a user name, a mail address or a phone number.
package struct TypedIdentifier: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case username, email, phone
    }

    package let kind: Kind
    /// As it is shown.
    package let shown: String
    /// As it is compared: two identifiers of a kind are the same when this is.
    package let folded: String

    /// Takes what was stored or checked before; see `TypedIdentifierRules` for what a person may choose.
    package init(_ kind: Kind, shown: String) {
        self.kind = kind
        self.shown = shown
        folded =
            switch kind {
            case .username: IdentifierFolding.folded(shown)
            case .email: IdentifierFolding.foldedMailAddress(shown)
            case .phone: IdentifierFolding.foldedPhoneNumber(shown)
            }
    }

    /// Whether both lead to the same user, however they are written.
    package func isSame(as other: TypedIdentifier) -> Bool { kind == other.kind && folded == other.folded }

    /// What a text at log-in may mean, the likeliest first: an address when it holds an `@`, a number when it begins
    /// with `+`, and always a user name too, because other protocols let user names look like either.
    package static func meanings(of text: String) -> [TypedIdentifier] {
        let text = text.trimmingCharacters(in: .whitespaces)
        let compatible = text.compatible
        var meanings: [TypedIdentifier] = []
        if compatible.contains("@") { meanings.append(TypedIdentifier(.email, shown: text)) }
        if compatible.hasPrefix("+") { meanings.append(TypedIdentifier(.phone, shown: text)) }
        meanings.append(TypedIdentifier(.username, shown: text))
        return meanings
    }
}

/// Brings texts that people take for the same into one form.
package enum IdentifierFolding {
    /// Compatibility composition and folded case, as NFKC_Casefold does it (UAX #31, UTR #36): width, case and
    /// ligatures make no difference, and what is invisible is left out.
    ///
    /// Case is folded by raising and lowering each letter. That differs from Unicode's table in a few letters, always
    /// towards making more texts the same: `ı` and `i`.
    package static func folded(_ text: String) -> String {
        var result = text
        // Twice, because composing what was folded can give letters that fold again.
        for _ in 0..<2 { result = lowered(result.compatible) }
        return result.compatible
    }

    /// A mail address with its domain in ASCII (IDNA, UTS #46) and everything folded.
    package static func foldedMailAddress(_ text: String) -> String {
        guard let address = MailAddress(text) else { return folded(text) }
        return folded(address.localPart) + "@" + folded(address.domainInASCII)
    }

    /// A phone number without what people write between the digits.
    package static func foldedPhoneNumber(_ text: String) -> String {
        PhoneNumber(text)?.text ?? folded(text)
    }

    private static func lowered(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            for raised in scalar.properties.uppercaseMapping.unicodeScalars {
                result.append(contentsOf: raised.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return String(result)
    }
}
