import Domain
import FakeProviders
import Foundation
import OkaeriWire
import OutboundServices
import Synchronization

/// The server of the fake providers: one for the process, on a loopback port, with a path for each test.
enum FakeHost {
    private static let server = FakeProviderServer()
    private static let base = server.start()

    /// Puts a provider at an address of its own.
    static func address(of provider: any FakeProvider) async -> String {
        "\(await base.value)/\(server.add(provider))"
    }
}

/// A fake of Facebook, X and Google, as far as they judge access tokens: each token is named after its owner.
final class FakeSocial: FakeProvider {
    private let asked = Mutex(0)

    /// How often somebody asked.
    var askedCount: Int { asked.withLock { $0 } }

    func answer(_ request: FakeRequest) async -> FakeResponse {
        asked.withLock { $0 += 1 }
        let form = String(decoding: request.body, as: UTF8.self)
        switch request.path {
        case "/debug_token":
            let name = request.query["input_token"] ?? ""
            let isRight = name != "foreign"
            return FakeResponse(
                200,
                ["data": ["is_valid": true, "app_id": isRight ? "app-one" : "app-two", "user_id": .string(name)]])
        case "/1.1/account/verify_credentials.json":
            let header = request.headers["authorization"] ?? ""
            guard !header.contains("foreign"), let name = header.split(separator: "oauth_token=\"").last else {
                return FakeResponse(401, ["errors": [["code": 89]]])
            }
            return FakeResponse(200, ["id_str": .string(String(name.prefix { $0 != "\"" }))])
        case "/tokeninfo":
            let name = String(form.dropFirst("access_token=".count))
            return FakeResponse(200, ["aud": name == "foreign" ? "app-two" : "app-one", "sub": .string(name)])
        default: return FakeResponse(404)
        }
    }
}

extension CurlCaller {
    /// One that asks servers of this machine, with the time that a crowded one needs.
    static func ofTests(private networks: [IPNetwork]) -> CurlCaller {
        CurlCaller(
            limits: .init(connecting: .seconds(60), whole: .seconds(60)),
            policy: EgressPolicy(privateNetworks: networks, operatorURLs: []))
    }
}

extension FakeProvider {
    /// Puts it at an address of its own.
    func address() async -> String { await FakeHost.address(of: self) }
}

extension ForeignWorld {
    /// A server whose application knows Facebook, X and Google, all of them fakes.
    static func withSocialAccounts(
        server: [String: String] = ["rate-limits": "off"]
    ) async throws -> (world: ForeignWorld, social: FakeSocial) {
        let social = FakeSocial()
        let base = await social.address()
        var addresses = ProviderAddresses()
        addresses.facebookGraph = base
        addresses.twitter = base
        addresses.googleTokenInfo = "\(base)/tokeninfo"
        let world = try await ForeignWorld(
            server: server, providers: addresses,
            caller: .ofTests(private: IPNetwork.loopback))
        for provider in [Identity.Provider.facebook, .twitter, .google] {
            try await world.modules.providers.setProvider(
                ProviderSettings(provider: provider, audiences: ["app-one"]), secret: Secret("secret"),
                of: world.application.id, by: .local)
        }
        return (world, social)
    }
}
