/// Which trace a span belongs to, and which span it is (W3C Trace Context, level 1).
package struct TraceContext: Hashable, Sendable {
    /// The trace, of 128 bits; not all of them are 0.
    package let trace: TraceID
    /// The span, which is not 0.
    package let span: UInt64
    /// Whether spans of the trace are recorded.
    package let isSampled: Bool
    /// What other tracing systems say of the trace, handed on as it came; empty when there is nothing.
    package let state: String

    package init(trace: TraceID, span: UInt64, isSampled: Bool, state: String = "") {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// Reads the headers of a caller. Whatever is not well formed begins a trace of our own (§3.2.2.5, §3.3.1.3).
    ///
    /// - Parameters:
    ///   - parent: `traceparent`.
    ///   - states: Each `tracestate`, in order.
    package init?(traceparent parent: String, tracestate states: [String] = []) {
        let bytes = Array(parent.utf8.prefix(Self.longestParent + 1))
        // Of later versions the first four members count, and what follows them begins with a hyphen.
        guard bytes.count >= Self.parentBytes, bytes.count <= Self.longestParent,
            bytes[2] == Self.hyphen, bytes[35] == Self.hyphen, bytes[52] == Self.hyphen,
            let version = Self.number(bytes[0..<2]), version != 0xff,
            version == 0
                ? bytes.count == Self.parentBytes : bytes.count == Self.parentBytes || bytes[55] == Self.hyphen,
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]), high | low != 0,
            let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
        else { return nil }
        self.init(
            trace: TraceID(high: high, low: low), span: span, isSampled: flags & 1 == 1, state: Self.state(of: states))
    }

    /// `traceparent` in version 00.
    package var traceparent: String { "00-\(trace.text)-\(Self.text(of: span))-\(isSampled ? "01" : "00")" }

    /// A number as 16 digits in hexadecimal.
    package static func text(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
    }

    private static let hyphen = UInt8(ascii: "-")
    private static let parentBytes = 55
    /// A later version may be longer; no version is as long as this.
    private static let longestParent = 512
    private static let longestState = 512
    private static let mostStates = 32

    /// Digits in small letters; `nil` for anything else. At most 16 of them.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            guard let value = Hexadecimal.smallDigit(digit) else { return nil }
            number = number << 4 | UInt64(truncatingIfNeeded: value)
        }
        return number
    }

    /// The members of `tracestate`, or nothing when one is not well formed (§3.3.1).
    private static func state(of headers: [String]) -> String {
        let joined = headers.joined(separator: ",")
        guard !joined.isEmpty, joined.utf8.count <= longestState else { return "" }
        var keys: Set<Substring> = []
        for member in joined.pieces(at: ",", keepsEmpty: true) {
            let member = member.drop { $0 == " " || $0 == "\t" }
            if member.isEmpty { continue }
            guard let parts = member.cut(at: "="), isKey(parts.before.utf8),
                parts.after.utf8.allSatisfy({ (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "=") }),
                keys.insert(parts.before).inserted, keys.count <= mostStates
            else { return "" }
        }
        return keys.isEmpty ? "" : joined
    }

    private static func isKey(_ key: Substring.UTF8View) -> Bool {
        !key.isEmpty
            && key.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "@"):
                    true
                default: false
                }
            }
    }
}

/// What all spans of a trace have in common.
package struct TraceID: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// 32 digits in hexadecimal.
    package var text: String { TraceContext.text(of: high) + TraceContext.text(of: low) }
}
