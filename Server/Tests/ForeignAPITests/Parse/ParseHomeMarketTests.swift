import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import TestWorld
import Testing

/// A server whose application knows the providers of Japan and Korea, and Game Center, as fakes.
private struct HomeMarket: Sendable {
    static let client = "client-one"
    static let bundle = "com.example.app"
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let certificateKeys = Result { try FakeCertificates.Keys() }
    private static let key = Result { try FakeKey.rsa(id: "fake-1") }

    let world: ForeignWorld
    private let openID: [String: FakeOpenID]
    private let naver = FakeNaver(client: (Self.client, Self.secret))
    private let gameCenter: FakeGameCenter
    private let gameCenterAddress: String

    init() async throws {
        let clock = StandingClock()
        openID = [
            "line": FakeOpenID(clock: clock, key: .p256(id: "line-1"), manner: .line),
            "kakao": FakeOpenID(clock: clock, key: try Self.key.get(), manner: .kakao),
            "yahoojapan": FakeOpenID(clock: clock, key: try Self.key.get(), manner: .yahooJapan),
        ]
        let certificates = try FakeCertificates(Self.certificateKeys.get(), now: clock.now)
        gameCenter = FakeGameCenter(clock: clock, certificates: certificates)
        gameCenterAddress = await gameCenter.address()
        var addresses = ProviderAddresses()
        let issuers = [
            "line": "https://access.line.me", "kakao": "https://kauth.kakao.com",
            "yahoojapan": "https://auth.login.yahoo.co.jp/yconnect/v2",
        ]
        for (name, fake) in openID {
            let address = await fake.address()
            fake.listen(at: address, issuer: issuers[name], takesSecretInForm: name != "yahoojapan")
            fake.register(client: Self.client, secret: Self.secret)
            switch name {
            case "line": (addresses.line, addresses.lineAPI) = (address, address)
            case "kakao": addresses.kakao = address
            default: addresses.yahooJapan = address
            }
        }
        let address = await naver.address()
        (addresses.naver, addresses.naverProfile) = ("\(address)/oauth2.0", "\(address)/v1/nid/me")
        (addresses.gameCenter, addresses.certificateIssuers) = (gameCenterAddress, gameCenterAddress)
        addresses.gameCenterRoots = [certificates.root]
        world = try await ForeignWorld(
            providers: addresses,
            caller: .ofTests(private: IPNetwork.loopback))
        for name in ["line", "kakao", "naver", "yahoojapan", "gamecenter"] {
            let isGameCenter = name == "gamecenter"
            try await world.modules.providers.setProvider(
                ProviderSettings(
                    provider: .init(rawValue: name), audiences: [isGameCenter ? Self.bundle : Self.client],
                    redirectURIs: isGameCenter ? [] : ["https://app.example.com/callback"]),
                secret: isGameCenter ? nil : Secret(Self.secret), of: world.application.id, by: .local)
        }
    }

    /// What an app has of a person, fresh each time, as a member of `authData`.
    func entry(_ name: String, _ id: String = "hana") throws -> (name: String, members: [String: JSONValue]) {
        switch name {
        case "gcenter":
            let items = try gameCenter.items(playerId: id, bundleId: Self.bundle)
            return (
                name,
                [
                    "id": .string(id), "publicKeyUrl": .string(gameCenterAddress + FakeGameCenter.certificatePath),
                    "timestamp": .integer(Int64(clamping: items.timestamp)), "bundleId": .string(Self.bundle),
                    "signature": .string(Data(items.signature).base64EncodedString()),
                    "salt": .string(Data(items.salt).base64EncodedString()),
                ]
            )
        case "naver":
            let state = UUID().uuidString
            return (name, ["code": .string(naver.code(user: id, state: state)), "state": .string(state)])
        case "line access token":
            let token = try #require(openID["line"]).accessToken(subject: id, client: Self.client)
            return ("line", ["id": .string(id), "access_token": .string(token)])
        default:
            let fake = try #require(openID[name])
            let callback = "https://app.example.com/callback"
            let verifier = String(repeating: "v", count: 43)
            let code = fake.code(
                fake.claims(subject: id, audience: Self.client), client: Self.client, redirectURI: callback,
                verifier: verifier)
            return (
                name,
                [
                    "id": .string(id), "code": .string(code), "redirect_uri": .string(callback),
                    "code_verifier": .string(verifier),
                ]
            )
        }
    }

    func body(_ entry: (name: String, members: [String: JSONValue])) throws -> String {
        let value: JSONValue = ["authData": .object([entry.name: .object(entry.members)])]
        return String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}

@Suite("Providers of Japan and Korea, and Game Center, in Parse")
struct ParseHomeMarketTests {
    private static let ways = ["line", "line access token", "kakao", "naver", "yahoojapan", "gcenter"]

    private static func id(_ way: String) -> String { way == "gcenter" ? "T:_0123456789abcdef" : "hana" }

    @Test("sign up with 201, log in with 200, and are read back by Parse's name", arguments: ways)
    func logIn(way: String) async throws {
        let market = try await HomeMarket()
        let first = try market.entry(way, Self.id(way))
        let made = try await market.world.parse("POST", "/users", try market.body(first))
        #expect(made.status == 201, "\(made.text)")
        let token = try made.text("sessionToken")
        let session = try await market.world.parse("GET", "/sessions/me", token: token)
        #expect(try session.json()["createdWith"] == ["action": "login", "authProvider": .string(first.name)])
        let again = try await market.world.parse("POST", "/users", try market.body(try market.entry(way, Self.id(way))))
        #expect(try again.status == 200 && again.text("objectId") == made.text("objectId"), "\(again.text)")
        let me = try await market.world.parse("GET", "/users/me", token: token)
        #expect(try me.json()["authData"] == .object([first.name: ["id": .string(Self.id(way))]]))
    }

    @Test("are linked and unlinked, and lead to nobody then", arguments: ways)
    func link(way: String) async throws {
        let market = try await HomeMarket()
        let user = try await market.world.parseUser("taro")
        let (entry, path) = (try market.entry(way, Self.id(way)), "/users/\(user.id)")
        let linked = try await market.world.parse("PUT", path, try market.body(entry), token: user.token)
        #expect(linked.status == 200, "\(linked.text)")
        let known = try await market.world.parse("POST", "/users", try market.body(try market.entry(way, Self.id(way))))
        #expect(try known.text("objectId") == user.id)
        // As it is read back, with each save: nobody is asked.
        let bare = try market.body((entry.name, ["id": .string(Self.id(way))]))
        #expect(try await market.world.parse("PUT", path, bare, token: user.token).status == 200)
        let none = #"{"authData":{"\#(entry.name)":null}}"#
        #expect(try await market.world.parse("PUT", path, none, token: user.token).status == 200)
        let other = try await market.world.parse("POST", "/users", try market.body(try market.entry(way, Self.id(way))))
        #expect(try other.status == 201 && other.text("objectId") != user.id, "\(other.text)")
    }

    @Test("are refused with 101 where the provider does not vouch", arguments: ways)
    func refused(way: String) async throws {
        let market = try await HomeMarket()
        var entry = try market.entry(way, Self.id(way))
        for name in ["code", "access_token", "signature"] where entry.members[name] != nil {
            entry.members[name] = "AAAA"
        }
        let wrong = try await market.world.parse("POST", "/users", try market.body(entry))
        #expect(wrong.parseCode == 101, "\(wrong.text)")
        // Right, but of another person than the client says.
        entry = try market.entry(way, Self.id(way))
        entry.members["id"] = "T:_taro"
        #expect(try await market.world.parse("POST", "/users", try market.body(entry)).parseCode == 101)
        #expect(try await market.world.parse("GET", "/users", master: true).results().isEmpty)
    }

    @Test(
        "are refused where a signature of Game Center lacks a part or is none",
        arguments: ["publicKeyUrl", "timestamp", "bundleId", "signature", "salt"])
    func parts(member: String) async throws {
        let market = try await HomeMarket()
        for value: JSONValue? in [nil, "%", -1, 1e300, .null] {
            var entry = try market.entry("gcenter", Self.id("gcenter"))
            entry.members[member] = value
            let answer = try await market.world.parse("POST", "/users", try market.body(entry))
            #expect(answer.status >= 400 && answer.status < 500, "\(answer.text)")
        }
        var entry = try market.entry("gcenter", Self.id("gcenter"))
        entry.members["id"] = nil
        #expect(try await market.world.parse("POST", "/users", try market.body(entry)).parseCode == 252)
    }
}
