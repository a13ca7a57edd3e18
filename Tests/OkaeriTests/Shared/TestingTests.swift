import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("The in-memory server")
struct InMemoryServerTests {
    let clock = TestClock()
    let server: InMemoryServer
    let key = SoftwareDeviceKey()

    init() {
        server = InMemoryServer(clock: clock)
    }

    /// A proof with one part that may be wrong.
    private func logIn(
        method: String = "POST", path: String = APIPath.logInAutomatically, seconds: TimeInterval = 0,
        identifier: String = "1-IKfkcGpDZPXvzRfE3BYA", token: String? = nil, body: String? = nil,
        application: String = "demo", headers: HeaderFields = [:], edit: (String) -> String = { $0 }
    ) async throws -> (status: Int, code: ErrorCode?) {
        let proof = DeviceProof(
            method: method, url: server.url.appendingPathComponent(path),
            issuedAt: clock.now.addingTimeInterval(seconds),
            identifier: identifier, token: token.map(Secret.init(_:)))
        var fields = headers
        fields["dpop"] = edit(try proof.signed(by: key))
        fields["okaeri-application"] = application
        let answer = try await server.send(
            TransportRequest(
                method: "POST", url: server.url.appendingPathComponent(APIPath.logInAutomatically), headers: fields,
                body: body.map { Data($0.utf8) }))
        return (answer.status, answer.problem?.code)
    }

    @Test("makes a user for a key, and knows it again")
    func knownKey() async throws {
        #expect(try await logIn().status == 201)
        #expect(try await logIn(identifier: "2-IKfkcGpDZPXvzRfE3BYA").status == 200)
        #expect(server.users.map { $0.identities.map(\.subject) } == [[key.publicKey.thumbprint]])
    }

    @Test("refuses proofs that are wrong in one part, and makes no user")
    func wrongProofs() async throws {
        #expect(try await logIn(method: "GET").code == .proofInvalid)
        #expect(try await logIn(path: APIPath.user).code == .proofInvalid)
        #expect(try await logIn(identifier: "short").code == .proofInvalid)
        #expect(try await logIn(token: "oks_x").code == .proofInvalid)
        #expect(try await logIn { $0 + "AA" }.code == .proofInvalid)
        #expect(try await logIn { String($0.dropLast(4)) }.code == .proofInvalid)
        #expect(try await logIn { "\($0).x" }.code == .proofInvalid)
        #expect(try await logIn { _ in "" }.code == .proofInvalid)
        #expect(try await logIn { $0.replacingOccurrences(of: ".ey", with: ".eyJ") }.code == .proofInvalid)
        #expect(server.users.isEmpty)
    }

    @Test(
        "refuses proofs of another time and tells its own",
        arguments: [(-61.0, false), (-60, true), (60, true), (61, false)])
    func time(seconds: TimeInterval, isAccepted: Bool) async throws {
        #expect(try await logIn(seconds: seconds).code == (isAccepted ? nil : .clockSkew))
    }

    @Test("refuses a proof that was used before")
    func replay() async throws {
        #expect(try await logIn().status == 201)
        #expect(try await logIn().code == .proofReplayed)
    }

    @Test("refuses other applications, malformed bodies and unknown members")
    func badInput() async throws {
        #expect(try await logIn(application: "other").code == .applicationUnknown)
        #expect(try await logIn(body: "{").code == .malformedBody)
        #expect(try await logIn(identifier: "2-IKfkcGpDZPXvzRfE3BYA", body: #"{"x":1}"#).code == .unknownMember)
        #expect(server.users.isEmpty)
    }

    @Test("answers a repeated log-in of one name as the first time, and refuses the name for another")
    func idempotency() async throws {
        let name: HeaderFields = ["Idempotency-Key": "n1"]
        #expect(try await logIn(headers: name).status == 201)
        #expect(try await logIn(identifier: "2-IKfkcGpDZPXvzRfE3BYA", headers: name).status == 201)
        #expect(server.sessionCount == 1)
        let other = try await logIn(identifier: "3-IKfkcGpDZPXvzRfE3BYA", body: "{}", headers: name)
        #expect(other.status == 409 && other.code == .idempotencyKeyReused)
    }

    @Test("asks for a session, and knows only its own")
    func sessions() async throws {
        let url = server.url.appendingPathComponent(APIPath.user)
        var request = TransportRequest(method: "GET", url: url, headers: ["Okaeri-Application": "demo"])
        #expect(try await server.send(request).problem?.code == .sessionRequired)
        request.headers["Authorization"] = "Bearer oks_x"
        #expect(try await server.send(request).problem?.code == .sessionInvalid)
    }

    @Test("fails as planned, for as many requests of a path as planned")
    func faults() async throws {
        server.fail(.timeOut, path: APIPath.user)
        server.fail(.unreachable, times: 2)
        for _ in 0..<2 {
            await #expect(throws: TransportError.unreachable("planned by the test")) { try await logIn() }
        }
        #expect(try await logIn().status == 201)
        server.isOffline = true
        await #expect(throws: TransportError.offline) { try await logIn() }
    }
}

@Suite("The test clock")
struct TestClockTests {
    @Test("stands still until it is moved, and wakes sleepers in order")
    func order() async throws {
        let clock = TestClock()
        let start = clock.now
        let woken = Protected<[Int]>([])
        let sleepers = [3, 1, 2].map { seconds in
            Task {
                try await clock.sleep(for: .seconds(seconds))
                woken.withValue { $0.append(seconds) }
            }
        }
        await clock.waitForSleepers(3)
        #expect(clock.now == start)
        #expect(clock.pendingSleeps == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(clock.advanceToNextSleeper() == .seconds(1))
        try await sleepers[1].value
        #expect(woken.withValue { $0 } == [1])
        clock.advance(by: .seconds(2))
        try await sleepers[0].value
        try await sleepers[2].value
        #expect(clock.advanceToNextSleeper() == nil)
        #expect(clock.now == start.addingTimeInterval(3))
    }

    @Test("lets a cancelled sleeper go")
    func cancellation() async {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.pendingSleeps.isEmpty)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("has randomness beside it that repeats itself by seed")
    func randomness() {
        let first = TestRandomness(seed: 1).bytes(64)
        #expect(first == TestRandomness(seed: 1).bytes(64))
        #expect(first != TestRandomness(seed: 2).bytes(64))
        #expect(Set(first).count > 40)
        #expect(SystemRandomness().bytes(32) != SystemRandomness().bytes(32))
    }
}
