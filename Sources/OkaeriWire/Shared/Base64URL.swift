/// Base64 with the alphabet for URLs and without padding (RFC 4648 §5, RFC 7515 §2). Server and SDK read and write it here.
@_spi(Base64URL) public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// Writes bytes.
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        let whole = bytes.withContiguousStorageIfAvailable { text(of: $0) }
        return whole ?? Array(bytes).withUnsafeBufferPointer { text(of: $0) }
    }

    /// Writes bytes.
    public static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { characters in
            alphabet.withUnsafeBufferPointer { alphabet in
                var (bits, bitCount, count): (UInt32, Int, Int) = (0, 0, 0)
                func write(_ value: UInt32) {
                    characters[count] = alphabet[Int(value & 63)]
                    count += 1
                }
                for byte in bytes {
                    bits = bits << 8 | UInt32(byte)
                    bitCount += 8
                    while bitCount >= 6 {
                        bitCount -= 6
                        write(bits >> UInt32(bitCount))
                    }
                }
                if bitCount > 0 { write(bits << UInt32(6 - bitCount)) }
                return count
            }
        }
    }

    /// The bytes of a text; `nil` for any other character, padding, a lone last character, or bits left over that are
    /// not zero, so that no two texts mean the same bytes.
    public static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        let whole = text.withContiguousStorageIfAvailable { bytes(of: $0) }
        return whole ?? Array(text).withUnsafeBufferPointer { bytes(of: $0) }
    }

    /// The bytes of a text, as `bytes(of:)` reads any collection.
    public static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var isText = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { buffer, count in
            var (bits, bitCount): (UInt32, Int) = (0, 0)
            values.withUnsafeBufferPointer { values in
                for character in text {
                    let value = values[Int(character)]
                    isText = isText && value != 0xff
                    bits = bits << 6 | UInt32(value & 63)
                    bitCount += 6
                    if bitCount >= 8 {
                        bitCount -= 8
                        buffer[count] = UInt8(truncatingIfNeeded: bits >> UInt32(bitCount))
                        count += 1
                    }
                }
            }
            isText = isText && bits & ((1 << UInt32(bitCount)) - 1) == 0
        }
        return isText ? bytes : nil
    }
}
