public import Foundation

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// An authenticator app for tests: the codes of a key (RFC 6238, SHA-1, six digits, 30 seconds).
///
/// ```swift
/// let offer = try await okaeri.requestTOTP()
/// try await okaeri.addTOTP(offer, code: TestTOTP(secret: offer.secret).code(at: clock.now))
/// ```
public struct TestTOTP: Sendable {
    static let step: Int64 = 30
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private let key: [UInt8]

    /// Takes a key.
    ///
    /// - Parameter secret: As people type it: base32, in any case, with or without spaces. Other characters are left out.
    public init(secret: String) {
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        var bytes: [UInt8] = []
        for character in secret.uppercased().utf8 {
            guard let value = Self.alphabet.firstIndex(of: character) else { continue }
            bits = bits << 5 | UInt32(truncatingIfNeeded: value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        key = bytes
    }

    init(key: [UInt8]) {
        self.key = key
    }

    /// The key as people type it.
    var secret: String {
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        var text: [UInt8] = []
        for byte in key {
            bits = bits << 8 | UInt32(truncatingIfNeeded: byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(Self.alphabet[Int(truncatingIfNeeded: bits >> bitCount & 31)])
            }
        }
        if bitCount > 0 { text.append(Self.alphabet[Int(truncatingIfNeeded: bits << (5 - bitCount) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// What the app shows at an instant.
    ///
    /// - Parameter instant: From 1970 on.
    /// - Returns: Six digits.
    public func code(at instant: Date) -> String {
        code(step: Self.step(at: instant))
    }

    static func step(at instant: Date) -> Int64 {
        // Tests name instants that they can count to.
        (Int64(exactly: instant.timeIntervalSince1970.rounded(.down)) ?? 0) / step
    }

    func code(step: Int64) -> String {
        var hash = HMAC<Insecure.SHA1>(key: SymmetricKey(data: key))
        withUnsafeBytes(of: step.bigEndian) { hash.update(data: Data($0)) }
        let digest = Array(hash.finalize())
        let offset = Int(truncatingIfNeeded: digest[digest.count - 1] & 0xf)
        let number =
            digest[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32(truncatingIfNeeded: $1) } & 0x7fff_ffff
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - text.count) + text
    }
}
