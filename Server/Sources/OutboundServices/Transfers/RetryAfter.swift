import Domain
import struct OkaeriWire.WireTime

/// The header `Retry-After` (RFC 9110 §10.2.3).
enum RetryAfter {
    private static let longestSeconds: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - text: Seconds, or a date in the form that is preferred (RFC 9110 §5.6.7).
    ///   - now: From when on.
    /// - Returns: how long the other server asks to wait, never below zero; `nil` for no text and for any other one.
    static func wait(_ text: String?, at now: Timestamp) -> Duration? {
        guard let text, text.utf8.count <= 40 else { return nil }
        if let seconds = Int64(text, radix: 10) { return seconds < 0 ? nil : .seconds(min(seconds, longestSeconds)) }
        let parts = text.pieces(at: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = MIMEText.months.firstIndex(of: String(parts[2])),
            let time = WireTime("\(parts[3])-\(month < 9 ? "0" : "")\(month + 1)-\(parts[1])T\(parts[4])Z")
        else { return nil }
        return max(.zero, Timestamp(milliseconds: time.millisecondsSince1970) - now)
    }
}
