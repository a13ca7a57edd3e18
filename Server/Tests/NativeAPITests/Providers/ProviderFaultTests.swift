import Crypto
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Synchronization
import TestWorld
import Testing

@testable import Domain
@testable import OutboundServices

@Suite("When Apple is down, slow or changes its keys")
struct ProviderFaultTests {
    @Test("a log-in is answered 503 and nothing is half done", arguments: ["token", "code", "both"])
    func down(kind: String) async throws {
        let world = try await AppleWorld()
        world.apple.faults.isDown = true
        let credential = try world.credential()
        let answer = try await world.logIn(
            token: kind == "code" ? nil : credential.identityToken, code: kind == "token" ? nil : credential.code)
        expect(answer, 503, .providerUnavailable)
        #expect(answer.headers[.retryAfter] != nil)
        #expect(try await world.userCount() == 0)
        world.apple.faults.isDown = false
        world.server.clock.advance(by: .seconds(2))
        let second = try await world.logIn(
            token: kind == "code" ? nil : credential.identityToken, code: kind == "token" ? nil : credential.code)
        #expect(second.status == 201, "\(second.text)")
    }

    @Test("known keys serve for a day while Apple is down")
    func downWithKeys() async throws {
        let world = try await AppleWorld()
        _ = try await world.logIn(token: try world.credential(nonce: "1").identityToken, nonce: "1")
        world.apple.faults.isDown = true
        world.server.clock.advance(by: .seconds(23 * 3600))
        #expect(
            try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2").status == 200)
        world.server.clock.advance(by: .seconds(3600))
        let late = try await world.logIn(token: try world.credential(nonce: "3").identityToken, nonce: "3")
        expect(late, 503, .providerUnavailable)
    }

    @Test("a token by a key that is new is answered 503 until Apple tells its keys, and counts then")
    func downWithNewKey() async throws {
        let world = try await AppleWorld()
        _ = try await world.logIn(token: try world.credential(nonce: "1").identityToken, nonce: "1")
        world.apple.rotate(to: try FakeHost.keys.get()[1])
        world.apple.faults.isDown = true
        world.server.clock.advance(by: .seconds(31))
        let token = try world.credential(nonce: "2").identityToken
        for _ in 0..<2 { expect(try await world.logIn(token: token, nonce: "2"), 503, .providerUnavailable) }
        world.apple.faults.isDown = false
        world.server.clock.advance(by: .seconds(2))
        #expect(try await world.logIn(token: token, nonce: "2").status == 200)
    }

    @Test("an Apple that does not answer in time is unavailable")
    func slow() async throws {
        let world = try await AppleWorld(caller: FakeHost.hastyCaller)
        world.apple.faults.delay = .seconds(30)
        expect(try await world.logIn(token: try world.credential().identityToken), 503, .providerUnavailable)
    }

    @Test("new keys are taken at once, and old ones no longer")
    func rotation() async throws {
        let world = try await AppleWorld()
        let old = try world.credential(nonce: "0").identityToken
        _ = try await world.logIn(token: try world.credential(nonce: "1").identityToken, nonce: "1")
        world.apple.rotate(to: try FakeHost.keys.get()[1])
        world.server.clock.advance(by: .seconds(31))
        #expect(
            try await world.logIn(token: try world.credential(nonce: "2").identityToken, nonce: "2").status == 200)
        expect(try await world.logIn(token: old, nonce: "0"), 401, .providerTokenInvalid)
    }

    @Test("invented key ids make at most two calls a minute, however many come")
    func flood() async throws {
        let world = try await AppleWorld()
        let claims = world.apple.claims(of: AppleWorld.hana, audience: AppleWorld.bundle, nonce: "n")
        for round in 0..<3 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    let token = try world.apple.key.token(claims, header: ["kid": .string("k\(round).\(number)")])
                    group.addTask { expect(try await world.logIn(token: token), 401, .providerTokenInvalid) }
                }
                try await group.waitForAll()
            }
            world.server.clock.advance(by: .seconds(20))
        }
        // At 0 and at 40 seconds; the one at 20 comes too soon.
        #expect(world.apple.calls["/auth/keys"] == 2)
    }

    @Test("an expired code is refused", arguments: [true, false])
    func expiredCode(hasToken: Bool) async throws {
        let world = try await AppleWorld()
        world.apple.faults.codesExpired = true
        let credential = try world.credential()
        let answer = try await world.logIn(
            token: hasToken ? credential.identityToken : nil, code: credential.code)
        expect(answer, 401, .providerRefused)
        #expect(try await world.userCount() == 0)
    }

    @Test("a token for another app, got for a code, is refused")
    func wrongAudience() async throws {
        let world = try await AppleWorld()
        let credential = try world.credential()
        world.apple.faults.audience = "com.example.other"
        expect(try await world.logIn(code: credential.code), 401, .providerTokenInvalid)
    }

    @Test("a key that Apple does not take is the operator's matter")
    func wrongKey() async throws {
        let world = try await AppleWorld()
        try await world.configure(key: P256.Signing.PrivateKey())
        let credential = try world.credential()
        expect(
            try await world.logIn(token: credential.identityToken, code: credential.code), 502,
            .providerMisconfigured)
    }
}

/// Counts calls and answers when the test lets it.
private final class HeldCaller: WebCaller {
    private let count = Atomic(0)
    private let (begun, begin) = AsyncStream<Void>.makeStream()
    /// So many calls are answered at once.
    private let free: Int
    let gate = Gate()

    init(free: Int = 0) { self.free = free }

    var calls: Int { count.load(ordering: .relaxed) }

    func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse {
        let number = count.add(1, ordering: .relaxed).newValue
        begin.yield()
        if number > free { await gate.pass() }
        return WebResponse(status: 200, body: Array("document".utf8))
    }

    func mayAsk(_ url: String) -> Bool { true }

    func waitForCall() async { _ = await begun.first { _ in true } }
}

@Suite("Documents of providers")
struct RemoteDocumentTests {
    @Test("are read once for all who ask at the same time, also when one of them gives up")
    func singleFlight() async throws {
        let caller = HeldCaller()
        let documents = RemoteDocuments(call: caller, clock: StandingClock()) { bytes, _ in
            String(decoding: bytes, as: UTF8.self)
        }
        let first = Task { try await documents.document(at: "https://id.example.com/keys") }
        await caller.waitForCall()
        let others = (0..<20).map { _ in Task { try await documents.document(at: "https://id.example.com/keys") } }
        first.cancel()
        caller.gate.open()
        for other in others { #expect(try await other.value == "document") }
        #expect(caller.calls == 1)
    }

    @Test(
        "that are known serve at once while they are read anew, where they have what is looked for",
        .timeLimit(.minutes(5)))
    func readAnew() async throws {
        let (caller, clock, url) = (HeldCaller(free: 1), StandingClock(), "https://id.example.com/keys")
        let documents = RemoteDocuments(call: caller, clock: clock) { bytes, _ in
            String(decoding: bytes, as: UTF8.self)
        }
        _ = try await documents.document(at: url)
        await caller.waitForCall()
        clock.advance(by: .seconds(3600))
        let reader = Task { try await documents.document(at: url) }
        await caller.waitForCall()
        #expect(try await documents.document(at: url) == "document")
        #expect(caller.gate.waiting == 1)
        let seeker = Task { try await documents.document(at: url) { _ in false } }
        caller.gate.open()
        #expect(try await reader.value == "document" && caller.calls == 2)
        #expect(try await seeker.value == "document")
    }

    @Test("are read again, and asked for again where there was none, when a clock that was ahead is put back")
    func clockPutBack() async throws {
        let (caller, clock) = (HeldCaller(free: .max), StandingClock())
        let documents = RemoteDocuments(
            call: caller, clock: clock, bounds: .init(documents: 4, newAddressesPerMinute: 2)
        ) { bytes, url in url.hasSuffix("keys") ? String(decoding: bytes, as: UTF8.self) : nil }
        func read(_ name: String) async throws(DomainError) -> String {
            try await documents.document(at: "https://id.example.com/\(name)")
        }
        clock.advance(by: .days(365))
        #expect(try await read("keys") == "document")
        await #expect(throws: DomainError.providerUnavailable) { try await read("none") }
        #expect(caller.calls == 2)
        clock.advance(by: .seconds(-365 * 86_400))
        #expect(try await read("keys") == "document")
        await #expect(throws: DomainError.providerUnavailable) { try await read("none") }
        #expect(caller.calls == 4)
        #expect(try await read("other/keys") == "document", "nor does the minute last for a year")
    }

    @Test("are of one address each, also where two addresses mean the same to people")
    func sameText() async throws {
        let documents = RemoteDocuments(call: HeldCaller(free: .max), clock: StandingClock()) { _, url in url }
        for url in ["https://id.example.com/K", "https://id.example.com/\u{212A}"] {
            #expect(Array(try await documents.document(at: url).utf8) == Array(url.utf8))
        }
    }

    @Test("that the clients of one application invent neither use up another's, nor displace what was proved")
    func invented() async throws {
        let caller = HeldCaller()
        caller.gate.open()
        let documents = RemoteDocuments(
            call: caller, clock: StandingClock(), bounds: .init(documents: 4, newAddressesPerMinute: 5)
        ) { bytes, _ in String(decoding: bytes, as: UTF8.self) }
        func read(_ number: Int, _ application: String) async throws(DomainError) {
            _ = try await documents.document(
                at: "https://id.example.com/\(number)", for: Identifier(rawValue: application))
        }
        try await read(0, "other")
        documents.prove(["https://id.example.com/0"])
        for number in 1...5 { try await read(number, "flood") }
        await #expect(throws: DomainError.providerUnavailable) { try await read(6, "flood") }
        try await read(7, "other")
        #expect(caller.calls == 7)
        try await read(0, "flood")
        #expect(caller.calls == 7, "what was proved is still there")
    }
}

/// Accepts calls, and says nothing before it is let.
private final class SilentProvider: FakeProvider {
    private let (begun, begin) = AsyncStream<Void>.makeStream()
    let gate = Gate()

    func answer(_ request: FakeRequest) async -> FakeResponse {
        begin.yield()
        await gate.pass()
        return FakeResponse(404)
    }

    func waitForCalls(_ count: Int) async {
        for await _ in begun.prefix(count) {}
    }
}

/// Answers each call at once, with nothing that helps.
private final class QuickProvider: FakeProvider {
    private let count = Atomic(0)

    var calls: Int { count.load(ordering: .relaxed) }

    func answer(_ request: FakeRequest) async -> FakeResponse {
        count.add(1, ordering: .relaxed)
        return FakeResponse(404)
    }
}

/// Named providers, the log-in of the admins and old tokens shared six threads.
@Suite("A flood of log-ins by a provider that all know", .timeLimit(.minutes(5)))
struct NamedProviderTests {
    private func configured(
        _ application: String, _ name: Identity.Provider, issuer: String? = nil
    ) -> ConfiguredProvider {
        ConfiguredProvider(
            application: Identifier(rawValue: application),
            settings: ProviderSettings(
                provider: name, audiences: ["app"], issuer: issuer, redirectURIs: ["https://app.example.com/back"]),
            secret: Secret("secret"))
    }

    @Test("keeps no other provider or application and no admin waiting, and is refused beyond its part of all calls")
    func half() async throws {
        let (silent, quick) = (SilentProvider(), QuickProvider())
        var addresses = ProviderAddresses()
        addresses.facebookGraph = await FakeHost.address(of: silent)
        addresses.kakao = await FakeHost.address(of: quick)
        addresses.naver = addresses.kakao
        let caller = CurlCaller(
            limits: .init(connecting: .seconds(120), whole: .seconds(300), calls: IdentityProviders.lanesOfNamed),
            policy: FakeHost.policy)
        let (adminCaller, tenantCaller) = (caller.forAdmins(), caller.forTenants())
        let providers = IdentityProviders(
            at: addresses, call: caller, adminCall: adminCaller, tenantCall: tenantCaller, clock: StandingClock(),
            randomness: TestRandomness())
        let flooded = try #require(providers[.facebook])
        let (flood, part) = (configured("flood", .facebook), ProviderLanes.part(of: IdentityProviders.lanesOfNamed))
        let ended = EndedChecks()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<part {
                group.addTask {
                    _ = await flooded.check(flood)
                    ended.note()
                }
            }
            await silent.waitForCalls(part)
            await #expect(throws: DomainError.providerUnavailable) {
                try await flooded.identify(ProviderCredential(accessToken: Secret("token")), for: flood)
            }
            await #expect(throws: DomainError.providerUnavailable) {
                try await flooded.revoke(Secret("grant"), audience: "app", for: flood)
            }
            var before = 0
            for (application, name) in [("flood", Identity.Provider.naver), ("other", .kakao)] {
                _ = await providers[name]?.check(configured(application, name))
                #expect(quick.calls > before, "\(application)")
                before = quick.calls
            }
            let issuer = addresses.kakao
            let ofAdmins = configured("", Identity.Provider(rawValue: "oidc:admins"), issuer: issuer)
            _ = await providers.admins?.check(ofAdmins)
            #expect(quick.calls > before)
            #expect(ended.count == 0)
            silent.gate.open()
        }
        for caller in [caller, adminCaller, tenantCaller] { await caller.close() }
    }

    @Test("takes what Apple alone does too")
    func apple() async throws {
        let silent = SilentProvider()
        var addresses = ProviderAddresses()
        addresses.apple = await FakeHost.address(of: silent)
        let caller = CurlCaller(
            limits: .init(connecting: .seconds(120), whole: .seconds(300), calls: IdentityProviders.lanesOfNamed),
            policy: FakeHost.policy)
        let providers = IdentityProviders(
            at: addresses, call: caller, adminCall: caller, tenantCall: caller, clock: StandingClock(),
            randomness: TestRandomness())
        let apple = try #require(providers.apple)
        var moving = configured("moving", .apple)
        (moving.settings.teamId, moving.settings.keyId) = (AppleWorld.team, AppleWorld.keyId)
        moving.secret = Secret(P256.Signing.PrivateKey().pemRepresentation)
        let (flood, part) = (moving, ProviderLanes.part(of: IdentityProviders.lanesOfNamed))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<part {
                group.addTask { _ = try? await apple.migrationToken(for: flood) }
            }
            await silent.waitForCalls(part)
            await #expect(throws: DomainError.providerUnavailable) {
                try await apple.person(transferredAs: "name", token: Secret("token"), for: flood)
            }
            silent.gate.open()
        }
        await caller.close()
    }
}

/// How many checks have ended.
private final class EndedChecks: Sendable {
    private let ended = Atomic(0)

    var count: Int { ended.load(ordering: .relaxed) }

    func note() { ended.add(1, ordering: .relaxed) }
}
