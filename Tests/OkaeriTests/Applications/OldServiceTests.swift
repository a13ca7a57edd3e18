import Foundation
import OkaeriTesting
@_spi(Base64URL) import OkaeriWire
import Testing

@testable import Okaeri

@Suite("What Firebase's, Supabase's or Amplify's SDK left")
struct OldServiceTests {
    typealias Kind = OldServiceDevice.Kind

    private let device = OldServiceDevice()
    private var world: World { device.world }
    private var hosts: OldServiceHosts { device.hosts }
    private var old: OldSessions { device.old }
    private var client: OkaeriClient { device.client }
    private var fresh: String { device.fresh }

    @Test("is handed over without asking the service, while its token lives, and removed", arguments: Kind.allCases)
    func alive(kind: Kind) async throws {
        let token = OldServiceDevice.token(ending: world.clock.now.addingTimeInterval(600), "left")
        try device.leave(kind, token: token)
        world.server.takeIn("hana", from: kind.rawValue, token: token, displayName: "花")
        let client = client
        let welcome = try #require(try await client.adopt(from: try OldServiceDevice.service(kind), in: old))
        guard case .returning(let user, _) = welcome else { return #expect(Bool(false), "\(welcome)") }
        #expect(user.id == "hana" && user.displayName == "花")
        #expect(hosts.requests.isEmpty)
        #expect(try !device.isLeft(kind))
        #expect(try await client.logInAutomatically().user.id == "hana")
        #expect(try await client.adopt(from: try OldServiceDevice.service(kind), in: old) == nil)
    }

    @Test("is renewed at the service once when its token has ended", arguments: Kind.allCases)
    func ended(kind: Kind) async throws {
        try device.leave(kind, token: OldServiceDevice.token(ending: world.clock.now.addingTimeInterval(30), "left"))
        world.server.takeIn("hana", from: kind.rawValue, token: fresh)
        #expect(try await client.adopt(from: try OldServiceDevice.service(kind), in: old)?.user.id == "hana")
        let requests = hosts.requests
        let request = try #require(requests.first)
        let body = String(decoding: request.body ?? Data(), as: UTF8.self)
        #expect(requests.count == 1 && request.method == "POST" && body.contains("refresh-0"))
        switch kind {
        case .firebase:
            #expect(request.url.absoluteString == "https://securetoken.googleapis.com/v1/token?key=AIza%2Fkey")
            #expect(body == "grant_type=refresh_token&refresh_token=refresh-0")
            #expect(request.headers["X-Ios-Bundle-Identifier"] == "com.example.game")
        case .supabase:
            #expect(
                request.url.absoluteString == "https://abc.supabase.co/auth/v1/token?grant_type=refresh_token")
            #expect(request.headers["apikey"] == "anon")
        case .cognito:
            #expect(
                request.headers["X-Amz-Target"] == "AWSCognitoIdentityProviderService.GetTokensFromRefreshToken")
            #expect(body.contains("device-1") && body.contains("\"client\""))
        }
        // Neither the device's proof nor anything else of the server's goes to the old service.
        #expect(request.headers["DPoP"] == nil && request.headers["Authorization"] == nil)
        #expect(try !device.isLeft(kind) && device.record(kind) == nil)
    }

    @Test("keeps what the service gave until the server has taken it, so that no refresh token is used twice")
    func lost() async throws {
        try device.leave(.supabase, token: nil)
        world.server.takeIn("hana", from: "supabase", token: fresh)
        world.server.isOffline = true
        let service = try OldServiceDevice.service(.supabase)
        await #expect(throws: OkaeriError.offline) { try await client.adopt(from: service, in: old) }
        #expect(try device.isLeft(.supabase))
        world.server.isOffline = false
        // The app was started anew meanwhile.
        #expect(try await client.adopt(from: service, in: old)?.user.id == "hana")
        #expect(hosts.requests.count == 1)
    }

    @Test("is renewed by the newest refresh token when what the service gave has ended too")
    func late() async throws {
        try device.leave(.supabase, token: nil)
        world.server.isOffline = true
        let service = try OldServiceDevice.service(.supabase)
        await #expect(throws: OkaeriError.offline) { try await client.adopt(from: service, in: old) }
        world.server.isOffline = false
        world.clock.advance(by: .seconds(7200))
        await #expect(throws: OkaeriError.credentialRefused) { try await client.adopt(from: service, in: old) }
        #expect(hosts.sent == ["refresh-0", "refresh-1"])
    }

    @Test("stays where it is when the server does not know the user: the import may come later")
    func unknown() async throws {
        try device.leave(.firebase, token: nil)
        await #expect(throws: OkaeriError.credentialRefused) { try await device.adopt(.firebase) }
        #expect(try device.isLeft(.firebase))
        world.server.takeIn("hana", from: "firebase", token: fresh)
        #expect(try await device.adopt(.firebase)?.user.id == "hana")
        #expect(hosts.sent == ["refresh-0"])
    }

    @Test("asked for by two callers at once is handed over once")
    func twice() async throws {
        try device.leave(.firebase, token: nil)
        world.server.takeIn("hana", from: "firebase", token: fresh)
        let (client, service, old) = (client, try OldServiceDevice.service(.firebase), old)
        async let first = client.adopt(from: service, in: old)
        async let second = client.adopt(from: service, in: old)
        let users = try await [first?.user.id, second?.user.id].compactMap(\.self)
        #expect(Set(users) == ["hana"])
        #expect(hosts.requests.count == 1)
        #expect(world.server.requests(to: APIPath.adopt).count == 1)
    }

    @Test("gets a key of its own on a device whose guest has one already, with one call")
    func guest() async throws {
        let token = OldServiceDevice.token(ending: world.clock.now.addingTimeInterval(600), "left")
        try device.leave(.supabase, token: token)
        world.server.takeIn("hana", from: "supabase", token: token)
        let client = client
        let guest = try await client.logInAutomatically().user.id
        #expect(try await client.adopt(from: try OldServiceDevice.service(.supabase), in: old)?.user.id == "hana")
        #expect(world.server.requests(to: APIPath.adopt).count == 1)
        #expect(try await client.logInAutomatically().user.id == "hana" && guest != "hana")
    }

    @Test("that another device has handed over leads to nobody")
    func other() async throws {
        let token = OldServiceDevice.token(ending: world.clock.now.addingTimeInterval(600), "left")
        world.server.takeIn("hana", from: "my-backend", token: token)
        #expect(try await client.adopt(token: token, ofService: "my-backend").user.id == "hana")
        let second = world.launch(vault: TestVault())
        await #expect(throws: OkaeriError.providerRefused(.providerTokenReplayed)) {
            try await second.adopt(token: token, ofService: "my-backend")
        }
    }

    @Test("is distinguished from what cannot be read now")
    func locked() async throws {
        try device.leave(.cognito, token: nil)
        try device.items(.cognito).0.isLocked.withValue { $0 = true }
        let service = try OldServiceDevice.service(.cognito)
        await #expect(throws: OkaeriError.storageLocked) { try await client.adopt(from: service, in: old) }
        #expect(hosts.requests.isEmpty)
    }

    @Test(
        "is nobody's when it is none of the forms that there were",
        arguments: ["", "{}", "[1]", #"{"noCredentials":{}}"#])
    func nobody(text: String) async throws {
        for kind in [Kind.supabase, .cognito, .firebase] {
            let (items, account) = try device.items(kind)
            try items.replace(account, Data(text.utf8))
            #expect(try await client.adopt(from: try OldServiceDevice.service(kind), in: old) == nil)
        }
    }

    @Test("that says a number of its end that is no time is renewed", arguments: ["1e400", "\"x\"", "-1", "null"])
    func ends(exp: String) async throws {
        let claims = Base64URL.text(of: Data(#"{"exp":\#(exp)}"#.utf8))
        try device.leave(.supabase, token: "e30.\(claims).c2ln")
        world.server.takeIn("hana", from: "supabase", token: fresh)
        #expect(try await client.adopt(from: try OldServiceDevice.service(.supabase), in: old)?.user.id == "hana")
        #expect(hosts.requests.count == 1)
    }
}
