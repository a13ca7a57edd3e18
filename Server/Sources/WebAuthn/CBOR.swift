import enum OkaeriWire.StreamSafeText

/// A value of CBOR (RFC 8949), as far as the canonical form of CTAP2 (§8) has it: definite lengths, shortest numbers, no tags.
package indirect enum CBOR: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Key: CBOR])
    case bool(Bool)
    case null

    package enum Key: Sendable {
        case integer(Int64)
        case text(String)
    }
}

extension CBOR.Key: Hashable {
    /// Texts are compared by their bytes (RFC 8949 §5.6.1). Swift compares what they look like, which makes one key of two.
    package static func == (one: Self, other: Self) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one == other
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .integer(let number): hasher.combine(number)
        case .text(let text):
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }
}

/// What is no CBOR of that form.
package struct CBORSyntaxError: Error, Hashable, Sendable {}

extension CBOR {
    /// What stands within each other at most. Attestation statements need three levels.
    private static let maximumDepth = 6

    /// Reads one value and nothing behind it.
    ///
    /// - Throws: `CBORSyntaxError`.
    package init(parsing bytes: [UInt8]) throws(CBORSyntaxError) {
        var rest = bytes[...]
        self = try CBOR(readingFrom: &rest)
        guard rest.isEmpty else { throw CBORSyntaxError() }
    }

    /// Reads one value from the beginning of bytes. Work and memory are bounded by their number: each value takes one byte
    /// at least, and nothing is reserved for what a length only promises.
    ///
    /// - Parameter rest: Afterwards what stands behind the value.
    /// - Throws: `CBORSyntaxError`.
    package init(readingFrom rest: inout ArraySlice<UInt8>) throws(CBORSyntaxError) {
        try self.init(readingFrom: &rest, depth: Self.maximumDepth)
    }

    private init(readingFrom rest: inout ArraySlice<UInt8>, depth: Int) throws(CBORSyntaxError) {
        guard depth > 0, let first = rest.popFirst() else { throw CBORSyntaxError() }
        let (major, additional) = (first >> 5, first & 0x1f)
        guard major != 7 else {
            switch additional {
            case 20: self = .bool(false)
            case 21: self = .bool(true)
            case 22: self = .null
            default: throw CBORSyntaxError()
            }
            return
        }
        let number = try Self.number(additional, &rest)
        switch major {
        case 0: self = .integer(number)
        case 1: self = .integer(-1 - number)
        case 2: self = .bytes(Array(try Self.take(number, from: &rest)))
        case 3: self = .text(try Self.text(try Self.take(number, from: &rest)))
        case 4:
            guard number <= Int64(clamping: rest.count) else { throw CBORSyntaxError() }
            var elements: [CBOR] = []
            for _ in 0..<number { elements.append(try CBOR(readingFrom: &rest, depth: depth - 1)) }
            self = .array(elements)
        case 5:
            guard number <= Int64(clamping: rest.count / 2) else { throw CBORSyntaxError() }
            var members: [Key: CBOR] = [:]
            for _ in 0..<number {
                let key = try Key(try CBOR(readingFrom: &rest, depth: depth - 1))
                guard members[key] == nil else { throw CBORSyntaxError() }
                members[key] = try CBOR(readingFrom: &rest, depth: depth - 1)
            }
            self = .map(members)
        default: throw CBORSyntaxError()
        }
    }

    /// The number behind a first byte, in its shortest form and of at most 63 bits.
    private static func number(
        _ additional: UInt8, _ rest: inout ArraySlice<UInt8>
    ) throws(CBORSyntaxError) -> Int64 {
        let width: (bytes: Int, smallest: UInt64)
        switch additional {
        case 0..<24: return Int64(clamping: additional)
        case 24: width = (1, 24)
        case 25: width = (2, 1 << 8)
        case 26: width = (4, 1 << 16)
        case 27: width = (8, 1 << 32)
        default: throw CBORSyntaxError()
        }
        guard rest.count >= width.bytes else { throw CBORSyntaxError() }
        let value = rest.prefix(width.bytes).reduce(UInt64(0)) { $0 << 8 | UInt64(clamping: $1) }
        rest = rest.dropFirst(width.bytes)
        guard value >= width.smallest, let number = Int64(exactly: value) else { throw CBORSyntaxError() }
        return number
    }

    private static func take(
        _ count: Int64, from rest: inout ArraySlice<UInt8>
    ) throws(CBORSyntaxError) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: count), count <= rest.count else { throw CBORSyntaxError() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A name or a value. One that is not stream-safe is refused: to compare it, as with the name of a format, takes Swift
    /// time by the square of its marks.
    private static func text(_ bytes: ArraySlice<UInt8>) throws(CBORSyntaxError) -> String {
        guard let text = StreamSafeText.text(of: bytes) else { throw CBORSyntaxError() }
        return text
    }
}

extension CBOR.Key {
    fileprivate init(_ value: CBOR) throws(CBORSyntaxError) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .text(let text): self = .text(text)
        default: throw CBORSyntaxError()
        }
    }
}

extension [CBOR.Key: CBOR] {
    func bytes(_ key: CBOR.Key) -> [UInt8]? {
        if case .bytes(let bytes)? = self[key] { bytes } else { nil }
    }

    func integer(_ key: CBOR.Key) -> Int64? {
        if case .integer(let number)? = self[key] { number } else { nil }
    }
}
