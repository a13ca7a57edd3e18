import CUTF8Proc
import Foundation

/// The one file where texts are normalised and where their case is folded. Both take time, and more room than the text:
/// longer ones than any rule admits are left as they are, and lead to nobody.
package enum ForeignText {
    /// The longest text that is normalised, in bytes.
    package static let maximumBytes = 2048

    /// The text with ASCII letters in lower case, for words that are ASCII: names of schemes and headers, digits of codes.
    ///
    /// - Returns: `nil` for a text beyond a length.
    static func lowercasedASCII(_ text: some StringProtocol, maximumBytes: Int) -> String? {
        guard text.utf8.count <= maximumBytes else { return nil }
        return String(decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text in NFKC (UAX #15).
    var compatible: String {
        guard utf8.count <= ForeignText.maximumBytes else { return String(self) }
        return normalized(UTF8PROC_COMPAT.rawValue)
    }

    /// The text in NFC (UAX #15), of whatever length: measure it first.
    var composed: String { normalized(0) }

    /// - Parameter form: What utf8proc does beside composing.
    /// - Returns: the text itself when it is ASCII.
    private func normalized(_ form: UInt32) -> String {
        var text = String(self)
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        let options = utf8proc_option_t(rawValue: UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | form)
        var normalized: UnsafeMutablePointer<UInt8>?
        let count = text.withUTF8 { utf8proc_map($0.baseAddress, $0.count, &normalized, options) }
        defer { free(normalized) }
        // A text is UTF-8, and the options are known: memory is all that can lack.
        guard count >= 0, let normalized else { return text }
        return String(decoding: UnsafeBufferPointer(start: normalized, count: count), as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text without blanks around it: the spaces of Unicode, and tabs.
    package var withoutBlanks: String { trimmed(\.isBlank) }

    /// The text without blanks and line ends around it.
    package var withoutBlanksAndLineEnds: String { trimmed { $0.isBlank || $0.isLineEnd } }

    private func trimmed(_ isLeftOut: (Unicode.Scalar) -> Bool) -> String {
        guard let first = unicodeScalars.firstIndex(where: { !isLeftOut($0) }),
            let last = unicodeScalars.lastIndex(where: { !isLeftOut($0) })
        else { return "" }
        return String(self[first..<unicodeScalars.index(after: last)])
    }
}

extension Unicode.Scalar {
    /// What Foundation takes for white space: beside spaces and the tab also the space without width, U+200B.
    fileprivate var isBlank: Bool {
        self == "\t" || self == "\u{200B}" || properties.generalCategory == .spaceSeparator
    }

    fileprivate var isLineEnd: Bool {
        (0x0A...0x0D).contains(value) || ["\u{85}", "\u{2028}", "\u{2029}"].contains(self)
    }
}

/// Brings texts that people take for the same into one form.
package enum IdentifierFolding {
    /// Compatibility composition and folded case, as NFKC_Casefold does it (UAX #31, UTR #36): width, case and
    /// ligatures make no difference, and what is invisible is left out.
    ///
    /// Case is folded by raising and lowering each letter. That differs from Unicode's table in a few letters, always
    /// towards making more texts the same: `ı` and `i`. A text that is too long to be anybody's is left as it is.
    package static func folded(_ text: String) -> String {
        if let plain = foldedASCII(text) { return plain }
        guard text.utf8.count <= ForeignText.maximumBytes else { return text }
        var result = text
        // Twice, because composing what was folded can give letters that fold again.
        for _ in 0..<2 { result = lowered(result.compatible) }
        return result.compatible
    }

    /// A mail address with its domain in ASCII (IDNA, UTS #46) and everything folded.
    package static func foldedMailAddress(_ text: String) -> String {
        guard let address = MailAddress(text) else { return folded(text) }
        return folded(address.localPart) + "@" + folded(address.domainInASCII)
    }

    /// A phone number without what people write between the digits.
    package static func foldedPhoneNumber(_ text: String) -> String {
        PhoneNumber(text)?.text ?? folded(text)
    }

    /// The text without white space around it, of any kind and also as other signs fold to it.
    ///
    /// By Unicode scalars: to go back by characters takes time by the square of a run of flags.
    package static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    /// Most are ASCII, where only capitals fold; `nil` for all others.
    private static func foldedASCII(_ text: String) -> String? {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return ForeignText.lowercasedASCII(text, maximumBytes: ForeignText.maximumBytes)
    }

    private static func lowered(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            for raised in scalar.properties.uppercaseMapping.unicodeScalars {
                result.append(contentsOf: raised.properties.lowercaseMapping.unicodeScalars)
            }
        }
        return String(result)
    }
}
