import Crypto
import Domain
import Foundation
import StorageSQLite
import TestWorld
import Testing

@Suite("An access token for the app's own backends (RFC 9068)")
struct AccessTokenTests {
    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    @Test("says who, for whom, since when and until when")
    func claims() async throws {
        let (who, application) = try await someone(audiences: ["https://api.example.com"])
        let token = try await world.modules.sessions.mintAccessToken(for: who, audience: "https://api.example.com")
        let (header, claims) = try decoded(token)
        #expect(header["typ"] as? String == "at+jwt" && header["alg"] as? String == "ES256")
        #expect(claims["iss"] as? String == "https://id.example.com")
        #expect(claims["sub"] as? String == who.user.id.rawValue)
        #expect(claims["sid"] as? String == who.session.id.rawValue)
        #expect(claims["aud"] as? String == "https://api.example.com")
        #expect(claims["client_id"] as? String == application.id.rawValue)
        #expect(claims["is_anonymous"] as? Bool == true)
        #expect(claims["amr"] as? [String] == ["pop"] && claims["acr"] as? String == "0")
        let now = Int(world.clock.now.milliseconds / 1000)
        #expect(claims["iat"] as? Int == now && claims["exp"] as? Int == now + 600)
        #expect(claims["auth_time"] as? Int == now)
        #expect((claims["jti"] as? String)?.count == 22)
    }

    @Test("is for the application itself unless another is asked for, and for nobody that it does not list")
    func audience() async throws {
        let (who, application) = try await someone(audiences: [])
        let (_, claims) = try decoded(try await world.modules.sessions.mintAccessToken(for: who, audience: nil))
        #expect(claims["aud"] as? String == application.id.rawValue)
        await #expect(throws: DomainError.audienceNotAllowed) {
            try await world.modules.sessions.mintAccessToken(for: who, audience: "https://api.example.com")
        }
    }

    @Test(
        "is signed for nobody whose session ended, or who was kept out, while the request was under way",
        arguments: 0..<3)
    func endedMeanwhile(way: Int) async throws {
        let (who, application) = try await someone(audiences: [])
        let modules = world.modules
        switch way {
        case 0: try await modules.sessions.endSession(who.session.id, of: nil, in: application.id, by: .local)
        case 1: try await modules.accounts.setUserDisabled(who.user.id, in: application, isDisabled: true, by: .local)
        default: _ = try await modules.deletion.deleteUser(who.user.id, in: application, by: .local)
        }
        await #expect(throws: DomainError.sessionInvalid) {
            try await modules.sessions.mintAccessToken(for: who, audience: nil)
        }
    }

    @Test("is verified by a published key, before and after a rotation, whose key signs when everybody can know it")
    func rotation() async throws {
        let (who, _) = try await someone(audiences: [])
        let old = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        #expect(try await isVerified(old))
        world.clock.advance(by: .seconds(1))
        let newKey = try await world.modules.sessions.rotateSigningKeys(by: .local).id
        for _ in 0..<2 {
            let between = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
            #expect(try decoded(between).0["kid"] as? String == decoded(old).0["kid"] as? String)
            world.clock.advance(by: .seconds(599))
        }
        let new = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        #expect(try decoded(new).0["kid"] as? String == newKey)
        #expect(try decoded(old).0["kid"] as? String != newKey)
        #expect(try await isVerified(old))
        #expect(try await isVerified(new))
    }

    @Test("outlives no rotation that would take its key away too early")
    func earlyRotation() async throws {
        let (who, _) = try await someone(audiences: [])
        let old = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        world.clock.advance(by: .seconds(1))
        _ = try await world.modules.sessions.rotateSigningKeys(by: .local)
        world.clock.advance(by: .seconds(599))
        let last = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        #expect(try decoded(last).0["kid"] as? String == decoded(old).0["kid"] as? String)
        world.clock.advance(by: .seconds(600))
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(1))) {
            try await world.modules.sessions.rotateSigningKeys(by: .local)
        }
        #expect(try await isVerified(last))
        world.clock.advance(by: .seconds(1))
        _ = try await world.modules.sessions.rotateSigningKeys(by: .local)
        #expect(try await !isVerified(last))
        #expect(try await world.modules.sessions.signingKeys().count == 2)
    }

    @Test("is signed by keys that can be rotated after the clock was ahead and was set right")
    func clockSetBack() async throws {
        let (who, _) = try await someone(audiences: [])
        let (sessions, ahead) = (world.modules.sessions, Duration.days(365))
        world.clock.advance(by: ahead)
        let old = try await sessions.mintAccessToken(for: who, audience: nil)
        let made = try await sessions.rotateSigningKeys(by: .local)
        #expect(made.signsAt == world.clock.now + SigningKeys.publication + .milliseconds(1) && !made.isBehindAhead)
        world.clock.advance(by: .zero - ahead)
        let next = try await sessions.rotateSigningKeys(by: .local)
        #expect(next.signsAt == made.signsAt + .milliseconds(1) && next.isBehindAhead)
        #expect(try await sessions.signingKeys().map(\.id) == [next.id, made.id])
        #expect(try await !isVerified(old))
        #expect(try await isVerified(try await sessions.mintAccessToken(for: who, audience: nil)))
    }

    @Test("is signed by the newest published key, also of two that were made in one millisecond")
    func rotatedAtOnce() async throws {
        let (who, _) = try await someone(audiences: [])
        let (sessions, now) = (world.modules.sessions, world.clock.now)
        let first = try #require(try await sessions.signingKeys().first)
        let second = try await sessions.rotateSigningKeys(by: .local).id
        let keys = try await sessions.signingKeys()
        #expect(keys.map(\.id) == [second, first.id])
        #expect(first.createdAt == now && keys.first?.createdAt == now + .milliseconds(1))
        world.clock.advance(by: SigningKeys.publication + .milliseconds(1))
        let token = try await sessions.mintAccessToken(for: who, audience: nil)
        #expect(try decoded(token).0["kid"] as? String == second)
    }

    private func someone(audiences: [String]) async throws -> (Authenticated, Application) {
        let application = try await world.makeApplication(settings: .init(audiences: audiences))
        let logIn = try await world.logIn(TestDevice(), to: application)
        return (try await world.authenticate(logIn.token, in: application), application)
    }

    private func decoded(_ token: Secret) throws -> ([String: Any], [String: Any]) {
        let parts = try token.revealed.split(separator: ".").prefix(2).map { part in
            let bytes = try #require(Base64URL.bytes(of: part.utf8))
            return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        }
        return (parts[0], parts[1])
    }

    /// Verifies with the published keys, as a backend would.
    private func isVerified(_ token: Secret) async throws -> Bool {
        let parts = token.revealed.split(separator: ".")
        let keyID = try decoded(token).0["kid"] as? String
        guard
            let published = try await world.modules.sessions.signingKeys().first(where: { $0.id == keyID })?.publicKey,
            let x = Base64URL.bytes(of: published.x.utf8), let y = Base64URL.bytes(of: published.y.utf8),
            let signature = Base64URL.bytes(of: parts[2].utf8)
        else { return false }
        let key = try P256.Signing.PublicKey(x963Representation: [4] + x + y)
        return key.isValidSignature(
            try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Data("\(parts[0]).\(parts[1])".utf8))
    }
}
