import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing
@testable import WebPages

/// Texts, themes, and the contrast that they keep.
@Suite("Theme and texts of pages")
struct PageThemeTests {
    private var tables: [PageLanguage: [String: String]] {
        get throws { try PageTexts(WebPages.tables).tables }
    }

    @Test("has every text in every language, with the same placeholders")
    func texts() throws {
        let tables = try tables
        let english = try #require(tables[.english])
        for (language, table) in tables {
            #expect(Set(table.keys) == Set(english.keys), "\(language)")
            for (name, text) in table {
                let placeholders = { (text: String) in Set(text.matches(of: /\{\w+\}/).map { String($0.output) }) }
                #expect(placeholders(text) == placeholders(english[name] ?? ""), "\(language) \(name)")
                #expect(!text.isEmpty)
            }
        }
    }

    @Test("asks in templates for texts that there are, and uses no element that is set without a nonce")
    func templates() throws {
        let english = try #require(try tables[.english])
        for (name, bytes) in WebPages.ownTemplates {
            let template = String(decoding: bytes, as: UTF8.self)
            for match in template.matches(of: /\{\{t\.([\w.]+)\}\}/) {
                #expect(english[String(match.output.1)] != nil, "\(name): \(match.output.1)")
            }
            #expect(!template.contains("<script") && !template.contains(" style=") && !template.contains(" on"))
        }
    }

    @Test("keeps WCAG 2.2 AA in the standard theme and in those of the examples")
    func contrast() throws {
        #expect(Theme().contrastFaults().isEmpty)
        let examples = Description.file.deletingLastPathComponent().appendingPathComponent("Examples/web/themes")
        for name in ["hoshi.json", "mori.json"] {
            let theme = try JSONDecoder().decode(
                Theme.self, from: Data(contentsOf: examples.appendingPathComponent(name)))
            #expect(theme.contrastFaults().isEmpty, "\(name)")
        }
    }

    @Test("shows a theme's own colours, shapes, texts and pictures, and nothing that could break out of the style")
    func theme() async throws {
        let theme = JSONValue.object([
            "brand": .string("Hoshi & <b>Co</b>"), "cornerRadius": .integer(4), "buttonShape": .string("capsule"),
            "light": .object(["primary": .string("#0A5C36")]),
            "logo": .string("data:image/png;base64,iVBORw0KGgo="),
            "texts": .object(["en": .object(["logIn.title": .string("Good to see you</title><script>")])]),
        ])
        let server = try await TestServer(application: ApplicationSettings(theme: theme))
        let browser = Browser(server)
        let page = try await browser.get(browser.path("log-in"))
        #expect(page.html.contains("--okaeri-primary:#0A5C36"))
        #expect(page.html.contains("--okaeri-button-radius:24px"))
        #expect(page.html.contains("Good to see you&lt;/title&gt;"))
        #expect(page.html.contains("Hoshi &amp; &lt;b&gt;Co&lt;/b&gt;"))
        #expect(page.html.components(separatedBy: "<script").count == 2)
        let logo = try #require(page.html.firstMatch(of: /src="(\/a\/[^"]+\/theme\/logo-[^"]+)"/)?.output.1)
        let picture = try await browser.get(String(logo))
        #expect(picture.answer.headers[.contentType] == "image/png")
        #expect(picture.policy.contains("sandbox"))
    }

    @Test(
        "puts the logo where the theme has it, as high as it says",
        arguments: [
            (
                #""logoHeight": 96, "logoPosition": "center""#,
                ["--okaeri-logo-height:96px", "--okaeri-logo-position:center"]
            ),
            (#""logoPosition": "trailing""#, ["--okaeri-logo-position:flex-end"]),
            (#""logoHeight": 16, "logoPosition": "leading""#, ["--okaeri-logo-height:16px"]),
            (#""logoPosition": "upside-down""#, []), (#""brand": "Hoshi""#, []),
        ])
    func logoPosition(members: String, properties: [String]) async throws {
        let theme = try JSONValue(parsing: Array("{\(members)}".utf8))
        let browser = Browser(try await TestServer(application: ApplicationSettings(theme: theme)))
        let style = try await browser.get(browser.path("log-in")).html
        let set = style.matches(of: /--okaeri-logo-[a-z]+:[^;}]+/).map { String($0.output) }
        #expect(Set(set) == Set(properties))
        let sheet = try #require(style.firstMatch(of: /href="(\/assets\/[^"]+\.css)"/)?.output.1)
        let rules = try await browser.get(String(sheet)).html
        #expect(rules.contains("justify-content: var(--okaeri-logo-position, flex-start)"))
        #expect(rules.contains("height: var(--okaeri-logo-height, 2.5rem)"))
    }

    @Test("shows the picture behind all screens, and leaves those of single screens to apps")
    func background() async throws {
        let theme = try JSONValue(
            parsing: Array(
                """
                {"backgroundImage": "data:image/png;base64,iVBORw0KGgo=",
                 "backgroundImages": {"logIn": "data:image/png;base64,iVBORw0KGgp="}}
                """.utf8))
        let browser = Browser(try await TestServer(application: ApplicationSettings(theme: theme)))
        var pictures: Set<String> = []
        for page in ["log-in", "sign-up"] {
            let html = try await browser.get(browser.path(page)).html
            pictures.formUnion(html.matches(of: /--okaeri-picture:url\("([^"]+)"\)/).map { String($0.output.1) })
        }
        #expect(pictures.count == 1)
        let picture = try await browser.get(try #require(pictures.first))
        #expect(picture.status == 200)
        #expect(picture.answer.headers[.contentType] == "image/png")
    }

    @Test("takes a broken theme for none", arguments: [#""x""#, #"{"light": {"text": "red;}</style>"}}"#])
    func brokenTheme(json: String) async throws {
        let theme = try JSONValue(parsing: Array(json.utf8))
        let browser = Browser(try await TestServer(application: ApplicationSettings(theme: theme)))
        let page = try await browser.get(browser.path("log-in"))
        #expect(page.status == 200)
        #expect(!page.html.contains("red;"))
    }

    @Test("serves style and script to be kept for ever, all below 50 kB")
    func assets() async throws {
        let browser = Browser(try await TestServer())
        let page = try await browser.get(browser.path("sign-up"))
        var size = page.html.utf8.count
        for match in page.html.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/) {
            let file = try await browser.get(String(match.output.1))
            #expect(file.status == 200)
            #expect(file.answer.headers[.cacheControl] == "public, max-age=31536000, immutable")
            size += file.html.utf8.count
        }
        #expect(size < 50_000, "\(size)")
        #expect(try await browser.get("/assets/okaeri-old.css").status == 404)
    }
}
