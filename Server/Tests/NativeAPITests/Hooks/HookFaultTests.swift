import Domain
import FakeProviders
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Synchronization
import Testing

@Suite("A hook that is down")
struct HookFaultTests {
    @Test(
        "refuses or allows, as the operator chose",
        arguments: [HookPoint.signUp, .upgrade, .accessToken], Hook.WhenDown.allCases)
    func choice(point: HookPoint, whenDown: Hook.WhenDown) async throws {
        let world = try await HookWorld()
        try await world.set(point, to: HookWorld.nowhere, whenDown: whenDown)
        let person = try await world.server.person()
        let answer =
            switch point {
            case .signUp: try await world.server.signUp("yuki")
            case .upgrade: try await person.upgrade()
            case .accessToken, .adoption: try await person.send(.post, APIPath.token)
            case .logIn: try await world.server.logIn("nobody", AccountTests.password)
            }
        switch whenDown {
        // A log-in that nobody is asked about is that of a wrong password.
        case .allow where point == .logIn: expect(answer, 401, .credentialRefused)
        case .allow: #expect([200, 201].contains(answer.status), "\(answer.text)")
        case .refuse:
            expect(answer, 503, .hookUnavailable)
            #expect(answer.headers[.retryAfter] != nil)
        }
    }

    @Test("is one whose response is no decision", arguments: [200, 201, 302, 401, 403, 500, 503])
    func statuses(status: Int) async throws {
        let world = try await HookWorld()
        try await world.set(.signUp)
        let body: JSONValue? = status == 200 ? ["decision": "maybe"] : ["decision": "allow"]
        world.hook.decide(
            status == 302 ? FakeResponse(302, location: world.url) : FakeResponse(status, body))
        expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
        #expect(world.hook.requests.count == 1)
    }

    @Test(
        "is one whose response cannot be read, or is too long",
        arguments: [
            "allow", ["allow"], [:], ["decision": true],
            ["decision": "allow", "more": .string(String(repeating: "x", count: 17_000))],
        ] as [JSONValue])
    func bodies(body: JSONValue) async throws {
        let world = try await HookWorld()
        try await world.set(.signUp)
        world.hook.decide(FakeResponse(200, body))
        expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
    }

    @Test("is one that takes longer than its time")
    func deadline() async throws {
        let world = try await HookWorld()
        try await world.set(.signUp)
        let path = world.world.path("/hooks/sign-up")
        let changed = try await world.world.send(
            "owner", .put, path, body: #"{"url": "\#(world.url)", "whenDown": "refuse", "timeoutMilliseconds": 50}"#)
        #expect(changed.status == 200)
        let (gate, opened) = AsyncStream<Void>.makeStream()
        world.hook.work { for await _ in gate {} }
        expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
        opened.finish()
    }

    @Test("is asked no more after five calls in silence, and then by one request at a time")
    func breaker() async throws {
        let world = try await HookWorld()
        let faults = Mutex(0)
        world.server.composition.observeOutboundFaults { _ in faults.withLock { $0 += 1 } }
        try await world.set(.signUp, to: HookWorld.nowhere)
        for number in 1...5 {
            expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
            #expect(faults.withLock { $0 } == number)
        }
        expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
        #expect(faults.withLock { $0 } == 5)
        world.server.clock.advance(by: .seconds(1))
        expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
        expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
        #expect(faults.withLock { $0 } == 6)
        // Another address is another hook.
        let path = world.world.path("/hooks/sign-up")
        let mended = try await world.world.send(
            "owner", .put, path, body: #"{"url": "\#(world.url)", "whenDown": "refuse", "timeoutMilliseconds": 5000}"#)
        #expect(mended.status == 200)
        #expect(try await world.server.signUp("hana").status == 201)
    }

    @Test("goes on being asked when it responds with faults: nobody who provokes them switches it off")
    func provoked() async throws {
        let world = try await HookWorld()
        try await world.set(.signUp, whenDown: .allow)
        world.hook.decide(FakeResponse(500))
        for number in 1...8 { #expect(try await world.server.signUp("hana\(number)").status == 201) }
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        expect(try await world.server.signUp("yuki"), 403, .hookRefused)
        #expect(world.hook.requests.count == 9)
    }
}
