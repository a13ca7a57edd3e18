import Foundation
import OkaeriTesting
@_spi(Base64URL) import OkaeriWire
import Testing

@testable import Okaeri

/// Firebase, Supabase and Cognito beside an Okaeri server: what goes to other hosts is answered as their documents say.
final class OldServiceHosts: Transport {
    enum Behaviour: Sendable {
        case answers
        case refuses
        case isDown
        case isUnreachable
        case talksNonsense
    }

    private let server: InMemoryServer
    private let token: @Sendable () -> String
    let requests = Protected<[TransportRequest]>([])
    let behaviour = Protected(Behaviour.answers)

    init(_ server: InMemoryServer, token: @escaping @Sendable () -> String) {
        self.server = server
        self.token = token
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.url.host != server.url.host else { return try await server.send(request) }
        let number = requests.withValue { requests in
            requests.append(request)
            return requests.count
        }
        switch behaviour.withValue({ $0 }) {
        case .isUnreachable: throw .timedOut
        case .isDown: return TransportResponse(status: 503)
        case .refuses: return TransportResponse(status: 400, body: Data(#"{"error":"invalid_grant"}"#.utf8))
        case .talksNonsense: return TransportResponse(status: 200, body: Data("<html>".utf8))
        case .answers: break
        }
        let (fresh, next) = (token(), "refresh-\(number)")
        let body =
            switch request.url.host ?? "" {
            case "securetoken.googleapis.com":
                #"{"id_token":"\#(fresh)","access_token":"\#(fresh)","refresh_token":"\#(next)","expires_in":"3600"}"#
            case "abc.supabase.co":
                #"{"access_token":"\#(fresh)","refresh_token":"\#(next)","expires_in":3600,"user":{"id":"u"}}"#
            case "cognito-idp.eu-west-1.amazonaws.com":
                #"{"AuthenticationResult":{"IdToken":"\#(fresh)","AccessToken":"x","ExpiresIn":3600}}"#
            default: "{}"
            }
        return TransportResponse(status: 200, body: Data(body.utf8))
    }
}

@Suite("What Firebase's, Supabase's or Amplify's SDK left")
struct OldServiceTests {
    enum Kind: String, CaseIterable, Sendable { case firebase, supabase, cognito }

    private let world = World()
    private let keychain = Protected<[String: MemoryItems]>([:])
    private let hosts: OldServiceHosts
    private let fresh: String

    init() {
        let fresh = Self.token(ending: world.clock.now.addingTimeInterval(3600), "fresh")
        self.fresh = fresh
        hosts = OldServiceHosts(world.server) { fresh }
    }

    private var old: OldSessions {
        OldSessions(home: "/nowhere", bundleIdentifier: "com.example.game", defaultsSuite: nil) {
            [keychain] service in
            keychain.withValue { keychain in
                let items = keychain[service] ?? MemoryItems()
                keychain[service] = items
                return items
            }
        }
    }

    private var client: OkaeriClient {
        OkaeriClient(
            server: world.server.url, application: world.server.application, vault: world.vault, transport: hosts,
            configuration: OkaeriConfiguration(worksInBackground: false), clock: world.clock,
            randomness: world.randomness)
    }

    private static func service(_ kind: Kind) throws -> OldService {
        switch kind {
        case .firebase: .firebase(googleAppID: "1:2:ios:3", apiKey: "AIza/key")
        case .supabase: .supabase(url: try #require(URL(string: "https://abc.supabase.co/")), apiKey: "anon")
        case .cognito: .cognito(userPool: "eu-west-1_Pool", client: "client", identityPool: "eu-west-1:ids")
        }
    }

    /// A token as services sign them, without a signature.
    private static func token(ending end: Date, _ name: String) -> String {
        let claims = #"{"sub":"hana","name":"\#(name)","exp":\#(Int(end.timeIntervalSince1970))}"#
        return "e30.\(Base64URL.text(of: Data(claims.utf8))).c2ln"
    }

    private func items(_ kind: Kind) throws -> (MemoryItems, account: String) {
        let item = try #require(old.items(in: try Self.service(kind).location).first)
        return (try #require(old.items(item.service) as? MemoryItems), item.account)
    }

    /// Leaves a session on the device, as the service's SDK does.
    private func leave(_ kind: Kind, token: String?) throws {
        let (items, account) = try items(kind)
        let json: String
        switch kind {
        case .firebase:
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            archiver.setClassName("FIRUser", for: OldFirebaseUser.self)
            archiver.setClassName("FIRSecureTokenService", for: OldFirebaseTokens.self)
            archiver.encode(
                OldFirebaseUser(userID: "hana", tokens: OldFirebaseTokens(refreshToken: "refresh-0", token: token)),
                forKey: "__FIRAPP_DEFAULT_firebase_user")
            archiver.finishEncoding()
            return try items.replace(account, archiver.encodedData)
        case .supabase:
            json = #"{"accessToken":"\#(token ?? "")","refreshToken":"refresh-0","user":{"id":"hana"}}"#
        case .cognito:
            json = """
                {"userPoolAndIdentityPool":{"identityID":"i","credentials":{},"signedInData":{"userId":"hana",
                "deviceMetadata":{"metadata":{"_0":{"deviceKey":"device-1","deviceGroupKey":"g","deviceSecret":"s"}}},
                "cognitoUserPoolTokens":{"idToken":"\(token ?? "")","accessToken":"x","refreshToken":"refresh-0"}}}}
                """
        }
        try items.replace(account, Data(json.utf8))
    }

    private func isLeft(_ kind: Kind) throws -> Bool {
        let (items, account) = try items(kind)
        return try items.read(account) != nil
    }

    @Test("is handed over without asking the service, while its token lives, and removed", arguments: Kind.allCases)
    func alive(kind: Kind) async throws {
        let token = Self.token(ending: world.clock.now.addingTimeInterval(600), "left")
        try leave(kind, token: token)
        world.server.takeIn("hana", from: kind.rawValue, token: token, displayName: "花")
        let client = client
        let welcome = try #require(try await client.adopt(from: try Self.service(kind), in: old))
        guard case .returning(let user, _) = welcome else { return #expect(Bool(false), "\(welcome)") }
        #expect(user.id == "hana" && user.displayName == "花")
        #expect(hosts.requests.withValue { $0.isEmpty })
        #expect(try !isLeft(kind))
        #expect(try await client.logInAutomatically().user.id == "hana")
        #expect(try await client.adopt(from: try Self.service(kind), in: old) == nil)
    }

    @Test("is renewed at the service once when its token has ended", arguments: Kind.allCases)
    func ended(kind: Kind) async throws {
        try leave(kind, token: Self.token(ending: world.clock.now.addingTimeInterval(30), "left"))
        world.server.takeIn("hana", from: kind.rawValue, token: fresh)
        #expect(try await client.adopt(from: try Self.service(kind), in: old)?.user.id == "hana")
        let requests = hosts.requests.withValue { $0 }
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
            #expect(request.headers["X-Amz-Target"] == "AWSCognitoIdentityProviderService.InitiateAuth")
            #expect(body.contains("device-1") && body.contains("REFRESH_TOKEN_AUTH"))
        }
        // Neither the device's proof nor anything else of the server's goes to the old service.
        #expect(request.headers["DPoP"] == nil && request.headers["Authorization"] == nil)
        #expect(try !isLeft(kind) && keychain.withValue { try $0["okaeri.adoption"]?.read(kind.rawValue) } == nil)
    }

    @Test("keeps what the service gave until the server has taken it, so that no refresh token is used twice")
    func lost() async throws {
        try leave(.supabase, token: nil)
        world.server.takeIn("hana", from: "supabase", token: fresh)
        world.server.isOffline = true
        let service = try Self.service(.supabase)
        await #expect(throws: OkaeriError.offline) { try await client.adopt(from: service, in: old) }
        #expect(try isLeft(.supabase))
        world.server.isOffline = false
        // The app was started anew meanwhile.
        #expect(try await client.adopt(from: service, in: old)?.user.id == "hana")
        #expect(hosts.requests.withValue { $0.count } == 1)
    }

    @Test("is renewed by the newest refresh token when what the service gave has ended too")
    func late() async throws {
        try leave(.supabase, token: nil)
        world.server.isOffline = true
        let service = try Self.service(.supabase)
        await #expect(throws: OkaeriError.offline) { try await client.adopt(from: service, in: old) }
        world.server.isOffline = false
        world.clock.advance(by: .seconds(7200))
        await #expect(throws: OkaeriError.credentialRefused) { try await client.adopt(from: service, in: old) }
        let bodies = hosts.requests.withValue { $0.map { String(decoding: $0.body ?? Data(), as: UTF8.self) } }
        #expect(bodies.count == 2 && bodies[0].contains("refresh-0") && bodies[1].contains("refresh-1"))
    }

    @Test(
        "stays where it is when the service or the server does not take it",
        arguments: [
            (OldServiceHosts.Behaviour.refuses, OkaeriError.credentialRefused),
            (.isDown, .serverUnavailable(retryAfter: nil)), (.isUnreachable, .offline),
            (.talksNonsense, .unexpectedResponse(status: 200)), (.answers, .credentialRefused),
        ])
    func refused(behaviour: OldServiceHosts.Behaviour, error: OkaeriError) async throws {
        try leave(.firebase, token: nil)
        hosts.behaviour.withValue { $0 = behaviour }
        let service = try Self.service(.firebase)
        await #expect(throws: error) { try await client.adopt(from: service, in: old) }
        #expect(try isLeft(.firebase))
    }

    @Test("asked for by two callers at once is handed over once")
    func twice() async throws {
        try leave(.firebase, token: nil)
        world.server.takeIn("hana", from: "firebase", token: fresh)
        let (client, service, old) = (client, try Self.service(.firebase), old)
        async let first = client.adopt(from: service, in: old)
        async let second = client.adopt(from: service, in: old)
        let users = try await [first?.user.id, second?.user.id].compactMap(\.self)
        #expect(Set(users) == ["hana"])
        #expect(hosts.requests.withValue { $0.count } == 1)
        #expect(world.server.requests(to: APIPath.adopt).count == 1)
    }

    @Test("gets a key of its own on a device whose guest has one already, with one call")
    func guest() async throws {
        let token = Self.token(ending: world.clock.now.addingTimeInterval(600), "left")
        try leave(.supabase, token: token)
        world.server.takeIn("hana", from: "supabase", token: token)
        let client = client
        let guest = try await client.logInAutomatically().user.id
        #expect(try await client.adopt(from: try Self.service(.supabase), in: old)?.user.id == "hana")
        #expect(world.server.requests(to: APIPath.adopt).count == 1)
        #expect(try await client.logInAutomatically().user.id == "hana" && guest != "hana")
    }

    @Test("that another device has handed over leads to nobody")
    func other() async throws {
        let token = Self.token(ending: world.clock.now.addingTimeInterval(600), "left")
        world.server.takeIn("hana", from: "my-backend", token: token)
        #expect(try await client.adopt(token: token, ofService: "my-backend").user.id == "hana")
        let second = world.launch(vault: TestVault())
        await #expect(throws: OkaeriError.providerRefused(.providerTokenReplayed)) {
            try await second.adopt(token: token, ofService: "my-backend")
        }
    }

    @Test("is distinguished from what cannot be read now")
    func locked() async throws {
        try leave(.cognito, token: nil)
        try items(.cognito).0.isLocked.withValue { $0 = true }
        let service = try Self.service(.cognito)
        await #expect(throws: OkaeriError.storageLocked) { try await client.adopt(from: service, in: old) }
        #expect(hosts.requests.withValue { $0.isEmpty })
    }

    @Test(
        "is nobody's when it is none of the forms that there were",
        arguments: ["", "{}", "[1]", #"{"noCredentials":{}}"#])
    func nobody(text: String) async throws {
        for kind in [Kind.supabase, .cognito, .firebase] {
            let (items, account) = try items(kind)
            try items.replace(account, Data(text.utf8))
            #expect(try await client.adopt(from: try Self.service(kind), in: old) == nil)
        }
    }

    @Test("that says a number of its end that is no time is renewed", arguments: ["1e400", "\"x\"", "-1", "null"])
    func ends(exp: String) async throws {
        let claims = Base64URL.text(of: Data(#"{"exp":\#(exp)}"#.utf8))
        try leave(.supabase, token: "e30.\(claims).c2ln")
        world.server.takeIn("hana", from: "supabase", token: fresh)
        #expect(try await client.adopt(from: try Self.service(.supabase), in: old)?.user.id == "hana")
        #expect(hosts.requests.withValue { $0.count } == 1)
    }
}
