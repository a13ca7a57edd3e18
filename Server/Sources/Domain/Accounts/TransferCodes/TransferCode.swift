/// What carries a user to another device (引き継ぎコード): 15 random characters and one that checks them.
///
/// The alphabet has 23 characters, none of which looks like another one: without 0 O, 1 I L, 2 Z, 5 S, 8 B, U V, nor the
/// vowels that make words. 23 is a prime number, so that the check finds each wrong character and each pair that was
/// exchanged. 15 of them are 67 bits, which nobody guesses within a day and the limits on trying.
package struct TransferCode: Hashable, Sendable {
    package static let alphabet = Array("34679ACDEFGHJKMNPQRTWXY".utf8)
    package static let characterCount = 16
    private static let groupLength = 4

    /// 16 characters of the alphabet, without separators.
    private let characters: [UInt8]

    /// Draws a code.
    package init(_ randomness: any Randomness) {
        var values: [Int] = []
        while values.count < Self.characterCount - 1 {
            // 253 is the largest multiple of 23 in a byte: without what is beyond, all characters are equally likely.
            for byte in randomness.bytes(32) where byte < 253 && values.count < Self.characterCount - 1 {
                values.append(Int(truncatingIfNeeded: byte) % Self.alphabet.count)
            }
        }
        values.append(Self.check(for: values))
        characters = values.map { Self.alphabet[$0] }
    }

    /// Reads what a person typed: case, spaces, hyphens and the full-width forms of Japanese keyboards make no
    /// difference.
    ///
    /// - Returns: `nil` for what cannot be a code: another length, other characters, or a check that does not fit.
    package init?(typed text: some StringProtocol) {
        // A hostile text is not read to its end.
        guard text.utf8.count <= 256 else { return nil }
        var values: [Int] = []
        for scalar in text.unicodeScalars where !Self.isSeparator(scalar) {
            guard let sign = Self.asciiDigitOrCapital(scalar), let value = Self.alphabet.firstIndex(of: sign) else {
                return nil
            }
            values.append(value)
        }
        guard values.count == Self.characterCount, Self.check(for: values.dropLast()) == values.last else {
            return nil
        }
        characters = values.map { Self.alphabet[$0] }
    }

    /// As it is shown: `ACDE-FGHJ-KMNP-QRTW`.
    package var grouped: String {
        stride(from: 0, to: Self.characterCount, by: Self.groupLength)
            .map { String(decoding: characters[$0..<$0 + Self.groupLength], as: UTF8.self) }
            .joined(separator: "-")
    }

    /// What is stored of a code: its HMAC, bound to the application (requirement 9).
    func digest(_ hash: KeyedHash, in application: Identifier<Application>) -> SecretDigest {
        hash.digest(of: [Array(application.rawValue.utf8), characters])
    }

    /// The value that makes the weighted sum of all 16 a multiple of 23, with the weights 1 to 16.
    private static func check(for values: some Sequence<Int>) -> Int {
        var (sum, weight) = (0, 1)
        for value in values {
            sum += weight * value
            weight += 1
        }
        // 16 · 13 = 208 = 9 · 23 + 1: thirteen is what sixteen is divided by.
        let remainder = sum % alphabet.count
        return (alphabet.count - remainder) * 13 % alphabet.count
    }

    /// An ASCII letter or digit in upper case, of the same in any width.
    private static func asciiDigitOrCapital(_ scalar: Unicode.Scalar) -> UInt8? {
        let value = (0xff01...0xff5e).contains(scalar.value) ? scalar.value - 0xfee0 : scalar.value
        guard let byte = UInt8(exactly: value) else { return nil }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
    }

    /// Whatever people and keyboards put between groups: spaces of any width, dashes, long vowel marks, dots.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .dashPunctuation, .connectorPunctuation, .format, .control, .lineSeparator: true
        default: ["\u{30fc}", "\u{ff70}", "\u{2212}", "\u{00b7}", "\u{30fb}", "\u{ff65}", "."].contains(scalar)
        }
    }
}

extension TransferCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
