/// A text of an operator that guides people, with links: `Read our [terms](https://example.com/terms).`
///
/// A link leads to an https page or a mail address, and to nothing else: what is no such link stays as it was written.
/// There are no other marks.
public struct GuideText: Hashable, Sendable {
    /// A piece of the text.
    public enum Part: Hashable, Sendable {
        /// Words.
        case words(String)
        /// Words that lead to an address: `https://…` or `mailto:…`.
        case link(String, address: String)
    }

    /// The pieces, in their order.
    public let parts: [Part]

    /// The longest text, in bytes of UTF-8.
    public static var maximumBytes: Int { 4000 }
    /// The most links; further ones stay as they were written.
    public static var maximumLinks: Int { 16 }
    private static var maximumAddressBytes: Int { 500 }

    /// Reads a text, in a time that grows with its length alone.
    ///
    /// - Returns: `nil` for an empty text and for one of more than ``maximumBytes``.
    public init?(_ text: String) {
        guard (1...Self.maximumBytes).contains(text.utf8.count) else { return nil }
        var parts: [Part] = []
        var words = Substring.UnicodeScalarView()
        var links = 0
        var rest = text.unicodeScalars[...]
        while let open = rest.firstIndex(of: "[") {
            words.append(contentsOf: rest[..<open])
            rest = rest[open...]
            guard links < Self.maximumLinks, let (link, end) = Self.link(in: rest) else {
                // Up to the next bracket at least, so that no sign is looked at twice.
                let next = rest.dropFirst().firstIndex(of: "[") ?? rest.endIndex
                words.append(contentsOf: rest[..<next])
                rest = rest[next...]
                continue
            }
            if !words.isEmpty { parts.append(.words(String(words))) }
            words = Substring.UnicodeScalarView()
            parts.append(link)
            links += 1
            rest = rest[end...]
        }
        words.append(contentsOf: rest)
        if !words.isEmpty { parts.append(.words(String(words))) }
        self.parts = parts
    }

    /// The link that a text begins with, and where it ends.
    private static func link(
        in text: Substring.UnicodeScalarView
    ) -> (link: Part, end: Substring.UnicodeScalarView.Index)? {
        let inner = text.dropFirst()
        guard let close = inner.firstIndex(where: { $0 == "]" || $0 == "[" }), inner[close] == "]",
            close > inner.startIndex
        else { return nil }
        let after = inner[close...].dropFirst()
        guard after.first == "(" else { return nil }
        let target = after.dropFirst()
        guard
            let end = target.prefix(maximumAddressBytes + 1).firstIndex(where: { $0 == ")" || $0 == "[" }),
            target[end] == ")"
        else { return nil }
        let address = String(target[..<end])
        guard isAddress(address) else { return nil }
        return (.link(String(inner[..<close]), address: address), target.index(after: end))
    }

    /// Whether an address is one that a screen may open.
    private static func isAddress(_ text: String) -> Bool {
        guard text.utf8.count <= maximumAddressBytes, text.utf8.allSatisfy(isOfAddress) else { return false }
        if text.hasPrefix("https://") {
            let host = text.dropFirst(8).prefix { !"/?#".contains($0) }
            // A name before an @ would show another host than the one that is opened.
            return host.first?.isLetter == true || host.first?.isNumber == true ? !host.contains("@") : false
        }
        guard text.hasPrefix("mailto:") else { return false }
        let parts = text.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
        // No header fields: a link must not write the mail.
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && !$0.contains("?") && !$0.contains(",") }
    }

    private static func isOfAddress(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && !#""'()<>[]\^`{|}"#.utf8.contains(byte)
    }
}
