import Foundation
import OkaeriWire
import Testing

@Suite("Wire time")
struct WireTimeTests {
    @Test(
        "is written as RFC 3339 in UTC with milliseconds, and read back",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_220_142_123, "2026-11-21T00:15:42.123Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"), (1_735_689_599_000, "2024-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func form(milliseconds: Int64, text: String) {
        #expect(WireTime(millisecondsSince1970: milliseconds).description == text)
        #expect(WireTime(text)?.millisecondsSince1970 == milliseconds)
    }

    @Test("agrees with Foundation's calendar through four centuries")
    func calendar() throws {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: Int64(-80_000), through: 80_000, by: 37) {
            let time = WireTime(millisecondsSince1970: day * 86_400_000 + 3_723_000)
            let date = Date(timeIntervalSince1970: TimeInterval(time.millisecondsSince1970 / 1000))
            try #require(time.description == formatter.string(from: date).dropLast() + ".000Z")
            try #require(WireTime(time.description) == time)
        }
    }

    @Test(
        "is read with any offset and any number of fraction digits",
        arguments: [
            ("2026-11-21T09:15:42+09:00", "2026-11-21T00:15:42.000Z"),
            ("2026-11-20T19:15:42.5-05:00", "2026-11-21T00:15:42.500Z"),
            ("2026-11-21t00:15:42.1239999z", "2026-11-21T00:15:42.123Z"),
            ("2026-11-21T00:15:42.01Z", "2026-11-21T00:15:42.010Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
            ("2026-01-01T00:00:00+00:30", "2025-12-31T23:30:00.000Z"),
        ])
    func offsets(text: String, expected: String) {
        #expect(WireTime(text)?.description == expected)
    }

    @Test(
        "is not read from other forms",
        arguments: [
            "", "2026", "2026-11-21", "2026-11-21T00:15:42", "2026-11-21 00:15:42Z", "2026-11-21T00:15Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-31T00:00:00Z",
            "2023-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T00:60:00Z",
            "2026-11-21T00:00:61Z", "2026-11-21T00:00:00.Z", "2026-11-21T00:00:00+24:00", "2026-11-21T00:00:00+0900",
            "2026-11-21T00:00:00Z ", " 2026-11-21T00:00:00Z", "2026-11-21T00:00:00ZZ", "２026-11-21T00:00:00Z",
            "+026-11-21T00:00:00Z", "2026-1-21T00:00:00Z", "1795220142",
        ])
    func badForms(text: String) {
        #expect(WireTime(text) == nil)
    }

    @Test("in JSON is a text, and nothing else")
    func json() throws {
        let time = WireTime(millisecondsSince1970: 1_795_220_142_123)
        #expect(String(decoding: try JSONEncoder().encode([time]), as: UTF8.self) == #"["2026-11-21T00:15:42.123Z"]"#)
        #expect(
            try JSONDecoder().decode([WireTime].self, from: Data(#"["2026-11-21T09:15:42.123+09:00"]"#.utf8)) == [time])
        for bad in ["[1795220142]", #"["yesterday"]"#, "[null]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode([WireTime].self, from: Data(bad.utf8)) }
        }
    }

    @Test("is ordered")
    func order() {
        #expect(WireTime(millisecondsSince1970: -1) < WireTime(millisecondsSince1970: 0))
        #expect(!(WireTime(millisecondsSince1970: 1) < WireTime(millisecondsSince1970: 1)))
    }
}
