import Domain
import Testing

@Suite("Traces")
struct TracingTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    private func tracer(_ ratio: Double = 1, _ queue: SpanQueue = SpanQueue()) -> Tracer {
        Tracer(ratio: ratio, seeds: (1, 2), queue: queue)
    }

    @Test("go on with a caller's, by the specification's own example")
    func wellFormed() throws {
        let context = try #require(
            TraceContext(
                traceparent: "00-\(Self.trace)-\(Self.span)-01", tracestate: ["rojo=00f067aa0ba902b7, congo=t61"]))
        #expect(context.trace.text == Self.trace && context.span == 0xb7ad_6b71_6920_3331 && context.isSampled)
        #expect(context.state == "rojo=00f067aa0ba902b7, congo=t61")
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-01")
        let quiet = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-fe"))
        #expect(!quiet.isSampled && quiet.traceparent.hasSuffix("-00"))
    }

    @Test(
        "read what later versions have in common with this one",
        arguments: ["cc-%-01", "cc-%-01-what-comes-after", "fe-%-03-"])
    func laterVersions(_ form: String) {
        let text = form.replacing("%", with: "\(Self.trace)-\(Self.span)")
        #expect(TraceContext(traceparent: text)?.trace.text == Self.trace)
    }

    @Test(
        "begin anew for whatever is not well formed",
        arguments: [
            "", "-", "00", "00-", "00-\(trace)", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
            "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01 ", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-0g",
            "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "zz-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
            "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
            "00_\(trace)_\(span)_01", "00-\(trace)-\(span)-01,00-\(trace)-\(span)-01",
            "cc-\(trace)-\(span)-01.what", "cc-\(trace)-\(span)-01,cc-\(trace)-\(span)-01",
            "00-+af7651916cd43dd8448eb211c80319c-\(span)-01", "00-٠af7651916cd43dd8448eb211c80319c-\(span)-01",
            "00-\(trace)-\(span)-01\u{0}", "cc-\(trace)-\(span)-01-" + String(repeating: "a", count: 100_000),
            String(repeating: "-", count: 55), String(repeating: "0", count: 55),
        ])
    func hostile(_ text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test(
        "leave out what others say of a trace when it is not well formed",
        arguments: [
            ["no-equals"], ["UPPER=1"], ["a=1", "a=2"], ["=1"], ["a=ü"], ["a=b=c"], ["a=1\u{7}"],
            ["a=1\r\nSet-Cookie: b"],
            [String(repeating: "a", count: 513) + "=1"], (1...33).map { "a\($0)=1" }, [""], [",,"],
        ])
    func hostileState(_ states: [String]) throws {
        let context = try #require(
            TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01", tracestate: states))
        #expect(context.state.isEmpty)
    }

    @Test("record the part that is asked for, and a caller's when the caller does", arguments: [0, 0.25, 1])
    func ratio(_ ratio: Double) throws {
        let tracer = tracer(ratio)
        let spans = (0..<4000).map { _ in tracer.begin("GET /", .server) }
        let part = Double(spans.count { $0.context.isSampled }) / 4000
        #expect(abs(part - ratio) < 0.03)
        #expect(Set(spans.map(\.context.trace)).count == 4000 && Set(spans.map(\.context.span)).count == 4000)
        for flag in ["00", "01"] {
            let caller = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-\(flag)"))
            let span = tracer.begin("GET /", .server, after: caller)
            #expect(span.context.trace == caller.trace && span.context.isSampled == (flag == "01"))
            #expect(span.context.span != caller.span)
        }
    }

    @Test("hold a span under the one that began it, and nothing when they are not recorded")
    func children() throws {
        let queue = SpanQueue()
        let root = tracer(1, queue).begin("GET /v1/user", .server)
        let child = try #require(root.child("transaction read"))
        child.end([SpanAttribute("db.system.name", "sqlite")])
        root.end(error: "500")
        let spans = queue.take(10)
        #expect(spans.map(\.name) == ["transaction read", "GET /v1/user"])
        #expect(spans[0].parent == root.context.span && spans[1].parent == nil)
        #expect(spans[0].context.trace == spans[1].context.trace && spans[1].error == "500")
        #expect(spans.allSatisfy { $0.start <= $0.end })

        let silent = tracer(0, queue).begin("GET /v1/user", .server)
        #expect(silent.child("transaction read") == nil)
        silent.end()
        #expect(queue.take(10).isEmpty)
    }

    @Test("have a bounded number of spans under one")
    func manyChildren() {
        let queue = SpanQueue()
        let root = tracer(1, queue).begin("POST /", .server)
        for _ in 0..<1000 { root.child("UPDATE users", .client)?.end() }
        #expect(queue.count == 100)
        root.silent.end()
        #expect(queue.count == 100)
    }

    @Test("drop what finds the queue full, and count it")
    func fullQueue() {
        let queue = SpanQueue(capacity: 3)
        let tracer = tracer(1, queue)
        for _ in 0..<5 { tracer.begin("GET /", .server).end() }
        #expect(queue.count == 3 && queue.dropped == 2)
        #expect(queue.take(2).count == 2 && queue.take(2).count == 1 && queue.take(2).isEmpty)
    }
}
