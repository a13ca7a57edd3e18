import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("What log-in screens learn of the application")
struct ApplicationProfileTests {
    let world = World()

    @Test("needs nobody to be logged in, and has standard rules where the application has no settings")
    func standard() async throws {
        let profile = try await world.launch().applicationProfile()
        let pages = ProfilePages(issuer: world.server.issuer)
        #expect(profile == ApplicationProfile(id: "demo", name: "demo", pages: pages))
        #expect(profile.rules.username.minimumCharacters == 3 && profile.rules.password.minimumCharacters == 8)
        #expect(world.server.users.isEmpty)
    }

    @Test("tells rules, fields, consents, providers, theme and pages")
    func full() async throws {
        var profile = ApplicationProfile(
            id: "demo", name: "Kaze",
            rules: AccountRulesBody(password: PasswordRuleBody(minimumCharacters: 12)),
            fields: [ProfileField(name: "town", kind: .text, label: ["ja": "町"])],
            consents: [ProfileConsent(name: "terms", label: ["en": "Terms"], url: "https://example.com/terms")],
            providers: [ProfileProvider(name: "apple")],
            links: ProfileLinks(privacy: "https://example.com/privacy"),
            pages: ProfilePages(issuer: "https://id.example.com/a/demo"))
        profile.theme = Theme(brand: "Kaze")
        world.server.profile = profile
        #expect(try await world.launch().applicationProfile() == profile)
    }

    @Test("is refused for an application that the server does not know")
    func unknown() async throws {
        let app = world.launch(application: "other")
        await #expect(throws: OkaeriError.applicationUnknown) { try await app.applicationProfile() }
    }

    @Test("may leave out everything but id and name, and a theme that is wrong keeps nobody out")
    func lenient() throws {
        let short = Data(#"{"id": "a", "name": "b", "theme": {"light": {"text": "red"}}, "later": []}"#.utf8)
        #expect(
            try JSONDecoder().decode(ApplicationProfile.self, from: short) == ApplicationProfile(id: "a", name: "b"))
    }
}
