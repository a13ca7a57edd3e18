/// Why a text is not JSON.
public enum JSONSyntaxError: Error, Hashable, Sendable {
    /// Something other than JSON stands at this byte, counted from 0.
    case unexpected(offset: Int)
    /// The text ends in the middle.
    case incomplete
    /// Bytes that are no UTF-8, or half a surrogate pair, in the string that ends at this byte.
    case badText(offset: Int)
    /// More than 30 combining marks in a row, in the string that ends at this byte (UAX #15 §13); see `StreamSafeText`.
    case tooManyMarks(offset: Int)
    /// An object has two members of this name.
    case duplicateMember(String)
    /// A number that no 64-bit integer and no double holds, ending at this byte.
    case numberOutOfRange(offset: Int)
    /// Arrays and objects within each other beyond the limit.
    case tooDeep
    /// More values than the limit.
    case tooManyValues
}

extension JSONValue {
    /// Reads JSON strictly as RFC 8259 has it: no trailing commas, no comments, no two members of one name, valid UTF-8.
    ///
    /// Foundation's decoder is several times slower for short texts and takes more than JSON; short texts from strangers
    /// are read here.
    ///
    /// - Parameters:
    ///   - text: The bytes of one value, with white space around it at most.
    ///   - maximumDepth: How many arrays and objects may stand within each other.
    ///   - maximumValues: How many values there may be, arrays and objects too. As one count four texts, numbers, truths
    ///     or nulls of an array, which are in no table, and four bytes of names that are not ASCII, which are normalised
    ///     wherever they are looked up or compared.
    ///   - isTrusted: Whether texts need not be stream-safe (`StreamSafeText`): true only for what was checked before, such
    ///     as what a database holds.
    /// - Throws: `JSONSyntaxError`.
    public init(
        parsing text: [UInt8], maximumDepth: Int = 128, maximumValues: Int = .max, isTrusted: Bool = false
    ) throws(JSONSyntaxError) {
        let quarters = maximumValues.multipliedReportingOverflow(by: 4)
        var parser = JSONParser(
            bytes: text, isTrusted: isTrusted, remainingDepth: maximumDepth,
            remainingQuarters: quarters.overflow ? .max : quarters.partialValue)
        self = try parser.document()
    }
}

private struct JSONParser {
    let bytes: [UInt8]
    let isTrusted: Bool
    var remainingDepth: Int
    /// How much there may still be, in quarters of a value.
    var remainingQuarters: Int
    var position = 0

    mutating func document() throws(JSONSyntaxError) -> JSONValue {
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw .unexpected(offset: position) }
        return value
    }

    // `quarters` is what it counts, if it is no array and no object.
    private mutating func value(quarters: Int = 4) throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        let first = try peek()
        try count(first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? 4 : quarters)
        switch first {
        case UInt8(ascii: "{"): return .object(try nested { parser throws(JSONSyntaxError) in try parser.members() })
        case UInt8(ascii: "["): return .array(try nested { parser throws(JSONSyntaxError) in try parser.elements() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func count(_ quarters: Int) throws(JSONSyntaxError) {
        guard quarters <= remainingQuarters else { throw .tooManyValues }
        remainingQuarters -= quarters
    }

    private mutating func nested<Result>(
        _ read: (inout JSONParser) throws(JSONSyntaxError) -> Result
    ) throws(JSONSyntaxError) -> Result {
        guard remainingDepth > 0 else { throw .tooDeep }
        remainingDepth -= 1
        position += 1
        let result = try read(&self)
        remainingDepth += 1
        return result
    }

    private mutating func members() throws(JSONSyntaxError) -> [String: JSONValue] {
        skipSpace()
        if try take(UInt8(ascii: "}")) { return [:] }
        var members: [String: JSONValue] = [:]
        // Those for which the table has no room wait until their number is known. One that grows hashes all names anew each time,
        // which was half of what a large object with names that are not ASCII costs, whenever it is read.
        var waiting: [(name: String, value: JSONValue)] = []
        while true {
            skipSpace()
            guard try peek() == UInt8(ascii: "\"") else { throw .unexpected(offset: position) }
            let name = try string()
            if !name.utf8.allSatisfy({ $0 < 0x80 }) { try count(name.utf8.count) }
            skipSpace()
            guard try take(UInt8(ascii: ":")) else { throw .unexpected(offset: position) }
            let value = try value()
            if members.count < Self.usualMembers {
                guard members.updateValue(value, forKey: name) == nil else { throw .duplicateMember(name) }
            } else {
                waiting.append((name, value))
            }
            skipSpace()
            if try take(UInt8(ascii: "}")) { break }
            guard try take(UInt8(ascii: ",")) else { throw .unexpected(offset: position) }
            // One member has a small table: values are kept, and thousands of such objects with room for six are many times what
            // was sent.
            if members.count == 1 { members.reserveCapacity(Self.usualMembers) }
        }
        guard !waiting.isEmpty else { return members }
        members.reserveCapacity(members.count + waiting.count)
        for (name, value) in waiting {
            guard members.updateValue(value, forKey: name) == nil else { throw .duplicateMember(name) }
        }
        return members
    }

    /// As many as most objects have, so that their tables need not grow three times.
    private static let usualMembers = 6

    private mutating func elements() throws(JSONSyntaxError) -> [JSONValue] {
        var elements: [JSONValue] = []
        skipSpace()
        if try take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value(quarters: 1))
            skipSpace()
            if try take(UInt8(ascii: "]")) { return elements }
            guard try take(UInt8(ascii: ",")) else { throw .unexpected(offset: position) }
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        for byte in UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount) {
            guard try take(byte) else { throw .unexpected(offset: position) }
        }
        return value
    }

    /// The text between quotation marks; without escapes it is taken as it stands.
    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        let start = position
        var isASCII = true
        while true {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "\""):
                let text = try text(of: bytes[start..<position], isASCII: isASCII)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                return try escapedString(from: start)
            case ..<0x20:
                throw .unexpected(offset: position)
            default:
                if byte >= 0x80 { isASCII = false }
                position += 1
            }
        }
    }

    /// The rest of a text from its first escape on, and what stands before it.
    private mutating func escapedString(from start: Int) throws(JSONSyntaxError) -> String {
        var unescaped = Array(bytes[start..<position])
        while true {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "\""):
                // Escapes can give any character.
                let text = try text(of: unescaped[...], isASCII: false)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                try escape(into: &unescaped)
            case ..<0x20:
                throw .unexpected(offset: position)
            default:
                unescaped.append(byte)
                position += 1
            }
        }
    }

    /// Most texts are ASCII, which needs no further check. All others are checked before anything hashes them.
    private func text(of utf8: ArraySlice<UInt8>, isASCII: Bool) throws(JSONSyntaxError) -> String {
        if isASCII { return String(decoding: utf8, as: UTF8.self) }
        guard let text = String(validating: utf8, as: UTF8.self) else { throw .badText(offset: position) }
        guard isTrusted || utf8.withUnsafeBufferPointer(StreamSafeText.contains(utf8:)) else {
            throw .tooManyMarks(offset: position)
        }
        return text
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONSyntaxError) {
        position += 1
        let byte = try peek()
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            var value = UInt32(truncatingIfNeeded: unit)
            if UTF16.isLeadSurrogate(unit) {
                guard try take(UInt8(ascii: "\\")), try take(UInt8(ascii: "u")) else {
                    throw .badText(offset: position)
                }
                let trail = try codeUnit()
                guard UTF16.isTrailSurrogate(trail) else { throw .badText(offset: position) }
                value = 0x10000 + (value & 0x3ff) << 10 + UInt32(truncatingIfNeeded: trail & 0x3ff)
            }
            // No scalar is half a pair.
            guard let scalar = Unicode.Scalar(value) else { throw .badText(offset: position) }
            text.append(contentsOf: String(scalar).utf8)
        default: throw .unexpected(offset: position - 1)
        }
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = try PercentEncodedText.digit(peek()) else { throw .unexpected(offset: position) }
            unit = unit << 4 | UInt16(truncatingIfNeeded: digit)
            position += 1
        }
        return unit
    }

    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
        let leadingZero = position < bytes.count && bytes[position] == UInt8(ascii: "0")
        let digits = takeDigits()
        guard digits > 0, !leadingZero || digits == 1 else { throw .unexpected(offset: position) }
        var isWhole = true
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard takeDigits() > 0 else { throw .unexpected(offset: position) }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            position += 1
            if position < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) {
                position += 1
            }
            guard takeDigits() > 0 else { throw .unexpected(offset: position) }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isWhole, let whole = Int64(text, radix: 10) { return .integer(whole) }
        guard let number = Double(text), number.isFinite else { throw .numberOutOfRange(offset: position) }
        // 1.0 and 1e0 are the whole number 1, as they are in JavaScript.
        return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
    }

    private mutating func takeDigits() -> Int {
        let start = position
        while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
            position += 1
        }
        return position - start
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            default: return
            }
        }
    }

    private func peek() throws(JSONSyntaxError) -> UInt8 {
        guard position < bytes.count else { throw .incomplete }
        return bytes[position]
    }

    private mutating func take(_ byte: UInt8) throws(JSONSyntaxError) -> Bool {
        guard try peek() == byte else { return false }
        position += 1
        return true
    }
}
