import Foundation
package import enum OkaeriWire.JSONValue

/// What kind of value a field takes. Null is no value, and goes with every kind.
package enum FieldKind: String, CaseIterable, Hashable, Sendable {
    case any, string, integer, number, boolean
    /// A day or an instant as in RFC 3339, or the form that the mobile backends share: `{"__type":"Date","iso":…}`.
    case date
    case object, array

    /// Whether a value is of this kind.
    package func fits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.any, _), (_, .null), (.string, .string), (.integer, .integer), (.number, .integer), (.number, .number),
            (.boolean, .bool), (.object, .object), (.array, .array):
            true
        // 1.0 and 1 are one number in JSON.
        case (.integer, .number(let number)): number.rounded() == number && number.magnitude < 0x1p53
        case (.date, .string(let text)): Self.isDate(text)
        case (.date, .object(let members)):
            if members["__type"] == "Date", case .string(let text)? = members["iso"], members.count == 2 {
                Self.isDate(text)
            } else {
                false
            }
        default: false
        }
    }

    /// `2026-11-21`, `2026-11-21T09:30:00Z`, `2026-11-21T09:30:00.000+09:00`: a day that the calendar has.
    private static func isDate(_ text: String) -> Bool {
        guard (10...40).contains(text.utf8.count), text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        guard let parts = text.cut(at: "T") else { return isDay(text[...]) }
        return isDay(parts.before) && isTime(parts.after)
    }

    private static func isDay(_ text: Substring) -> Bool {
        let digits = text.pieces(at: "-", keepsEmpty: true)
        guard digits.map(\.count) == [4, 2, 2], let year = number(digits[0]), let month = number(digits[1]),
            let day = number(digits[2]), (1...12).contains(month), day >= 1
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day <= lengths[month - 1]
    }

    private static func isTime(_ text: Substring) -> Bool {
        var rest = text
        guard let hour = take(2, from: &rest), hour < 24, take(":", from: &rest), let minute = take(2, from: &rest),
            minute < 60, take(":", from: &rest), let second = take(2, from: &rest), second <= 60
        else { return false }
        if take(".", from: &rest) {
            let fraction = rest.prefix { $0.isASCII && $0.isNumber }
            guard !fraction.isEmpty else { return false }
            rest = rest.dropFirst(fraction.count)
        }
        if rest == "Z" { return true }
        guard take("+", from: &rest) || take("-", from: &rest), let hours = take(2, from: &rest), hours < 24,
            take(":", from: &rest), let minutes = take(2, from: &rest), minutes < 60
        else { return false }
        return rest.isEmpty
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text, radix: 10) : nil
    }

    private static func take(_ count: Int, from rest: inout Substring) -> Int? {
        guard rest.count >= count, let number = number(rest.prefix(count)) else { return nil }
        rest = rest.dropFirst(count)
        return number
    }

    private static func take(_ sign: Character, from rest: inout Substring) -> Bool {
        guard rest.first == sign else { return false }
        rest = rest.dropFirst()
        return true
    }
}
