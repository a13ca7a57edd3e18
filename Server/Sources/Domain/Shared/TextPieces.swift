/// How texts from outside are taken apart: at signs of ASCII, byte by byte, as browsers, proxies and databases read them.
///
/// Swift's characters are what people see. A comma is none once an accent stands behind it, or U+0600 before it; and the Greek
/// question mark, U+037E, is the same character as a semicolon. Who splits by characters finds pieces that nobody sent, and misses
/// some that were sent.
extension StringProtocol where SubSequence == Substring {
    /// The pieces between signs.
    ///
    /// - Parameters:
    ///   - sign: A sign of ASCII.
    ///   - keepsEmpty: Whether nothing between two signs is a piece too.
    /// - Returns: the pieces in their order.
    package func pieces(at sign: Unicode.Scalar, keepsEmpty: Bool = false) -> [Substring] {
        self[...].utf8.split(separator: UInt8(ascii: sign), omittingEmptySubsequences: !keepsEmpty)
            .map { Substring($0) }
    }

    /// The words, between white space of whatever kind: by characters, an accent behind a space would be lost with it.
    package var words: [String] {
        self[...].unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
    }

    /// Whether a segment of a path leads to itself or to the one above it (RFC 3986 §5.2.4), also with its dots in percents, as browsers
    /// and servers take them.
    package var isDotSegment: Bool { [".", ".."].contains(lowercased().replacing("%2e", with: ".")) }

    /// The text without the first of such signs.
    ///
    /// - Parameter sign: A sign of ASCII.
    /// - Returns: what stands before it and behind it; `nil` where there is none.
    package func cut(at sign: Unicode.Scalar) -> (before: Substring, after: Substring)? {
        let bytes = self[...].utf8
        return bytes.firstIndex(of: UInt8(ascii: sign)).map { position in
            (before: Substring(bytes[..<position]), after: Substring(bytes[bytes.index(after: position)...]))
        }
    }

    /// The text without the last of such signs.
    ///
    /// - Parameter sign: A sign of ASCII.
    /// - Returns: what stands before it and behind it; `nil` where there is none.
    package func cut(atLast sign: Unicode.Scalar) -> (before: Substring, after: Substring)? {
        let bytes = self[...].utf8
        return bytes.lastIndex(of: UInt8(ascii: sign)).map { position in
            (before: Substring(bytes[..<position]), after: Substring(bytes[bytes.index(after: position)...]))
        }
    }

    /// The text up to the first of such signs.
    ///
    /// - Parameter sign: A sign of ASCII.
    /// - Returns: what stands before it; all of the text where there is none.
    package func before(_ sign: Unicode.Scalar) -> Substring { cut(at: sign)?.before ?? self[...] }

    /// The text with others in the place of some signs, as it is quoted for a reader to whom these mean something.
    ///
    /// - Parameter signs: What stands for each.
    /// - Returns: the text to be read there.
    package func replacing(signs: [Unicode.Scalar: String]) -> String {
        unicodeScalars.map { signs[$0] ?? String($0) }.joined()
    }
}
