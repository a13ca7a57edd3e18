import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import Synchronization
import Testing

@Suite("Game Center")
struct GameCenterTests {
    @Test("logs a player in, who is known the next time, with one call for each certificate")
    func whole() async throws {
        let world = try await HomeWorld()
        let first = try await world.logIn(try world.player())
        #expect(first.status == 201, "\(first.text)")
        let user = try first.read(LogInResponse.self).user
        #expect(user.identities.map(\.provider) == ["gamecenter"])
        #expect(user.identities.map(\.subject) == ["T:_0123456789abcdef"])
        let again = try await world.logIn(try world.player())
        #expect(again.status == 200)
        #expect(try again.read(LogInResponse.self).user.id == user.id)
        #expect(world.gameCenter.calls == [FakeGameCenter.certificatePath, "/FakeCodeSigning.crt"])
    }

    @Test("takes a signature once")
    func replay() async throws {
        let world = try await HomeWorld()
        let player = try world.player()
        #expect(try await world.logIn(player).status == 201)
        expect(try await world.logIn(player), 401, .providerTokenReplayed)
    }

    @Test(
        "refuses a signature that is not fresh, before it asks anybody",
        arguments: [(-301, "expired"), (-86_400, "expired"), (61, "iat")])
    func time(seconds: Int64, word: String) async throws {
        let world = try await HomeWorld()
        let player = try world.player(at: world.server.clock.now + .seconds(seconds))
        let answer = try await world.logIn(player)
        expect(answer, 401, .providerTokenInvalid)
        #expect(try answer.read(Problem.self).detail?.contains(word) == true)
        #expect(world.gameCenter.calls.isEmpty)
        let late = try world.player(at: world.server.clock.now - .seconds(299))
        #expect(try await world.logIn(late).status == 201)
    }

    enum Change: String, CaseIterable, Sendable {
        case player, bundle, foreignBundle, salt, timestamp, signature, emptySalt, longSalt, noSignature, otherForm
        case beginningOfBundle, emptyPlayer, longPlayer, spaceInPlayer, latest
    }

    @Test("refuses what was not signed so, and makes nobody", arguments: Change.allCases)
    func changed(change: Change) async throws {
        let world = try await HomeWorld()
        try await world.set("gamecenter", audiences: [HomeWorld.bundle, "com.example.other"], secret: nil)
        var player = try world.player()
        switch change {
        case .player: player.playerId = "T:_0123456789abcdee"
        case .bundle: player.bundleId = "com.example.other"
        case .foreignBundle: player = try world.player(bundle: "com.evil.app")
        case .salt: player.salt = "c2FsdA=="
        case .timestamp: player.timestamp += 1
        case .signature: player.signature = Data(repeating: 1, count: 256).base64EncodedString()
        case .emptySalt: player.salt = ""
        case .longSalt: player.salt = Data(repeating: 1, count: 65).base64EncodedString()
        case .noSignature: player.signature = ""
        case .otherForm: player = try world.player("hana")
        case .beginningOfBundle:
            // Signed for another app whose bundle id ends with this one's.
            player = try world.player("T:_0123456789abcdef", bundle: "evil.com.example.app")
            (player.playerId, player.bundleId) = ("T:_0123456789abcdefevil.", HomeWorld.bundle)
        case .emptyPlayer: player = try world.player("")
        case .longPlayer: player = try world.player("T:" + String(repeating: "1", count: 127))
        case .spaceInPlayer: player = try world.player("T:_1 2")
        case .latest: player.timestamp = .max
        }
        expect(try await world.logIn(player), 401, .providerTokenInvalid)
        #expect(try await world.logIn(try world.player()).status == 201)
    }

    @Test("refuses members that are none", arguments: ["signature", "salt", "timestamp"])
    func malformed(member: String) async throws {
        let world = try await HomeWorld()
        var player = try world.player()
        switch member {
        case "signature": player.signature = "%%%"
        case "salt": player.salt = "a"
        default: player.timestamp = -1
        }
        let answer = try await world.logIn(player)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == ["gameCenter.\(member)"])
    }

    enum Certificate: String, CaseIterable, Sendable {
        case owner, purpose, authority, expired, selfSigned, otherIssuer, noIssuer
    }

    @Test("believes no certificate but Apple's own, under a root that is known", arguments: Certificate.allCases)
    func certificate(kind: Certificate) async throws {
        var leaf = FakeCertificates.Leaf()
        switch kind {
        case .owner: leaf.organization = "Apple Inc. of Evil"
        case .purpose: leaf.maySignCode = false
        case .authority: leaf.isAuthority = true
        case .expired: leaf.end = StandingClock().now - .seconds(1)
        case .selfSigned: leaf.isSelfSigned = true
        case .otherIssuer: leaf.issuerURL = "http://evil.example/FakeCodeSigning.crt"
        case .noIssuer: leaf.issuerURL = "http://cacerts.digicert.com/../FakeCodeSigning.crt"
        }
        let world = try await HomeWorld(leaf: leaf)
        let answer = try await world.logIn(try world.player())
        expect(answer, 401, .providerTokenInvalid)
        #expect(try answer.read(Problem.self).detail?.contains("certificate") == true)
    }

    @Test("is unavailable while its certificates cannot be read, and logs in afterwards")
    func down() async throws {
        let world = try await HomeWorld()
        world.gameCenter.fail(true)
        expect(try await world.logIn(try world.player()), 503, .providerUnavailable)
        world.gameCenter.fail(false)
        world.server.clock.advance(by: .seconds(3))
        #expect(try await world.logIn(try world.player()).status == 201)
    }

    @Test("asks for few addresses that clients invent, and keeps those that it knows")
    func bounded() async throws {
        let world = try await HomeWorld()
        #expect(try await world.logIn(try world.player()).status == 201)
        for number in 0..<100 {
            var player = try world.player()
            player.publicKeyUrl = "\(world.gameCenterAddress)/public-key/invented-\(number).cer"
            expect(try await world.logIn(player), 503, .providerUnavailable)
        }
        #expect(world.gameCenter.calls.count <= 30)
        #expect(try await world.logIn(try world.player()).status == 200)
    }

    @Test("asks for what the players of one application name, however many addresses those of another invent")
    func boundedByApplication() async throws {
        let world = try await HomeWorld()
        let other = try await world.server.modules.applications.createApplication(name: "Other", by: .local).application
        try await world.server.modules.providers.setProvider(
            ProviderSettings(provider: .gameCenter, audiences: [HomeWorld.bundle]), secret: nil, of: other.id,
            by: .local)
        for number in 0..<40 {
            var player = try world.player()
            player.publicKeyUrl = "\(world.gameCenterAddress)/public-key/invented-\(number).cer"
            expect(try await world.logIn(player), 503, .providerUnavailable)
        }
        var body = ProviderLogInBody()
        body.gameCenter = try world.player()
        let answer = try await world.server.send(
            .post, "/v1/log-in/gamecenter", [("Okaeri-Application", other.id.rawValue)],
            body: String(decoding: try JSONEncoder().encode(body), as: UTF8.self), isNamed: false)
        #expect(answer.status == 201, "\(answer.text)")
    }

    @Test(
        "asks nobody but Apple for certificates",
        arguments: [
            "http://static.gc.apple.com/public-key/gc-prod-10.cer", "https://evil.example/public-key/gc-prod-10.cer",
            "https://apple.com.evil.example/a.cer", "https://evilapple.com/a.cer",
            "https://a@static.gc.apple.com/a.cer",
            "https://static.gc.apple.com:444/a.cer", "https://static.gc.apple.com/a.cer?x",
            "https://static.gc.apple.com/a",
            "https://static.gc.apple.com/../a.cer", "https://.apple.com/a.cer", "https://evil.example#.apple.com/a.cer",
            "https://STATIC.gc.apple.com/%2e%2e/a.cer", "file:///etc/passwd.cer", "https://static.gc.apple.com.cer", "",
        ])
    func addresses(url: String) async throws {
        let clock = StandingClock()
        let calls = CountingCaller()
        let providers = IdentityProviders(
            at: ProviderAddresses(), call: calls, adminCall: calls, tenantCall: calls, clock: clock,
            randomness: TestRandomness())
        let player = ProviderCredential.PlayerSignature(
            publicKeyURL: url, signature: [UInt8](repeating: 1, count: 256), salt: [1],
            timestamp: UInt64(clamping: clock.now.milliseconds), playerId: "T:_1", bundleId: HomeWorld.bundle)
        let configured = ConfiguredProvider(
            application: Identifier(rawValue: "a"),
            settings: ProviderSettings(provider: .gameCenter, audiences: [HomeWorld.bundle]), secret: nil)
        await #expect(throws: DomainError.providerTokenRefused(.certificate)) {
            try await providers[.gameCenter]?.identify(ProviderCredential(player: player), for: configured)
        }
        #expect(calls.count == 0)
    }

    @Test("is linked and unlinked")
    func link() async throws {
        let world = try await HomeWorld()
        let person = try await world.server.person()
        var body = ProviderLogInBody()
        body.gameCenter = try world.player()
        let text = String(decoding: try JSONEncoder().encode(ProviderLinkBody(body)), as: UTF8.self)
        let linked = try await person.send(.post, APIPath.identity("gamecenter"), body: text)
        #expect(linked.status == 200, "\(linked.text)")
        #expect(try await person.send(.delete, APIPath.identity("gamecenter")).status == 200)
    }

    @Test("takes bundle ids alone in its settings", arguments: ["", "no dot", "com.example.app/evil", "コム.example"])
    func settings(audience: String) async throws {
        let world = try await HomeWorld()
        await #expect(throws: DomainError.self) {
            try await world.set("gamecenter", audiences: [audience], secret: nil)
        }
    }
}

/// Counts calls, and answers none.
private final class CountingCaller: WebCaller {
    private let calls = Mutex(0)

    var count: Int { calls.withLock { $0 } }

    func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse {
        calls.withLock { $0 += 1 }
        return WebResponse(status: 404, body: [])
    }

    func mayAsk(_ url: String) -> Bool { true }
}
