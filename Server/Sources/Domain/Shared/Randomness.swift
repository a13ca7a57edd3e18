/// Random bytes from the system's cryptographic generator (requirement 13). Injected, so that tests can repeat.
package protocol Randomness: Sendable {
    func bytes(_ count: Int) -> [UInt8]
}

extension Randomness {
    /// A new id: 16 characters base62, eight that grow with time and eight random ones (47 bits).
    ///
    /// Ids made in different milliseconds sort by time, so inserts stay at the right edge of an index.
    package func newIdentifier<Subject>(at instant: Timestamp) -> Identifier<Subject> {
        Identifier(
            rawValue: Base62.text(of: UInt64(clamping: instant.milliseconds), characterCount: 8)
                + randomBase62(characterCount: 8))
    }

    /// A new id in the form of a UUID, which grows with time too (RFC 9562 §5.7, version 7).
    func newDashedIdentifier<Subject>(at instant: Timestamp) -> Identifier<Subject> {
        let time = UInt64(clamping: instant.milliseconds)
        let random = bytes(10)
        var all = (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * $0)) } + random
        all[6] = all[6] & 0x0f | 0x70
        all[8] = all[8] & 0x3f | 0x80
        return Identifier(rawValue: Hexadecimal.uuid(all))
    }

    /// Random characters without bias: bytes past the largest multiple of 62 are drawn again.
    func randomBase62(characterCount: Int) -> String {
        var characters: [UInt8] = []
        while characters.count < characterCount {
            for byte in bytes(characterCount * 2) where byte < 248 && characters.count < characterCount {
                characters.append(Base62.alphabet[Int(truncatingIfNeeded: byte % 62)])
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }
}

/// Digits 0–9, A–Z, a–z, in the order of their ASCII codes, so that texts of equal length sort as their numbers.
enum Base62 {
    static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The number that a text stands for; `nil` for other characters, and for more of them than a number has room for.
    static func number(of text: Substring) -> UInt64? {
        guard text.utf8.count <= 10 else { return nil }
        var number: UInt64 = 0
        for byte in text.utf8 {
            guard let digit = alphabet.firstIndex(of: byte) else { return nil }
            number = number * 62 + UInt64(clamping: digit)
        }
        return number
    }

    static func text(of number: UInt64, characterCount: Int) -> String {
        var number = number
        var characters = [UInt8](repeating: alphabet[0], count: characterCount)
        for position in characters.indices.reversed() {
            characters[position] = alphabet[Int(truncatingIfNeeded: number % 62)]
            number /= 62
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
