import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("The hook of adoption")
struct AdoptionHookTests {
    private static let hana = "hana-of-the-old-service"

    private func world() async throws -> HookWorld {
        let world = try await HookWorld()
        let now = world.server.clock.now
        let user = User(
            id: Identifier(rawValue: Self.hana), application: world.server.application.id, createdAt: now,
            updatedAt: now)
        _ = try await world.server.modules.imports.importUsers(
            [ImportedUser(user: user)], into: world.server.application.id, of: .native, isRehearsal: false)
        return world
    }

    private func adopt(
        _ world: HookWorld, _ token: String = "old-token", service: String = "my-backend",
        on device: ProofMaker = ProofMaker(), peer: String = "192.0.2.1"
    ) async throws -> Answer {
        let proof = try device.proof("POST", world.server.url(APIPath.adopt), at: world.server.clock.now)
        return try await world.server.send(
            .post, APIPath.adopt, [("DPoP", proof)], body: #"{"protocol": "\#(service)", "token": "\#(token)"}"#,
            peer: peer)
    }

    @Test("is asked whose a token is, signed, and says which user logs in")
    func owner() async throws {
        let world = try await world()
        let secret = try await world.set(.adoption)
        world.hook.decide(FakeResponse(200, ["decision": "allow", "user": .string(Self.hana)]))
        let device = ProofMaker()
        let answer = try await adopt(world, on: device)
        #expect(try answer.status == 200 && answer.read(LogInResponse.self).user.id == Self.hana, "\(answer.text)")
        let asked = try #require(world.hook.requests.first)
        #expect(asked.isSigned(by: secret))
        let question = try #require(try world.hook.questions.first)
        #expect(question["type"] == "hook.adoption" && question["data"]?["token"] == "old-token")
        #expect(question["data"]?["service"] == "my-backend" && question["data"]?["address"] == "192.0.2.1")
        #expect(question["data"]?["application"]?.text == world.server.application.id.rawValue)
        expect(try await adopt(world), 401, .providerTokenReplayed)
        #expect(try await adopt(world, on: device).status == 200)
    }

    @Test(
        "that gives no valid response lets nobody in",
        arguments: [
            (FakeResponse(204), 503, .hookUnavailable), (FakeResponse(500), 503, .hookUnavailable),
            (FakeResponse(200, ["decision": "allow"]), 503, .hookUnavailable),
            (FakeResponse(200, ["decision": "allow", "user": ""]), 503, .hookUnavailable),
            (FakeResponse(200, ["decision": "allow", "user": 5]), 503, .hookUnavailable),
            (
                FakeResponse(200, ["decision": "allow", "user": .string(String(repeating: "u", count: 129))]), 503,
                .hookUnavailable
            ),
            (FakeResponse(200, ["decision": "allow", "user": "nobody"]), 401, .credentialRefused),
            (FakeResponse(200, ["decision": "refuse"]), 401, .credentialRefused),
            (FakeResponse(200, ["decision": "refuse", "message": "expired"]), 403, .hookRefused),
        ] as [(FakeResponse, Int, ErrorCode)])
    func faults(response: FakeResponse, status: Int, code: ErrorCode) async throws {
        let world = try await world()
        try await world.set(.adoption)
        world.hook.decide(response)
        expect(try await adopt(world), status, code)
        world.hook.decide(FakeResponse(200, ["decision": "allow", "user": .string(Self.hana)]))
        #expect(try await adopt(world).status == 200)
    }

    @Test("is not asked for a name that is none, for an empty token, or for a service that has settings of its own")
    func notAsked() async throws {
        let world = try await world()
        try await world.set(.adoption)
        for service in ["", "My Backend", String(repeating: "a", count: 41), "firebase", "supabase", "cognito"] {
            #expect(try await adopt(world, service: service).status == 400)
        }
        expect(try await adopt(world, ""), 401, .credentialRefused)
        expect(try await adopt(world, String(repeating: "t", count: 16_385)), 401, .credentialRefused)
        #expect(world.hook.requests.isEmpty)
    }

    @Test("cannot be one that lets people in while it is down")
    func whenDown() async throws {
        let world = try await world()
        let answer = try await world.world.send(
            "owner", .put, world.world.path("/hooks/adoption"),
            body: #"{"url": "https://app.example.com/hooks", "whenDown": "allow"}"#)
        #expect(answer.status == 400 && answer.text.contains("\"whenDown\""), "\(answer.text)")
    }

    @Test("is asked no more than 120 times an hour for one address")
    func limit() async throws {
        let world = try await world()
        try await world.set(.adoption)
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        for _ in 0..<120 { expect(try await adopt(world), 401, .credentialRefused) }
        expect(try await adopt(world), 429, .rateLimited)
        #expect(world.hook.requests.count == 120)
    }

    @Test("counts what it is asked by the /48 network of an IPv6 address too")
    func sites() async throws {
        let world = try await world()
        try await world.set(.adoption)
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        expect(try await adopt(world, peer: "2001:db8:1:2::3"), 401, .credentialRefused)
        let later = world.server.clock.now + .seconds(1)
        let counted = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.counters(startedBefore: later, after: nil, count: 100)
        }
        let subjects = Set(counted.filter { $0.kind == "adoption" }.map(\.subject))
        #expect(subjects == ["2001:db8:1:2::/64", "2001:db8:1::/48"])
    }

    @Test("can be tested")
    func test() async throws {
        let world = try await world()
        try await world.set(.adoption)
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        let answer = try await world.world.send("owner", .post, world.world.path("/hooks/adoption/test"))
        #expect(try answer.status == 200 && answer.json["decision"] == "refuse", "\(answer.text)")
        #expect(try world.hook.questions.first?["data"]?["isTest"] == true)
    }
}
