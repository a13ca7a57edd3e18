import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// The way of a browser to a provider and back.
@Suite("A browser that is sent to a provider")
struct AuthorizationStateRuleTests {
    private let world: ProviderWorld
    private let application: Application

    init() async throws {
        world = try ProviderWorld()
        application = try await world.makeApplication()
    }

    private func request(
        cookie: String = "cookie", continuation: String? = "next", linking: User? = nil, hint: String? = nil,
        fields: [String: JSONValue] = [:], redirect: String = ProviderWorld.redirect
    ) -> StartAuthorization.Request {
        .init(
            provider: .google, redirectURI: redirect, cookie: cookie, continuation: continuation, linking: linking,
            hint: hint, fields: fields)
    }

    private func leave(
        _ request: StartAuthorization.Request
    ) async throws(DomainError) -> (query: [String: String], kept: String?) {
        let departure = try await world.modules.providers.startAuthorization(request, in: application.id)
        var query: [String: String] = [:]
        let text = departure.address.revealed
        for pair in text[text.index(after: text.firstIndex(of: "?") ?? text.startIndex)...].split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(parts[0])] = String(parts[1])
        }
        return (query, departure.kept)
    }

    private func read(
        _ state: String?, kept: String? = nil, cookie: String = "cookie", in application: Identifier<Application>? = nil
    ) -> ReadAuthorizationState.Returned? {
        world.modules.providers.readAuthorizationState(
            state ?? "", kept: kept, cookie: cookie, in: application ?? self.application.id)
    }

    @Test("comes back with what it left with, and with PKCE, nonce and audience of its own")
    func back() async throws {
        let fields: [String: JSONValue] = ["team": "red", "age": 7, "tags": ["a", .null]]
        let query = try await leave(request(hint: "hana@example.com", fields: fields)).query
        let returned = try #require(read(query["state"]))
        #expect(returned.provider == .google && returned.audience == "web" && returned.continuation == "next")
        #expect(returned.fields == fields && !returned.isLink && returned.admin == nil)
        #expect(returned.nonce.revealed == query["nonce"])
        #expect(PKCE.s256(of: returned.verifier.revealed) == query["challenge"])
        #expect(returned.startedAt == world.clock.now && returned.endsAt == world.clock.now + .seconds(600))
        #expect(query["hint"] == "hana@example.com" && query["fresh"] == "false")
        // No two ways are alike.
        let other = try await leave(request(fields: fields)).query
        for name in ["state", "nonce", "challenge"] { #expect(other[name] != query[name], "\(name)") }
    }

    @Test("comes back within ten minutes", arguments: [0, 599_999, 600_000])
    func end(after: Int) async throws {
        let query = try await leave(request()).query
        world.clock.advance(by: .milliseconds(after))
        #expect((read(query["state"]) != nil) == (after < 600_000))
    }

    @Test("comes back as itself, to its own application, unaltered")
    func bound() async throws {
        let other = try await world.makeApplication("Other")
        let state = try #require(try await leave(request()).query["state"])
        #expect(read(state, cookie: "another") == nil && read(state, cookie: "") == nil)
        #expect(read(state, in: other.id) == nil)
        let last = try #require(state.last)
        for text in [
            "", "state", "=", state + "A", String(state.dropLast()),
            String(state.dropLast()) + (last == "A" ? "B" : "A"),
        ] {
            #expect(read(text) == nil)
        }
        #expect(read(String(repeating: "A", count: 12_289)) == nil)
        #expect(read(state) != nil)
    }

    @Test("links to the user who was logged in when it left, while nothing has made that void")
    func links() async throws {
        let hana = try await world.logIn(ProviderWorld.token("hana#1"), to: application).user
        let mika = try await world.logIn(ProviderWorld.token("mika#1"), to: application).user
        let linking = try #require(read(try await leave(request(linking: hana)).query["state"]))
        #expect(linking.isLink && linking.mayLink(to: hana) && !linking.mayLink(to: mika))
        var evicted = hana
        evicted.credentialsVersion += 1
        #expect(!linking.mayLink(to: evicted))
        let logIn = try #require(read(try await leave(request()).query["state"]))
        #expect(!logIn.mayLink(to: hana))
    }

    @Test("goes to an address that the settings name, by a provider that is on")
    func settings() async throws {
        for redirect in ["", ProviderWorld.redirect + "/", "https://evil.example"] {
            let error = await world.refusal { _ = try await leave(request(redirect: redirect)) }
            #expect(error == .providerNotEnabled, "\(redirect)")
        }
        var apple = request()
        apple.provider = .apple
        #expect(await world.refusal { _ = try await leave(apple) } == .providerNotEnabled)
        world.google.set(isDown: true)
        #expect(await world.refusal { _ = try await leave(request()) } == .providerUnavailable)
    }

    @Test("keeps what is too long for the provider, and brings back its digest")
    func kept() async throws {
        world.google.set(maximumState: 100)
        let (query, kept) = try await leave(request(fields: ["team": "red"]))
        let text = try #require(kept)
        #expect(query["state"]?.utf8.count == 43 && text.utf8.count > 100)
        #expect(read(query["state"], kept: text)?.fields == ["team": "red"])
        // One without the other is nothing, and neither is what belongs to another way.
        #expect(read(query["state"]) == nil && read("", kept: text) == nil && read("x", kept: text) == nil)
        let other = try await leave(request())
        #expect(read(query["state"], kept: other.kept) == nil)
        #expect(read(query["state"], kept: text, cookie: "another") == nil)
    }

    @Test("is refused more than a browser keeps", arguments: [true, false])
    func tooMuch(isKept: Bool) async throws {
        world.google.set(maximumState: isKept ? 100 : 100_000)
        let answer = JSONValue.string(String(repeating: "x", count: 6000))
        let error = await world.refusal { _ = try await leave(request(fields: ["team": answer])) }
        #expect(
            error
                == (isKept
                    ? .fieldsRefused([ValidationError(field: "", rule: .tooManyBytes(maximum: 7600))]) : nil))
    }
}

@Suite("The settings of a provider")
struct ProviderSettingsTests {
    private let world: ProviderWorld
    private let application: Application

    init() async throws {
        world = try ProviderWorld()
        application = try await world.modules.applications.createApplication(
            name: "Test", settings: .init(), by: .local
        ).application
    }

    private func set(
        _ change: (inout ProviderSettings) -> Void = { _ in }, secret: Secret? = Secret("secret")
    ) async throws(DomainError) {
        var settings = ProviderSettings(provider: .google, audiences: ["web"], redirectURIs: [ProviderWorld.redirect])
        change(&settings)
        try await world.modules.providers.setProvider(settings, secret: secret, of: application.id, by: .local)
    }

    private static let long = String(repeating: "x", count: 256)
    private static let rows: [(String, @Sendable (inout ProviderSettings) -> Void, [ValidationError])] = [
        ("as they are", { _ in }, []),
        ("no audience", { $0.audiences = [] }, [ValidationError(field: "audiences", rule: .empty)]),
        ("an empty one", { $0.audiences = [""] }, [ValidationError(field: "audiences", rule: .empty)]),
        ("twenty", { $0.audiences = (0..<20).map { "a\($0)" } }, []),
        (
            "twenty-one", { $0.audiences = (0..<21).map { "a\($0)" } },
            [ValidationError(field: "audiences", rule: .tooManyFields(maximum: 20))]
        ),
        ("the longest", { $0.audiences = [String(long.dropLast())] }, []),
        (
            "a longer one", { $0.audiences = [long] },
            [ValidationError(field: "audiences", rule: .tooLong(maximumCharacters: 255))]
        ),
        ("no address", { $0.redirectURIs = [] }, []),
        (
            "many addresses", { $0.redirectURIs = (0..<21).map { "https://a.example/\($0)" } },
            [ValidationError(field: "redirectURIs", rule: .tooManyFields(maximum: 20))]
        ),
        (
            "a bad address", { $0.redirectURIs = ["a\n"] },
            [ValidationError(field: "redirectURIs", rule: .controlCharacter)]
        ),
        ("a team", { $0.teamId = long }, [ValidationError(field: "teamId", rule: .tooLong(maximumCharacters: 255))]),
        ("a key", { $0.keyId = "" }, [ValidationError(field: "keyId", rule: .empty)]),
        ("an issuer", { $0.issuer = "\u{7}" }, [ValidationError(field: "issuer", rule: .controlCharacter)]),
        (
            "two at once", { ($0.audiences, $0.keyId) = ([], "") },
            [ValidationError(field: "audiences", rule: .empty), ValidationError(field: "keyId", rule: .empty)]
        ),
    ]

    @Test("are refused by field and rule", arguments: rows.indices)
    func faults(index: Int) async throws {
        let (name, change, faults) = Self.rows[index]
        let error = await world.refusal { try await set(change) }
        #expect(error?.validationErrors ?? [] == faults, "\(name)")
        let listed = try await world.modules.providers.listProviders(of: application.id)
        #expect(listed.isEmpty != faults.isEmpty, "\(name)")
    }

    @Test("keep the secret that is there when none is sent, and need one at first")
    func secrets() async throws {
        let missing = await world.refusal { try await set(secret: nil) }
        #expect(missing == .fieldsRefused([ValidationError(field: "secret", rule: .required)]))
        try await set()
        world.clock.advance(by: .seconds(1))
        try await set({ $0.audiences = ["ios"] }, secret: nil)
        var found = try await world.modules.providers.findProvider(.google, in: application.id)
        #expect(found.configured.secret == Secret("secret") && found.configured.settings.audiences == ["ios"])
        world.clock.advance(by: .seconds(1))
        try await set(secret: Secret("another"))
        found = try await world.modules.providers.findProvider(.google, in: application.id)
        #expect(found.configured.secret == Secret("another"))
        let listed = try await world.modules.providers.listProviders(of: application.id)
        #expect(listed.map(\.hasSecret) == [true] && listed.first?.updatedAt == world.clock.now)
        let entries = try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .providerSet))
        #expect(entries.map { $0.details["secret"] } == ["new", "kept", "new"])
        #expect(entries.allSatisfy { $0.target == .provider(.google) })
    }

    @Test("are forgotten with the secret when the provider is removed, which needs that it was there")
    func removed() async throws {
        try await set()
        _ = try await world.modules.providers.findProvider(.google, in: application.id)
        try await world.modules.providers.removeProvider(.google, of: application.id, by: .local)
        let find = world.modules.providers.findProvider
        #expect(await world.refusal { _ = try await find(.google, in: application.id) } == .providerNotEnabled)
        let again = await world.refusal {
            try await world.modules.providers.removeProvider(.google, of: application.id, by: .local)
        }
        #expect(again == .providerNotEnabled)
        #expect(await world.refusal { try await set(secret: nil) }?.validationErrors?.map(\.field) == ["secret"])
    }

    @Test("are of applications and providers that there are")
    func unknown() async throws {
        let none = await world.refusal {
            try await world.modules.providers.setProvider(
                ProviderSettings(provider: .google, audiences: ["web"]), secret: Secret("s"),
                of: Identifier(rawValue: "none"), by: .local)
        }
        #expect(none == .applicationUnknown)
        let other = await world.refusal { try await set({ $0.provider = .twitter }) }
        #expect(other == .providerNotEnabled)
        let list = world.modules.providers.listProviders
        #expect(await world.refusal { _ = try await list(of: Identifier(rawValue: "none")) } == .applicationUnknown)
    }

    @Test(
        "name the audience of browsers: the last one where apps have one of their own",
        arguments: [
            (Identity.Provider.google, "web"), (.apple, "service"), (.twitter, "service"), (.line, "web"),
            (.init(rawValue: "oidc:x"), "web"),
        ])
    func browsers(provider: Identity.Provider, audience: String) {
        #expect(ProviderSettings(provider: provider, audiences: ["web", "service"]).browserAudience == audience)
        #expect(ProviderSettings(provider: provider, audiences: []).browserAudience == "")
        #expect(ProviderSettings(provider: provider, audiences: ["one"]).browserAudience == "one")
    }

    @Test(
        "put the team in front of a name, where there is one",
        arguments: [
            (nil, "hana", "hana", nil), ("TEAM", "hana", "TEAM/hana", "TEAM"), ("TEAM", "a/b", "TEAM/a/b", "TEAM"),
            ("", "hana", "/hana", ""),
        ] as [(String?, String, String, String?)])
    func teams(team: String?, name: String, subject: String, part: String?) {
        let configured = ConfiguredProvider(
            application: application.id, settings: .init(provider: .apple, audiences: [], teamId: team), secret: nil)
        #expect(configured.subject(of: name) == subject)
        #expect(
            ConfiguredProvider.parts(of: subject).team == part && ConfiguredProvider.parts(of: subject).name == name)
    }

    @Test(
        "are of OpenID Connect for names of 1 to 40 small letters, digits and hyphens",
        arguments: [
            ("oidc:a", true), ("oidc:a-9", true), ("oidc:" + String(repeating: "a", count: 40), true),
            ("oidc:" + String(repeating: "a", count: 41), false), ("oidc:", false), ("oidc:A", false),
            ("oidc:a_b", false), ("oidc:é", false), ("oidc", false), ("google", false), ("xoidc:a", false), ("", false),
        ])
    func names(name: String, isOpenID: Bool) {
        #expect(Identity.Provider(rawValue: name).isOpenIDConnect == isOpenID)
    }
}
