import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

/// What no Okaeri server sends. None of it may crash an app.
@Suite("An answer of a hostile server")
struct HostileServerTests {
    /// Runs on a thread with as much stack as Apple's worker threads have.
    private static func onSmallStack<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: work()) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
    }

    private static func nested(_ levels: Int, _ open: String = "[", _ close: String = "]") -> Data {
        Data((String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)).utf8)
    }

    /// A user as the server describes it, with a field of so many levels.
    private static func user(levels: Int) -> Data {
        let field = String(decoding: nested(levels, #"{"a":"#, "}"), as: UTF8.self)
        return Data(
            """
            {"id":"a","isAnonymous":true,"emailVerified":false,"phoneVerified":false,"fields":{"deep":\(field)},\
            "identities":[],"hasPassword":false,"createdAt":"2026-11-21T00:15:42.123Z",\
            "updatedAt":"2026-11-21T00:15:42.123Z"}
            """.utf8)
    }

    @Test(
        "that is nested deeply is refused on a stack of 512 KiB, not followed to its end",
        arguments: [33, 250, 100_000], [("[", "]"), (#"{"a":"#, "}")])
    func deep(levels: Int, bracket: (String, String)) async {
        let body = Self.nested(levels, bracket.0, bracket.1)
        let refusal = await Self.onSmallStack { () -> OkaeriError? in
            do throws(OkaeriError) {
                _ = try TransportResponse(status: 200, body: body).decoded(JSONValue.self)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal == .unexpectedResponse(status: 200))
    }

    @Test("is read on a stack of 512 KiB as deeply as the server's rules let users write", arguments: [1, 16])
    func deepUser(levels: Int) async {
        let body = Self.user(levels: levels)
        let isRead = await Self.onSmallStack {
            (try? TransportResponse(status: 200, body: body).decoded(UserBody.self))?.fields["deep"] != nil
        }
        #expect(isRead)
        let isReadTooDeeply = await Self.onSmallStack {
            (try? TransportResponse(status: 200, body: Self.user(levels: 250)).decoded(UserBody.self)) != nil
        }
        #expect(!isReadTooDeeply)
    }

    @Test("that is nested as deeply as one that is read may be logs nobody out: its user can be kept, and read again")
    func deepRecord() throws {
        let response = TransportResponse(status: 200, body: Self.user(levels: UntrustedJSON.maximumDepth - 2))
        var record = VaultRecord()
        record.user = try response.decoded(UserBody.self)
        #expect(VaultRecord.read(record.written()).user == record.user && record.user != nil)
    }

    @Test("is never followed beyond 64 levels by Foundation's decoder either, on a stack of 512 KiB")
    func decoder() async {
        for levels in [60, 250, 500] {
            let body = Self.nested(levels)
            let isRead = await Self.onSmallStack { (try? JSONDecoder().decode(JSONValue.self, from: body)) != nil }
            #expect(isRead == (levels == 60))
        }
    }

    @Test("that is longer than a mebibyte is refused, whatever its status", arguments: [200, 404, 503])
    func long(status: Int) async {
        let world = World()
        let text = #"{"text":""# + String(repeating: "a", count: 1 << 20) + #""}"#
        world.server.fail(.response(TransportResponse(status: status, body: Data(text.utf8))))
        await #expect(throws: OkaeriError.unexpectedResponse(status: status)) {
            try await world.launch().logInAutomatically()
        }
        #expect(world.server.requests.count == 1)
    }

    @Test(
        "may ask for a day's patience at the most, and asks for none in any other form",
        arguments: [
            ("9223372036854775807", 86_400), ("99999999999999999999999999", 86_400), ("86401", 86_400), ("0", 0),
            ("007", 7), ("-1", nil), ("+5", nil), ("1e9", nil), ("", nil), ("NaN", nil), ("５", nil), ("1.5", nil),
            ("Sat, 21 Nov 2026 00:15:42 GMT", nil),
        ] as [(String, Int64?)])
    func retryAfter(text: String, seconds: Int64?) {
        let answer = TransportResponse(status: 429, headers: ["Retry-After": text])
        #expect(answer.retryAfter == seconds.map { .seconds($0) })
    }

    @Test("with a Retry-After of the largest number reaches the caller as a day")
    func patience() async {
        let world = World()
        world.server.fail(
            .problem(Problem(title: "wait", status: 429, code: .rateLimited), retryAfter: .max))
        await #expect(throws: OkaeriError.rateLimited(retryAfter: .seconds(86_400))) {
            try await world.launch().logInAutomatically()
        }
    }

    /// The members of a log-in's answer that are numbers or times, with values that no server sends.
    private static let extremes: [(member: String, value: String)] = [
        ("idleSeconds", "9223372036854775807"), ("idleSeconds", "-9223372036854775808"), ("idleSeconds", "1e300"),
        ("idleSeconds", "1e999"), ("idleSeconds", "0.5"), ("expiresAt", #""9999-12-31T23:59:59.999Z""#),
        ("expiresAt", #""9999-12-31T23:59:59-23:59""#), ("expiresAt", #""0000-01-01T00:00:00+23:59""#),
        ("expiresAt", #""0000-01-01T00:00:00Z""#), ("expiresAt", "9223372036854775807"),
        ("createdAt", #""0000-01-01T00:00:00+23:59""#), ("updatedAt", #""9999-12-31T23:59:59-00:01""#),
    ]

    @Test("to a log-in with extreme numbers and times is a log-in or an error", arguments: extremes)
    func logIn(member: String, value: String) async throws {
        let world = World()
        // Refused before it has any effect, so that its proof is not used yet.
        world.server.fail(.problem(Problem(title: "refused", status: 400, code: .malformedBody)))
        _ = try? await world.launch(vault: MemoryVault()).logInAutomatically()
        let request = try #require(world.server.requests(to: APIPath.logInAutomatically).last)
        let answer = try await world.server.send(request)
        var text = String(decoding: answer.body, as: UTF8.self)
        let match = try #require(text.range(of: #""\#(member)":"#))
        let end = try #require(text[match.upperBound...].firstIndex { $0 == "," || $0 == "}" })
        text.replaceSubrange(match.upperBound..<end, with: value)
        let hostile = World()
        hostile.server.fail(
            .response(TransportResponse(status: 200, headers: answer.headers, body: Data(text.utf8))))
        let client = hostile.launch(inBackground: false)
        do throws(OkaeriError) {
            let welcome = try await client.logInAutomatically()
            #expect(!welcome.user.id.isEmpty)
            // What was taken in can be kept and read again.
            let kept = try? await hostile.vault.loadRecord(for: hostile.server.application)
            #expect(VaultRecord.read(kept ?? nil).user?.id == welcome.user.id)
        } catch {
            #expect(error == .unexpectedResponse(status: 200))
        }
    }

    @Test("has headers of a line's length, of which nothing longer or with marks without an end is looked at")
    func headers() throws {
        let body = try JSONEncoder().encode(Problem(title: "no", status: 400, code: .malformedBody))
        let marks = String(repeating: "\u{301}", count: 31)
        for (type, isRead) in [
            ("", true), ("; charset=utf-8", true), (String(repeating: "; a=b", count: 100), false),
            ("; a=b\(marks)", false), (String(repeating: "\u{301}", count: 50_000), false),
        ] {
            let answer = TransportResponse(
                status: 400, headers: ["Content-Type": Problem.mediaType + type], body: body)
            #expect((answer.problem != nil) == isRead, "\(type.utf8.count)")
        }
        let spaces = String(repeating: " ", count: 300)
        #expect(HeaderFields(["Date": "Sat,\(spaces)21 Nov 2026 00:15:42 GMT"]).short("date") == nil)
    }

    @Test("with the server's clock at either end of time is survived", arguments: [Int64.min, .max])
    func clock(milliseconds: Int64) async {
        let world = World()
        let problem = Problem(
            title: "clock", status: 401, code: .clockSkew,
            serverTime: WireTime(millisecondsSince1970: milliseconds))
        world.server.fail(.problem(problem))
        await #expect(throws: OkaeriError.proofRefused(.clockSkew)) {
            try await world.launch(inBackground: false).logInAutomatically()
        }
    }

    @Test("cannot make a proof of a time that no integer holds", arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func proof(seconds: TimeInterval) throws {
        let proof = DeviceProof(
            method: "GET", url: try #require(URL(string: "https://example.com/")),
            issuedAt: Date(timeIntervalSince1970: seconds), identifier: "a", token: nil)
        #expect(try proof.signed(by: SoftwareDeviceKey()).isEmpty == false)
        let time = WireTime(Date(timeIntervalSince1970: seconds))
        #expect(WireTime.earliest <= time && time <= .latest)
    }

    @Test(
        "of a damaged vault is read with counts that can be counted on", arguments: ["9223372036854775807", "-1", "7"])
    func vault(number: String) {
        var record = VaultRecord.read(
            Data(#"{"generation":\#(number),"epoch":\#(number),"keySlot":\#(number),"isLoggedOut":false}"#.utf8))
        #expect((0...100_000).contains(record.keySlot) && record.generation >= 0 && record.epoch >= 0)
        record.logOut()
        #expect(record.isLoggedOut && record.generation > 0)
        let damaged = VaultRecord.read(Self.nested(100_000))
        #expect(damaged.isLoggedOut && damaged.reasonLoggedOut == .ended && damaged.keySlot == 0)
    }
}
