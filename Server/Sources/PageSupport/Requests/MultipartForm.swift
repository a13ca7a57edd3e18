import Domain
package import HTTPSupport
import OkaeriWire

/// A form with files (`multipart/form-data`, RFC 7578): fields as texts, files as bytes. A name counts once.
package struct MultipartForm: Sendable {
    package static let mediaType = "multipart/form-data"
    package static let maximumBytes = 256 * 1024
    private static let maximumHeaderBytes = 1024
    private static let maximumBoundaryBytes = 70

    package let fields: FormValues
    /// Files that were chosen, by the names of their fields. What browsers say of their kind and name is not believed.
    package let files: [String: [UInt8]]

    package init(fields: FormValues, files: [String: [UInt8]] = [:]) {
        self.fields = fields
        self.files = files
    }

    /// - Parameters:
    ///   - bytes: The body.
    ///   - contentType: The header, which names the boundary.
    /// - Throws: `RequestError.bodyTooLarge`, `bodyMalformed`.
    package init(_ bytes: [UInt8], contentType: String) throws(RequestError) {
        guard bytes.count <= Self.maximumBytes else { throw .bodyTooLarge(maximumBytes: Self.maximumBytes) }
        guard let boundary = Self.boundary(contentType) else {
            throw .bodyMalformed(reason: "The form has no boundary.")
        }
        let line = Array("--\(boundary)".utf8)
        guard bytes.starts(with: line) else { throw .bodyMalformed(reason: "The form does not begin at its boundary.") }
        var (pairs, files): ([(name: String, value: String)], [String: [UInt8]]) = ([], [:])
        var position = line.count
        while !bytes[position...].starts(with: Self.end) {
            guard let part = Self.part(of: bytes, at: position, until: Self.newLine + line) else {
                throw .bodyMalformed(reason: "A part of the form has no end, or no name.")
            }
            position = part.end
            if part.isFile {
                // A field of this kind where nothing was chosen comes without content.
                guard files[part.name] == nil else { throw .bodyMalformed(reason: "The form has a file twice.") }
                if !part.content.isEmpty { files[part.name] = Array(part.content) }
            } else {
                guard let text = StreamSafeText.text(of: part.content) else {
                    throw .bodyMalformed(reason: FormValues.unreadable)
                }
                pairs.append((part.name, text))
            }
        }
        fields = try FormValues(pairs)
        self.files = files
    }

    private static let newLine = Array("\r\n".utf8)
    private static let end = Array("--".utf8)

    private struct Part {
        var name: String
        var isFile: Bool
        var content: ArraySlice<UInt8>
        /// Behind the boundary that ends it.
        var end: Int
    }

    /// The part that begins behind a boundary.
    private static func part(of bytes: [UInt8], at position: Int, until boundary: [UInt8]) -> Part? {
        guard bytes[position...].starts(with: newLine) else { return nil }
        let begin = position + newLine.count
        let headEnd = first(newLine + newLine, in: bytes[begin..<min(begin + maximumHeaderBytes, bytes.count)])
        guard let headEnd else { return nil }
        let content = bytes[(headEnd + 4)...]
        guard let contentEnd = first(boundary, in: content) else { return nil }
        let lines = bytes[begin..<headEnd].split(separator: UInt8(ascii: "\n"))
        guard let disposition = lines.first(where: { begins($0, "content-disposition:") }),
            let name = parameter("name", of: disposition).flatMap({ StreamSafeText.text(of: $0) })
        else { return nil }
        return Part(
            name: name, isFile: parameter("filename", of: disposition) != nil, content: content[..<contentEnd],
            end: contentEnd + boundary.count)
    }

    /// Where some bytes stand first.
    private static func first(_ sought: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let start = rest.firstIndex(of: sought[0]) {
            if bytes[start...].starts(with: sought) { return start }
            rest = bytes[(start + 1)...]
        }
        return nil
    }

    /// Whether bytes begin with a text of small letters, in whatever case.
    private static func begins(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        text.utf8.elementsEqual(bytes.prefix(text.utf8.count).map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 })
    }

    /// A value in quotes, as browsers write it: `"`, CR and LF stand in it as `%22`, `%0D`, `%0A`, all others as they are. By bytes:
    /// the name of a file may begin with an accent, which is one character with the quotation mark before it.
    private static func parameter(_ name: String, of header: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let (semicolon, space, quote) = (UInt8(ascii: ";"), UInt8(ascii: " "), UInt8(ascii: "\""))
        var rest = header.drop { $0 != semicolon }
        while rest.first == semicolon {
            let pair = rest.dropFirst().drop { $0 == space }
            let key = pair.prefix { $0 != UInt8(ascii: "=") && $0 != semicolon }
            let value = pair.dropFirst(key.count)
            guard value.starts(with: [UInt8(ascii: "="), quote]) else { return nil }
            let text = value.dropFirst(2).prefix { $0 != quote }
            let end = value.dropFirst(2 + text.count)
            guard end.first == quote else { return nil }
            if key.count == name.utf8.count, begins(key, name) { return text }
            rest = end.dropFirst().drop { $0 == space }
        }
        return nil
    }

    private static func boundary(_ contentType: String) -> String? {
        for part in contentType.pieces(at: ";").dropFirst() {
            guard let pair = part.cut(at: "="), pair.before.withoutBlanks.lowercased() == "boundary" else { continue }
            var value = pair.after.utf8
            guard value.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
            if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
                value = value.dropFirst().dropLast()
            }
            return (1...maximumBoundaryBytes).contains(value.count) ? String(Substring(value)) : nil
        }
        return nil
    }
}
