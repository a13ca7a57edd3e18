import Crypto
import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// One way to spoil a proof, and the words that must come back.
struct Spoiling: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// A part of the problem's detail.
    var detail: String
    var change: @Sendable (inout ProofMaker.Parts) throws -> Void

    init(_ name: String, _ detail: String, _ change: @escaping @Sendable (inout ProofMaker.Parts) throws -> Void) {
        testDescription = name
        self.detail = detail
        self.change = change
    }

    static let all = fields + privateMembers + publicKeysAsSecrets

    /// Each member of private and symmetric keys (RFC 7518 §6.2.2, §6.3.2, §6.4.1), beside a public key that fits.
    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map { name in
        Spoiling("jwk with the private member \(name)", "private") { parts in
            parts.setKey(name, .text(Base64URL.text(of: [UInt8](repeating: 1, count: 32))))
        }
    }

    /// HMAC with what everybody knows, in the forms in which careless verifiers hold a public key.
    private static let publicKeysAsSecrets: [Spoiling] = [
        publicKeyAsSecret("its PEM form") { Array($0.pemRepresentation.utf8) },
        publicKeyAsSecret("its DER form") { Array($0.derRepresentation) },
        publicKeyAsSecret("its point") { Array($0.x963Representation) },
        publicKeyAsSecret("its coordinates") { Array($0.rawRepresentation) },
    ]

    private static func publicKeyAsSecret(
        _ form: String, _ bytes: @escaping @Sendable (P256.Signing.PublicKey) -> [UInt8]
    ) -> Spoiling {
        Spoiling("alg HS256 with the public key as secret, in \(form)", "alg") { parts in
            let secret = SymmetricKey(data: bytes(try parts.publicKey))
            parts.header["alg"] = .text("HS256")
            parts.sign = { Array(HMAC<SHA256>.authenticationCode(for: $0, using: secret)) }
        }
    }

    private static let fields: [Spoiling] = [
        Spoiling("typ missing", "typ") { $0.header["typ"] = nil },
        Spoiling("typ JWT", "typ") { $0.header["typ"] = .text("JWT") },
        Spoiling("alg missing", "alg") { $0.header["alg"] = nil },
        Spoiling("alg none, no signature", "alg") {
            $0.header["alg"] = .text("none")
            $0.sign = { _ in [] }
        },
        Spoiling("alg none, right signature", "alg") { $0.header["alg"] = .text("none") },
        Spoiling("alg ES384", "alg") { $0.header["alg"] = .text("ES384") },
        Spoiling("alg RS256", "alg") { $0.header["alg"] = .text("RS256") },
        Spoiling("alg in lower case", "alg") { $0.header["alg"] = .text("es256") },
        Spoiling("crit", "crit") { $0.header["crit"] = .list([.text("b64")]) },
        Spoiling("jwk missing", "jwk") { $0.header["jwk"] = nil },
        Spoiling("jwk of another curve", "jwk") { parts in
            let key = P384.Signing.PrivateKey()
            let point = Array(key.publicKey.rawRepresentation)
            parts.header["jwk"] = .object([
                "kty": .text("EC"), "crv": .text("P-384"), "x": .text(Base64URL.text(of: point[..<48])),
                "y": .text(Base64URL.text(of: point[48...])),
            ])
            parts.sign = { Array(try key.signature(for: $0).rawRepresentation) }
        },
        Spoiling("jwk RSA", "jwk") {
            $0.header["jwk"] = .object(["kty": .text("RSA"), "n": .text("AQAB"), "e": .text("AQAB")])
        },
        Spoiling("jwk symmetric", "private") {
            $0.header["jwk"] = .object(["kty": .text("oct"), "k": .text("AQAB")])
        },
        Spoiling("jwk not on the curve", "jwk") { parts in
            parts.setKey("y", .text(Base64URL.text(of: [UInt8](repeating: 1, count: 32))))
        },
        Spoiling("jwk coordinate too short", "jwk") { $0.setKey("x", .text(Base64URL.text(of: [1, 2, 3]))) },
        Spoiling("signature of another key", "signature") { parts in
            let other = P256.Signing.PrivateKey()
            parts.sign = { Array(try other.signature(for: $0).rawRepresentation) }
        },
        Spoiling("signature empty", "signature") { $0.sign = { _ in [] } },
        Spoiling("signature all zero", "signature") { $0.sign = { _ in [UInt8](repeating: 0, count: 64) } },
        Spoiling("htm missing", "htm") { $0.claims["htm"] = nil },
        Spoiling("htm of another method", "htm") { $0.claims["htm"] = .text("GET") },
        Spoiling("htm in lower case", "htm") { $0.claims["htm"] = .text("post") },
        Spoiling("htu missing", "htu") { $0.claims["htu"] = nil },
        Spoiling("htu of another host", "htu") {
            $0.claims["htu"] = .text("http://evil.example/v1/log-in/automatic")
        },
        Spoiling("htu of another path", "htu") { $0.claims["htu"] = .text(TestServer.url + "/v1/user") },
        Spoiling("htu of another scheme", "htu") {
            $0.claims["htu"] = .text("https://id.example.test/v1/log-in/automatic")
        },
        Spoiling("htu of another port", "htu") {
            $0.claims["htu"] = .text("http://id.example.test:8080/v1/log-in/automatic")
        },
        Spoiling("htu with user information", "htu") {
            $0.claims["htu"] = .text("http://id.example.test@evil.example/v1/log-in/automatic")
        },
        Spoiling("iat missing", "iat") { $0.claims["iat"] = nil },
        Spoiling("jti missing", "jti") { $0.claims["jti"] = nil },
        Spoiling("jti empty", "jti") { $0.claims["jti"] = .text("") },
        Spoiling("jti too long", "jti") { $0.claims["jti"] = .text(String(repeating: "j", count: 257)) },
        Spoiling("iat a text", "JWT") { $0.claims["iat"] = .text("now") },
        Spoiling("jti a number", "JWT") { $0.claims["jti"] = .number(1) },
        Spoiling("jwk a text", "JWT") { $0.header["jwk"] = .text("key") },
    ]
}

extension ProofMaker.Parts {
    /// The public key that the header tells.
    fileprivate var publicKey: P256.Signing.PublicKey {
        get throws {
            guard case .object(let members)? = header["jwk"], case .text(let x)? = members["x"],
                case .text(let y)? = members["y"], let left = Base64URL.bytes(of: x.utf8),
                let right = Base64URL.bytes(of: y.utf8)
            else { throw Missing(description: "there is no key in the header") }
            return try P256.Signing.PublicKey(rawRepresentation: left + right)
        }
    }

    fileprivate mutating func setKey(_ name: String, _ value: ProofMaker.JSON) {
        guard case .object(var members)? = header["jwk"] else { return }
        members[name] = value
        header["jwk"] = .object(members)
    }
}

@Suite("Proofs with every field wrong in turn")
struct WrongProofTests {
    @Test("refuses the proof and names the fault", arguments: Spoiling.all)
    func spoilt(spoiling: Spoiling) async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        var parts = device.parts("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        try spoiling.change(&parts)
        let answer = try await server.send(
            .post, APIPath.logInAutomatically, [("DPoP", try device.proof(parts))])
        expect(answer, 401, .proofInvalid)
        #expect(try answer.read(Problem.self).detail?.contains(spoiling.detail) == true, "\(answer.text)")
        #expect(answer.headers[.wwwAuthenticate] == #"DPoP error="invalid_dpop_proof", algs="ES256""#)
    }

    @Test("refuses a DER signature of the right key")
    func der() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        var parts = device.parts("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        parts.sign = { Array(try device.key.signature(for: $0).derRepresentation) }
        let answer = try await server.send(.post, APIPath.logInAutomatically, [("DPoP", try device.proof(parts))])
        expect(answer, 401, .proofInvalid)
    }

    @Test(
        "refuses what is no JWT",
        arguments: [
            "", " ", "a", "a.b", "a.b.c", "....", "e30.e30.", "e30.e30.AA", "e30=.e30=.AA==", "W10.W10.AA",
            String(repeating: "A", count: 5000), "é.é.é", "bnVsbA.bnVsbA.AA",
        ])
    func noToken(text: String) async throws {
        let answer = try await TestServer().send(.post, APIPath.logInAutomatically, [("DPoP", text)])
        expect(answer, 401, .proofInvalid)
    }

    @Test("refuses two proofs in one request, even when each is right")
    func twoProofs() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let second = try device.proof("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        expect(try await server.logIn(device, [("DPoP", second)]), 401, .proofInvalid)
    }

    @Test("refuses a proof the second time, even past the window and with another key's session")
    func replay() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let proof = try device.proof("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        let other = try await server.person()
        #expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]).status == 201)
        expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]), 401, .proofReplayed)
        expect(try await other.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]), 401, .proofReplayed)
        // Nor does it count in another application.
        let elsewhere = try await server.modules.applications.createApplication(
            name: "Other", settings: ApplicationSettings(), by: .local
        ).application.id.rawValue
        expect(
            try await server.send(
                .post, APIPath.logInAutomatically, [("DPoP", proof), ("Okaeri-Application", elsewhere)], isNamed: false),
            401, .proofReplayed)
        server.clock.advance(by: .seconds(60))
        expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]), 401, .proofReplayed)
        try await server.modules.sessions.purgeExpired()
        expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]), 401, .proofReplayed)
        server.clock.advance(by: .seconds(2))
        try await server.modules.sessions.purgeExpired()
        expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]), 401, .clockSkew)
    }

    @Test(
        "tells its time to a clock that is off",
        arguments: [-62, -3600, 61, 86_400, 1e15, -1e15, 0x1p63, -0x1p63, 1.7e308, -1.7e308])
    func skew(seconds: Double) async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        var parts = device.parts("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        parts.claims["iat"] = .number(Double(server.clock.now.milliseconds / 1000) + seconds)
        let answer = try await server.send(.post, APIPath.logInAutomatically, [("DPoP", try device.proof(parts))])
        expect(answer, 401, .clockSkew)
        let serverTime = try #require(try answer.read(Problem.self).serverTime)
        #expect(serverTime == WireTime(millisecondsSince1970: server.clock.now.milliseconds))

        // The client corrects itself by the time in the response.
        let corrected = try device.proof(
            "POST", server.url(APIPath.logInAutomatically),
            at: Timestamp(milliseconds: serverTime.millisecondsSince1970))
        #expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", corrected)]).status == 201)
    }

    @Test("accepts clocks within a minute", arguments: [-60, -1, 0, 1, 60])
    func nearClocks(seconds: Int64) async throws {
        let server = try await TestServer()
        let time = server.clock.now + .seconds(seconds)
        let proof = try ProofMaker().proof("POST", server.url(APIPath.logInAutomatically), at: time)
        #expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]).status == 201)
    }
}
