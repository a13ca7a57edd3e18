import Domain
import OutboundServices
import Testing

@Suite("The service of leaked passwords")
struct BreachedPasswordRangeTests {
    /// SHA-1 of "password" is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
    private static let rest = "1E4C9B93F3F0682250B6CF8331B7EE68FD8"
    private static let other = "003D68EB55068C33ACE09247EE4C639306B"

    private func contains(_ service: FakeWebCaller, _ password: String = "password") async throws -> Bool {
        try await BreachedPasswordRange(url: "https://range.example.com/range", call: service)
            .contain(try #require(Password(password)))
    }

    @Test("is asked by five digits alone, with padding")
    func request() async throws {
        let service = FakeWebCaller("\(Self.other):3\r\n\(Self.rest):9545824")
        #expect(try await contains(service))
        let call = try #require(service.calls.first)
        #expect(service.calls.count == 1 && call.method == .get && call.url == "https://range.example.com/range/5BAA6")
        #expect(call.headers.map(\.name) == ["Add-Padding"] && call.body == nil && call.bytes == nil)
    }

    @Test(
        "knows a password by the other digits and a count that is not padding",
        arguments: [
            ("\(rest):1", true), ("\(rest.lowercased()):1\n", true), ("\(other):7\n\(rest):10", true),
            ("\(rest):0", false), ("\(rest):00\r\n\(other):4", false), ("\(other):1", false), ("", false),
        ])
    func answers(body: String, isThere: Bool) async throws {
        #expect(try await contains(FakeWebCaller(body)) == isThere)
    }

    @Test("is asked for both readings of a password that keyboards write in two ways")
    func readings() async throws {
        let service = FakeWebCaller("\(Self.other):1")
        #expect(try await !contains(service, "cafe\u{301} au lait"))
        #expect(Set(service.calls.map(\.url)).count == 2)
    }

    @Test("is asked also about the password of somebody who has left")
    func left() async throws {
        let service = FakeWebCaller("\(Self.rest):1")
        let asking = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await contains(service)
        }
        #expect(try await asking.value)
    }

    @Test(
        "gives no answer when it says something else",
        arguments: [
            "<html>captive portal</html>", "\(rest)", "\(rest):", "\(rest):many", "\(rest) 1", "\(rest)A:1",
            "\(other):1\n\(rest.dropLast()):1", "\(other):1\nÿ", String(repeating: "A", count: 1 << 20),
            String(repeating: "\(other):1\n", count: 1 << 15),
        ])
    func foreign(body: String) async throws {
        await #expect(throws: BreachListUnavailable.self) { try await contains(FakeWebCaller(body)) }
    }

    @Test("gives no answer when it cannot be reached, or refuses", arguments: [301, 404, 429, 500])
    func refusals(status: Int) async throws {
        await #expect(throws: BreachListUnavailable.self) {
            try await contains(FakeWebCaller("\(Self.rest):1", status: status))
        }
        for fault in [WebFault.unreachable(reason: "no route"), .tooBusy, .addressRefused(reason: "private")] {
            await #expect(throws: BreachListUnavailable.self) { try await contains(FakeWebCaller(.failure(fault))) }
        }
    }
}

extension FakeWebCaller {
    fileprivate convenience init(_ body: String, status: Int = 200) {
        self.init(.success(WebResponse(status: status, body: Array(body.utf8))))
    }
}
