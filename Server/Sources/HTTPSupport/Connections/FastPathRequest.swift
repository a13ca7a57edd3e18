import Foundation
package import HTTPTypes
package import NIOCore

/// A request as it stands in the bytes of one read, head and body.
///
/// Only the plainest form of HTTP/1.1 is read here (RFC 9112 §2 to §6): one space where one belongs, one `Host` that is one, a length in digits or no
/// body, nothing said of the connection but that it stays, no byte outside of US-ASCII. What deviates in any way is left
/// to SwiftNIO's decoder, which then has the connection to itself. So nothing is read in two ways: whatever is accepted here, the decoder reads as
/// the same (`FastPathRequestTests` compares), and what it refuses, it still refuses (requirement 48).
package struct FastPathRequest {
    package let head: HTTPRequest
    package let body: ByteBuffer

    /// What bytes begin with.
    package enum Beginning {
        case request(FastPathRequest)
        /// A request of which more has to come, or so it seems.
        case part
        /// Something for the decoder.
        case other
    }

    /// What a head may have; the decoder refuses what is beyond.
    package struct Limits: Sendable {
        let headBytes: Int
        let fields: Int

        /// No head longer than this is read here, whatever the decoder allows.
        private static let mostHeadBytes = 8192

        /// - Parameters:
        ///   - headBytes: The most bytes that the decoder takes for all fields.
        ///   - fields: The most fields that the decoder takes.
        package init(headBytes: Int, fields: Int) {
            self.headBytes = min(headBytes, Self.mostHeadBytes)
            self.fields = fields
        }
    }

    /// Longer bodies are left to the decoder, which does not wait for their end.
    private static let mostBodyBytes = 64 * 1024

    /// Takes a request from the beginning of some bytes, which stay as they are when there is none.
    package static func take(from bytes: inout ByteBuffer, _ limits: Limits, _ names: HeaderNames) -> Beginning {
        let parsed = bytes.withUnsafeReadableBytes { HeadScanner(bytes: $0, names: names).scan(limits) }
        guard case .head(let head, let headBytes, let bodyBytes) = parsed else {
            guard case .part = parsed else { return .other }
            return .part
        }
        guard bodyBytes <= mostBodyBytes else { return .other }
        guard bytes.readableBytes - headBytes >= bodyBytes else { return .part }
        bytes.moveReaderIndex(forwardBy: headBytes)
        let body = bodyBytes > 0 ? bytes.readSlice(length: bodyBytes) : nil
        return .request(FastPathRequest(head: head, body: body ?? ByteBuffer()))
    }

    /// Whether a text is the value of a `Host`: the name or address of a host, and a port (RFC 9110 §7.2, RFC 3986 §3.2.2).
    package static func isHost(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "[") {
            let address = rest.dropFirst().prefix { isHostByte($0) || $0 == UInt8(ascii: ":") }
            guard !address.isEmpty, rest.dropFirst(address.count + 1).first == UInt8(ascii: "]") else { return false }
            rest = rest.dropFirst(address.count + 2)
        } else {
            let name = rest.prefix(while: isHostByte)
            guard !name.isEmpty else { return false }
            rest = rest.dropFirst(name.count)
        }
        guard let colon = rest.first else { return true }
        return colon == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// What names of hosts are made of.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }
}

/// Reads the head of a request.
private struct HeadScanner {
    enum Outcome {
        /// A head of so many bytes, and how many its body has.
        case head(HTTPRequest, headBytes: Int, bodyBytes: Int)
        case part
        case other
    }

    /// What the fields say that is not about the resource.
    private struct Framing {
        var authority: String?
        var bodyBytes: Int?
    }

    private static let methods: [(start: StaticString, method: HTTPRequest.Method)] = [
        ("GET ", .get), ("POST ", .post), ("PUT ", .put), ("PATCH ", .patch), ("DELETE ", .delete),
    ]
    private static let carriageReturn: Int32 = 0x0D
    private static let endOfHead: StaticString = "\r\n\r\n"
    private static let endOfRequestLine: StaticString = " HTTP/1.1\r\n"
    /// A body of more digits is too long in any case.
    private static let mostLengthDigits = 7

    let bytes: UnsafeRawBufferPointer
    let names: HeaderNames

    func scan(_ limits: FastPathRequest.Limits) -> Outcome {
        guard let end = headEnd() else { return bytes.count > limits.headBytes ? .other : .part }
        guard end <= limits.headBytes, let (start, method) = method(),
            let targetEnd = endOfRun(from: start, Self.isTarget), bytes[start] == UInt8(ascii: "/"),
            starts(with: Self.endOfRequestLine, at: targetEnd)
        else { return .other }
        var (framing, fields) = (Framing(), HTTPFields())
        var (cursor, count) = (targetEnd + Self.endOfRequestLine.utf8CodeUnitCount, 0)
        fields.reserveCapacity(12)
        while cursor < end - 2 {
            count += 1
            guard count <= limits.fields, let next = field(at: cursor, &framing, &fields) else { return .other }
            cursor = next
        }
        guard let authority = framing.authority else { return .other }
        let head = HTTPRequest(
            method: method, scheme: "http", authority: authority, path: text(start..<targetEnd), headerFields: fields)
        return .head(head, headBytes: end, bodyBytes: framing.bodyBytes ?? 0)
    }

    /// Where the body begins.
    private func headEnd() -> Int? {
        guard let start = bytes.baseAddress else { return nil }
        var cursor = 0
        while let found = memchr(start + cursor, Self.carriageReturn, bytes.count - cursor) {
            let index = UnsafeRawPointer(found) - start
            if starts(with: Self.endOfHead, at: index) { return index + Self.endOfHead.utf8CodeUnitCount }
            cursor = index + 1
        }
        return nil
    }

    private func method() -> (end: Int, method: HTTPRequest.Method)? {
        for (start, method) in Self.methods where starts(with: start, at: 0) {
            return (start.utf8CodeUnitCount, method)
        }
        return nil
    }

    /// Reads one line of the head.
    ///
    /// - Returns: where the next one begins; `nil` for a line that is left to the decoder.
    private func field(at start: Int, _ framing: inout Framing, _ fields: inout HTTPFields) -> Int? {
        guard let colon = endOfRun(from: start, Self.isName), bytes[colon] == UInt8(ascii: ":"),
            bytes[colon + 1] == UInt8(ascii: " "),
            let valueEnd = endOfRun(from: colon + 2, Self.isValue), bytes[colon + 2] != UInt8(ascii: " "),
            bytes[valueEnd - 1] != UInt8(ascii: " "), bytes[valueEnd] == UInt8(ascii: "\r"),
            bytes[valueEnd + 1] == UInt8(ascii: "\n"),
            let name = names.name(of: UnsafeRawBufferPointer(rebasing: bytes[start..<colon]))
        else { return nil }
        let value = text((colon + 2)..<valueEnd)
        switch name.canonicalName {
        case "host":
            guard framing.authority == nil, FastPathRequest.isHost(value) else { return nil }
            framing.authority = value
            return valueEnd + 2
        case "content-length":
            guard framing.bodyBytes == nil, let length = Self.length(value) else { return nil }
            framing.bodyBytes = length
        case "connection":
            guard value.lowercased() == "keep-alive" else { return nil }
        case "transfer-encoding", "upgrade", "expect", "proxy-connection": return nil
        default: break
        }
        fields.append(HTTPField(name: name, value: value))
        return valueEnd + 2
    }

    private static func length(_ text: String) -> Int? {
        guard text.utf8.count <= mostLengthDigits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text, radix: 10)
    }

    /// Where the bytes of a kind end that begin at an index: there is at least one, and a byte of another kind behind
    /// them. The end of the head, which is of no kind, bounds it.
    private func endOfRun(from start: Int, _ isOfKind: (UInt8) -> Bool) -> Int? {
        var index = start
        while isOfKind(bytes[index]) { index += 1 }
        return index > start ? index : nil
    }

    private func starts(with text: StaticString, at start: Int) -> Bool {
        guard let base = bytes.baseAddress, bytes.count - start >= text.utf8CodeUnitCount else { return false }
        return memcmp(base + start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// A letter, a digit or `-`: the tokens (RFC 9110 §5.6.2) that names of fields are made of.
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "-"): true
        default: false
        }
    }

    /// What is seen, and the space.
    private static func isValue(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }

    /// What paths and queries are made of (RFC 3986 §3.3 and §3.4).
    private static func isTarget(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x40...0x5A, 0x24...0x3B, UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "!"),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
