import Foundation
@_spi(TotalConversions) import OkaeriWire

/// Codes as people type, paste and dictate them.
package enum CodeText {
    /// The digits of a text: those of other widths and alphabets become ASCII, everything else goes.
    package static func digits(_ text: String, atMost count: Int) -> String {
        var digits = ""
        // A hostile text is not read to its end.
        for scalar in text.unicodeScalars.prefix(1000) {
            guard digits.utf8.count < count else { break }
            if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue {
                digits += String(Int(clamping: value))
            }
        }
        return digits
    }

    /// The letters and digits of a long code, in capitals and groups of four.
    package static func grouped(_ text: String, atMost count: Int) -> String {
        let letters = plain(text, atMost: count)
        return stride(from: 0, to: letters.count, by: 4)
            .map { String(letters[$0..<min($0 + 4, letters.count)]) }.joined(separator: "-")
    }

    /// How many letters and digits there are.
    package static func letterCount(_ text: String) -> Int { plain(text, atMost: 1000).count }

    private static func plain(_ text: String, atMost count: Int) -> [Character] {
        if let letters = plainASCII(text) { return Array(letters.prefix(count)) }
        let compatible = String(String.UnicodeScalarView(text.unicodeScalars.prefix(1000)))
            .compatible.uppercased()
        return Array(compatible.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(count))
    }

    /// The same of a text that is ASCII, which has no other forms; `nil` for all others.
    private static func plainASCII(_ text: String) -> [Character]? {
        var letters: [Character] = []
        for byte in text.utf8.prefix(1000) {
            switch byte {
            case 0x30...0x39, 0x41...0x5a: letters.append(Character(Unicode.Scalar(byte)))
            case 0x61...0x7a: letters.append(Character(Unicode.Scalar(byte & 0xdf)))
            case 0x80...: return nil
            default: break
            }
        }
        return letters
    }

    private static let separators = Array("/?&=#".utf8)

    /// The transfer code in what a camera read: the code itself, or a link into the app that holds it.
    package static func scanned(_ text: String, length: Int = 16) -> String? {
        // No QR code holds more.
        guard text.utf8.count <= 4096 else { return nil }
        let parts = text.utf8.split { separators.contains($0) }.map { String(Substring($0)) }
        let candidates = [text] + parts.reversed()
        return candidates.first { letterCount($0) == length && !$0.contains("://") }
            .map { grouped($0, atMost: length) }
    }
}
