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

    /// A hash with all its parameters, as Supabase has it of users who came from Firebase (supabase/auth,
    /// `internal/crypto/password.go`): `$fbscrypt$v=1,n=14,r=8,p=1,ss=SEPARATOR,sk=SIGNERKEY$SALT$HASH`, each part base64. `n` is
    /// `mem_cost`, `r` is `rounds`.
    ///
    /// - Returns: the stored form, without the signer key; `nil` for a text of another form, and for costs that are too high.
    static func stored(_ text: String) -> PasswordHash? {
        let parts = text.utf8.count <= 4096 ? text.split(separator: "$", omittingEmptySubsequences: false) : []
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "fbscrypt" else { return nil }
        let base64 = OldPasswordHash.Encoding.base64
        var parameters: [Substring: Substring] = [:]
        for parameter in parts[2].split(separator: ",", omittingEmptySubsequences: false) {
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, parameters.updateValue(pair[1], forKey: pair[0]) == nil else { return nil }
        }
        guard parameters.count == 6, parameters["v"] == "1", parameters["p"] == "1",
            let memoryCost = parameters["n"].flatMap({ Int($0, radix: 10) }),
            let rounds = parameters["r"].flatMap({ Int($0, radix: 10) }),
            let separator = parameters["ss"].flatMap(base64.bytes), let key = parameters["sk"].flatMap(base64.bytes),
            let salt = base64.bytes(of: parts[3]), let hash = base64.bytes(of: parts[4]),
            let scrypt = FirebaseScrypt(
                signerKey: key, saltSeparator: separator, rounds: rounds, memoryCost: memoryCost)
        else { return nil }
        return scrypt.hash(hash, salt: salt)
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
