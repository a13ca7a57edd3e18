import TestWorld
import Testing

@testable import Domain

/// W3C Trace Context, byte by byte.
@Suite("The headers of a traced request")
struct TraceContextTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("are read as they are written, whatever the numbers", arguments: UInt64(0)..<100)
    func roundTrip(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let context = TraceContext(
            trace: TraceID(high: draw.isOne(in: 5) ? 0 : draw.next(), low: draw.next() | 1),
            span: draw.isOne(in: 5) ? 1 : draw.next() | 1, isSampled: draw.isOne(in: 2))
        #expect(context.traceparent.utf8.count == 55)
        #expect(TraceContext(traceparent: context.traceparent) == context, "\(seed)")
        #expect(context.traceparent.contains(context.trace.text) && context.trace.text.utf8.count == 32)
    }

    @Test("say by the last bit alone whether the trace is recorded", arguments: 0..<256)
    func flags(number: Int) throws {
        let digits = String(number, radix: 16)
        let flags = String(repeating: "0", count: 2 - digits.count) + digits
        let context = try #require(TraceContext(traceparent: Self.parent.dropLast(2) + flags))
        #expect(context.isSampled == (number % 2 == 1))
    }

    @Test("are nothing when any one sign is of another kind", arguments: 0..<55)
    func everySign(position: Int) {
        var signs = Array(Self.parent)
        let original = signs[position]
        for other in ["g", "A", " ", "-", "0", "é"] as [Character] where other != original {
            signs[position] = other
            let context = TraceContext(traceparent: String(signs))
            let isHyphen = [2, 35, 52].contains(position)
            // A digit may be another digit; the version is 00, or one that is longer.
            let isFine = !isHyphen && other == "0"
            #expect((context != nil) == isFine, "\(other)")
        }
    }

    @Test("have neither a trace nor a span of zeros alone")
    func zeros() {
        let zeros = String(repeating: "0", count: 32)
        #expect(TraceContext(traceparent: "00-\(zeros)-b7ad6b7169203331-01") == nil)
        #expect(TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-\(zeros.prefix(16))-01") == nil)
        for position in 0..<32 {
            var digits = Array(zeros)
            digits[position] = "1"
            #expect(TraceContext(traceparent: "00-\(String(digits))-b7ad6b7169203331-01") != nil)
        }
    }

    @Test(
        "may be longer in later versions, behind a hyphen, and never so in the first; there is no version ff",
        arguments: [
            ("00", "", true), ("00", "-", false), ("00", "-x", false), ("01", "", true), ("01", "-", true),
            ("01", "-what", true), ("01", "x", false), ("cc", "-x", true), ("fe", "", true), ("ff", "", false),
            ("FE", "", false), ("0", "", false), ("000", "", false),
        ])
    func versions(version: String, rest: String, isRead: Bool) {
        #expect((TraceContext(traceparent: version + Self.parent.dropFirst(2) + rest) != nil) == isRead)
    }

    @Test("are read up to 512 bytes", arguments: [(511, true), (512, true), (513, false), (100_000, false)])
    func length(count: Int, isRead: Bool) {
        let text = "01" + Self.parent.dropFirst(2) + "-" + String(repeating: "x", count: count - 56)
        #expect((TraceContext(traceparent: text) != nil) == isRead)
    }

    private static func state(_ headers: [String]) -> String? {
        TraceContext(traceparent: parent, tracestate: headers)?.state
    }

    @Test(
        "hand on what other systems say, as it came",
        arguments: [
            ([], ""), ([""], ""), (["a=1"], "a=1"), (["a=1,b=2"], "a=1,b=2"), (["a=1", "b=2"], "a=1,b=2"),
            (["a=1, b=2"], "a=1, b=2"), (["a=1,\tb=2"], "a=1,\tb=2"), (["a=1,,b=2"], "a=1,,b=2"),
            ([",", "a="], ",,a="),
            (["a@b=x y!~"], "a@b=x y!~"), (["0_-*/@=v"], "0_-*/@=v"), (["a="], "a="),
            // Nothing of it when one member is not well formed.
            (["a=1,b"], ""), (["a=1,=2"], ""), (["A=1"], ""), (["a=1,a=2"], ""), (["a=1", "a=1"], ""),
            (["a=1=2"], ""), (["a=é"], ""), (["a=\u{7f}"], ""), (["a=\u{1f}"], ""), (["a b=1"], ""), ([" ,"], ""),
            (["é=1"], ""),
        ] as [([String], String)])
    func states(headers: [String], state: String) { #expect(Self.state(headers) == state) }

    @Test("hand on 32 members and 512 bytes at the most")
    func limits() {
        func members(_ count: Int) -> String { (0..<count).map { "k\($0)=v" }.joined(separator: ",") }
        #expect(Self.state([members(32)]) == members(32) && Self.state([members(33)]) == "")
        let longest = "a=" + String(repeating: "x", count: 510)
        #expect(Self.state([longest]) == longest && Self.state([longest + "x"]) == "")
    }

    @Test(
        "have a number in 16 digits",
        arguments: [
            (0, "0000000000000000"), (1, "0000000000000001"), (255, "00000000000000ff"), (.max, "ffffffffffffffff"),
            (0x0123_4567_89ab_cdef, "0123456789abcdef"),
        ] as [(UInt64, String)])
    func numbers(number: UInt64, text: String) { #expect(TraceContext.text(of: number) == text) }
}
