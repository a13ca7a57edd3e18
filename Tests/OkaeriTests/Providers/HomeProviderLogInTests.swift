import Foundation
@testable import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Logging in with LINE, Kakao, Naver, Yahoo! JAPAN ID and Game Center")
struct HomeProviderLogInTests {
    private static let providers: [Provider] = [.line, .kakao, .naver, .yahooJapan, .gameCenter]

    private let world = World()

    @Test("makes a user, who is known the next time, and takes each credential once", arguments: providers)
    func logIn(provider: Provider) async throws {
        let okaeri = world.launch()
        let first = try await okaeri.logIn(with: .test(provider, user: "hana", nonce: "1"))
        guard case .firstVisit(let user) = first else {
            Issue.record("\(first)")
            return
        }
        let again = try await okaeri.logIn(with: .test(provider, user: "hana", nonce: "2"))
        #expect(again.user.id == user.id)
        await #expect(throws: OkaeriError.self) {
            try await okaeri.logIn(with: .test(provider, user: "hana", nonce: "2"))
        }
    }

    @Test("is linked to an anonymous user, who keeps the id", arguments: providers)
    func link(provider: Provider) async throws {
        let okaeri = world.launch()
        let anonymous = try await okaeri.logInAutomatically().user
        let user = try await okaeri.link(.test(provider, user: "hana", nonce: "1"))
        #expect(user.id == anonymous.id && !user.isAnonymous)
    }

    @Test("sends what each provider's own library gives")
    func bodies() throws {
        func members(_ credential: ProviderCredential) throws -> [String: JSONValue] {
            try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(credential.body))
        }
        #expect(try members(.line(idToken: "t", nonce: "n")) == ["idToken": "t", "nonce": "n"])
        #expect(try members(.line(accessToken: "a")) == ["accessToken": "a"])
        #expect(try members(.kakao(idToken: "t")) == ["idToken": "t"])
        #expect(try members(.naver(code: "c", state: "s")) == ["authorizationCode": "c", "state": "s"])
        #expect(try members(.yahooJapan(idToken: "t", nonce: "n")) == ["idToken": "t", "nonce": "n"])
        #expect(
            try members(.code("c", of: .kakao, codeVerifier: "v", redirectURI: "app:/", nonce: "n")) == [
                "authorizationCode": "c", "codeVerifier": "v", "redirectUri": "app:/", "nonce": "n",
            ])
    }

    @Test("sends what Game Center signed, with a time of any size, and shows the player alone")
    func gameCenter() throws {
        let url = try #require(URL(string: "https://static.gc.apple.com/public-key/gc-prod-10.cer"))
        let credential = GameCenterCredential(
            publicKeyURL: url, signature: Data([1, 2]), salt: Data([3]), timestamp: .max, playerId: "T:_1",
            bundleId: "com.example.app", name: "花")
        let body = ProviderCredential.gameCenter(credential).body
        #expect(body.name == "花" && body.gameCenter?.timestamp == .max && body.gameCenter?.signature == "AQI=")
        #expect(body.gameCenter?.publicKeyUrl == url.absoluteString && body.gameCenter?.salt == "Aw==")
        #expect(
            "\(credential)" == "signature for T:_1" && !"\(Mirror(reflecting: credential).children)".contains("AQI"))
    }
}
