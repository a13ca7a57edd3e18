import Domain
import Foundation

/// The forms of mail: texts in headers (RFC 2047), bodies in base64 (RFC 2045), dates (RFC 5322).
enum MIMEText {
    /// Longer values are encoded, so that they can be folded anywhere.
    private static let maximumPlainBytes = 64
    /// What one encoded word holds. It is 64 characters then, which leaves room for the header's name in a line of at
    /// most 76 (RFC 2047 §2).
    private static let bytesInWord = 39

    /// A text as a header has it: itself when it is plain ASCII and short, else encoded words, folded.
    static func header(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { (0x20...0x7e).contains($0) } && text.firstRange(of: "=?") == nil
        if isPlain && text.utf8.count <= maximumPlainBytes { return text }
        var words: [String] = []
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let next = Array(String(scalar).utf8)
            if bytes.count + next.count > bytesInWord {
                words.append(word(bytes))
                bytes = []
            }
            bytes += next
        }
        words.append(word(bytes))
        return words.joined(separator: "\r\n ")
    }

    /// A name in front of an address (RFC 5322 §3.2.5): as it is, in quotation marks, or as encoded words.
    static func phrase(_ text: String) -> String {
        let encoded = header(text)
        if encoded != text { return encoded }
        return "\"\(text.replacing(signs: ["\\": "\\\\", "\"": "\\\""]))\""
    }

    /// A body in base64, 76 characters a line, with lines of the text ended by CR LF.
    static func body(_ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\n", with: "\r\n")
        return Data(lines.utf8).base64EncodedString(options: [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ])
    }

    /// The months as dates have them, in HTTP too (RFC 9110 §5.6.7).
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The date in a header (RFC 5322 §3.3), in UTC: `Sat, 21 Nov 2026 09:15:42 +0000`.
    static func date(millisecondsSince1970 milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(clamping: parts.tm_wday)]), \(parts.tm_mday) \(months[Int(clamping: parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) +0000"
    }

    private static func word(_ bytes: [UInt8]) -> String {
        "=?utf-8?B?\(Data(bytes).base64EncodedString())?="
    }
}
