import Foundation
import OkaeriWire
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test(
        "come back as they were written",
        arguments: [
            nil, true, false, 0, 1, -1, 1.5, "", "花子\u{0}\"", [], [1, "a", nil], [:], ["a": ["b": [true]]],
            .integer(.max), .integer(.min), .number(1e300), .number(-0.1),
        ] as [JSONValue])
    func roundTrip(value: JSONValue) throws {
        let data = try JSONEncoder().encode([value])
        #expect(try JSONDecoder().decode([JSONValue].self, from: data) == [value])
    }

    @Test(
        "keep whole numbers whole where 64 bits suffice",
        arguments: [
            ("9223372036854775807", .integer(.max)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("-9223372036854775808", .integer(.min)), ("1.5", .number(1.5)), ("0", .integer(0)),
            ("true", .bool(true)), ("1e3", .integer(1000)), ("\"1\"", .string("1")),
        ] as [(String, JSONValue)])
    func numbers(text: String, value: JSONValue) throws {
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
    }

    @Test("cannot be written when JSON has no such number", arguments: [Double.infinity, -.infinity, .nan])
    func noNumber(value: Double) {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.number(value)) }
    }

    @Test("are not read from text that is no JSON", arguments: ["", "{", "[1", "nul", "{\"a\":}", "'a'"])
    func malformed(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) }
    }

    @Test("made of a literal with one name twice have the later value")
    func twice() {
        let value: JSONValue = ["a": 1, "a": 2]
        #expect(value == .object(["a": 2]))
    }
}
