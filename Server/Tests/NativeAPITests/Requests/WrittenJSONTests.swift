import NIOCore
import Testing

@testable import HTTPSupport

@Suite("JSON that the server writes")
struct WrittenJSONTests {
    private struct Inner: Encodable {
        var a = 1
        var b: [String] = []
    }

    private struct Nothing: Encodable {}

    private struct Outer: Encodable {
        var truth = true
        var falsehood = false
        var text = "a/b"
        var none: Int?
        var inner = Inner()
        var list = [[1, 2], []]
        var objects = [Inner(a: 2, b: ["x", "y"]), Inner(a: 3)]
        var nothing = Nothing()
        var last = -7
    }

    private static func text(_ value: some Encodable) throws -> String {
        String(buffer: try JSONBytes.buffer(of: value))
    }

    @Test("has members and values in their order, with commas between and none at the end")
    func nesting() throws {
        #expect(
            try Self.text(Outer())
                == #"{"truth":true,"falsehood":false,"text":"a/b","inner":{"a":1,"b":[]},"list":[[1,2],[]],"#
                + #""objects":[{"a":2,"b":["x","y"]},{"a":3,"b":[]}],"nothing":{},"last":-7}"#)
        #expect(try Self.text([Int]()) == "[]" && (try Self.text(Nothing())) == "{}")
        #expect(try Self.text([Optional(1), nil, 2]) == "[1,null,2]")
        #expect(try Self.text([Nothing(), Nothing()]) == "[{},{}]")
    }

    @Test(
        "has numbers as short as they are",
        arguments: [(1.0, "1"), (0.5, "0.5"), (-2.0, "-2"), (0, "0"), (1234567.25, "1234567.25"), (1e300, "1e+300")])
    func numbers(number: Double, text: String) throws { #expect(try Self.text([number]) == "[\(text)]") }

    @Test("has no number that JSON has not", arguments: [Double.infinity, -Double.infinity, .nan])
    func noNumber(number: Double) {
        #expect(throws: EncodingError.self) { try Self.text([number]) }
        #expect(throws: EncodingError.self) { try Self.text(["a": number]) }
    }

    @Test("has whole numbers of every width")
    func integers() throws {
        #expect(try Self.text([Int64.min, .max]) == "[-9223372036854775808,9223372036854775807]")
        #expect(try Self.text([UInt64.max]) == "[18446744073709551615]")
        #expect(try Self.text([Int8.min]) == "[-128]" && (try Self.text([UInt8.max])) == "[255]")
        #expect(try Self.text([Int16.min]) == "[-32768]" && (try Self.text([UInt16.max])) == "[65535]")
        #expect(try Self.text([Int32.min]) == "[-2147483648]" && (try Self.text([UInt32.max])) == "[4294967295]")
        #expect(try Self.text([UInt.max]) == "[18446744073709551615]" && (try Self.text([Float(0.5)])) == "[0.5]")
    }

    @Test(
        "escapes what must be, and nothing else",
        arguments: [
            ("", #""""#), ("a", #""a""#), ("\"", #""\"""#), ("\\", #""\\""#), ("\u{8}", #""\b""#), ("\t", #""\t""#),
            ("\n", #""\n""#), ("\u{c}", #""\f""#), ("\r", #""\r""#), ("\0", #""\u0000""#), ("\u{1}", #""\u0001""#),
            ("\u{f}", #""\u000f""#), ("\u{10}", #""\u0010""#), ("\u{1f}", #""\u001f""#), (" ", #"" ""#),
            ("\u{7f}", "\"\u{7f}\""), ("é花/", #""é花/""#), ("a\"b\\c\nd", #""a\"b\\c\nd""#),
        ])
    func texts(text: String, written: String) throws {
        #expect(String(decoding: JSONBytes.bytes(of: text), as: UTF8.self) == written)
        #expect(try Self.text([text]) == "[\(written)]")
    }

    @Test("can be written member by member")
    func members() throws {
        let writer = JSONByteWriter()
        try writer.object {
            writer.member("a", "x")
            writer.member("b", ifPresent: nil)
            writer.member("c", ifPresent: "y")
            writer.member("d", true)
            writer.member("e", Int64(-5))
            writer.object("f") { writer.member("g", false) }
            writer.object("h") {}
            try writer.member("i", encoded: [1, 2])
            writer.member("j", "z")
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"a":"x","c":"y","d":true,"e":-5,"f":{"g":false},"h":{},"i":[1,2],"j":"z"}"#)
        #expect(writer.depth == 0)
    }
}

@Suite("Counted answers")
struct CountedAnswerTests {
    @Test("fall into the first limit that they do not exceed", arguments: Histogram.limits.indices)
    func histogram(index: Int) {
        let limit = Histogram.limits[index]
        for (microseconds, bucket) in [(limit - 1, index), (limit, index), (limit + 1, index + 1)] {
            let histogram = Histogram()
            histogram.note(.microseconds(microseconds))
            let (cumulative, sum) = histogram.reading
            #expect(cumulative.count == Histogram.limits.count + 1 && sum == microseconds)
            #expect(cumulative.firstIndex(of: 1) == bucket && cumulative.allSatisfy { $0 <= 1 }, "\(microseconds)")
        }
    }

    @Test("never have less than no time")
    func negative() {
        let histogram = Histogram()
        histogram.note(.seconds(-5))
        #expect(histogram.reading.microseconds == 0 && histogram.reading.cumulative.allSatisfy { $0 == 1 })
    }

    @Test(
        "are counted by the statuses that there are",
        arguments: [
            (200, "200"), (201, "201"), (204, "204"), (400, "400"), (401, "401"), (403, "403"), (404, "404"),
            (405, "405"), (408, "408"), (409, "409"), (413, "413"), (415, "415"), (429, "429"), (500, "500"),
            (503, "503"), (202, "other"), (302, "other"), (418, "other"), (0, "other"), (599, "other"), (600, "other"),
            (-1, "other"), (999, "other"),
        ])
    func statuses(status: Int, name: String) {
        let metrics = RouteMetrics(method: "GET", path: "/x")
        #expect(metrics.answered.isEmpty)
        metrics.note(status: status, .zero)
        metrics.note(status: status, .zero)
        #expect(metrics.answered.map(\.status) == [name] && metrics.answered.map(\.count) == [2])
        #expect(metrics.latency?.reading.cumulative.last == 2)
    }
}
