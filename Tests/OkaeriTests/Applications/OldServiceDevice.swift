import Foundation
import OkaeriTesting
@_spi(Base64URL) import OkaeriWire
import Testing

@testable import Okaeri

/// A device on which Firebase's, Supabase's or Amplify's SDK has left a session.
struct OldServiceDevice {
    enum Kind: String, CaseIterable, Sendable { case firebase, supabase, cognito }

    let world = World()
    let keychain = Protected<[String: MemoryItems]>([:])
    let hosts: OldServiceHosts
    /// What the services give when they renew.
    let fresh: String

    init() {
        let fresh = Self.token(ending: world.clock.now.addingTimeInterval(3600), "fresh")
        self.fresh = fresh
        hosts = OldServiceHosts(world.server, clock: world.clock) { fresh }
    }

    var old: OldSessions {
        OldSessions(home: "/nowhere", bundleIdentifier: "com.example.game", defaultsSuite: nil) {
            [keychain] service in
            keychain.withValue { keychain in
                let items = keychain[service] ?? MemoryItems()
                keychain[service] = items
                return items
            }
        }
    }

    /// One launch of the app.
    var client: OkaeriClient {
        OkaeriClient(
            server: world.server.url, application: world.server.application, vault: world.vault, transport: hosts,
            configuration: OkaeriConfiguration(worksInBackground: false), clock: world.clock,
            randomness: world.randomness)
    }

    static func service(_ kind: Kind) throws -> OldService {
        switch kind {
        case .firebase: .firebase(googleAppID: "1:2:ios:3", apiKey: "AIza/key")
        case .supabase: .supabase(url: try #require(URL(string: "https://abc.supabase.co/")), apiKey: "anon")
        case .cognito: .cognito(userPool: "eu-west-1_Pool", client: "client", identityPool: "eu-west-1:ids")
        }
    }

    /// A token as services sign them, without a signature.
    static func token(ending end: Date, _ name: String) -> String {
        let claims = #"{"sub":"hana","name":"\#(name)","exp":\#(Int(end.timeIntervalSince1970))}"#
        return "e30.\(Base64URL.text(of: Data(claims.utf8))).c2ln"
    }

    func items(_ kind: Kind) throws -> (items: MemoryItems, account: String) {
        let item = try #require(old.items(in: try Self.service(kind).location).first)
        return (try #require(old.items(item.service) as? MemoryItems), item.account)
    }

    /// Leaves a session on the device, as the service's SDK does.
    func leave(_ kind: Kind, token: String?, refreshToken: String = "refresh-0") throws {
        let (items, account) = try items(kind)
        let json: String
        switch kind {
        case .firebase:
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            archiver.setClassName("FIRUser", for: OldFirebaseUser.self)
            archiver.setClassName("FIRSecureTokenService", for: OldFirebaseTokens.self)
            archiver.encode(
                OldFirebaseUser(userID: "hana", tokens: OldFirebaseTokens(refreshToken: refreshToken, token: token)),
                forKey: "__FIRAPP_DEFAULT_firebase_user")
            archiver.finishEncoding()
            return try items.replace(account, archiver.encodedData)
        case .supabase:
            json = #"{"accessToken":"\#(token ?? "")","refreshToken":"\#(refreshToken)","user":{"id":"hana"}}"#
        case .cognito:
            json = """
                {"userPoolAndIdentityPool":{"identityID":"i","credentials":{},"signedInData":{"userId":"hana",
                "deviceMetadata":{"metadata":{"_0":{"deviceKey":"device-1","deviceGroupKey":"g","deviceSecret":"s"}}},
                "cognitoUserPoolTokens":{"idToken":"\(token ?? "")","accessToken":"x","refreshToken":"\(refreshToken)"}}}}
                """
        }
        try items.replace(account, Data(json.utf8))
    }

    func isLeft(_ kind: Kind) throws -> Bool {
        let (items, account) = try items(kind)
        return try items.read(account) != nil
    }

    /// What is stored of the exchange.
    func record(_ kind: Kind) throws -> Data? {
        try keychain.withValue { try $0[OldSessions.renewalService]?.read(kind.rawValue) }
    }

    /// Hands over what was left, by a new launch of the app.
    func adopt(_ kind: Kind) async throws(OkaeriError) -> Welcome? {
        guard let service = try? Self.service(kind) else { throw .cancelled }
        return try await client.adopt(from: service, in: old)
    }
}
