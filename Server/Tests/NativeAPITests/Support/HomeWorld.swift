import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import Testing

/// A server whose application knows LINE, Kakao, Naver, Yahoo! JAPAN ID and Game Center, which are fakes.
struct HomeWorld: Sendable {
    static let client = "client-one"
    static let nativeApp = "native-app-KEY"
    static let bundle = "com.example.app"
    /// As long as LINE's are: 32 hexadecimal digits.
    static let secret = "0123456789abcdef0123456789abcdef"
    static let browsers = ["line", "kakao", "naver", "yahoojapan"]
    static let certificateKeys = Result { try FakeCertificates.Keys() }

    let server: TestServer
    let openID: [String: FakeOpenID]
    let naver: FakeNaver
    let gameCenter: FakeGameCenter
    let gameCenterAddress: String

    /// - Parameters:
    ///   - secret: The client secret as the providers know it.
    ///   - leaf: The certificate that Game Center signs with.
    /// - Throws: when something of the test's own world is missing.
    init(secret: String = HomeWorld.secret, leaf: FakeCertificates.Leaf = .init()) async throws {
        let clock = StandingClock()
        let keys = try FakeHost.keys.get()
        openID = [
            "line": FakeOpenID(clock: clock, key: FakeKey.p256(id: "line-1"), manner: .line),
            "kakao": FakeOpenID(clock: clock, key: keys[0], manner: .kakao),
            "yahoojapan": FakeOpenID(clock: clock, key: keys[1], manner: .yahooJapan),
        ]
        naver = FakeNaver(client: (Self.client, secret))
        let certificates = try FakeCertificates(Self.certificateKeys.get(), now: clock.now, leaf)
        gameCenter = FakeGameCenter(clock: clock, certificates: certificates)
        gameCenterAddress = await FakeHost.address(of: gameCenter)
        var addresses = ProviderAddresses()
        let issuers = [
            "line": "https://access.line.me", "kakao": "https://kauth.kakao.com",
            "yahoojapan": "https://auth.login.yahoo.co.jp/yconnect/v2",
        ]
        for (name, fake) in openID {
            let address = await FakeHost.address(of: fake)
            fake.listen(at: address, issuer: issuers[name], takesSecretInForm: name != "yahoojapan")
            fake.register(client: Self.client, secret: secret)
            switch name {
            case "line": (addresses.line, addresses.lineAPI) = (address, address)
            case "kakao": addresses.kakao = address
            default: addresses.yahooJapan = address
            }
        }
        let address = await FakeHost.address(of: naver)
        (addresses.naver, addresses.naverProfile) = ("\(address)/oauth2.0", "\(address)/v1/nid/me")
        (addresses.gameCenter, addresses.certificateIssuers) = (gameCenterAddress, gameCenterAddress)
        addresses.gameCenterRoots = [certificates.root]
        server = try await TestServer(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(redirectAddresses: [WebLogInTests.redirect]), clock: clock,
            providers: addresses, caller: FakeHost.caller)
        for name in Self.browsers {
            try await set(
                name, audiences: name == "kakao" ? [Self.client, Self.nativeApp] : [Self.client], secret: Self.secret)
        }
        try await set("gamecenter", audiences: [Self.bundle], secret: nil)
    }

    func set(_ name: String, audiences: [String], secret: String?) async throws {
        try await server.modules.providers.setProvider(
            ProviderSettings(
                provider: .init(rawValue: name), audiences: audiences,
                redirectURIs: name == "gamecenter" ? [] : [callback(name)]),
            secret: secret.map { Secret($0) }, of: server.application.id, by: .local)
    }

    func callback(_ name: String) -> String {
        "\(TestServer.url)/a/\(server.application.id)/provider/\(name)/callback"
    }

    func fake(_ name: String) throws -> FakeOpenID { try #require(openID[name]) }

    /// The claims of a right token.
    func claims(_ name: String, nonce: String? = "n", more: [String: JSONValue] = [:]) throws -> [String: JSONValue] {
        try fake(name).claims(subject: "hana", audience: Self.client, nonce: nonce, more: more)
    }

    func logIn(_ name: String, _ body: ProviderLogInBody) async throws -> Answer {
        try await server.send(
            .post, "/v1/log-in/\(name)", body: String(decoding: try JSONEncoder().encode(body), as: UTF8.self))
    }

    /// What Game Center's player sends.
    func player(
        _ id: String = "T:_0123456789abcdef", bundle: String = HomeWorld.bundle, at moment: Timestamp? = nil
    ) throws -> PlayerSignatureBody {
        let items = try gameCenter.items(playerId: id, bundleId: bundle, at: moment)
        return PlayerSignatureBody(
            publicKeyUrl: gameCenterAddress + FakeGameCenter.certificatePath,
            signature: Data(items.signature).base64EncodedString(), salt: Data(items.salt).base64EncodedString(),
            timestamp: Int64(clamping: items.timestamp), playerId: id, bundleId: bundle)
    }

    func logIn(_ player: PlayerSignatureBody) async throws -> Answer {
        var body = ProviderLogInBody()
        body.gameCenter = player
        return try await logIn("gamecenter", body)
    }

    /// Presses a button of the pages: the address that the browser is sent to.
    func leave(_ browser: Browser, _ name: String) async throws -> URLComponents {
        let sent = try await browser.get(browser.path("provider/\(name)"))
        #expect(sent.status == 303, "\(sent.html)")
        return try #require(sent.location.flatMap { URLComponents(string: $0) })
    }

    /// Goes to the provider's consent page and presses a button there: where the provider sends the browser.
    func consent(
        _ name: String, _ address: URLComponents, user: String = "hana", agrees: Bool = true
    ) async throws -> String {
        // The fakes' server has a name for each fake in front.
        let path = address.path.split(separator: "/").dropFirst().joined(separator: "/")
        let query = FakeRequest.fields(address.percentEncodedQuery ?? "")
        let provider: any FakeProvider = name == "naver" ? naver : try fake(name)
        let page = await provider.answer(FakeRequest(method: "GET", path: "/\(path)", query: query))
        #expect(page.status == 200 && page.file?.type.hasPrefix("text/html") == true)
        let back = await provider.answer(
            FakeRequest(
                method: "POST", path: "/\(path)", query: query,
                body: Array("user=\(user)&answer=\(agrees ? "agree" : "refuse")".utf8)))
        #expect(back.status == 302)
        let location = try #require(back.location)
        #expect(location.hasPrefix(callback(name)))
        return String(location.dropFirst(TestServer.url.count))
    }
}
