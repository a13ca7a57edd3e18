import Foundation

/// What a code looks like and how long it is good.
package enum CodeForm: Hashable, Sendable {
    /// Digits to type within ten minutes (requirement 9).
    case digits(count: Int)
    /// 28 characters, 140 bits, to copy or to follow within a link (requirement 13).
    case token(life: Duration)

    /// 8 digits to log in, because they are all that is asked for; 6 to verify an address, because who types them has a
    /// session; a token where a link leads to a page of the app, and for a new password by mail. By text message it is
    /// 8 digits without a link: nobody copies more from there.
    package static func form(of kind: MailKind, hasLink: Bool) -> CodeForm {
        switch kind {
        case .emailVerification: hasLink ? .token(life: .days(1)) : .digits(count: 6)
        case .passwordReset: .token(life: .seconds(3600))
        case .registration: .token(life: .days(1))
        case .emailRecovery: .token(life: .days(7))
        case .phoneVerification: .digits(count: 6)
        case .textedReset: hasLink ? .token(life: .seconds(3600)) : .digits(count: 8)
        default: .digits(count: 8)
        }
    }

    package var life: Duration {
        switch self {
        case .digits: .seconds(600)
        case .token(let life): life
        }
    }

    /// A new code, as it stands in the mail: in groups of three or four.
    package func new(_ randomness: any Randomness) -> String {
        switch self {
        case .digits(let count): Self.drawn("0123456789", count, randomness, group: count % 4 == 0 ? 4 : 3, " ")
        case .token: Self.drawn(Self.tokenAlphabet, Self.tokenCharacters, randomness, group: 4, "-")
        }
    }

    /// What such a code looks like, for previews.
    package var example: String {
        switch self {
        case .digits(let count): count % 4 == 0 ? "1234 5678" : "123 456"
        case .token: "0123-4567-89AB-CDEF-GHJK-MNPQ-RSTV"
        }
    }

    /// Crockford's base 32: no I, L, O, U.
    private static let tokenAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    private static let tokenCharacters = 28

    /// A typed code in one form: without spaces and hyphens, full-width characters as plain ones, in capitals, and
    /// letters that look like digits as those. `nil` when it is too long to be a code.
    package static func normal(_ typed: String) -> String? {
        guard typed.utf8.count <= 200 else { return nil }
        return typed.compatible.uppercased().filter { $0 != "-" && !$0.isWhitespace }
            .replacing("O", with: "0").replacing("I", with: "1").replacing("L", with: "1")
    }

    /// Characters without bias: bytes past the largest multiple of the alphabet are drawn again.
    private static func drawn(
        _ alphabet: String, _ count: Int, _ randomness: any Randomness, group: Int, _ separator: Character
    ) -> String {
        let characters = Array(alphabet)
        let limit = 256 / characters.count * characters.count
        var text: [Character] = []
        while text.count < count {
            for byte in randomness.bytes(count * 2) where Int(truncatingIfNeeded: byte) < limit && text.count < count {
                text.append(characters[Int(truncatingIfNeeded: byte) % characters.count])
            }
        }
        var grouped = ""
        for (position, character) in text.enumerated() {
            if position > 0, position % group == 0 { grouped.append(separator) }
            grouped.append(character)
        }
        return grouped
    }
}
