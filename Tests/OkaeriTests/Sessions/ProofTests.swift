import Crypto
import Foundation
import OkaeriTesting
@_spi(Base64URL) import OkaeriWire
import Testing

@testable import Okaeri

@Suite("Device proofs")
struct ProofTests {
    struct Header: Decodable, Equatable {
        struct Key: Decodable, Equatable {
            let kty: String
            let crv: String
            let x: String
            let y: String
        }
        let typ: String
        let alg: String
        let jwk: Key
    }

    struct Claims: Decodable, Equatable {
        let jti: String
        let htm: String
        let htu: String
        let iat: Int64
        let ath: String?
    }

    let key = SoftwareDeviceKey()

    private func proof(_ url: String = "https://id.example.com/v1/user", token: String? = nil) throws -> DeviceProof {
        DeviceProof(
            method: "GET", url: try #require(URL(string: url)), issuedAt: Date(timeIntervalSince1970: 1_795_220_142.9),
            identifier: "1-IKfkcGpDZPXvzRfE3BYA", token: token.map(Secret.init(_:)))
    }

    @Test("hold the members of RFC 9449 and a raw signature that the public key verifies")
    func form() throws {
        let text = try proof().signed(by: key)
        let parts = text.split(separator: ".")
        try #require(parts.count == 3)
        let header = try JSONDecoder().decode(Header.self, from: Data(#require(Base64URL.bytes(of: parts[0].utf8))))
        let claims = try JSONDecoder().decode(Claims.self, from: Data(#require(Base64URL.bytes(of: parts[1].utf8))))
        let signature = try #require(Base64URL.bytes(of: parts[2].utf8))
        let x = Base64URL.text(of: key.publicKey.x)
        let y = Base64URL.text(of: key.publicKey.y)
        #expect(header == Header(typ: "dpop+jwt", alg: "ES256", jwk: .init(kty: "EC", crv: "P-256", x: x, y: y)))
        #expect(
            claims
                == Claims(
                    jti: "1-IKfkcGpDZPXvzRfE3BYA", htm: "GET", htu: "https://id.example.com/v1/user",
                    iat: 1_795_220_142, ath: nil))
        #expect(signature.count == 64)
        let verifier = try P256.Signing.PublicKey(rawRepresentation: key.publicKey.x + key.publicKey.y)
        let message = Data("\(parts[0]).\(parts[1])".utf8)
        #expect(verifier.isValidSignature(try .init(rawRepresentation: signature), for: message))
    }

    @Test("are bound to the token that goes with the request (RFC 9449 §7.1, its own example)")
    func boundToToken() throws {
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        let parts = try proof(token: token).signed(by: key).split(separator: ".")
        let claims = try JSONDecoder().decode(Claims.self, from: Data(#require(Base64URL.bytes(of: parts[1].utf8))))
        #expect(claims.ath == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test(
        "name the address without user, query and fragment",
        arguments: [
            ("https://id.example.com/v1/user?x=1#y", "https://id.example.com/v1/user"),
            ("http://127.0.0.1:8080/v1/user", "http://127.0.0.1:8080/v1/user"),
            ("http://[::1]:8080/v1/user", "http://[::1]:8080/v1/user"),
            ("https://someone:secret@id.example.com/v1", "https://id.example.com/v1"),
            ("https://id.example.com", "https://id.example.com/"),
        ])
    func target(url: String, expected: String) throws {
        #expect(DeviceProof.target(try #require(URL(string: url))) == expected)
    }

    @Test("come from keys whose name is the thumbprint of RFC 7638")
    func thumbprint() throws {
        let x = try #require(Base64URL.bytes(of: "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs".utf8))
        let y = try #require(Base64URL.bytes(of: "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA".utf8))
        let key = try #require(DevicePublicKey(rawRepresentation: Data(x + y)))
        // The key and its thumbprint are those of RFC 9449, §4.1 and §6.1.
        #expect(key.thumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    }

    @Test("need a stored key that is one", arguments: [0, 1, 31, 33, 64])
    func damagedKey(byteCount: Int) {
        #expect(throws: VaultError.damaged("the stored bytes are no P-256 key")) {
            try SoftwareDeviceKey(rawRepresentation: Data(repeating: 1, count: byteCount))
        }
        #expect(DevicePublicKey(rawRepresentation: Data(repeating: 1, count: byteCount + 1)) == nil)
    }
}
