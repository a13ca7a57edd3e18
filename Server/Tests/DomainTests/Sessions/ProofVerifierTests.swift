import Crypto
import Domain
import Foundation
import TestWorld
import Testing

@Suite("A proof of possession (RFC 9449, requirement 21)")
struct ProofVerifierTests {
    let device = TestDevice()
    let clock = StandingClock()
    let verify = ProofVerifier()

    /// One way to spoil a proof, and the answer to it.
    struct Spoilt: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var fault: ProofFault
        var spoil: @Sendable (inout TestDevice.Parts, TestDevice) -> Void

        init(
            _ description: String, _ fault: ProofFault,
            _ spoil: @escaping @Sendable (inout TestDevice.Parts, TestDevice) -> Void
        ) {
            testDescription = description
            self.fault = fault
            self.spoil = spoil
        }
    }

    static let spoilt = fields + privateMembers

    private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map { name in
        Spoilt("a key with the private member \(name)", .privateKey) { parts, device in
            parts.header["jwk"] =
                #"{"kty":"EC","crv":"P-256","x":"\#(device.x)","y":"\#(device.y)","\#(name)":"AAAA"}"#
        }
    }

    private static let fields: [Spoilt] = [
        Spoilt("no typ", .type) { parts, _ in parts.header["typ"] = nil },
        Spoilt("typ of another kind of token", .type) { parts, _ in parts.header["typ"] = #""JWT""# },
        Spoilt("alg none", .algorithm) { parts, _ in parts.header["alg"] = #""none""# },
        Spoilt("alg HS256", .algorithm) { parts, _ in parts.header["alg"] = #""HS256""# },
        Spoilt("alg RS256", .algorithm) { parts, _ in parts.header["alg"] = #""RS256""# },
        Spoilt("no alg", .algorithm) { parts, _ in parts.header["alg"] = nil },
        Spoilt("a critical extension", .criticalExtension) { parts, _ in parts.header["crit"] = #"["b64"]"# },
        Spoilt("no key", .key) { parts, _ in parts.header["jwk"] = nil },
        Spoilt("a symmetric key", .privateKey) { parts, _ in parts.header["jwk"] = #"{"kty":"oct","k":"c2VjcmV0"}"# },
        Spoilt("an RSA key", .key) { parts, _ in parts.header["jwk"] = #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"# },
        Spoilt("another curve", .key) { parts, device in
            parts.header["jwk"] = #"{"kty":"EC","crv":"P-384","x":"\#(device.x)","y":"\#(device.y)"}"#
        },
        Spoilt("a point that is not on the curve", .key) { parts, device in
            parts.header["jwk"] = #"{"kty":"EC","crv":"P-256","x":"\#(device.x)","y":"\#(device.x)"}"#
        },
        Spoilt("a coordinate that is too short", .key) { parts, device in
            parts.header["jwk"] = #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"\#(device.y)"}"#
        },
        Spoilt("a coordinate with padding", .key) { parts, device in
            parts.header["jwk"] = #"{"kty":"EC","crv":"P-256","x":"\#(device.x)=","y":"\#(device.y)"}"#
        },
        Spoilt("another device's key", .signature) { parts, _ in
            let other = TestDevice()
            parts.header["jwk"] = #"{"kty":"EC","crv":"P-256","x":"\#(other.x)","y":"\#(other.y)"}"#
        },
        Spoilt("another method", .method) { parts, _ in parts.claims["htm"] = #""GET""# },
        Spoilt("the method in lower case", .method) { parts, _ in parts.claims["htm"] = #""post""# },
        Spoilt("no method", .method) { parts, _ in parts.claims["htm"] = nil },
        Spoilt("another host", .target) { parts, _ in
            parts.claims["htu"] = #""https://evil.example.com/v1/log-in/automatic""#
        },
        Spoilt("another port", .target) { parts, _ in
            parts.claims["htu"] = #""https://id.example.com:8443/v1/log-in/automatic""#
        },
        Spoilt("another scheme", .target) { parts, _ in
            parts.claims["htu"] = #""http://id.example.com/v1/log-in/automatic""#
        },
        Spoilt("another path", .target) { parts, _ in parts.claims["htu"] = #""https://id.example.com/v1/user""# },
        Spoilt("user information in the address", .target) { parts, _ in
            parts.claims["htu"] = #""https://a@id.example.com/v1/log-in/automatic""#
        },
        Spoilt("no address", .target) { parts, _ in parts.claims["htu"] = nil },
        Spoilt("no iat", .issuedAt) { parts, _ in parts.claims["iat"] = nil },
        Spoilt("no jti", .identifier) { parts, _ in parts.claims["jti"] = nil },
        Spoilt("an empty jti", .identifier) { parts, _ in parts.claims["jti"] = #""""# },
        Spoilt("a jti that is too long", .identifier) { parts, _ in
            parts.claims["jti"] = "\"" + String(repeating: "j", count: 257) + "\""
        },
        Spoilt("an iat that is a text", .malformed) { parts, _ in parts.claims["iat"] = #""1795252542""# },
        Spoilt("a jti that is a number", .malformed) { parts, _ in parts.claims["jti"] = "7" },
        Spoilt("a key that is a text", .malformed) { parts, _ in parts.header["jwk"] = #""key""# },
        Spoilt("more than 4096 bytes", .malformed) { parts, _ in
            parts.claims["more"] = "\"" + String(repeating: "m", count: 5000) + "\""
        },
    ]

    @Test("is refused with", arguments: spoilt)
    func refuses(spoilt: Spoilt) throws {
        var parts = device.parts(at: clock.now)
        spoilt.spoil(&parts, device)
        let text = try device.sign(parts)
        #expect(throws: DomainError.proofRefused(spoilt.fault)) { try check(text) }
    }

    @Test(
        "is refused when it is no JWS at all",
        arguments: [
            "", ".", "..", "a.b", "a.b.c", "e30.e30.AAAA.AAAA", "é.é.é", "e30=.e30=.AAAA", "bnVsbA.bnVsbA.AAAA",
        ])
    func noJWS(text: String) {
        #expect(throws: DomainError.proofRefused(.malformed)) { try check(text) }
    }

    @Test("is refused with a signature in DER form")
    func derSignature() throws {
        let text = try device.sign(device.parts(at: clock.now), derSignature: true)
        #expect(throws: DomainError.proofRefused(.signature)) { try check(text) }
    }

    @Test("is refused when a bit of what was signed has changed")
    func changedClaims() throws {
        let text = try device.proof(at: clock.now)
        let parts = text.split(separator: ".")
        let claims = TestDevice.encode(device.parts(at: clock.now).claims)
        #expect(throws: DomainError.proofRefused(.signature)) { try check("\(parts[0]).\(claims).\(parts[2])") }
    }

    @Test("tells the key's thumbprint (RFC 7638) when it is right")
    func right() throws {
        #expect(try check(try device.proof(at: clock.now)).thumbprint == device.thumbprint)
    }

    @Test(
        "holds for another spelling of the same address",
        arguments: [
            "https://ID.example.com/v1/log-in/automatic", "HTTPS://id.example.com:443/v1/log-in/automatic",
            "https://id.example.com/v1/log-in/automatic?query=1#fragment",
        ])
    func spelling(target: String) throws {
        #expect(try check(try device.proof(target: target, at: clock.now)).thumbprint == device.thumbprint)
    }

    @Test("holds up to 60 seconds before and after the server's time", arguments: [-60, -1, 0, 1, 60])
    func withinWindow(seconds: Int64) throws {
        _ = try check(try device.proof(at: clock.now + .seconds(seconds)))
    }

    @Test(
        "is answered with the server's time when the clocks differ by more",
        arguments: [
            "-61", "61", "-86400", "1e300", "-1e300", "9223372036854775808", "-9223372036854775809",
            "253402300800.5", "-62167219201.5",
        ])
    func outsideWindow(offset: String) throws {
        var parts = device.parts(at: clock.now)
        parts.claims["iat"] = Int64(offset).map { String(clock.now.milliseconds / 1000 + $0) } ?? offset
        let text = try device.sign(parts)
        #expect(throws: DomainError.clockSkew(serverTime: clock.now)) { try check(text) }
    }

    @Test("must name the session token when one is sent")
    func accessToken() throws {
        let token = SessionToken.Draw(.named, CountingRandomness()).token(of: .init(rawValue: "hana"))
        let other = SessionToken.Draw(.named, CountingRandomness(seed: 1)).token(of: .init(rawValue: "hana"))
        let bound = try device.proof(at: clock.now, token: token)
        #expect(try check(bound, token: token).thumbprint == device.thumbprint)
        #expect(throws: DomainError.proofRefused(.accessToken)) { try check(bound, token: other) }
        let unbound = try device.proof(at: clock.now)
        #expect(throws: DomainError.proofRefused(.accessToken)) { try check(unbound, token: token) }
    }

    @Test("stands for itself in the list of used proofs: same jti and key, same entry")
    func replayDigest() throws {
        let first = try check(try device.proof(at: clock.now, identifier: "one"))
        let again = try check(try device.proof(at: clock.now + .seconds(5), identifier: "one"))
        let other = try check(try device.proof(at: clock.now, identifier: "two"))
        let otherDevice = TestDevice()
        let otherKey = try check(try otherDevice.proof(at: clock.now, identifier: "one"))
        #expect(first.replayDigest == again.replayDigest)
        #expect(first.replayDigest != other.replayDigest && first.replayDigest != otherKey.replayDigest)
        #expect(first.replayEnd > clock.now + ProofVerifier.window)
    }

    @Test("survives ten thousand random changes without a crash, and none of them is accepted")
    func fuzzed() throws {
        let text = Array(try device.proof(at: clock.now).utf8)
        let randomness = CountingRandomness(seed: 4)
        for _ in 0..<10_000 {
            let draw = randomness.bytes(6)
            var changed = text
            let index = (Int(draw[0]) << 8 | Int(draw[1])) % changed.count
            switch draw[2] % 3 {
            case 0: changed[index] ^= 1 << (draw[3] % 7)
            case 1: changed.remove(at: index)
            default: changed.insert(draw[4] & 0x7f, at: index)
            }
            guard changed != text else { continue }
            #expect(throws: DomainError.self) { try check(String(decoding: changed, as: UTF8.self)) }
        }
    }

    private func check(_ text: String, token: Secret? = nil) throws(DomainError) -> DeviceProof {
        guard let target = ProofTarget(TestDevice.logInTarget) else { throw .storageUnavailable }
        return try verify(PresentedProof(text: text, method: "POST", target: target), token: token, at: clock.now)
    }
}
