import Foundation

/// A phone number in international form (E.164 §6: a plus sign and 7 to 15 digits, the first not 0).
///
/// Numbers without the country's code are refused: what they mean depends on where they are dialled.
package struct PhoneNumber: Hashable, Sendable {
    /// `+819012345678`.
    package let text: String

    /// Takes a number as people write it, with spaces, hyphens, dots or brackets; `nil` when it is none.
    package init?(_ text: String) {
        guard text.utf8.count <= 4 * Self.maximumCharacters else { return nil }
        let compatible = text.compatible
        guard compatible.unicodeScalars.count <= Self.maximumCharacters else { return nil }
        let signs = compatible.unicodeScalars.filter { !Self.separators.contains($0) }
        guard signs.first == "+" else { return nil }
        let digits = signs.dropFirst()
        guard (7...15).contains(digits.count), digits.first != "0", digits.allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        self.text = String(String.UnicodeScalarView(signs))
    }

    /// The longest number as it is written, with all that stands between its digits.
    private static let maximumCharacters = 40

    /// With the hyphens and the middle dot that Japanese and Korean keyboards give; U+2212 is the minus sign.
    private static let separators = Set(" -.()/‐‑‒–—−ー・".unicodeScalars)
}
