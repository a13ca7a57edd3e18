import Domain
import OkaeriWire
import Testing

@Suite("Types of fields")
struct FieldKindTests {
    private static let samples: [(JSONValue, Set<FieldKind>)] = [
        (.null, Set(FieldKind.allCases)), ("x", [.any, .string]), ("", [.any, .string]), (true, [.any, .boolean]),
        (3, [.any, .integer, .number]), (.number(3), [.any, .integer, .number]), (3.5, [.any, .number]),
        (.number(1e300), [.any, .number]), ([1], [.any, .array]), ([:], [.any, .object]),
        ("2026-11-21", [.any, .string, .date]), ("2024-02-29", [.any, .string, .date]),
        ("2026-11-21T09:30:00Z", [.any, .string, .date]), ("2026-11-21T09:30:00.123+09:00", [.any, .string, .date]),
        (["__type": "Date", "iso": "2026-11-21T09:30:00.000Z"], [.any, .object, .date]),
        (["__type": "Date", "iso": "yesterday"], [.any, .object]),
        (["__type": "Date", "iso": "2026-11-21T09:30:00Z", "more": 1], [.any, .object]),
        ("2026-02-29", [.any, .string]), ("2026-13-01", [.any, .string]), ("2026-11-21T25:00:00Z", [.any, .string]),
        ("2026-11-21T09:30:00", [.any, .string]), ("２０２６-11-21", [.any, .string]), ("+026-11-21", [.any, .string]),
        ("2026-11-21T09:30:00.Z", [.any, .string]), ("2026-11-21 ", [.any, .string]),
    ]

    @Test("fit exactly the values that they name", arguments: samples.indices)
    func kinds(index: Int) {
        let (value, kinds) = Self.samples[index]
        for kind in FieldKind.allCases { #expect(kind.fits(value) == kinds.contains(kind), "\(kind) \(value)") }
    }
}
