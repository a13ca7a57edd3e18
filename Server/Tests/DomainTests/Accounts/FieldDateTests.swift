import Domain
import Testing
import enum OkaeriWire.JSONValue

/// A date of RFC 3339, at both ends of each of its parts.
@Suite("A date in a field")
struct FieldDateTests {
    private static func isDate(_ text: String) -> Bool {
        let isText = FieldKind.date.fits(.string(text))
        // The form of the mobile backends holds the same dates.
        #expect(FieldKind.date.fits(["__type": "Date", "iso": .string(text)]) == isText, "\(text)")
        return isText
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test("has the days of its month", arguments: [1900, 2000, 2023, 2024, 2100, 2400], 0...13)
    func days(year: Int, month: Int) {
        let isLeap = [2000, 2024, 2400].contains(year)
        let last =
            switch month {
            case 1, 3, 5, 7, 8, 10, 12: 31
            case 4, 6, 9, 11: 30
            case 2: isLeap ? 29 : 28
            default: 0
            }
        for day in 0...32 {
            let text = "\(year)-\(Self.padded(month))-\(Self.padded(day))"
            let isThere = day >= 1 && day <= last
            #expect(Self.isDate(text) == isThere, "\(text)")
        }
    }

    @Test(
        "has hours up to 23, minutes up to 59, and a second for a leap second",
        arguments: [0, 1, 9, 23, 24, 59, 60, 61, 99])
    func times(number: Int) {
        let text = Self.padded(number)
        #expect(Self.isDate("2026-11-21T\(text):00:00Z") == (number < 24))
        #expect(Self.isDate("2026-11-21T00:\(text):00Z") == (number < 60))
        #expect(Self.isDate("2026-11-21T00:00:\(text)Z") == (number <= 60))
        for sign in ["+", "-"] {
            #expect(Self.isDate("2026-11-21T00:00:00\(sign)\(text):00") == (number < 24))
            #expect(Self.isDate("2026-11-21T00:00:00\(sign)00:\(text)") == (number < 60))
        }
    }

    @Test("has at most forty signs", arguments: 0...22)
    func fraction(digits: Int) {
        let text = "2026-11-21T09:30:00." + String(repeating: "1", count: digits) + "Z"
        #expect(Self.isDate(text) == (1...19).contains(digits))
    }

    @Test(
        "has every part, and nothing behind it",
        arguments: [
            "", "2026", "2026-11", "2026-11-1", "2026-1-21", "26-11-21", "12026-11-21", "2026/11/21", "2026-11-21T",
            "2026-11-21T09", "2026-11-21T09:30", "2026-11-21T09:30Z", "2026-11-21T9:30:00Z", "2026-11-21t09:30:00Z",
            "2026-11-21 09:30:00Z", "2026-11-21T09:30:00z", "2026-11-21T09:30:00ZZ", "2026-11-21T09:30:00+09",
            "2026-11-21T09:30:00+0900", "2026-11-21T09:30:00+09:00x", "2026-11-21T09:30:00 09:00",
            "2026-11-21T09-30-00Z", "2026-11-21T09:30:00,5Z", "2026-11-2a", "2026-11-21-", "-026-11-21",
            "2026-11-21T09:30:00.５Z",
        ])
    func incomplete(text: String) { #expect(!Self.isDate(text), "\(text)") }

    @Test(
        "in the form of the mobile backends has its two members alone",
        arguments: [
            ["__type": "Date"], ["iso": "2026-11-21"], ["__type": "date", "iso": "2026-11-21"],
            ["__type": "Date", "iso": 1], ["__type": "Date", "iso": "2026-11-21", "x": 1], [:],
        ] as [JSONValue])
    func members(value: JSONValue) {
        #expect(!FieldKind.date.fits(value) && FieldKind.object.fits(value))
    }

    @Test(
        "is no whole number, which has to be exact",
        arguments: [
            (0, true), (-0.0, true), (1.5, false), (-2, true), (0x1p53 - 1, true), (0x1p53, false), (-0x1p53, false),
            (1 - 0x1p53, true),
        ] as [(Double, Bool)])
    func integers(number: Double, isWhole: Bool) {
        #expect(FieldKind.integer.fits(.number(number)) == isWhole)
        #expect(FieldKind.number.fits(.number(number)) && !FieldKind.date.fits(.number(number)))
    }
}
