import Domain
import Foundation
import OkaeriWire

/// A value as it stands on one line.
private enum LineText {
    /// `nil` for what is no text of one line and no number: a form would change it.
    static func text(of value: JSONValue) -> String? {
        switch value {
        case .string(let text): isLine(text) ? text : nil
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .null, .bool, .array, .object: nil
        }
    }

    /// A number where one stood before, and can be read; or else the text.
    static func value(of text: String, like old: JSONValue?) -> JSONValue {
        isNumber(old) ? NumberText.value(of: text) ?? .string(text) : .string(text)
    }

    static func isNumber(_ value: JSONValue?) -> Bool {
        switch value {
        case .integer?, .number?: true
        default: false
        }
    }

    static func isLine(_ text: String) -> Bool {
        text.trimmingSpaces == text && !text.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    }

    /// The lines that have something in them.
    static func lines(of typed: String) -> [String] {
        typed.pieces(at: "\n").map { String($0).trimmingSpaces }.filter { !$0.isEmpty }
    }
}

/// A list as people type it: one entry on each line.
enum ListText {
    /// `nil` when one of the entries is no line.
    static func text(of entries: [JSONValue]) -> String? {
        let lines = entries.compactMap(LineText.text).filter { !$0.isEmpty }
        return lines.count == entries.count ? lines.joined(separator: "\n") : nil
    }

    /// Entries that were there stay what they were; new ones are texts, and numbers only among numbers.
    static func value(of typed: String, stored: JSONValue?) -> JSONValue {
        var before: [JSONValue] = []
        if case .array(let entries)? = stored { before = entries }
        let known = Dictionary(before.map { (LineText.text(of: $0) ?? "", $0) }) { first, _ in first }
        let sample = before.allSatisfy { LineText.isNumber($0) } ? before.first : nil
        return .array(LineText.lines(of: typed).map { known[$0] ?? LineText.value(of: $0, like: sample) })
    }
}

/// An object as people type it: a name and a value on each line, with a colon between them; or JSON, which begins with
/// a brace.
enum ObjectText {
    /// By scalars: a colon behind a sign that joins the next is one character with it.
    private static let colons: Set<Unicode.Scalar> = [":", "："]

    /// Lines where they say everything, JSON for what is more than that.
    static func text(of members: [String: JSONValue]) -> String {
        let lines = members.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            guard LineText.isLine(name), !name.isEmpty, !name.unicodeScalars.contains(where: colons.contains),
                !isJSON(name)
            else { return nil }
            return LineText.text(of: value).map { "\(name): \($0)".trimmingSpaces }
        }
        guard lines.count != members.count else { return lines.joined(separator: "\n") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // What was read from JSON can be written as JSON.
        return (try? encoder.encode(JSONValue.object(members))).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    static func isJSON(_ typed: String) -> Bool { typed.utf8.first == UInt8(ascii: "{") }

    /// `nil` for what is neither.
    static func value(of typed: String, stored: JSONValue?) -> JSONValue? {
        guard !isJSON(typed) else {
            guard case .success(let value) = parsed(typed) else { return nil }
            return value
        }
        var before: [String: JSONValue] = [:]
        if case .object(let members)? = stored { before = members }
        var members: [String: JSONValue] = [:]
        for line in LineText.lines(of: typed) {
            let scalars = line.unicodeScalars
            guard let colon = scalars.firstIndex(where: colons.contains) else { return nil }
            let name = String(scalars[..<colon]).trimmingSpaces
            let text = String(scalars[scalars.index(after: colon)...]).trimmingSpaces
            guard !name.isEmpty, members.updateValue(LineText.value(of: text, like: before[name]), forKey: name) == nil
            else { return nil }
        }
        return .object(members)
    }

    /// The line, counted from 1, from which on JSON cannot be read; `nil` where there is none such.
    static func unreadableLine(of typed: String) -> Int? {
        guard isJSON(typed), case .failure(let fault) = parsed(typed) else { return nil }
        switch fault {
        case .unexpected(let offset), .badText(let offset), .tooManyMarks(let offset),
            .numberOutOfRange(let offset):
            return typed.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
        case .incomplete:
            return typed.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        case .duplicateMember, .tooDeep, .tooManyValues:
            return nil
        }
    }

    private static func parsed(_ typed: String) -> Result<JSONValue, JSONSyntaxError> {
        do throws(JSONSyntaxError) {
            return .success(try JSONValue(parsing: Array(typed.utf8)))
        } catch {
            return .failure(error)
        }
    }
}
