/// Base64 with the alphabet for addresses and without padding (RFC 7515 §2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func text(of bytes: some Sequence<UInt8>) -> String {
        var characters: [UInt8] = []
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                characters.append(alphabet[Int(bits >> bitCount & 63)])
            }
        }
        if bitCount > 0 { characters.append(alphabet[Int(bits << (6 - bitCount) & 63)]) }
        return String(decoding: characters, as: UTF8.self)
    }
}
