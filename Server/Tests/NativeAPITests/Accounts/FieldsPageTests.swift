import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing

@testable import Dashboard

@Suite("The dashboard's page of rules for fields")
struct FieldsPageTests {
    private func browser(_ world: AdminWorld, _ role: String = "owner") -> Browser {
        let browser = Browser(world.server)
        if let token = world.tokens[role] { browser.plant(token, name: "admin") }
        return browser
    }

    private func path(_ world: AdminWorld) -> String { "/dashboard/app/\(world.server.application.id)/fields" }

    private static let form = [
        "field": "coins", "type": "integer", "read": "owner", "write": "server", "default": "5", "label-en": "Coins",
        "label-ja": "", "label-ko": "",
    ]

    @Test("is drawn in every language", arguments: PageLanguage.allCases)
    func languages(language: PageLanguage) async throws {
        let world = try await AdminWorld(roles: [])
        try await world.server.modules.applications.changeFieldRules(
            of: world.server.application.id, mayLoosen: true, by: .local
        ) {
            $0["score"] = FieldRule(name: "score", kind: .number, isRequired: true)
        }
        let shown = try await browser(world).get(path(world) + "?field=score&lang=\(language.rawValue)")
        #expect(shown.status == 200 && shown.html.contains("<html lang=\"\(language.rawValue)\""))
        #expect(shown.html.firstMatch(of: /\bfields\.[a-z]+/) == nil)
        #expect(shown.value(of: "field") == "score")
    }

    @Test("makes, replaces and removes rules, and tells how many users break them")
    func life() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (browser(world), path(world))
        _ = try await world.server.person(body: #"{"user": {"fields": {"coins": "many"}}}"#)
        let token = try await browser.get(address).token
        let made = try await browser.post("\(address)/save", Self.form, token: token)
        #expect(made.status == 303 && made.location?.contains("broken=1") == true)
        func rules() async throws -> FieldRules {
            try await world.server.modules.applications.findApplication(world.server.application.id).settings.fieldRules
        }
        let rule = FieldRule(
            name: "coins", kind: .integer, reader: .owner, writer: .server, standard: 5, labels: ["en": "Coins"])
        #expect(try await rules() == FieldRules([rule]))
        #expect(try await browser.post("\(address)/policy", ["policy": "closed"], token: token).status == 303)
        #expect(try await rules().isClosed)
        #expect(try await browser.post("\(address)/remove", ["removed": "coins"], token: token).status == 303)
        #expect(try await rules() == FieldRules(isClosed: true))
    }

    private static let limits = [
        "fields": "200", "fieldsBytes": "131072", "userNameCharacters": "400",
    ]

    @Test("changes how much a user may hold, beside the rules (issue 20)")
    func wider() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address, id) = (browser(world), path(world), world.server.application.id)
        let shown = try await browser.get(address)
        #expect(shown.value(of: "fields") == "100" && shown.value(of: "fieldsBytes") == "32768")
        #expect(shown.value(of: "userNameCharacters") == "255")
        #expect(try await browser.post("\(address)/save", Self.form, token: shown.token).status == 303)
        #expect(try await browser.post("\(address)/limits", Self.limits, token: shown.token).status == 303)
        let rules = try await world.server.modules.applications.findApplication(id).settings.fieldRules
        #expect(rules.limits == ProfileLimits(fields: 200, fieldsBytes: 131_072, userNameCharacters: 400))
        #expect(rules["coins"] != nil)
        #expect(try await browser.get(address).value(of: "fieldsBytes") == "131072")
    }

    @Test(
        "names the bounds of a limit that is out of them, keeps what was typed and changes nothing",
        arguments: [
            ("fields", "99"), ("fields", "401"), ("fields", ""), ("fields", "many"),
            ("fieldsBytes", "32767"), ("fieldsBytes", "99999999999999999999"),
            ("userNameCharacters", "501"), ("userNameCharacters", "-9223372036854775808"),
        ])
    func outOfBounds(member: String, value: String) async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (browser(world), path(world))
        let token = try await browser.get(address).token
        let refused = try await browser.post(
            "\(address)/limits", Self.limits.merging([member: value]) { $1 }, token: token)
        #expect(refused.status == 422 && refused.error(member) != nil, "\(refused.html)")
        #expect((refused.value(of: member) ?? "") == value)
        let application = try await world.server.modules.applications.findApplication(world.server.application.id)
        #expect(application.settings.fieldRules.limits == .standard)
    }

    @Test(
        "tells what is not possible and keeps what was typed",
        arguments: [("default", "{"), ("default", "\"x\""), ("type", "text"), ("read", "all"), ("field", "")])
    func wrong(member: String, value: String) async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (browser(world), path(world))
        let shown = try await browser.get(address)
        let refused = try await browser.post(
            "\(address)/save", Self.form.merging([member: value]) { $1 }, token: shown.token)
        #expect(refused.status == 422 && refused.error(member) != nil, "\(refused.html)")
        #expect(refused.value(of: "label-en") == "Coins")
    }

    @Test("is shown to who may read settings, changed by who may change them, and forged by nobody")
    func permissions() async throws {
        let world = try await AdminWorld(roles: [.auditor, .support])
        let address = path(world)
        let auditor = browser(world, "auditor")
        let shown = try await auditor.get(address)
        #expect(shown.status == 200 && !shown.html.contains("<select"))
        #expect(try await auditor.post("\(address)/save", Self.form, token: shown.token).status == 403)
        #expect(try await auditor.post("\(address)/limits", Self.limits, token: shown.token).status == 403)
        #expect(try await browser(world, "support").get(address).status == 403)
        #expect(try await browser(world).post("\(address)/save", Self.form, token: "forged").status == 403)
        let rules = try await world.server.modules.applications.findApplication(world.server.application.id).settings
            .fieldRules
        #expect(rules.isEmpty && rules.limits == .standard)
    }

    @Test("shows names and defaults as text")
    func scripts() async throws {
        let world = try await AdminWorld(roles: [])
        let evil = "\"'><script>alert(1)</script>{{{me}}}"
        try await world.server.modules.applications.changeFieldRules(
            of: world.server.application.id, mayLoosen: true, by: .local
        ) {
            $0[evil] = FieldRule(name: evil, standard: .string(evil), labels: ["en": evil])
        }
        let shown = try await browser(world).get(path(world) + "?field=\(evil.percentEncoded)")
        #expect(shown.status == 200 && !shown.html.contains("<script>alert"))
    }
}
