@_spi(Base64URL) import OkaeriWire

/// What the library takes unpredictable bytes from.
public protocol Randomness: Sendable {
    /// Unpredictable bytes.
    ///
    /// - Parameter count: How many, at least 0.
    /// - Returns: That many bytes.
    func bytes(_ count: Int) -> [UInt8]
}

extension Randomness {
    /// A name that nobody can guess: 16 random bytes (128 bits), base64url.
    func unguessableName() -> String {
        Base64URL.text(of: bytes(16))
    }

    /// A number that is at least 0 and below 1, evenly spread.
    func fraction() -> Double {
        let whole = bytes(4).reduce(UInt64(0)) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
        return Double(whole) / 0x1p32
    }
}
