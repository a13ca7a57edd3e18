import OkaeriWire
import Testing

@Suite("Wire time")
struct WireTimeTests {
    @Test(
        "is written as RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_220_142_123, "2026-11-21T00:15:42.123Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        ] as [(Int64, String)])
    func form(milliseconds: Int64, text: String) {
        #expect(WireTime(millisecondsSince1970: milliseconds).description == text)
        #expect(WireTime(text)?.millisecondsSince1970 == milliseconds)
    }
}
