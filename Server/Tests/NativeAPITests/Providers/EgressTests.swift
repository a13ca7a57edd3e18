import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import OutboundServices
import Synchronization
import Testing

/// Requirement 44 over the network: an address that a tenant gives leads nowhere but to the public internet.
@Suite("A tenant's address")
struct EgressTests {
    /// Counts what it is asked, and redirects to another address.
    private final class Decoy: FakeProvider {
        private let count = Mutex(0)
        private let location: String?

        init(location: String? = nil) { self.location = location }

        var calls: Int { count.withLock { $0 } }

        func answer(_ request: FakeRequest) async -> FakeResponse {
            count.withLock { $0 += 1 }
            return location.map { FakeResponse(302, nil, location: $0) } ?? FakeResponse(200, ["secret": "metadata"])
        }
    }

    private static let carrierNetwork = "10.0.0.0/8"

    /// Permits networks beside one that is not this machine, so that http leads to names at all.
    private func caller(
        _ networks: [String], patience: Duration = .seconds(120), resolving: @escaping @Sendable () -> [String] = { [] }
    ) throws -> CurlCaller {
        let networks = try ([Self.carrierNetwork] + networks).map { try #require(IPNetwork($0)) }
        return CurlCaller(
            limits: .init(connecting: patience, whole: patience),
            policy: EgressPolicy(privateNetworks: networks, operatorURLs: []), resolve: resolving)
    }

    /// The port and the path below it of a fake.
    private func location(of provider: any FakeProvider) async throws -> (port: Int, path: String) {
        let parts = try #require(URLComponents(string: await FakeHost.address(of: provider)))
        return (try #require(parts.port), parts.path)
    }

    private func outcome(_ caller: CurlCaller, _ url: String) async -> Result<WebResponse, WebFault> {
        do throws(WebFault) {
            return .success(try await caller(WebCall(.get, url)))
        } catch {
            return .failure(error)
        }
    }

    private func isRefused(_ outcome: Result<WebResponse, WebFault>) -> Bool {
        guard case .failure(.addressRefused) = outcome else { return false }
        return true
    }

    @Test("is not asked when its name leads to this machine, unless that is permitted")
    func names() async throws {
        let decoy = Decoy()
        let (port, path) = try await location(of: decoy)
        let names: @Sendable () -> [String] = { ["internal.example.test:\(port):127.0.0.1"] }
        let url = "http://internal.example.test:\(port)\(path)/x"
        let refused = await outcome(try caller([], resolving: names), url)
        #expect(isRefused(refused), "\(refused)")
        #expect(decoy.calls == 0)
        #expect(try await outcome(try caller(["127.0.0.1"], resolving: names), url).get().status == 200)
        #expect(decoy.calls == 1)
    }

    @Test("is judged by the address of the connection: what a name led to before makes no difference")
    func rebinding() async throws {
        let decoy = Decoy()
        let (port, path) = try await location(of: decoy)
        let url = "http://rebind.example.test:\(port)\(path)/x"
        let isSecond = Mutex(false)
        // Permitted at the first look, and this machine at the next.
        let caller = try caller(["127.0.0.3"]) {
            let address = isSecond.withLock { isSecond in
                defer { isSecond = true }
                return isSecond ? "127.0.0.1" : "127.0.0.3"
            }
            return ["rebind.example.test:\(port):\(address)"]
        }
        // Nobody listens there: the connection was tried.
        guard case .failure(.unreachable) = await outcome(caller, url) else {
            Issue.record("the permitted address was not tried")
            return
        }
        #expect(isRefused(await outcome(caller, url)))
        #expect(decoy.calls == 0)
    }

    @Test("with several addresses is asked at those that are permitted alone")
    func several() async throws {
        let decoy = Decoy()
        let (port, path) = try await location(of: decoy)
        let names: @Sendable () -> [String] = { ["both.example.test:\(port):127.0.0.3,127.0.0.1"] }
        let url = "http://both.example.test:\(port)\(path)/x"
        #expect(try await outcome(try caller(["127.0.0.1"], resolving: names), url).get().status == 200)
        #expect(decoy.calls == 1)
        _ = await outcome(try caller(["127.0.0.3"], resolving: names), url)
        #expect(decoy.calls == 1)
    }

    @Test(
        "leads to this machine in no notation",
        arguments: [
            "127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "%31%32%37.0.0.1", "127。0。0。1", "①②⑦.0.0.1",
            "[::ffff:127.0.0.1]", "[::1]", "[::]", "0", "0.0.0.0", "localhost", "a.localhost", "localhost.",
        ])
    func notations(host: String) async throws {
        let decoy = Decoy()
        let (port, path) = try await location(of: decoy)
        for scheme in ["http", "https"] {
            let got = await outcome(try caller([], patience: .seconds(5)), "\(scheme)://\(host):\(port)\(path)/x")
            guard case .failure = got else {
                Issue.record("\(scheme)://\(host) was asked")
                continue
            }
        }
        #expect(decoy.calls == 0)
    }

    @Test("leads nowhere else by a redirection")
    func redirection() async throws {
        let target = Decoy()
        let decoy = Decoy(location: "\(await FakeHost.address(of: target))/x")
        let url = "\(await FakeHost.address(of: decoy))/x"
        #expect(try await outcome(FakeHost.caller, url).get().status == 302)
        #expect(decoy.calls == 1 && target.calls == 0)
    }

    @Test("tells the log why it was not asked, and nobody else")
    func log() async throws {
        let (port, path) = try await location(of: Decoy())
        let caller = try caller([]) { ["internal.example.test:\(port):127.0.0.1"] }
        let lines = Mutex<[String]>([])
        caller.observeFaults { line in lines.withLock { $0.append(line) } }
        _ = await outcome(caller, "http://internal.example.test:\(port)\(path)/x?token=secret")
        let logged = lines.withLock { $0 }
        #expect(logged.count == 1 && logged[0].contains("internal.example.test") && logged[0].contains("127.0.0.1"))
        #expect(logged[0].contains("allow-private-networks") && !logged[0].contains("secret"), "\(logged)")
    }

    @Test(
        "is refused as an issuer when it is no public one",
        arguments: [
            "http://127.0.0.1:8080", "https://127.0.0.1:8443", "https://10.0.0.1", "https://[::ffff:10.0.0.1]",
            "https://169.254.169.254", "https://2852039166", "https://localhost:8443", "http://id.example.com",
            "https://id.example.com:25",
        ])
    func issuer(issuer: String) async throws {
        let world = try await AdminWorld(roles: [])
        func set(_ issuer: String) async throws -> Answer {
            try await world.send(
                "owner", .put, world.path("/providers/oidc:work"),
                body: #"{"audiences": ["client"], "issuer": "\#(issuer)", "redirectURIs": []}"#)
        }
        let refused = try await set(issuer)
        #expect(refused.status == 400 && refused.text.contains("issuer"), "\(refused.text)")
        #expect(try await set("https://id.example.com").status == 200)
    }

    @Test("brings nobody in when the provider's name leads into the network: 503, and nothing was asked")
    func logIn() async throws {
        let clock = StandingClock()
        let provider = FakeOpenID(clock: clock, key: try FakeHost.keys.get()[0])
        let (port, path) = try await location(of: provider)
        let address = "http://internal.example.test:\(port)\(path)"
        provider.listen(at: address, takesSecretInForm: true)
        provider.register(client: "client", secret: nil)
        for isPermitted in [false, true] {
            let server = try await TestServer(
                clock: clock, providers: ProviderAddresses(),
                caller: try caller(isPermitted ? ["127.0.0.1"] : []) { ["internal.example.test:\(port):127.0.0.1"] })
            try await server.modules.providers.setProvider(
                ProviderSettings(provider: .init(rawValue: "oidc:work"), audiences: ["client"], issuer: address),
                secret: nil, of: server.application.id, by: .local)
            let token = try provider.key.token(provider.claims(subject: "hana", audience: "client"))
            let body = String(decoding: try JSONEncoder().encode(ProviderLogInBody(idToken: token)), as: UTF8.self)
            let answer = try await server.send(.post, "/v1/log-in/oidc:work", body: body)
            if isPermitted {
                #expect(answer.status == 201, "\(answer.text)")
            } else {
                expect(answer, 503, .providerUnavailable)
                #expect(provider.calls.isEmpty && !answer.text.contains("127.0.0.1"))
            }
        }
    }

    /// Issue 24: the operator's own provider is no way into the operator's network for tenants.
    @Test("at the operator's own sign-on is nothing to which events go, and no hook")
    func signOn() async throws {
        let issuer = "http://127.0.0.1:9/realm"
        let world = try await AdminWorld(
            try await TestServer(settings: [
                "public-url": TestServer.url, "admin-sign-on-issuer": issuer, "admin-sign-on-client": "okaeri",
            ]), roles: [])
        for url in [issuer, "\(issuer)/x", "\(issuer)/../admin"] {
            let hook = try await world.send(
                "owner", .put, world.path("/hooks/sign-up"), body: #"{"url": "\#(url)", "whenDown": "allow"}"#)
            #expect(hook.status == 400 && hook.text.contains("\"url\""), "\(url): \(hook.text)")
            let endpoint = try await world.send(
                "owner", .post, world.path("/event-endpoints"), body: #"{"url": "\#(url)"}"#)
            #expect(endpoint.status == 400 && endpoint.text.contains("\"url\""), "\(url): \(endpoint.text)")
        }
    }

    /// Issue 24.
    @Test("at the operator's own sign-on is no issuer of a tenant's, whatever its name; admins log in all the same")
    func issuerOfAdmins() async throws {
        let clock = StandingClock()
        let provider = FakeOpenID(clock: clock, key: try FakeHost.keys.get()[0])
        let issuer = await FakeHost.address(of: provider)
        provider.listen(at: issuer)
        provider.register(client: "okaeri", secret: "the secret")
        let server = try await TestServer(
            settings: [
                "public-url": TestServer.url, "admin-sign-on-issuer": issuer, "admin-sign-on-client": "okaeri",
                "admin-sign-on-secret": "the secret",
            ],
            clock: clock,
            caller: CurlCaller(
                limits: .init(connecting: .seconds(120), whole: .seconds(120)),
                policy: EgressPolicy(privateNetworks: [], operatorURLs: [issuer])))
        let world = try await AdminWorld(server, roles: [])
        let sent = try await Browser(server).get("/dashboard/log-in/sign-on")
        #expect(sent.location?.hasPrefix("\(issuer)/authorize?") == true, "\(sent.html)")
        let token = try provider.key.token(provider.claims(subject: "hana", audience: "okaeri"))
        let body = String(decoding: try JSONEncoder().encode(ProviderLogInBody(idToken: token)), as: UTF8.self)
        for name in ["oidc:work", "oidc:admins"] {
            let refused = try await world.send(
                "owner", .put, world.path("/providers/\(name)"),
                body: #"{"audiences": ["okaeri"], "issuer": "\#(issuer)", "redirectURIs": []}"#)
            #expect(refused.status == 400 && refused.text.contains("issuer"), "\(name): \(refused.text)")
            // Settings of an earlier version.
            let stored = StoredProvider(
                application: server.application.id,
                settings: ProviderSettings(
                    provider: .init(rawValue: name), audiences: ["okaeri"], issuer: issuer),
                sealedSecret: nil, updatedAt: clock.now)
            try await server.store.write { transaction throws(DomainError) in try transaction.save(stored) }
            expect(try await server.send(.post, "/v1/log-in/\(name)", body: body), 503, .providerUnavailable)
        }
        let services = world.path("/old-services")
        let version = try #require(try await world.send("owner", .get, services).headers[.eTag])
        let old = try await world.send(
            "owner", .put, "\(services)/supabase", [("If-Match", version)], body: #"{"issuer": "\#(issuer)"}"#)
        #expect(old.status == 400 && old.text.contains("issuer"), "\(old.text)")
    }

    @Test("leads to a fake on this machine in development, and to what the operator lists")
    func settings() throws {
        func policy(_ settings: [String: String]) throws -> EgressPolicy {
            let read = try ServerSettings(commandLine: settings, environment: [:])
            return read.egress(to: read.providers)
        }
        let url = "http://127.0.0.1:8080/x"
        #expect(try policy([:]).target(of: url) == nil)
        #expect(try policy(["dev": "on"]).target(of: url) != nil)
        #expect(try policy(["allow-private-networks": "10.0.0.0/8, 127.0.0.0/8"]).target(of: url) != nil)
        #expect(try policy(["apple-url": "http://127.0.0.1:9000/apple"]).target(of: url) == nil)
        #expect(
            try policy(["apple-url": "http://127.0.0.1:9000/apple"]).target(of: "http://127.0.0.1:9000/apple/auth/keys")
                != nil)
        #expect(throws: (any Error).self) { try policy(["allow-private-networks": "everywhere"]) }
    }
}
