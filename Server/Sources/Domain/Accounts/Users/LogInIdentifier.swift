import Foundation

/// What a person types to name a user: a user name, a mail address or a phone number.
package struct LogInIdentifier: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case username, email, phone
    }

    /// Longer texts are nobody's: no rule of any protocol lets one be chosen.
    package static let maximumBytes = ForeignText.maximumBytes

    package let kind: Kind
    /// As it is shown.
    package let shown: String
    /// As it is compared: two identifiers of a kind are the same when this is.
    package let folded: String

    /// Takes what was stored or checked before; see `NewIdentifiers` for what a person may choose.
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

    /// What an identifier is stored by when another user had its folded form first: exactly as it is written. No folded form
    /// begins with the same control character. See `ImportUsers`, which alone takes such twins in.
    package var exact: String { "\u{1}\(shown)" }

    /// What is compared where capitals count. A mail address is kept with its domain in small letters, however it was
    /// typed: domains are the same in any writing (RFC 5321 §2.4).
    var spelling: String { kind == .email ? MailAddress(shown)?.text ?? shown : shown }

    /// Whether both lead to the same user, however they are written.
    package func isSame(as other: LogInIdentifier) -> Bool { kind == other.kind && folded == other.folded }

    /// What a person might mean by this text beside it: a user name that looks like an address or a number is typed as one, and the
    /// other way round.
    var otherCandidates: [LogInIdentifier] {
        switch kind {
        case .username: Self.candidates(of: shown).filter { $0.kind != .username }
        case .email, .phone: [LogInIdentifier(.username, shown: shown)]
        }
    }

    /// What a text at log-in may mean, the likeliest first: an address when it holds an `@`, a number when it begins
    /// with `+`, and always a user name too, because other protocols let user names look like either.
    ///
    /// A text that is too long to be anybody's means one thing.
    package static func candidates(of text: String) -> [LogInIdentifier] {
        guard text.utf8.count <= maximumBytes else { return [LogInIdentifier(.username, shown: text)] }
        let (typed, text) = (text, text.withoutBlanks)
        let compatible = text.compatible
        var candidates: [LogInIdentifier] = []
        if compatible.contains(where: { $0 == "@" }) { candidates.append(LogInIdentifier(.email, shown: text)) }
        if compatible.hasPrefix("+") { candidates.append(LogInIdentifier(.phone, shown: text)) }
        candidates.append(LogInIdentifier(.username, shown: text))
        // Other protocols keep spaces around a name.
        if typed != text { candidates.append(LogInIdentifier(.username, shown: typed)) }
        return candidates
    }
}
