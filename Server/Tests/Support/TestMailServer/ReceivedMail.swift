package import Foundation

/// A mail as it arrived, taken apart by rules that are written from the RFCs and not from the server's code.
package struct ReceivedMail: Sendable {
    package let raw: String
    /// By name in lower case; unfolded, encoded words as they came.
    package let headers: [String: String]
    /// The parts of `multipart/alternative` by media type, decoded.
    package let parts: [String: String]

    package init(bytes: Data) {
        raw = String(decoding: bytes, as: UTF8.self)
        let (headers, body) = Self.split(raw)
        self.headers = headers
        var parts: [String: String] = [:]
        if let boundary = headers["content-type"]?.firstMatch(of: /boundary="([^"]+)"/)?.1 {
            for piece in body.components(separatedBy: "--\(boundary)").dropFirst() where !piece.hasPrefix("--") {
                let (head, content) = Self.split(String(piece.drop { $0.isNewline }))
                let type = String(head["content-type"]?.prefix { $0 != ";" } ?? "")
                let decoded = Data(base64Encoded: content, options: .ignoreUnknownCharacters) ?? Data()
                parts[type] = String(decoding: decoded, as: UTF8.self)
            }
        }
        self.parts = parts
    }

    package var text: String { parts["text/plain"] ?? "" }
    package var html: String { parts["text/html"] ?? "" }
    package var subject: String { Self.decoded(headers["subject"] ?? "") }
    package var sender: String { Self.decoded(headers["from"] ?? "") }

    /// The first code of digits, as it stands in the text.
    package var code: String? {
        text.firstMatch(of: /(?m)^(\d{3,4} \d{3,4})\r?$/).map { String($0.1) }
    }

    /// The first token, as it stands in the text, alone or behind a link.
    package var token: String? {
        text.firstMatch(of: /([0-9A-Z]{4}(-[0-9A-Z]{4}){6})/).map { String($0.1) }
    }

    private static func split(_ text: String) -> ([String: String], String) {
        guard let end = text.range(of: "\r\n\r\n") else { return ([:], text) }
        var headers: [String: String] = [:]
        let unfolded = text[..<end.lowerBound].replacing(/\r\n[ \t]/, with: " ")
        for line in unfolded.components(separatedBy: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        return (headers, String(text[end.upperBound...]))
    }

    /// Encoded words (RFC 2047), with the spaces between them left out.
    private static func decoded(_ header: String) -> String {
        let joined = header.replacing(/\?=\s+=\?/, with: "?==?")
        return joined.replacing(/=\?utf-8\?B\?([^?]*)\?=/) { match in
            String(decoding: Data(base64Encoded: String(match.1)) ?? Data(), as: UTF8.self)
        }
    }
}
