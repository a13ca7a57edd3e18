import Synchronization

/// Gives each request an id of 15 characters: five that differ between server starts, ten that count.
///
/// Fifteen, because a text of that size needs no memory of its own. An id is a name, not a secret.
package final class RequestIds: Sendable {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let maximumCharacters = 128

    private let prefix: UInt64
    private let count = Atomic<UInt64>(0)

    /// - Parameter seed: Any number that differs between server starts.
    package init(seed: UInt64) {
        prefix = seed
    }

    /// A new id.
    package func next() -> String {
        var (start, number) = (prefix, count.add(1, ordering: .relaxed).oldValue)
        return String(unsafeUninitializedCapacity: 15) { buffer in
            for index in 0..<5 {
                buffer[index] = Self.alphabet[Int(truncatingIfNeeded: start % 62)]
                start /= 62
            }
            for index in stride(from: 14, through: 5, by: -1) {
                buffer[index] = Self.alphabet[Int(truncatingIfNeeded: number % 62)]
                number /= 62
            }
            return 15
        }
    }

    /// Whether an id that a proxy sent can be kept: letters, digits and `-_.:/=+`, at most 128.
    package static func isWellFormed(_ id: String) -> Bool {
        (1...maximumCharacters).contains(id.utf8.count)
            && id.utf8.allSatisfy { alphabet.contains($0) || "-_.:/=+".utf8.contains($0) }
    }
}
