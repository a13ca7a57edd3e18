import Domain
import OkaeriWire
import PageSupport

/// One of an application's own fields in a form: what is shown of the stored value, and which value a person typed.
struct TypedField: Sendable {
    let rule: FieldRule
    /// `nil` for a user that has none.
    let stored: JSONValue?

    /// - Parameters:
    ///   - rule: What the application decided about the field.
    ///   - stored: What the user has of it; null counts as nothing.
    init(_ rule: FieldRule, stored: JSONValue? = nil) {
        self.rule = rule
        self.stored = stored == .null ? nil : stored
    }

    /// What the form calls the field.
    var key: String { "fields.\(rule.name)" }

    /// What the stored value looks like where it is typed; `nil` for one that no form can show without changing it.
    var text: String? {
        guard let stored else { return "" }
        switch (rule.kind, stored) {
        case (.date, _): return Self.day(of: stored)
        case (.boolean, _): return stored == true ? "yes" : ""
        case (_, .string(let text)): return text
        case (.array, .array(let entries)): return ListText.text(of: entries)
        case (.object, .object(let members)): return ObjectText.text(of: members)
        // A form would make a text of it.
        case (.any, _), (_, .array), (_, .object), (_, .bool), (_, .null): return nil
        case (_, .integer(let number)): return String(number)
        case (_, .number(let number)): return Int64(exactly: number).map(String.init) ?? String(number)
        }
    }

    var isBox: Bool { rule.kind == .boolean }

    /// How the field is typed.
    var kind: PageField.Kind {
        switch rule.kind {
        case .boolean: .checkbox
        case .date: .date
        case .array, .object: .multiline
        default: text?.contains(where: \.isNewline) == true ? .multiline : .text
        }
    }

    /// The name of the text that says how the field is typed; `nil` where that needs no words.
    var hint: String? {
        switch rule.kind {
        case .array: "field.listHint"
        case .object: "field.objectHint"
        default: nil
        }
    }

    /// Which keyboard a phone shows. Not the input of the type “number”, which drops silently what is none.
    var inputMode: String? {
        switch rule.kind {
        case .integer: "numeric"
        case .number: "decimal"
        default: nil
        }
    }

    /// What a text that was typed stands for; one that cannot be read stays a text, which the domain refuses by the rule.
    func value(of typed: String) -> JSONValue {
        switch rule.kind {
        case .integer:
            return Int64(NumberText.plain(typed), radix: 10).map(JSONValue.integer) ?? .string(typed)
        case .number:
            return NumberText.value(of: typed) ?? .string(typed)
        case .date:
            // As it was stored, so that the apps that read it go on reading it.
            guard case .object(let members)? = stored, members["__type"] == "Date" else { return .string(typed) }
            return .object(["__type": "Date", "iso": .string("\(typed)T00:00:00.000Z")])
        case .array:
            return ListText.value(of: typed, stored: stored)
        case .object:
            return ObjectText.value(of: typed, stored: stored) ?? .string(typed)
        default:
            return .string(typed)
        }
    }

    /// The day of a date in any of its forms; empty for what is none.
    private static func day(of stored: JSONValue) -> String {
        guard FieldKind.date.fits(stored) else { return "" }
        switch stored {
        case .string(let text): return String(text.prefix(10))
        case .object(let members):
            guard case .string(let text)? = members["iso"] else { return "" }
            return String(text.prefix(10))
        default: return ""
        }
    }
}

/// Numbers as people type them, also in the wide digits of a Japanese keyboard.
enum NumberText {
    static func plain(_ typed: String) -> String {
        String(
            String.UnicodeScalarView(
                typed.unicodeScalars.map { scalar in
                    (0xff01...0xff5e).contains(scalar.value) ? Unicode.Scalar(scalar.value - 0xfee0) ?? scalar : scalar
                }))
    }

    /// `nil` for what is no number.
    static func value(of typed: String) -> JSONValue? {
        let text = plain(typed)
        guard text.utf8.allSatisfy({ "+-0123456789.eE".utf8.contains($0) }) else { return nil }
        if let whole = Int64(text, radix: 10) { return .integer(whole) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }
}
