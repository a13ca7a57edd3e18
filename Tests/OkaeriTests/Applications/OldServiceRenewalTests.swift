import Foundation
import OkaeriTesting
@_spi(Base64URL) import OkaeriWire
import Testing

@testable import Okaeri

@Suite("A refresh token of an old service")
struct OldServiceRenewalTests {
    typealias Kind = OldServiceDevice.Kind
    typealias Behaviour = OldServiceHosts.Behaviour

    private let device = OldServiceDevice()
    private var hosts: OldServiceHosts { device.hosts }
    private static let silent: [Behaviour] = [.losesAnswers, .isUnreachable, .isDown, .isDownAfter]

    /// A session whose token has ended, of a user whom the server knows.
    private func leave(_ kind: Kind) throws {
        try device.leave(kind, token: nil)
        device.world.server.takeIn("hana", from: kind.rawValue, token: device.fresh)
    }

    private func wait(_ seconds: Int) { device.world.clock.advance(by: .seconds(seconds)) }

    private func failure(_ kind: Kind) async -> OkaeriError? {
        do throws(OkaeriError) {
            _ = try await device.adopt(kind)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "whose answer is lost leads to the user all the same, and the session at the service goes on",
        arguments: Kind.allCases, silent)
    func lost(kind: Kind, behaviour: Behaviour) async throws {
        try leave(kind)
        hosts.behave(behaviour)
        let error = await failure(kind)
        #expect(error == .offline || error == .serverUnavailable(retryAfter: nil))
        #expect(try device.isLeft(kind))
        hosts.behave(.answers)
        // Not at once, also after a new launch of the app.
        #expect(await failure(kind) == .serverUnavailable(retryAfter: .seconds(5)))
        #expect(hosts.sent == ["refresh-0"])
        wait(5)
        #expect(try await device.adopt(kind)?.user.id == "hana")
        #expect(hosts.sent == ["refresh-0", "refresh-0"] && !hosts.session(kind).isEnded)
        #expect(try !device.isLeft(kind) && device.record(kind) == nil)
    }

    @Test("whose answer is lost for a day does not end the session of a service that detects reuse")
    func outage() async throws {
        try leave(.supabase)
        hosts.behave(.losesAnswers)
        for distance in [5, 20, 80, 320, 1280, 5120, 20480] {
            _ = await failure(.supabase)
            wait(distance - 1)
            guard case .serverUnavailable? = await failure(.supabase) else { return #expect(Bool(false)) }
            wait(1)
        }
        #expect(hosts.sent == Array(repeating: "refresh-0", count: 7))
        // What the service gave meanwhile is lost, and it gives the same one again.
        #expect(hosts.session(.supabase).tokens == ["refresh-0", "refresh-1"])
        #expect(!hosts.session(.supabase).isEnded)
    }

    @Test("is not sent again once it was answered: the next one is its successor", arguments: Kind.allCases)
    func answered(kind: Kind) async throws {
        try device.leave(kind, token: nil)
        hosts.cognitoRotates.withValue { $0 = true }
        device.world.server.isOffline = true
        #expect(await failure(kind) == .offline)
        wait(7200)
        #expect(await failure(kind) == .offline)
        // Firebase names the same one as the next; the others rotate.
        #expect(hosts.sent[0] == "refresh-0" && hosts.sent.count == 2)
        #expect((hosts.sent[1] == "refresh-0") == (kind == .firebase))
        #expect(!hosts.session(kind).isEnded)
    }

    @Test("of a client that rotates is taken twice within the grace period", arguments: [(5, true), (61, false)])
    func grace(seconds: Int, isTaken: Bool) async throws {
        try leave(.cognito)
        hosts.cognitoRotates.withValue { $0 = true }
        hosts.behave(.losesAnswers)
        _ = await failure(.cognito)
        hosts.behave(.answers)
        wait(seconds)
        #expect(await failure(.cognito) == (isTaken ? nil : .credentialRefused))
        #expect(try !device.isLeft(.cognito))
    }

    @Test("is marked before it leaves the device; a kill between the two loses nothing", arguments: Kind.allCases)
    func killed(kind: Kind) async throws {
        try leave(kind)
        let (device, copy) = (device, OldServiceDevice())
        // What the Keychain holds when the request begins, on a device where nothing is sent after that.
        hosts.onArrival.withValue {
            $0 = {
                for (service, items) in device.keychain.withValue({ $0 }) {
                    let kept = items.items.withValue { $0 }
                    (copy.old.items(service) as? MemoryItems)?.items.withValue { $0 = kept }
                }
            }
        }
        hosts.behave(.isUnreachable)
        _ = await failure(kind)
        #expect(try copy.record(kind) != nil && copy.isLeft(kind))
        copy.world.server.takeIn("hana", from: kind.rawValue, token: copy.fresh)
        await #expect(throws: OkaeriError.serverUnavailable(retryAfter: .seconds(5))) { try await copy.adopt(kind) }
        copy.world.clock.advance(by: .seconds(5))
        #expect(try await copy.adopt(kind)?.user.id == "hana")
        #expect(copy.hosts.sent == ["refresh-0"])
    }

    @Test("that has certainly not left the device is sent at the next try")
    func offline() async throws {
        try leave(.supabase)
        hosts.behave(.isOffline)
        #expect(await failure(.supabase) == .offline)
        hosts.behave(.answers)
        #expect(try await device.adopt(.supabase)?.user.id == "hana")
        #expect(hosts.sent == ["refresh-0"])
    }

    @Test("is not sent while the mark cannot be stored")
    func unwritable() async throws {
        try leave(.firebase)
        let (keychain, service) = (device.keychain, try OldServiceDevice.service(.firebase))
        let old = OldSessions(home: "/nowhere", bundleIdentifier: "com.example.game", defaultsSuite: nil) { name in
            name == OldSessions.renewalService ? UnwritableItems() : keychain.withValue { $0[name] }
        }
        await #expect(throws: OkaeriError.self) { try await device.client.adopt(from: service, in: old) }
        #expect(hosts.requests.isEmpty)
        #expect(try device.isLeft(.firebase))
    }

    @Test("that the service refuses is removed, and never sent again", arguments: Kind.allCases)
    func refused(kind: Kind) async throws {
        try leave(kind)
        hosts.end(kind)
        #expect(await failure(kind) == .credentialRefused)
        #expect(try !device.isLeft(kind) && device.record(kind) == nil)
        #expect(try await device.adopt(kind) == nil)
        #expect(hosts.sent == ["refresh-0"])
    }

    @Test("that was refused and cannot be removed is not sent again either")
    func stuck() async throws {
        try leave(.supabase)
        hosts.end(.supabase)
        let items = try device.items(.supabase).items
        items.refusesRemoval.withValue { $0 = true }
        for _ in 0..<3 {
            #expect(await failure(.supabase) == .credentialRefused)
            wait(86_400)
        }
        #expect(hosts.sent == ["refresh-0"])
        items.refusesRemoval.withValue { $0 = false }
        #expect(await failure(.supabase) == .credentialRefused)
        #expect(try !device.isLeft(.supabase) && device.record(.supabase) == nil)
        // A new log-in by the old app is another refresh token.
        try device.leave(.supabase, token: nil, refreshToken: "refresh-9")
        #expect(await failure(.supabase) == .credentialRefused)
        #expect(hosts.sent == ["refresh-0", "refresh-9"])
    }

    @Test(
        "stays when the service is busy or talks nonsense, or a network shows its own page instead",
        arguments: [
            (Behaviour.isBusy, OkaeriError.rateLimited(retryAfter: nil)),
            (.talksNonsense, .unexpectedResponse(status: 200)), (.isBlocked, .unexpectedResponse(status: 403)),
        ])
    func unclear(behaviour: Behaviour, error: OkaeriError) async throws {
        try leave(.supabase)
        hosts.behave(behaviour)
        #expect(await failure(.supabase) == error)
        #expect(try device.isLeft(.supabase))
        hosts.behave(.answers)
        wait(5)
        #expect(try await device.adopt(.supabase)?.user.id == "hana")
    }

    @Test("stays when the app names itself wrongly: the next version may do better", arguments: Kind.allCases)
    func wrongApp(kind: Kind) async throws {
        try leave(kind)
        let wrong: OldService =
            switch kind {
            case .firebase: .firebase(googleAppID: "1:2:ios:3", apiKey: "other")
            case .supabase: .supabase(url: try #require(URL(string: "https://abc.supabase.co")), apiKey: "other")
            case .cognito: .cognito(userPool: "eu-west-1_Pool", client: "other", identityPool: "eu-west-1:ids")
            }
        await #expect(throws: OkaeriError.credentialRefused) {
            try await device.client.adopt(from: wrong, in: device.old)
        }
        #expect(try device.isLeft(kind))
        wait(5)
        #expect(try await device.adopt(kind)?.user.id == "hana")
    }

    /// Both errors of Cognito have one name.
    @Test(
        "is refused when the service says so, and not when it misses the client's secret",
        arguments: [
            ("Invalid Refresh Token.", OldService.Outcome.refused),
            ("Client 1h57 is configured with secret but SECRET_HASH was not received", .unclear),
            ("Unable to verify Secret hash for client 1h57", .unclear),
        ])
    func secretOfClient(message: String, outcome: OldService.Outcome) throws {
        let body = Data(#"{"__type":"NotAuthorizedException","message":"\#(message)"}"#.utf8)
        let service = try OldServiceDevice.service(.cognito)
        #expect(service.outcome(of: TransportResponse(status: 400, body: body)) == outcome)
    }

    @Test("is marked by one of two processes that begin at once")
    func processes() throws {
        let (service, old) = (try OldServiceDevice.service(.supabase), device.old)
        let mark = OldTokenRenewal(of: "refresh-0").sent(at: device.world.clock.now)
        #expect(try old.mark(mark, over: nil, for: service))
        #expect(try !old.mark(mark.sent(at: device.world.clock.now), over: nil, for: service))
        // The mark about a former credential is in nobody's way.
        #expect(try old.mark(OldTokenRenewal(of: "refresh-9"), over: nil, for: service))
    }

    @Test(
        "waits longer after each sending, for a day at the most, and not at all when the clock went back",
        arguments: zip([1, 2, 3, 7, 8, 9, 500], [5, 20, 80, 20_480, 81_920, 86_400, 86_400]))
    func distances(sendings: Int, seconds: Int) {
        let now = device.world.clock.now
        var renewal = OldTokenRenewal(of: "refresh-0")
        #expect(renewal.wait(at: now) == nil)
        for _ in 0..<sendings { renewal = renewal.sent(at: now) }
        #expect(renewal.wait(at: now) == .seconds(seconds))
        #expect(renewal.wait(at: now.addingTimeInterval(Double(seconds) - 1)) == .seconds(1))
        #expect(renewal.wait(at: now.addingTimeInterval(Double(seconds))) == nil)
        #expect(renewal.wait(at: now.addingTimeInterval(-1)) == nil)
    }

    @Test(
        "with a stored mark of any numbers stops nothing",
        arguments: ["1e308", "-1e308", "0", "-9223372036854775808", "null"], ["9223372036854775807", "-1", "null"])
    func numbers(sentAt: String, sendings: String) throws {
        let text = #"{"of":"a","refreshToken":"a","sentAt":\#(sentAt),"sendings":\#(sendings)}"#
        let renewal = try UntrustedJSON.decode(OldTokenRenewal.self, from: Data(text.utf8))
        let wait = renewal.wait(at: device.world.clock.now)
        #expect(wait ?? .zero <= OldTokenRenewal.longestDistance)
        #expect(renewal.sent(at: device.world.clock.now).wait(at: device.world.clock.now) != nil)
    }
}

/// A store of secrets that takes nothing.
private struct UnwritableItems: SecureItems {
    func read(_ name: String) throws(VaultError) -> Data? { nil }
    func add(_ name: String, _ data: Data) throws(VaultError) -> Bool { throw .unwritable("by the test") }
    func replace(_ name: String, _ data: Data) throws(VaultError) { throw .unwritable("by the test") }
    func remove(_ name: String) throws(VaultError) {}
}
