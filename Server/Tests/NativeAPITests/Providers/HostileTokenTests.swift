import Crypto
import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// Ways to spoil an identity token, each with the words that the refusal must have.
enum Hostility: String, CaseIterable, Sendable {
    case noAlgorithm, sharedSecretOfPublicKey, otherAlgorithm, unknownKey, noKey, foreignKey, wrongIssuer
    case wrongAudience, foreignParty, wrongNonce, noNonce, plainNonce, expired, noExpiry, future, notYet, unsigned
    case truncated, huge, otherKeyAddress, embeddedKey, certificate, criticalExtension, noSubject, longSubject
    case controlInSubject, textAsTime, notJSON, padded, twoMembers, nestedDeep, empty, twoParts, fourParts

    /// What the problem's detail must speak of.
    var word: String {
        switch self {
        case .noAlgorithm, .sharedSecretOfPublicKey, .otherAlgorithm: "alg"
        case .unknownKey, .noKey: "kid"
        case .foreignKey, .unsigned, .truncated, .otherKeyAddress, .embeddedKey, .certificate: "signature"
        case .wrongIssuer: "iss"
        case .wrongAudience, .foreignParty: "aud"
        case .wrongNonce, .noNonce, .plainNonce: "nonce"
        case .expired, .noExpiry, .textAsTime: "expired"
        case .future, .notYet: "iat"
        case .criticalExtension: "crit"
        case .noSubject, .longSubject, .controlInSubject: "sub"
        case .huge, .notJSON, .padded, .twoMembers, .nestedDeep, .empty, .twoParts, .fourParts: "JWT"
        }
    }

    func token(_ world: AppleWorld) throws -> String {
        let key = world.apple.key
        let now = world.server.clock.now.milliseconds / 1000
        var claims = world.apple.claims(
            of: AppleWorld.hana, audience: AppleWorld.bundle, nonce: AppleWorld.hashed(AppleWorld.nonce))
        switch self {
        case .noAlgorithm: return try FakeKey.signedPart(header: ["alg": "none"], claims) + "."
        case .sharedSecretOfPublicKey:
            let signed = try FakeKey.signedPart(header: ["alg": "HS256", "kid": .string(key.id)], claims)
            let code = HMAC<SHA256>.authenticationCode(
                for: Array(signed.utf8), using: SymmetricKey(data: Array(key.publicPEM.utf8)))
            return signed + "." + Base64URL.text(of: Array(code))
        case .otherAlgorithm: return try FakeKey.p256(id: key.id).token(claims)
        case .unknownKey: return try key.token(claims, header: ["kid": "another"])
        case .noKey: return try key.token(claims, header: ["kid": nil])
        case .foreignKey: return try FakeHost.keys.get()[1].token(claims, header: ["kid": .string(key.id)])
        case .wrongIssuer: claims["iss"] = "https://appleid.apple.com.example.com"
        case .wrongAudience: claims["aud"] = "com.example.other"
        case .foreignParty:
            claims["aud"] = ["com.example.other", .string(AppleWorld.bundle)]
            claims["azp"] = "com.example.other"
        case .wrongNonce: claims["nonce"] = .string(AppleWorld.hashed("another"))
        case .noNonce: claims["nonce"] = nil
        case .plainNonce: claims["nonce"] = .string(AppleWorld.nonce)
        case .expired: claims["exp"] = .integer(now - 60)
        case .noExpiry: claims["exp"] = nil
        case .future: claims["iat"] = .integer(now + 61)
        case .notYet: claims["nbf"] = .integer(now + 61)
        case .unsigned: return try FakeKey.signedPart(header: ["alg": "RS256", "kid": .string(key.id)], claims) + "."
        case .truncated: return String(try key.token(claims).dropLast(2))
        case .huge: claims["filler"] = .string(String(repeating: "x", count: 100_000))
        case .otherKeyAddress:
            let header: [String: JSONValue] = ["jku": "https://evil.example/keys", "kid": .string(key.id)]
            return try FakeHost.keys.get()[1].token(claims, header: header)
        case .embeddedKey:
            let other = try FakeHost.keys.get()[1]
            return try other.token(claims, header: ["jwk": try other.publicMembers(), "kid": .string(key.id)])
        case .certificate:
            let header: [String: JSONValue] = [
                "x5u": "https://evil.example/c", "x5c": ["MII="], "kid": .string(key.id),
            ]
            return try FakeHost.keys.get()[1].token(claims, header: header)
        case .criticalExtension: return try key.token(claims, header: ["crit": ["b64"], "b64": false])
        case .noSubject: claims["sub"] = nil
        case .longSubject: claims["sub"] = .string(String(repeating: "s", count: 256))
        case .controlInSubject: claims["sub"] = "a\u{0}b"
        case .textAsTime: claims["exp"] = "tomorrow"
        case .notJSON: return "\(Base64URL.text(of: Array("{".utf8))).e30.AA"
        case .padded: return try key.token(claims) + "=="
        case .twoMembers:
            let header = #"{"alg":"RS256","alg":"none","kid":"\#(key.id)"}"#
            return "\(Base64URL.text(of: Array(header.utf8))).e30.AA"
        case .nestedDeep:
            let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
            return "\(Base64URL.text(of: Array(#"{"alg":\#(deep)}"#.utf8))).e30.AA"
        case .empty: return ""
        case .twoParts: return "e30.e30"
        case .fourParts: return try key.token(claims) + ".AA"
        }
        return try key.token(claims)
    }
}

@Suite("Hostile identity tokens")
struct HostileTokenTests {
    @Test("are refused with the fault by name, and nobody is made", arguments: Hostility.allCases)
    func refused(hostility: Hostility) async throws {
        let world = try await AppleWorld()
        let answer = try await world.logIn(token: try hostility.token(world))
        expect(answer, 401, .providerTokenInvalid)
        let detail = try answer.read(Problem.self).detail ?? ""
        #expect(detail.contains(hostility.word), "\(detail)")
        #expect(answer.headers[.wwwAuthenticate] == "Okaeri-Provider")
        #expect(try await world.userCount() == 0)
    }

    @Test(
        "are refused for times that no clock has, whether they are before or after all others",
        arguments: ["exp", "nbf", "iat"],
        [
            JSONValue.integer(.max), .integer(.min), .integer(.min + 1), .number(1e300), .number(-1e300),
            .integer(253_402_300_800), .integer(-62_167_219_201), .number(0x1p63), "9223372036854775807", [1], true,
        ])
    func extremeTimes(claim: String, time: JSONValue) async throws {
        let world = try await AppleWorld()
        var claims = world.apple.claims(
            of: AppleWorld.hana, audience: AppleWorld.bundle, nonce: AppleWorld.hashed(AppleWorld.nonce))
        claims[claim] = time
        let answer = try await world.logIn(token: try world.apple.key.token(claims))
        expect(answer, 401, .providerTokenInvalid)
        let detail = try answer.read(Problem.self).detail ?? ""
        #expect(detail.contains(claim == "exp" ? "expired" : "iat"), "\(detail)")
        #expect(try await world.userCount() == 0)
        #expect(try await world.server.send(.get, "/health/live").status == 200)
    }

    @Test("are taken with the last second that there is as their end, and with one that began with the first")
    func lastSecond() async throws {
        let world = try await AppleWorld()
        var claims = world.apple.claims(
            of: AppleWorld.hana, audience: AppleWorld.bundle, nonce: AppleWorld.hashed(AppleWorld.nonce))
        (claims["exp"], claims["nbf"]) = (.integer(253_402_300_799), .integer(-62_167_219_200))
        #expect(try await world.logIn(token: try world.apple.key.token(claims)).status == 201)
    }

    @Test("are refused when they are linked too", arguments: [Hostility.foreignKey, .wrongAudience, .expired])
    func linked(hostility: Hostility) async throws {
        let world = try await AppleWorld()
        let person = try await world.server.person()
        let body = try AppleWorld.body(token: try hostility.token(world))
        expect(
            try await person.send(.post, APIPath.identity("apple"), body: body), 401, .providerTokenInvalid)
    }

    @Test("count once, also after Apple has rotated its keys and the server has started again")
    func replayed() async throws {
        let world = try await AppleWorld()
        let token = try world.credential().identityToken
        #expect(try await world.logIn(token: token).status == 201)
        expect(try await world.logIn(token: token), 401, .providerTokenReplayed)
        world.server.clock.advance(by: .seconds(86_000))
        try await world.server.modules.sessions.purgeExpired()
        expect(try await world.logIn(token: token), 401, .providerTokenReplayed)
        world.server.clock.advance(by: .seconds(500))
        expect(try await world.logIn(token: token), 401, .providerTokenInvalid)
    }

    @Test("with the nonce missing from the request are refused", arguments: [nil, "", "another"])
    func missingNonce(nonce: String?) async throws {
        let world = try await AppleWorld()
        expect(
            try await world.logIn(token: try world.credential().identityToken, nonce: nonce), 401,
            .providerTokenInvalid)
    }

    @Test("within 60 seconds of the limits are taken", arguments: [-59, 59])
    func skew(seconds: Int64) async throws {
        let world = try await AppleWorld()
        let now = world.server.clock.now.milliseconds / 1000
        let claims: [String: JSONValue] =
            seconds < 0 ? ["exp": .integer(now + seconds)] : ["iat": .integer(now + seconds)]
        #expect(try await world.logIn(token: try world.credential(claims: claims).identityToken).status == 201)
    }

    @Test("of both issuers that Apple uses are taken (requirement 36)", arguments: ["appleid", "account"])
    func issuers(name: String) async throws {
        let world = try await AppleWorld()
        let credential = try world.credential(claims: ["iss": .string("https://\(name).apple.com")])
        #expect(try await world.logIn(token: credential.identityToken).status == 201)
    }

    @Test("changed at random are refused without a fault in the server", arguments: 0..<40)
    func fuzzed(seed: Int) async throws {
        let world = try await AppleWorld()
        let token = try world.credential().identityToken
        var bytes = Array(token.utf8)
        var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15
        for _ in 0...(seed % 3) {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Not the last character, whose lowest bits mean nothing.
            let index = Int(state >> 33) % (bytes.count - 1)
            bytes[index] = Array("AZaz09-_.".utf8).first { $0 != bytes[index] } ?? 65
        }
        expect(
            try await world.logIn(token: String(decoding: bytes, as: UTF8.self)), 401, .providerTokenInvalid)
    }
}
