import Crypto
import CryptoExtras
package import Domain
import Foundation

/// The parameters of a Firebase project's password hashes, which its console shows.
///
/// Firebase derives a key from the password by scrypt and encrypts the project's signer key with it (AES-256 in counter mode,
/// counter 0): the result is the hash. Encrypting is adding a key stream, so that hash and signer key together give the
/// stream, which depends on password and salt alone. The stream is what is stored, as
/// `$firebase-scrypt$ln=14,r=8,p=1$salt$stream` with the separator behind the salt: no secret of the project comes along.
package struct FirebaseScrypt: Sendable {
    static let function = "firebase-scrypt"
    /// What scrypt derives: a key of AES-256.
    static let keyBytes = 32

    private let signerKey: [UInt8]
    private let saltSeparator: [UInt8]
    private let rounds: Int
    private let memoryCost: Int

    /// Takes the parameters; `nil` when no hash can have been made so, or trying one would cost too much.
    ///
    /// - Parameters:
    ///   - signerKey: `base64_signer_key`, decoded.
    ///   - saltSeparator: `base64_salt_separator`, decoded.
    ///   - rounds: `rounds`, the block size of scrypt.
    ///   - memoryCost: `mem_cost`, the exponent of scrypt's cost.
    package init?(signerKey: [UInt8], saltSeparator: [UInt8], rounds: Int, memoryCost: Int) {
        self.signerKey = signerKey
        self.saltSeparator = saltSeparator
        self.rounds = rounds
        self.memoryCost = memoryCost
        guard StoredHash(hash(signerKey, salt: []) ?? PasswordHash(text: "")) != nil else { return nil }
    }

    /// - Parameters:
    ///   - passwordHash: `passwordHash` of an exported user, decoded.
    ///   - salt: `salt`, decoded.
    /// - Returns: the stored form; `nil` when the hash is not of this project.
    package func hash(_ passwordHash: [UInt8], salt: [UInt8]) -> PasswordHash? {
        guard passwordHash.count == signerKey.count else { return nil }
        let stream = zip(passwordHash, signerKey).map { $0 ^ $1 }
        let parts = [salt + saltSeparator, stream].map(PHCString.text)
        return PasswordHash(text: "$\(Self.function)$ln=\(memoryCost),r=\(rounds),p=1$\(parts[0])$\(parts[1])")
    }

    /// - Returns: the beginning of the key stream; nothing when the key is none of AES.
    static func keyStream(of key: [UInt8], byteCount: Int) -> [UInt8] {
        // The nonce has the length that the library demands, and so has the key.
        guard let nonce = try? AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16)),
            let stream = try? AES._CTR.encrypt(
                [UInt8](repeating: 0, count: byteCount), using: SymmetricKey(data: key), nonce: nonce)
        else { return [] }
        return Array(stream)
    }
}
