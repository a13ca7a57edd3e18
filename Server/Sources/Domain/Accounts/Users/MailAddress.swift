import CIDN2

/// A mail address in two parts (RFC 5321 §4.1.2, RFC 6531): no quoted local parts, no comments, no address literals. Those of
/// Japan's carriers may have dots that stand between no words (decision 0294).
package struct MailAddress: Hashable, Sendable {
    /// The longest address (RFC 5321 §4.5.3.1.3), in bytes.
    package static let maximumBytes = 254
    private static let maximumLocalPartBytes = 64

    /// As typed, composed (NFC).
    package let localPart: String
    /// As typed, composed, in lower case.
    package let domain: String
    /// The domain as mail servers take it: `xn--wgv71a119e.jp` (IDNA, UTS #46).
    package let domainInASCII: String

    /// Takes an address apart; `nil` when the text is none.
    package init?(_ text: String) {
        // With spaces around it, and a domain that is shorter in ASCII.
        guard text.utf8.count <= 4 * Self.maximumBytes else { return nil }
        let text = text.withoutBlanks.composed
        // A full-width sign is what Japanese keyboards give.
        guard let sign = text.lastIndex(where: { $0 == "@" || $0 == "＠" }) else { return nil }
        localPart = String(text[..<sign])
        domain = text[text.index(after: sign)...].lowercased()
        guard Self.isLocalPart(localPart, at: domain), let ascii = Self.ascii(domain) else { return nil }
        domainInASCII = ascii
        guard localPart.utf8.count + 1 + domainInASCII.utf8.count <= Self.maximumBytes else { return nil }
    }

    /// As it is shown.
    package var text: String { "\(localPart)@\(domain)" }

    /// As it is sent to.
    package var deliverable: String { "\(localPart)@\(domainInASCII)" }

    /// Dots between words of letters, digits, the signs of RFC 5322 §3.2.3, and anything beyond ASCII that is visible.
    private static func isLocalPart(_ text: String, at domain: String) -> Bool {
        guard (1...maximumLocalPartBytes).contains(text.utf8.count) else { return false }
        let words = text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false)
        let mayBeEmpty = words.first?.isEmpty == false && carriers.contains(domain)
        return words.allSatisfy { word in
            (mayBeEmpty || !word.isEmpty) && word.allSatisfy { $0.isASCII ? atomSigns.contains($0) : $0.isVisible }
        }
    }

    /// NTT Docomo and au, which gave out addresses with dots behind each other, and before the `@`, until 2009.
    private static let carriers: Set<String> = ["docomo.ne.jp", "ezweb.ne.jp", "au.com"]

    private static let atomSigns = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-/=?^_`{|}~".unicodeScalars)

    /// The domain in ASCII: two labels at least, each of letters, digits and inner hyphens (RFC 5890 §2.3.1).
    private static func ascii(_ domain: String) -> String? {
        var encoded = domain
        if !domain.utf8.allSatisfy({ $0 < 0x80 }) {
            guard let name = asciiName(domain) else { return nil }
            encoded = name
        }
        let labels = encoded.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areLabels = labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { Base62.alphabet.contains($0) || $0 == UInt8(ascii: "-") }
        }
        let lastIsNumber = labels.last?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true
        return labels.count > 1 && areLabels && !lastIsNumber ? encoded : nil
    }
}

extension MailAddress {
    /// A domain of any script as the domain name system has it (IDNA2008 with the mapping of UTS #46). By libidn2: Foundation's
    /// `URLComponents` asks ICU, which the program for use does not have (decision 0202), and writes percent signs without it.
    private static func asciiName(_ domain: String) -> String? {
        // To C a zero is the end.
        guard !domain.utf8.contains(0) else { return nil }
        let flags = Int32(bitPattern: IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        var name: UnsafeMutablePointer<CChar>?
        let code = idn2_to_ascii_8z(domain, &name, flags)
        defer { idn2_free(name) }
        guard code == IDN2_OK.rawValue, let name else { return nil }
        return String(cString: name).lowercased()
    }
}

extension Unicode.Scalar {
    /// Signs that show nothing, although Unicode has them as symbols and letters: the blank pattern of Braille, a note without a
    /// head, the blanks of hieroglyphs, the filler of Khitan.
    private static let blanks: Set<Unicode.Scalar> = ["\u{2800}", "\u{1D159}", "\u{13441}", "\u{13442}", "\u{16FE4}"]

    /// Whether it is something to see: no control, no space, nothing invisible, reserved or private.
    var isVisible: Bool {
        if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return false }
        if Self.blanks.contains(self) { return false }
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            return false
        default:
            return true
        }
    }
}
