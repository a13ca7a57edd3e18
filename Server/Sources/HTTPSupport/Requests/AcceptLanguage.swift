import HTTPTypes
package import Hummingbird

/// The languages that a client prefers (RFC 9110 §12.5.4).
package enum AcceptLanguage {
    /// Longer headers are not read.
    private static let maximumBytes = 500
    private static let maximumLanguages = 10

    /// Language tags of a request, the most wanted first. What is malformed, or not wanted at all, is left out.
    package static func tags(of request: Request) -> [String] {
        tags(in: request.headers[.acceptLanguage] ?? "")
    }

    static func tags(in header: String) -> [String] {
        guard header.utf8.count <= maximumBytes else { return [] }
        var wanted: [(tag: String, quality: Double)] = []
        for part in header.split(separator: ",") {
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let tag = pieces.first, isTag(tag) else { continue }
            let quality = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if quality > 0 { wanted.append((tag, quality)) }
        }
        // Sorting by place too keeps the order among equals.
        let sorted = wanted.enumerated().sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
        return sorted.prefix(maximumLanguages).map(\.element.tag)
    }

    private static func isTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "-") || $0 < 0x80 && Character(Unicode.Scalar($0)).isLetter
                    || (0x30...0x39).contains($0)
            }
    }
}
