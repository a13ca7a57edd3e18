import Domain
import OkaeriWire
import Storage
import Testing

@Suite("An instant")
struct TimestampTests {
    static let edges: [Int64] = [
        .min, .min + 1, -62_167_219_200_001, -62_167_219_200_000, -1, 0, 1, 253_402_300_799_999, 253_402_300_800_000,
        .max - 1, .max,
    ]
    static let spans: [Duration] = [
        .zero, .milliseconds(1), .milliseconds(-1), .seconds(Int64.max), .seconds(Int64.min), .days(Int64.max),
        .days(Int64.min), .days(Int.max), .nanoseconds(1), .seconds(1 << 50), Duration.seconds(Int64.max) * 4,
    ]

    @Test("is in the years that can be written, whatever number it is made of", arguments: edges)
    func bounds(milliseconds: Int64) {
        let time = Timestamp(milliseconds: milliseconds)
        #expect(Timestamp.range.contains(time.milliseconds))
        #expect((Timestamp(exactly: milliseconds) != nil) == Timestamp.range.contains(milliseconds))
        if let exact = Timestamp(exactly: milliseconds) { #expect(exact == time && exact.milliseconds == milliseconds) }
        #expect(time == WireTime(millisecondsSince1970: milliseconds).millisecondsSince1970.timestamp)
        #expect(time.orderedBytes.count == 6)
        #expect(Timestamp(hour: milliseconds).hour.magnitude < 80_000_000)
    }

    @Test("has the same first and last value here and on the wire")
    func ends() {
        #expect(Timestamp.earliest.milliseconds == WireTime.earliest.millisecondsSince1970)
        #expect(Timestamp.latest.milliseconds == WireTime.latest.millisecondsSince1970)
    }

    @Test("plus or minus any span is an instant, in the order of the spans", arguments: edges, spans)
    func sums(milliseconds: Int64, span: Duration) {
        let time = Timestamp(milliseconds: milliseconds)
        let (later, earlier) = (time + span, time - span)
        #expect(Timestamp.range.contains(later.milliseconds) && Timestamp.range.contains(earlier.milliseconds))
        #expect(span >= .zero ? later >= time && earlier <= time : later <= time && earlier >= time)
        #expect((later - earlier).components.seconds.magnitude < 400_000_000_000)
    }

    @Test("in order is in order in its bytes, from 1970 on")
    func order() {
        let times = [0, 1, 255, 256, 1_795_220_142_123, 253_402_300_799_999].map { Timestamp(milliseconds: $0) }
        for (first, second) in zip(times, times.dropFirst()) {
            #expect(first.orderedBytes.lexicographicallyPrecedes(second.orderedBytes))
        }
        #expect(Timestamp.earliest.orderedBytes == [0, 0, 0, 0, 0, 0])
    }

    @Test(
        "of a token is read from seconds with a fraction, within the years that there are",
        arguments: [
            (0, 0), (1.5, 1500), (-1, -1000), (253_402_300_799, 253_402_300_799_000), (253_402_300_800, nil),
            (-62_167_219_200, -62_167_219_200_000), (-62_167_219_201, nil), (1e300, nil), (-1e300, nil), (.nan, nil),
            (.infinity, nil), (-.infinity, nil), (0x1p63, nil),
        ] as [(Double, Int64?)])
    func seconds(seconds: Double, milliseconds: Int64?) {
        #expect(Timestamp(secondsSince1970: seconds)?.milliseconds == milliseconds)
    }

    @Test("of a span that no clock knows is said in seconds all the same", arguments: spans)
    func rounded(span: Duration) {
        #expect(span.secondsRoundedUp.magnitude <= 1 << 50)
        #expect(Duration.milliseconds(1).secondsRoundedUp == 1 && Duration.seconds(3).secondsRoundedUp == 3)
    }

    /// A row that damage, or an older version, has left behind.
    private struct Row: RowReader {
        let number: Int64

        func isNull(_ column: Int) -> Bool { false }
        func integer(_ column: Int) -> Int64 { number }
        func text(_ column: Int) -> String { "" }
        func bytes(_ column: Int) -> [UInt8] { [] }
    }

    @Test("and a count of a row can be read and counted on, whatever the row says", arguments: edges)
    func rows(number: Int64) {
        let row = Row(number: number)
        #expect(Timestamp.range.contains(row.only.time.milliseconds))
        #expect((0...(1 << 40)).contains(row.only.count))
        #expect(Value.count(row.only.count).isInteger)
    }

    @Test("of a record is taken, or kept as a fault with the record's own name for it")
    func imported() {
        var times = ImportedTimes()
        #expect(times.time(.none, "a") == nil && times.faults.isEmpty)
        #expect(times.time(.milliseconds(0), "b")?.milliseconds == 0)
        #expect(times.time(.number(1500.5), "c")?.milliseconds == 1500)
        #expect(times.time(.time(.latest), "d") == .latest && times.faults.isEmpty)
        for (index, sent) in [
            ImportedTimes.Sent.milliseconds(.max), .milliseconds(.min), .milliseconds(-62_167_219_200_001),
            .number(9.3e18),
            .number(.nan), .number(-.infinity), .other,
        ].enumerated() {
            #expect(times.time(sent, "field \(index)") == nil)
            #expect(times.faults.count == index + 1 && times.faults.last?.field == "field \(index)")
            #expect(times.faults.last?.rule == (sent == .other ? .notOfKind(.date) : .outOfRange(Timestamp.range)))
        }
    }
}

extension Int64 {
    fileprivate var timestamp: Timestamp { Timestamp(milliseconds: self) }
}

extension Value {
    fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }
}
