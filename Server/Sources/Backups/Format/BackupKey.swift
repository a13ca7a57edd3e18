import CSodium
import Crypto
import Domain
import Foundation

/// The public key to which backups are sealed (X25519). Who has it can make backups, and read none.
package struct BackupPublicKey: Hashable, Sendable {
    private static let prefix = "okaeri-backup-key-1-"
    static let byteCount = 32

    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// `nil` for a text that is no key, or has a mistake: nobody could open what is sealed to a mistyped key.
    package init?(_ text: String) {
        guard let bytes = CheckedText.bytes(of: text, prefix: Self.prefix) else { return nil }
        self.bytes = bytes
    }

    package var text: String { CheckedText.text(of: bytes, prefix: Self.prefix) }

    /// Tells keys apart, in headers and messages.
    package var id: String { Hexadecimal.text(of: SHA256.hash(data: bytes).prefix(6)) }
}

/// The key that opens backups. It belongs where the backups are not. Keys of before stand behind it: a backup from before a change
/// of keys, and the journal that was stored behind it since, are opened by two.
package struct BackupSecretKey: Sendable {
    private static let prefix = "okaeri-backup-secret-key-1-"

    let bytes: [UInt8]
    package let publicKey: BackupPublicKey
    private var others: [BackupSecretKey] = []

    /// A new pair.
    ///
    /// - Throws: `BackupFault` when the cryptographic library fails.
    package init() throws(BackupFault) {
        try Sodium.prepare()
        var publicBytes = [UInt8](repeating: 0, count: BackupPublicKey.byteCount)
        var secretBytes = publicBytes
        guard crypto_box_keypair(&publicBytes, &secretBytes) == 0 else { throw BackupFault("No key could be made.") }
        bytes = secretBytes
        publicKey = BackupPublicKey(bytes: publicBytes)
    }

    /// `nil` for a text that is no secret key, nor several, each on a line.
    package init?(_ text: String) {
        var keys: [BackupSecretKey] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.withoutBlanks.isEmpty {
            guard let key = BackupSecretKey(line: String(line)) else { return nil }
            keys.append(key)
        }
        guard var first = keys.first else { return nil }
        first.others = Array(keys.dropFirst())
        self = first
    }

    private init?(line: String) {
        var publicBytes = [UInt8](repeating: 0, count: BackupPublicKey.byteCount)
        guard let bytes = CheckedText.bytes(of: line, prefix: Self.prefix),
            crypto_scalarmult_base(&publicBytes, bytes) == 0
        else { return nil }
        self.bytes = bytes
        publicKey = BackupPublicKey(bytes: publicBytes)
    }

    /// The ids of all keys.
    package var ids: [String] { [publicKey.id] + others.map(\.publicKey.id) }

    /// The one of the keys with an id; the first where none has it.
    func key(_ id: String) -> BackupSecretKey { others.first { $0.publicKey.id == id } ?? self }

    /// For the file that keeps it.
    package var text: String { CheckedText.text(of: bytes, prefix: Self.prefix) }
}

/// Bytes as a text with a checksum, so that a slip of the hand is seen.
private enum CheckedText {
    private static let checksumBytes = 4

    static func text(of bytes: [UInt8], prefix: String) -> String {
        prefix + Base64URL.text(of: bytes + checksum(bytes, prefix))
    }

    static func bytes(of text: String, prefix: String) -> [UInt8]? {
        let text = text.withoutBlanksAndLineEnds
        guard text.hasPrefix(prefix), let all = Base64URL.bytes(of: text.utf8.dropFirst(prefix.utf8.count)),
            all.count == BackupPublicKey.byteCount + checksumBytes
        else { return nil }
        let bytes = Array(all[..<BackupPublicKey.byteCount])
        return Array(all[BackupPublicKey.byteCount...]) == checksum(bytes, prefix) ? bytes : nil
    }

    private static func checksum(_ bytes: [UInt8], _ prefix: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(prefix.utf8) + bytes).prefix(checksumBytes))
    }
}

enum Sodium {
    static func prepare() throws(BackupFault) {
        guard sodium_init() >= 0 else { throw BackupFault("libsodium cannot be used.") }
    }

    /// Random digits, in lower case.
    static func hexadecimalDigits(count: Int) throws(BackupFault) -> String {
        try prepare()
        return (0..<count).map { _ in String(randombytes_uniform(16), radix: 16) }.joined()
    }
}
