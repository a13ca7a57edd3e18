package import Crypto

/// A text that must never reach a log, an error or a database. It compares in constant time.
package struct Secret: Sendable {
    private let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// The text itself. The caller answers for where it goes.
    package var revealed: String { text }

    /// The SHA-256 of the text's UTF-8 bytes: what is stored instead of it.
    package var digest: SecretDigest { SecretDigest(of: text.utf8) }
}

extension Secret: Equatable {
    /// Compares digests, so that time tells neither content nor length.
    package static func == (left: Secret, right: Secret) -> Bool { left.digest == right.digest }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The SHA-256 of a secret that holds at least 128 random bits, so that it needs no salt (requirement 13).
package struct SecretDigest: Hashable, Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Hashes bytes.
    package init(of bytes: some Sequence<UInt8>) {
        let digest =
            bytes.withContiguousStorageIfAvailable { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
            ?? SHA256.hash(data: Array(bytes))
        words = digest.withUnsafeBytes { Self.load($0) }
    }

    /// Hashes bytes, and begins with a number of 48 bits instead of the hash's own, which decides about its position in an
    /// order.
    init(of bytes: some Sequence<UInt8>, orderedBy order: UInt64) {
        var words = SecretDigest(of: bytes).words
        words.0 = (order << 16 | UInt64(bigEndian: words.0) & 0xffff).bigEndian
        self.words = words
    }

    /// Takes a digest that was made with a key.
    package init(keyed code: HMAC<SHA256>.MAC) {
        words = code.withUnsafeBytes { Self.load($0) }
    }

    /// Takes a stored digest; `nil` unless it has 32 bytes.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        words = bytes.withUnsafeBytes { Self.load($0) }
    }

    package var bytes: [UInt8] {
        withUnsafeBytes(of: words) { Array($0) }
    }

    package static func == (left: SecretDigest, right: SecretDigest) -> Bool {
        let (first, second) = (left.words, right.words)
        let difference =
            (first.0 ^ second.0) | (first.1 ^ second.1) | (first.2 ^ second.2) | (first.3 ^ second.3)
        return difference == 0
    }

    package func hash(into hasher: inout Hasher) {
        // The first word may begin with something that is no hash.
        hasher.combine(words.1)
    }

    private static func load(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64, UInt64, UInt64) {
        (
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }
}
