import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing

@testable import Dashboard

@Suite("The dashboard's page of old services")
struct OldServicesPageTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    /// A right form for each service.
    private static let forms: [(name: OldService.Name, fields: [String: String])] = [
        (.firebase, ["audiences": "my-game"]), (.supabase, ["issuer": "https://abc.supabase.co/auth/v1"]),
        (.cognito, ["issuer": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a", "audiences": "one\r\ntwo"]),
        (.nakama, [:]),
    ]

    private func services(_ world: AdminWorld) async throws -> [OldService] {
        try await world.server.modules.applications.findApplication(world.server.application.id).oldServices
    }

    /// Sends a form as the page that was looked at last has it.
    private func post(
        _ path: String, _ fields: [String: String], _ browser: Browser, in world: AdminWorld
    ) async throws -> Page {
        let address = world.page("old-services")
        let shown = try await browser.get("\(address)?service=\(path.prefix { $0 != "/" })")
        let version = shown.html.firstMatch(of: /name="version" value="([^"]+)"/)?.output.1
        return try await browser.post(
            "\(address)/\(path)", fields.merging(["version": String(version ?? "")]) { $1 }, token: shown.token)
    }

    @Test("is drawn in every language, for each service, trusted or not", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await world.server.modules.providers.manageOldServices.set(
            .supabase, to: .init(issuer: "https://abc.supabase.co/auth/v1", secret: Secret(Self.secret)),
            in: world.server.application.id, isCurrent: { _ in true }, by: .local)
        for query in [
            "", "&service=firebase", "&service=supabase", "&service=cognito", "&service=nakama", "&service=parse",
        ] {
            let page = world.page("old-services") + "?lang=\(language.rawValue)\(query)"
            let shown = try await world.browser().get(page)
            #expect(shown.status == 200 && shown.html.contains("https://abc.supabase.co/auth/v1"))
            #expect(!shown.html.contains(Self.secret))
            #expect(shown.html.firstMatch(of: /\boldServices\.[a-zA-Z]+/) == nil, "\(shown.html)")
            // Only what is trusted can be ended.
            #expect(shown.html.contains("/old-services/supabase/remove") == (query == "&service=supabase"))
            #expect(!shown.html.contains("/old-services/firebase/remove"))
            #expect(shown.html.contains("/hooks?hook=adoption"))
        }
    }

    @Test("is in the menu of the application")
    func menu() async throws {
        let world = try await AdminWorld(roles: [])
        #expect(
            try await world.browser().get(world.page("users")).html.contains("href=\"\(world.page("old-services"))\""))
    }

    @Test("trusts a service, changes it and ends the trust, each in the audit log", arguments: forms)
    func life(name: OldService.Name, fields: [String: String]) async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        #expect(try await post(name.rawValue, fields, browser, in: world).status == 303)
        let made = try #require(try await services(world).first)
        #expect(made.name == name && made.issuer == fields["issuer"])
        #expect(made.audiences == fields["audiences"]?.split(whereSeparator: \.isWhitespace).map(String.init) ?? [])
        // The same again is no change, and has no entry.
        #expect(try await post(name.rawValue, fields, browser, in: world).status == 303)
        let shown = try await browser.get("\(world.page("old-services"))?service=\(name.rawValue)&done=saved")
        for value in made.audiences + [made.issuer].compactMap(\.self) { #expect(shown.html.contains(value)) }
        var changed = fields
        if fields["audiences"] != nil { changed["audiences"] = "another" }
        if name == .supabase { changed["issuer"] = "https://other.supabase.co/auth/v1" }
        #expect(try await post(name.rawValue, changed, browser, in: world).status == 303)
        let service = try #require(try await services(world).first)
        #expect(service.issuer == changed["issuer"] && service.audiences == [changed["audiences"]].compactMap(\.self))
        #expect(try await post("\(name.rawValue)/remove", [:], browser, in: world).status == 303)
        #expect(try await services(world).isEmpty)
        let entries = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, limit: 100
        ).filter { $0.details["oldService"] == name.rawValue }
        let expected = (changed == fields ? [] : ["changed"]) + ["created", "removed"]
        #expect(entries.map { $0.details["change"] ?? "" }.sorted() == expected)
    }

    @Test("keeps the secret that is stored when the field is empty, and never shows it")
    func secret() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let fields = ["issuer": "https://abc.supabase.co/auth/v1"]
        _ = try await post("supabase", fields.merging(["secret": " \(Self.secret)\r\n"]) { $1 }, browser, in: world)
        let first = try #require(try await services(world).first?.sealedSecret)
        _ = try await post("supabase", fields.merging(["secret": ""]) { $1 }, browser, in: world)
        #expect(try await services(world).first?.sealedSecret == first)
        let refused = try await post("supabase", ["issuer": "x", "secret": Self.secret], browser, in: world)
        #expect(refused.status == 422 && !refused.html.contains(Self.secret))
    }

    @Test(
        "says what is wrong in the field, keeps what was sent, and changes nothing",
        arguments: [
            ("firebase", ["audiences": "My Game"], "audiences"), ("firebase", ["audiences": ""], "audiences"),
            ("firebase", ["audiences": "a b"], "audiences"),
            ("supabase", ["issuer": "http://abc.supabase.co/auth/v1"], "issuer"),
            ("supabase", ["issuer": "https://127.0.0.1/auth/v1"], "issuer"),
            ("supabase", ["issuer": "https://abc.supabase.co/auth/v1/"], "issuer"), ("supabase", [:], "issuer"),
            ("supabase", ["issuer": "https://abc.supabase.co/auth/v1", "secret": "short"], "secret"),
            ("cognito", ["issuer": "https://cognito-idp.eu-west-1.amazonaws.com/p", "audiences": " "], "audiences"),
            ("cognito", ["issuer": "", "audiences": "client"], "issuer"),
        ])
    func faults(name: String, fields: [String: String], field: String) async throws {
        let world = try await AdminWorld(roles: [])
        let refused = try await post(name, fields, world.browser(), in: world)
        #expect(refused.status == 422 && refused.error(field) != nil, "\(refused.html)")
        if let issuer = fields["issuer"] { #expect(refused.html.contains("value=\"\(issuer)\"")) }
        #expect(try await services(world).isEmpty)
    }

    @Test("does not overwrite what somebody else changed meanwhile, and knows no other services")
    func meanwhile() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("old-services"))
        let token = try await browser.get(address).token
        for path in ["firebase", "firebase/remove"] {
            let fields = ["audiences": "my-game", "version": "of-before"]
            #expect(try await browser.post("\(address)/\(path)", fields, token: token).status == 409)
        }
        #expect(try await post("parse", ["audiences": "a"], browser, in: world).status == 404)
        #expect(try await post("firebase/remove", [:], browser, in: world).status != 303)
        #expect(try await services(world).isEmpty)
    }

    @Test("asks for password and code again before somebody is trusted, and only who may change settings")
    func permissions() async throws {
        let world = try await AdminWorld()
        _ = try await world.server.modules.providers.manageOldServices.set(
            .firebase, to: .init(audiences: ["my-game"]), in: world.server.application.id, isCurrent: { _ in true },
            by: .local)
        let page = world.page("old-services") + "?service=firebase"
        let auditor = try await world.browser("auditor").get(page)
        #expect(auditor.status == 200 && auditor.html.contains("my-game"))
        #expect(!auditor.html.contains("/old-services/firebase"))
        let refused = try await world.browser("auditor").post(
            world.page("old-services") + "/firebase/remove", [:], token: auditor.token)
        #expect(refused.status == 403)
        let browser = world.browser("operator")
        #expect(try await browser.get(page).html.contains("/old-services/firebase/remove"))
        world.server.clock.advance(by: .seconds(1200))
        let asked = try await post("firebase/remove", [:], browser, in: world)
        #expect(asked.html.contains("name=\"\(ReauthenticationForm.password)\""), "\(asked.html)")
        #expect(try await services(world).count == 1)
    }
}
