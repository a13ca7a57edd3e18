/// Follows JSON a byte at a time, as far as texts, objects and arrays go. It judges nothing: brackets of either kind close each
/// other, and what stands between them is not looked at (RFC 8259 §2, §7).
struct JSONScanner {
    /// What a byte is in the JSON before it.
    enum Step {
        /// A bracket that opens an object or an array.
        case opening
        /// A bracket that closes one.
        case closing
        /// The quotation mark before a text.
        case textStart
        /// Part of a text, an escape among them.
        case text
        /// The quotation mark behind a text.
        case textEnd
        case other
    }

    /// How many objects and arrays are open. Below zero where more were closed.
    private(set) var depth: Int
    /// Whether the next byte is part of a text, or its end.
    private(set) var isText = false
    private var isEscaped = false

    /// - Parameter depth: How many objects and arrays are open already.
    init(depth: Int) { self.depth = depth }

    mutating func step(_ byte: UInt8) -> Step {
        if isText {
            guard !isEscaped else {
                isEscaped = false
                return .text
            }
            switch byte {
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""):
                isText = false
                return .textEnd
            default: break
            }
            return .text
        }
        switch byte {
        case UInt8(ascii: "\""):
            isText = true
            return .textStart
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            return .opening
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            return .closing
        default: return .other
        }
    }
}
