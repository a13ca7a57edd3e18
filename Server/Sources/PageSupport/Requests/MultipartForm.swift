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
        guard let headEnd, let head = StreamSafeText.text(of: bytes[begin..<headEnd]) else { return nil }
        let content = bytes[(headEnd + 4)...]
        guard let contentEnd = first(boundary, in: content) else { return nil }
        let disposition = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-disposition:") }
        guard let disposition, let name = parameter("name", of: disposition) else { return nil }
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

    /// A value in quotes, as browsers write it: `"`, CR and LF stand in it as `%22`, `%0D`, `%0A`, a semicolon as it is.
    private static func parameter(_ name: String, of header: Substring) -> String? {
        var rest = header.drop { $0 != ";" }
        while rest.first == ";" {
            let pair = rest.dropFirst().drop { $0 == " " }
            let key = pair.prefix { $0 != "=" && $0 != ";" }
            let value = pair.dropFirst(key.count)
            guard value.hasPrefix("=\"") else { return nil }
            let text = value.dropFirst(2).prefix { $0 != "\"" }
            let end = value.dropFirst(2 + text.count)
            guard end.first == "\"" else { return nil }
            if key.lowercased() == name { return String(text) }
            rest = end.dropFirst().drop { $0 == " " }
        }
        return nil
    }

    private static func boundary(_ contentType: String) -> String? {
        for part in contentType.split(separator: ";").dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " }).lowercased() == "boundary" else { continue }
            var value = pair[1]
            if value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") { value = value.dropFirst().dropLast() }
            let isPlain = value.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            return (1...maximumBoundaryBytes).contains(value.utf8.count) && isPlain ? String(value) : nil
        }
        return nil
    }
}
