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

    static func text(of number: UInt64, characterCount: Int) -> String {
        var number = number
        var characters = [UInt8](repeating: alphabet[0], count: characterCount)
        for place in characters.indices.reversed() {
            characters[place] = alphabet[Int(truncatingIfNeeded: number % 62)]
            number /= 62
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
