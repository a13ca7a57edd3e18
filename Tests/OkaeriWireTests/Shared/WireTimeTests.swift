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

    @Test(
        "is not read when it is before year 0000 or after year 9999 in UTC",
        arguments: [
            "0000-01-01T00:00:00+23:59", "0000-01-01T00:00:00.000+00:01", "9999-12-31T23:59:59-23:59",
            "9999-12-31T23:59:59.999-00:01", "9999-12-31T23:59:60Z", "0000-01-01T23:58:59.999+23:59",
        ])
    func beyond(text: String) {
        #expect(WireTime(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([WireTime].self, from: Data("[\"\(text)\"]".utf8))
        }
    }

    @Test(
        "is read up to either end of the years 0000 to 9999, with any offset",
        arguments: [
            ("0000-01-01T23:59:00+23:59", WireTime.earliest), ("0000-01-01T00:00:00Z", .earliest),
            ("0000-01-01T00:00:00-00:00", .earliest), ("9999-12-31T23:59:59.9999Z", .latest),
            ("9999-12-31T00:00:59.999-23:59", .latest), ("9999-12-31T23:59:59.999-00:00", .latest),
        ])
    func ends(text: String, expected: WireTime) {
        #expect(WireTime(text) == expected)
        #expect(WireTime(expected.description) == expected)
    }

    @Test(
        "of any number of milliseconds has a text that is read as the same instant",
        arguments: [
            Int64.min, .min + 1, -9_007_199_254_740_993, -62_167_219_200_001, -62_167_219_200_000, -1, 0,
            253_402_300_799_999, 253_402_300_800_000, 9_007_199_254_740_993, .max - 1, .max,
        ])
    func total(milliseconds: Int64) {
        var time = WireTime(millisecondsSince1970: milliseconds)
        #expect(time.description.utf8.count == 24 && WireTime(time.description) == time)
        #expect((WireTime.earliest...WireTime.latest).contains(time))
        time.millisecondsSince1970 = milliseconds
        #expect((WireTime.earliest...WireTime.latest).contains(time))
    }

    @Test("of texts at random is what was written, whatever the offset, or none beyond the years 0000 to 9999")
    func random() throws {
        var generator = SplitMix(state: 18)
        for _ in 0..<20_000 {
            let year = [0, 1, 1970, 9998, 9999][Int(generator.next() % 5)]
            let offset = Int(generator.next() % 2880) - 1440
            let (hour, minute) = (Int(generator.next() % 24), Int(generator.next() % 60))
            let (month, day) = year == 0 ? (1, 1) : (12, 31)
            func two(_ number: Int) -> String { String(format: "%02d", number) }
            let sign = offset < 0 ? "-" : "+"
            guard offset.magnitude < 1440 else { continue }
            let text =
                "\(String(format: "%04d", year))-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):00"
                + "\(sign)\(two(Int(offset.magnitude) / 60)):\(two(Int(offset.magnitude) % 60))"
            let minutes = hour * 60 + minute - offset
            let isOutside = year == 0 && minutes < 0 || year == 9999 && minutes >= 1440
            let time = WireTime(text)
            try #require((time == nil) == isOutside, "\(text)")
            if let time { try #require(WireTime(time.description) == time, "\(text)") }
        }
    }

    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
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
