import HTTPTypes
package import Hummingbird

/// The languages that a client prefers (RFC 9110 §12.5.4).
package enum AcceptLanguage {
    /// Longer headers are not read.
    private static let maximumBytes = 500
    private static let maximumLanguages = 10

    /// Language tags of a request, the most wanted first. What is malformed, or not wanted at all, is left out.
    package static func tags(of request: Request) -> [String] {
        tags(in: request.headers.value(of: .acceptLanguage) ?? "")
    }

    static func tags(in header: String) -> [String] {
        guard header.utf8.count <= maximumBytes else { return [] }
        var wanted: [(tag: String, quality: Double)] = []
        for part in header.utf8.split(separator: UInt8(ascii: ",")) {
            let pieces = part.split(separator: UInt8(ascii: ";"))
            guard let tag = pieces.first.map(trimmed), isTag(tag) else { continue }
            let weight = pieces.dropFirst().map(trimmed).first { $0.starts(with: "q=".utf8) }
            let quality = weight.map { Double(Substring($0.dropFirst(2))) ?? 0 } ?? 1
            if quality > 0 { wanted.append((String(Substring(tag)), quality)) }
        }
        // Browsers send them in order.
        if zip(wanted, wanted.dropFirst()).allSatisfy({ $0.quality >= $1.quality }) {
            return wanted.prefix(maximumLanguages).map(\.tag)
        }
        // Sorting by index too keeps the order among equals.
        let sorted = wanted.enumerated().sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
        return sorted.prefix(maximumLanguages).map(\.element.tag)
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    private static func isTag(_ text: Substring.UTF8View) -> Bool {
        (1...35).contains(text.count)
            && text.allSatisfy {
                $0 == UInt8(ascii: "-") || (0x41...0x5a).contains($0 & 0xdf) || (0x30...0x39).contains($0)
            }
    }
}
