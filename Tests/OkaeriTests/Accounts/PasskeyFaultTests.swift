import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("A passkey in an app, when something goes wrong")
struct PasskeyFaultTests {
    private let world = World()
    private let passkeys = TestPasskeys()

    init() { world.server.passkeyDomain = "example.com" }

    private func owner() async throws -> OkaeriClient {
        let okaeri = world.launch(inBackground: false)
        try await okaeri.logInAutomatically()
        try await okaeri.addPasskey(with: passkeys)
        return okaeri
    }

    @Test("is refused by the name of the rule", arguments: ["origin", "user_verification", "challenge"])
    func rules(rule: String) async throws {
        let okaeri = try await owner()
        if rule == "origin" { passkeys.origin = "https://evil.test" }
        if rule == "user_verification" { passkeys.isUserVerified = false }
        let proof = try await okaeri.passkeyProof(from: passkeys)
        if rule == "challenge" { world.clock.advance(by: .seconds(300)) }
        await #expect(throws: OkaeriError.passkeyRefused(.invalid(rule: rule))) { try await okaeri.logIn(with: proof) }
        #expect(passkeys.forgotten.isEmpty)
    }

    @Test("counts once")
    func once() async throws {
        let okaeri = try await owner()
        let proof = try await okaeri.passkeyProof(from: passkeys)
        try await okaeri.logIn(with: proof)
        await #expect(throws: OkaeriError.passkeyRefused(.invalid(rule: "challenge"))) {
            try await okaeri.logIn(with: proof)
        }
    }

    @Test("that the server does not know any more is forgotten by the device")
    func unknown() async throws {
        let okaeri = try await owner()
        let credential = try #require(passkeys.credentials.first)
        world.server.erase(try #require(await okaeri.currentUser).id)
        let tablet = world.launch(vault: TestVault())
        await #expect(throws: OkaeriError.passkeyRefused(.unknown)) { try await tablet.logInWithPasskey(passkeys) }
        #expect(passkeys.forgotten == [credential])
        await #expect(throws: OkaeriError.passkeyRefused(.notFound)) { try await tablet.logInWithPasskey(passkeys) }
    }

    @Test("is not made twice on one device, nor where the person or the system does not want it")
    func notMade() async throws {
        let okaeri = try await owner()
        await #expect(throws: OkaeriError.passkeyRefused(.alreadyThere)) { try await okaeri.addPasskey(with: passkeys) }
        let other = TestPasskeys()
        other.isCancelled = true
        await #expect(throws: OkaeriError.cancelled) { try await okaeri.addPasskey(with: other) }
        await #expect(throws: OkaeriError.cancelled) { try await okaeri.logInWithPasskey(other) }
        other.isCancelled = false
        other.associatedDomain = "another.example"
        await #expect(throws: OkaeriError.passkeyRefused(.unavailable)) { try await okaeri.addPasskey(with: other) }
        #expect(world.server.requests(to: APIPath.passkeys).count { $0.method == "POST" } == 1)
    }

    @Test("does not exist where the application has none, which its profile says")
    func disabled() async throws {
        world.server.passkeyDomain = nil
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        #expect(try await okaeri.applicationProfile().passkeys == nil)
        await #expect(throws: OkaeriError.passkeyRefused(.notEnabled)) { try await okaeri.addPasskey(with: passkeys) }
        await #expect(throws: OkaeriError.passkeyRefused(.notEnabled)) { try await okaeri.logInWithPasskey(passkeys) }
        world.server.passkeyDomain = "example.com"
        #expect(try await okaeri.applicationProfile().passkeys?.domain == "example.com")
    }

    @Test("that was refused is forgotten by the device, one whose server went away is not")
    func refusedByServer() async throws {
        let okaeri = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        try await okaeri.logInAutomatically()
        passkeys.origin = "https://evil.test"
        await #expect(throws: OkaeriError.passkeyRefused(.invalid(rule: "origin"))) {
            try await okaeri.addPasskey(with: passkeys)
        }
        #expect(passkeys.forgotten.count == 1 && passkeys.credentials.isEmpty)
        passkeys.origin = nil
        world.server.fail(.unreachable, path: APIPath.passkeys)
        await #expect(throws: OkaeriError.offline) { try await okaeri.addPasskey(with: passkeys) }
        #expect(passkeys.forgotten.count == 1 && passkeys.credentials.count == 1)
    }

    @Test("is added once when the response gets lost, also by a guest whose log-in is old", arguments: [0, 700])
    func lostAddition(age: Int) async throws {
        let okaeri = world.launch(inBackground: false)
        try await okaeri.logInAutomatically()
        world.clock.advance(by: .seconds(age))
        world.server.fail(.lostResponse, path: APIPath.passkeys)
        async let adding = okaeri.addPasskey(named: "My phone", with: passkeys)
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(try await adding.name == "My phone")
        #expect(try await okaeri.passkeys().count == 1)
        #expect(await okaeri.currentUser?.isAnonymous == false && passkeys.forgotten.isEmpty)
    }

    @Test("of another account leads to the choice between the two also when the response gets lost")
    func lostMerge() async throws {
        let id = try await owner().currentUser?.id
        let guest = world.launch(vault: TestVault(), inBackground: false)
        try await guest.logInAutomatically()
        let proof = try await guest.passkeyProof(from: passkeys)
        world.server.fail(.lostResponse, path: APIPath.mergeByPasskey)
        async let conflict = guest.mergeConflict(by: proof)
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        let found = try #require(try await conflict)
        // Nobody else is helped by it.
        let stranger = world.launch(vault: TestVault(), inBackground: false)
        try await stranger.logInAutomatically()
        await #expect(throws: OkaeriError.self) { try await stranger.mergeConflict(by: proof) }
        #expect(try await guest.resolve(found, by: .switch).user.id == id)
    }

    @Test("logs in once when the response gets lost")
    func lostLogIn() async throws {
        _ = try await owner()
        let tablet = world.launch(vault: TestVault(), inBackground: false)
        let before = world.server.sessionCount
        world.server.fail(.lostResponse, path: APIPath.logInWithPasskey)
        async let logIn = tablet.logInWithPasskey(passkeys)
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(try await !logIn.user.isAnonymous)
        #expect(world.server.sessionCount == before + 1)
    }

    private static let options =
        #"{"publicKey":{"challenge":"C","timeout":300000,"rpId":"R","userVerification":"required"}}"#

    @Test(
        "is not asked for with options that make no sense",
        arguments: [
            (options.replacing("\"C\"", with: "\"\""), true), (options.replacing("\"C\"", with: "\"a b\""), true),
            (options.replacing("\"C\"", with: "\"\(String(repeating: "A", count: 100_000))\""), true),
            (options.replacing("\"R\"", with: "\"\""), true), (options.replacing("\"R\"", with: "\"a/b\""), true),
            (options.replacing("\"R\"", with: "\"\(String(repeating: "a", count: 254))\""), true),
            (options.replacing("\"C\"", with: "7"), false), (options.replacing("300000", with: "1e99"), false),
            (String(repeating: "[", count: 100_000), false), ("{}", false),
        ])
    func hostile(body: String, isRead: Bool) async throws {
        let okaeri = world.launch()
        let response = TransportResponse(
            status: 200, headers: ["Content-Type": "application/json"],
            body: Data(body.replacing("\"C\"", with: "\"AAAA\"").replacing("\"R\"", with: "\"example.com\"").utf8))
        world.server.fail(.response(response), path: APIPath.requestPasskeyLogIn)
        let error: OkaeriError = isRead ? .passkeyRefused(.optionsMalformed) : .unexpectedResponse(status: 200)
        await #expect(throws: error) { try await okaeri.passkeyProof(from: passkeys) }
    }

    @Test("is removed also when the answer is lost, and the device forgets it")
    func lostRemoval() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        let added = try await okaeri.addPasskey(with: passkeys)
        let credential = try #require(passkeys.credentials.first)
        world.server.fail(.lostResponse, path: APIPath.passkey(added.id))
        async let removal: Void = okaeri.removePasskey(added.id, from: passkeys)
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        try await removal
        #expect(passkeys.forgotten == [credential])
        #expect(try await okaeri.passkeys().isEmpty)
    }

    @Test("takes a challenge's end from a hostile server as one of minutes", arguments: [Int64.min, 0, Int64.max])
    func hostileEnd(milliseconds: Int64) async throws {
        let okaeri = world.launch()
        let body = Self.options.replacing("\"C\"", with: "\"AAAA\"").replacing("\"R\"", with: "\"example.com\"")
            .replacing("300000", with: "\(milliseconds)")
        world.server.fail(
            .response(
                TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: Data(body.utf8))),
            path: APIPath.requestPasskeyLogIn)
        let asking = Task { try await okaeri.passkeyProof(from: passkeys, presentation: .autoFill) }
        await passkeys.waitForAutoFill()
        await world.clock.waitForSleepers()
        #expect(world.clock.pendingSleeps.allSatisfy { $0 >= .seconds(14) && $0 <= .seconds(600) })
        asking.cancel()
        await #expect(throws: OkaeriError.cancelled) { try await asking.value }
    }
}
