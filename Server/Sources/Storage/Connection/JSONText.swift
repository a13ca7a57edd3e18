import Domain
import Foundation
import OkaeriWire

/// JSON in a column of text.
enum JSONText {
    /// - Throws: `storageUnavailable` when a value cannot be JSON, which the rules exclude.
    static func encode(_ value: some Encodable) throws(DomainError) -> String {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw .storageUnavailable
        }
    }

    /// The same of any JSON, in a tenth of the time: fields are written inside transactions.
    static func encode(_ value: JSONValue) throws(DomainError) -> String {
        var writer = JSONTextWriter()
        try writer.write(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The same of texts by their names, as audit entries and events have them.
    static func encode(_ texts: [String: String]) -> String {
        var writer = JSONTextWriter()
        writer.write(texts)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// - Throws: `storageUnavailable` when the text is no such JSON, which only damage explains.
    static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws(DomainError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw .storageUnavailable
        }
    }

    /// The members of an object; what was stored was checked before.
    ///
    /// - Throws: `storageUnavailable` when the text is no JSON object, which only damage explains.
    static func members(from text: String) throws(DomainError) -> [String: JSONValue] {
        guard case .object(let members)? = try? JSONValue(parsing: Array(text.utf8), isTrusted: true) else {
            throw .storageUnavailable
        }
        return members
    }
}

/// Writes JSON as Foundation's encoder does with sorted names and plain slashes: SQLite finds an object by its text.
private struct JSONTextWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: JSONValue) throws(DomainError) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let truth): bytes += (truth ? "true" : "false").utf8
        case .integer(let number): write(plain: number.description)
        case .number(let number):
            guard number.isFinite else { throw .storageUnavailable }
            let text = number.description
            write(plain: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        case .string(let text): write(text)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                try write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            // By bytes, as Foundation sorts.
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (position, member) in sorted.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                write(member.key)
                bytes.append(UInt8(ascii: ":"))
                try write(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    mutating func write(_ texts: [String: String]) {
        bytes.append(UInt8(ascii: "{"))
        let sorted = texts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (position, text) in sorted.enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: ",")) }
            write(text.key)
            bytes.append(UInt8(ascii: ":"))
            write(text.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(plain text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func write(_ text: String) {
        JSONString.append(text, to: &bytes)
    }
}
