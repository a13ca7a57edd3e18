import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import Testing

/// A server that trusts Firebase, Supabase and Cognito, which are fakes, and has taken a user in from each.
struct OldServiceWorld: Sendable {
    /// The services that sign tokens.
    static let signing: [OldService.Name] = [.firebase, .supabase, .cognito]
    static let project = "my-game"
    static let client = "3n4b5urk1ft4fl3mg5e62d9ado"
    /// As long as Supabase makes them at least.
    static let secret = "super-secret-jwt-token-with-at-least-32-characters"
    /// Users by the service that they come from, with their ids there.
    static let users: [OldService.Name: String] = [
        .firebase: "Zk3vUqL0aPZ6cBq1mT9wXyS2dRf1", .supabase: "2c1f4a9e-8b7d-4c3a-9f10-6d5e4b3a2c1f",
        .cognito: "a7248a48-1041-70f5-1c2b-90b1c2d3e4f5",
    ]

    let server: TestServer
    let services: [OldService.Name: FakeOldService]
    let addresses: [OldService.Name: String]

    init(
        isSet: Bool = true, secret: String? = OldServiceWorld.secret, application: ApplicationSettings = .init()
    ) async throws {
        let clock = StandingClock()
        let keys = try FakeHost.keys.get()
        services = [
            .firebase: FakeOldService(.firebase, clock: clock, key: keys[0]),
            .supabase: FakeOldService(.supabase, clock: clock, key: FakeKey.p256(id: "supabase-1")),
            .cognito: FakeOldService(.cognito, clock: clock, key: keys[1]),
        ]
        var addresses: [OldService.Name: String] = [:]
        for (name, fake) in services { addresses[name] = await FakeHost.address(of: fake) }
        self.addresses = addresses
        var providers = ProviderAddresses()
        providers.firebaseKeySet = (addresses[.firebase] ?? "") + FakeOldService.keysPath
        server = try await TestServer(
            application: application, clock: clock, providers: providers, caller: FakeHost.caller)
        let now = clock.now
        let imported = Self.users.values.sorted().map { id in
            ImportedUser(
                user: User(
                    id: Identifier(rawValue: id), application: server.application.id, displayName: "Hana",
                    createdAt: now, updatedAt: now))
        }
        let outcomes = try await server.modules.imports.importUsers(
            imported, into: server.application.id, of: .native, isRehearsal: false)
        #expect(outcomes.allSatisfy { $0 == .imported })
        guard isSet else { return }
        try await set(.firebase, .init(audiences: [Self.project]))
        try await set(.supabase, .init(issuer: issuer(.supabase), secret: secret.map { Secret($0) }))
        try await set(.cognito, .init(issuer: issuer(.cognito), audiences: [Self.client]))
    }

    func set(_ name: OldService.Name, _ draft: ManageOldServices.Draft) async throws {
        _ = try await server.modules.providers.manageOldServices.set(
            name, to: draft, in: server.application.id, isCurrent: { _ in true }, by: .local)
    }

    func fake(_ name: OldService.Name) throws -> FakeOldService { try #require(services[name]) }

    func issuer(_ name: OldService.Name) -> String {
        name == .firebase ? "https://securetoken.google.com/\(Self.project)" : addresses[name] ?? ""
    }

    static func audience(_ name: OldService.Name) -> String {
        switch name {
        case .firebase: project
        case .supabase: "authenticated"
        case .cognito: client
        case .nakama: ""
        }
    }

    static func user(_ name: OldService.Name) -> String { users[name] ?? "" }

    /// The claims of a right token.
    func claims(_ name: OldService.Name, of subject: String? = nil) throws -> [String: JSONValue] {
        try fake(name).claims(
            of: subject ?? Self.user(name), issuer: issuer(name), audience: Self.audience(name))
    }

    func token(_ name: OldService.Name, more: [String: JSONValue] = [:]) throws -> String {
        try fake(name).key.token(try claims(name).merging(more) { $1 }.filter { $0.value != .null })
    }

    /// Hands a token over.
    func adopt(
        _ service: String, _ token: String, on device: ProofMaker = ProofMaker(),
        _ headers: [(String, String)] = [], rest: String = ""
    ) async throws -> Answer {
        let proof = try device.proof("POST", server.url(APIPath.adopt), at: server.clock.now)
        return try await server.send(
            .post, APIPath.adopt, [("DPoP", proof)] + headers,
            body: #"{"protocol": "\#(service)", "token": "\#(token)"\#(rest)}"#)
    }

    func adopt(
        _ name: OldService.Name, _ token: String, on device: ProofMaker = ProofMaker()
    ) async throws -> Answer { try await adopt(name.rawValue, token, on: device) }
}
