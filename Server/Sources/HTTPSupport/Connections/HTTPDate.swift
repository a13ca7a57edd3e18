import Foundation
import Synchronization

/// The header `Date`, made once a second (RFC 9110 §6.6.1).
final class HTTPDate: Sendable {
    private let made = Mutex<(second: Int, text: String)>((-1, ""))

    /// The machine's time now: this header is about the answer's way, not about users.
    var now: String { text(at: time(nil)) }

    /// An instant as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
    ///
    /// - Parameter second: Seconds since 1970.
    /// - Returns: the text.
    func text(at second: Int) -> String {
        made.withLock { made in
            if made.second != second { made = (second, Self.text(of: second)) }
            return made.text
        }
    }

    private static func text(of second: Int) -> String {
        var (second, parts) = (second, tm())
        guard gmtime_r(&second, &parts) != nil else { return "" }
        // The program never leaves the "C" locale, whose names are those of the RFC.
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { characters in
            guard let start = characters.baseAddress else { return "" }
            let count = strftime(start, characters.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}
