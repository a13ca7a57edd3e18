import Crypto
import Foundation
import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What a token is worth now (RFC 7662), and its end (RFC 7009).
@Suite("A token that a backend asks about")
struct IntrospectTokenTests {
    private let world: TestWorld
    private let application: Application

    init() async throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        application = try await world.makeApplication()
    }

    private func someone(_ name: String = "hana") async throws -> (who: Authenticated, token: Secret) {
        let logIn = try await world.signUp(name, to: application)
        return (try await world.authenticate(logIn.token, in: application), logIn.token)
    }

    private func find(_ token: String, in application: Application? = nil) async throws -> IntrospectToken.Found? {
        try await world.modules.sessions.introspectToken(token, in: application ?? self.application)
    }

    private func isKnown(_ token: String, in application: Application? = nil) async throws -> Bool {
        try await find(token, in: application) != nil
    }

    @Test("is a session, or an access token with its claims")
    func kinds() async throws {
        let (who, token) = try await someone()
        guard case .session(let found)? = try await find(token.revealed) else {
            Issue.record("no session")
            return
        }
        #expect(found.session.id == who.session.id)
        let access = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        guard case .accessToken(let claims)? = try await find(access.revealed) else {
            Issue.record("no access token")
            return
        }
        #expect(claims["sub"] == .string(who.user.id.rawValue) && claims["sid"] == .string(who.session.id.rawValue))
    }

    @Test("is worth nothing in another application")
    func otherApplication() async throws {
        let other = try await world.makeApplication("Other")
        let (who, token) = try await someone()
        let access = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        for text in [token.revealed, access.revealed] {
            #expect(try await isKnown(text))
            #expect(try await !isKnown(text, in: other))
        }
    }

    @Test("is an access token's worth for ten minutes, in whole seconds", arguments: [0, 599_999, 600_000, 600_001])
    func end(after: Int) async throws {
        let (who, _) = try await someone()
        let access = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        world.clock.advance(by: .milliseconds(after))
        #expect(try await isKnown(access.revealed) == (after < 600_000))
    }

    @Test("is worth nothing once its session is over, or its user kept out")
    func ended() async throws {
        let (who, token) = try await someone()
        let access = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        var user = who.user
        user.disabledAt = world.clock.now
        let disabled = user
        try await world.engine.write { transaction throws(DomainError) in try transaction.updateStanding(of: disabled) }
        #expect(try await !isKnown(access.revealed))
        user.disabledAt = nil
        let enabled = user
        try await world.engine.write { transaction throws(DomainError) in try transaction.updateStanding(of: enabled) }
        #expect(try await isKnown(access.revealed))
        try await world.modules.sessions.logOut(who)
        #expect(try await !isKnown(access.revealed))
        #expect(try await !isKnown(token.revealed))
    }

    @Test("is worth nothing after a rotation that takes its key away")
    func rotated() async throws {
        let (who, _) = try await someone()
        let access = try await world.modules.sessions.mintAccessToken(for: who, audience: nil).revealed
        _ = try await world.modules.sessions.rotateSigningKeys(by: .local)
        #expect(try await isKnown(access))
        world.clock.advance(by: .seconds(599))
        #expect(try await isKnown(access))
    }

    @Test("is nothing when any of its signs is another one", arguments: UInt64(0)..<60)
    func altered(seed: UInt64) async throws {
        var draw = SeededGenerator(state: seed)
        let (who, _) = try await someone()
        var token = Array(try await world.modules.sessions.mintAccessToken(for: who, audience: nil).revealed)
        let position = draw.number(below: token.count)
        let before = token[position]
        token[position] = draw.pick(Array("Aa0-_.x").filter { $0 != before })
        #expect(try await !isKnown(String(token)), "\(seed) at \(position)")
    }

    /// A token that is signed as the server signs, with other contents.
    private func forged(
        _ claims: [String: JSONValue], header: [String: JSONValue], key: P256.Signing.PrivateKey
    ) throws -> String {
        let encoder = JSONEncoder()
        let signed =
            Base64URL.text(of: try encoder.encode(header)) + "." + Base64URL.text(of: try encoder.encode(claims))
        let signature = try key.signature(for: Array(signed.utf8)).rawRepresentation
        return signed + "." + Base64URL.text(of: signature)
    }

    static let changes: [(name: String, header: Bool, member: String, value: JSONValue?)] = [
        ("as it is", true, "none", nil), ("another type", true, "typ", "JWT"), ("no type", true, "typ", nil),
        ("no algorithm", true, "alg", "none"), ("another algorithm", true, "alg", "HS256"),
        ("no key", true, "kid", nil),
        ("another key", true, "kid", "x"), ("a number as key", true, "kid", 1), ("another issuer", false, "iss", "x"),
        ("no issuer", false, "iss", nil), ("another application", false, "client_id", "x"),
        ("no application", false, "client_id", nil), ("no end", false, "exp", nil),
        ("a text as end", false, "exp", "9"),
        ("a header that is longer than this server's", true, "more", .string(String(repeating: "x", count: 500))),
        ("a past end", false, "exp", 1), ("another user", false, "sub", "x"), ("no user", false, "sub", nil),
        ("another session", false, "sid", "x"), ("no session", false, "sid", nil), ("a list", false, "sid", []),
    ]

    @Test("is nothing when one of its members is another one, no matter who signed it", arguments: changes.indices)
    func members(index: Int) async throws {
        let change = Self.changes[index]
        let (who, _) = try await someone()
        let key = try #require(try await world.modules.sessions.signingKeys().first)
        let end = world.clock.now.milliseconds / 1000 + 60
        var claims: [String: JSONValue] = [
            "iss": "https://id.example.com", "client_id": .string(application.id.rawValue), "exp": .integer(end),
            "sub": .string(who.user.id.rawValue), "sid": .string(who.session.id.rawValue),
        ]
        var header: [String: JSONValue] = ["typ": "at+jwt", "alg": "ES256", "kid": .string(key.id)]
        if change.header { header[change.member] = change.value } else { claims[change.member] = change.value }
        let isRight = change.name == "as it is"
        let token = try forged(claims, header: header, key: key.privateKey)
        #expect(try await isKnown(token) == isRight, "\(change.name)")
        // By another key it is nothing, however right it is.
        #expect(try await !isKnown(try forged(claims, header: header, key: P256.Signing.PrivateKey())))
    }

    @Test(
        "is none of these texts",
        arguments: [
            "", ".", "..", "...", "a.b.c", "a.b", "{}.{}.{}", "e30.e30.e30", String(repeating: "A", count: 20_000),
        ])
    func other(text: String) async throws { #expect(try await !isKnown(text)) }

    @Test("ends with its revocation, and nothing is said of any other text")
    func revoked() async throws {
        let (who, token) = try await someone()
        let other = try await world.makeApplication("Other")
        let access = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        let revoke = world.modules.sessions.revokeToken
        for text in ["", "x", access.revealed] { try await revoke(text, in: application) }
        try await revoke(token.revealed, in: other)
        #expect(try await isKnown(token.revealed))
        try await revoke(token.revealed, in: application)
        #expect(try await !isKnown(token.revealed))
        try await revoke(token.revealed, in: application)
    }

    @Test("of a session without a key is worth nothing while proofs are wanted, and ends with its revocation")
    func revokedWithoutKey() async throws {
        let ((who, kept), (_, revoked)) = (try await someone(), try await someone("kenji"))
        let access = try await world.modules.sessions.mintAccessToken(for: who, audience: nil)
        func wantProofs(_ areWanted: Bool) async throws -> Application {
            try await world.modules.applications.changeApplication(
                application.id, isCurrent: { _ in true }, by: .local
            ) { $0.settings.proofRequired = areWanted }
        }
        let strict = try await wantProofs(true)
        for token in [kept, revoked, access] { #expect(try await !isKnown(token.revealed, in: strict)) }
        try await world.modules.sessions.revokeToken(revoked.revealed, in: strict)
        let open = try await wantProofs(false)
        for token in [kept, access] { #expect(try await isKnown(token.revealed, in: open)) }
        #expect(try await !isKnown(revoked.revealed, in: open))
    }
}
