import Domain
package import NIOCore

/// Encodes values as JSON straight into bytes, without a tree of boxes in between.
///
/// It does what Foundation's encoder does for the types of our answers, in a tenth of the time; answers are half of what
/// a look-up in the session cache costs. `Data` and `Date` have no form of their own here: no answer holds one.
package enum JSONBytes {
    /// - Parameter value: What to write.
    /// - Returns: UTF-8 without spaces.
    /// - Throws: `EncodingError` for a number that is not finite.
    package static func buffer(of value: some Encodable) throws -> ByteBuffer {
        let writer = JSONByteWriter()
        if let written = value as? any JSONWritten {
            try written.write(to: writer)
        } else {
            try writer.write(value)
        }
        return ByteBuffer(bytes: writer.bytes)
    }

    /// A text in quotes.
    static func bytes(of text: String) -> [UInt8] {
        let writer = JSONByteWriter(capacity: text.utf8.count + 2)
        writer.write(text: text)
        return writer.bytes
    }
}

/// The bytes so far, and the objects and lists that are still open.
package final class JSONByteWriter {
    private(set) var bytes: [UInt8] = []
    private var open: [Bracket] = []

    private struct Bracket {
        let close: UInt8
        var isEmpty = true
    }

    /// Room for most answers, and not so much that glibc would have to look for it (1,032 bytes with the array's head).
    init(capacity: Int = 960) {
        bytes.reserveCapacity(capacity)
    }

    /// How many objects and lists are open.
    var depth: Int { open.count }

    /// Writes a value of any type, whole.
    func write<Value: Encodable>(_ value: Value) throws {
        let (start, depth) = (bytes.count, depth)
        try value.encode(to: JSONByteEncoder(writer: self))
        // A type without members asks for no container.
        if bytes.count == start { bytes += "{}".utf8 }
        closeAll(above: depth)
    }

    func beginObject() { begin("{", "}") }

    func beginList() { begin("[", "]") }

    /// Closes what values inside left open.
    func closeAll(above depth: Int) {
        while open.count > depth { bytes.append(open.removeLast().close) }
    }

    /// Goes to the next member or element of the innermost object or list.
    func separate() {
        guard !open.isEmpty else { return }
        if !open[open.count - 1].isEmpty { bytes.append(UInt8(ascii: ",")) }
        open[open.count - 1].isEmpty = false
    }

    func write(name: String) {
        write(text: name)
        bytes.append(UInt8(ascii: ":"))
    }

    func write(literal: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    func write(integer: some BinaryInteger) {
        bytes += String(integer).utf8
    }

    /// - Throws: `EncodingError` when the number is not finite (RFC 8259 §6).
    func write(number: Double) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, EncodingError.Context(codingPath: [], debugDescription: "JSON has no such number."))
        }
        let text = number.description
        bytes += text.hasSuffix(".0") ? text.dropLast(2).utf8 : text[...].utf8
    }

    /// Writes a text in quotes.
    func write(text: String) {
        JSONString.append(text, to: &bytes)
    }

    private func begin(_ start: Unicode.Scalar, _ close: Unicode.Scalar) {
        bytes.append(UInt8(ascii: start))
        open.append(Bracket(close: UInt8(ascii: close)))
    }
}
