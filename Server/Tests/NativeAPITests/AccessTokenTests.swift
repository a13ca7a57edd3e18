import Crypto
import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Access tokens")
struct AccessTokenTests {
    @Test("mints a token that the key set verifies")
    func mint() async throws {
        let server = try await TestServer(
            settings: ["public-url": TestServer.url], application: ApplicationSettings(audiences: ["https://game.test"])
        )
        let person = try await server.person()
        let answer = try await person.send(.post, APIPath.token, body: #"{"audience": "https://game.test"}"#)
        let token = try answer.read(TokenResponse.self)
        #expect(token.tokenType == "Bearer" && token.expiresIn == 600)

        let keys = try await server.send(.get, APIPath.keySet, isNamed: false)
        #expect(keys.headers[.cacheControl] == "public, max-age=300")
        // Libraries in browsers verify identity tokens by it. It may be kept, and so has the header for every request.
        #expect(keys.headers[.accessControlAllowOrigin] == "*")
        let key = try #require(keys.read(KeySetResponse.self).keys.first)
        let parts = token.accessToken.split(separator: ".").map(String.init)
        let header = try Self.members(parts[0])
        #expect(header == ["typ": "at+jwt", "alg": "ES256", "kid": .string(key.kid)])
        let point = try #require(Base64URL.bytes(of: key.x.utf8)) + #require(Base64URL.bytes(of: key.y.utf8))
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: #require(Base64URL.bytes(of: parts[2].utf8)))
        #expect(
            try P256.Signing.PublicKey(rawRepresentation: point)
                .isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))

        let claims = try Self.members(parts[1])
        #expect(claims["iss"] == .string(TestServer.url))
        #expect(claims["aud"] == "https://game.test")
        #expect(claims["sub"] == .string(person.logIn.user.id))
        #expect(claims["sid"] == .string(person.logIn.session.id))
        #expect(claims["is_anonymous"] == true)
        #expect(claims["exp"] == .integer(server.clock.now.milliseconds / 1000 + 600))
    }

    @Test("takes the application for the audience without a body, and refuses one that is not listed")
    func audience() async throws {
        let person = try await TestServer().person()
        let token = try await person.send(.post, APIPath.token).read(TokenResponse.self)
        let claims = try Self.members(String(token.accessToken.split(separator: ".")[1]))
        #expect(claims["aud"] == .string(person.server.application.id.rawValue))
        let refused = try await person.send(.post, APIPath.token, body: #"{"audience": "https://other.test"}"#)
        expect(refused, 400, .audienceNotAllowed)
    }

    @Test("tells nothing private in the key set")
    func keySet() async throws {
        let answer = try await TestServer().send(.get, APIPath.keySet, isNamed: false)
        #expect(!answer.text.contains(#""d""#))
    }

    private static func members(_ part: String) throws -> [String: JSONValue] {
        let bytes = try #require(Base64URL.bytes(of: part.utf8))
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
    }
}
