/// Texts with at most 30 combining marks in a row: the Stream-Safe Text Format (UAX #15 §13).
///
/// Swift sorts the marks behind a base character whenever it hashes, compares or splits a text, in time by the square of their
/// number: 60,000 of them in one name take seconds. Languages need three or four. Whatever makes a text of bytes from
/// outside checks them here before anything looks at them, and refuses what is not stream-safe.
public enum StreamSafeText {
    /// The most combining marks in a row (UAX #15 §13, UAX15-D3).
    public static let maximumMarks = 30

    /// Whether a text is stream-safe. Of ASCII it is known without a look at it.
    ///
    /// - Parameter text: Any text.
    /// - Returns: Whether it may be hashed and compared.
    public static func contains(_ text: String) -> Bool {
        // A text that knows to be ASCII knows this number at once.
        if text.utf16.count == text.utf8.count { return true }
        return text.utf8.withContiguousStorageIfAvailable(contains(utf8:)) ?? contains(utf8: Array(text.utf8))
    }

    /// Whether a text is stream-safe, by its bytes.
    ///
    /// - Parameter bytes: UTF-8. What is none counts as marks or letters of any kind: check that first, or afterwards.
    /// - Returns: Whether it may be hashed and compared.
    public static func contains(utf8 bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer(contains(utf8:))
    }

    /// The text of some bytes.
    ///
    /// - Parameter bytes: From outside.
    /// - Returns: `nil` for what is no UTF-8 or not stream-safe.
    public static func text(of bytes: some Collection<UInt8>) -> String? {
        let isSafe = bytes.withContiguousStorageIfAvailable(contains(utf8:)) ?? contains(utf8: Array(bytes))
        return isSafe ? String(validating: bytes, as: UTF8.self) : nil
    }

    static func contains(utf8 bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var (offset, marks) = (0, 0)
        while offset < bytes.count {
            let lead = bytes[offset]
            // No character before U+0300, whose first byte this is, is a mark.
            if lead < 0xcc {
                marks = 0
                offset += 1
                while offset + 8 <= bytes.count,
                    raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    offset += 8
                }
                continue
            }
            let length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
            guard offset + length <= bytes.count else { return true }
            let weight = Self.marks(in: scalar(in: bytes, at: offset, length: length))
            marks = weight == 0 ? 0 : marks + weight
            if marks > maximumMarks { return false }
            offset += length
        }
        return true
    }

    /// The character of some bytes at an offset; any character when a byte is no continuation.
    private static func scalar(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int, length: Int) -> UInt32 {
        func bits(_ index: Int) -> UInt32 { UInt32(truncatingIfNeeded: bytes[offset + index] & 0x3f) }
        let lead = UInt32(truncatingIfNeeded: bytes[offset])
        return switch length {
        case 2: (lead & 0x1f) << 6 | bits(1)
        case 3: (lead & 0x0f) << 12 | bits(1) << 6 | bits(2)
        default: (lead & 0x07) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3)
        }
    }

    /// How many marks a character begins with once it is decomposed (NFKD): none for letters, also for those with marks of
    /// their own, which are three at most.
    private static func marks(in value: UInt32) -> Int {
        switch value {
        // Greek and Cyrillic, kana, kanji and hangul, of which there is much: no mark is among these.
        case 0x370..<0x483, 0x3030..<0x3099, 0x309b..<0xa66f, 0xac00..<0xd800, 0xff00..<0xff9e: return 0
        // Two marks in one.
        case 0x344, 0xf73, 0xf75, 0xf81: return 2
        // The voice marks of half-width kana, which are letters until they are decomposed.
        case 0xff9e, 0xff9f: return 1
        default:
            guard let scalar = Unicode.Scalar(value) else { return 0 }
            return scalar.properties.canonicalCombiningClass == .notReordered ? 0 : 1
        }
    }
}
