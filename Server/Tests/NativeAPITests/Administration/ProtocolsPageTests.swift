import Domain
import HTTPTypes
import OkaeriServer
import OkaeriWire
import ParseAPI
import Testing

@testable import Dashboard

@Suite("The dashboard's page of old protocols")
struct ProtocolsPageTests {
    @Test("switches old protocols on with old keys, and off only when that is typed")
    func protocols() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let (browser, address) = (world.browser(), world.page("protocols"))
        let token = try await browser.get(address).token
        let keys = ["ncmb.applicationKey": "old-app", "ncmb.clientKey": "old-client"]
        #expect(try await browser.post("\(address)/ncmb/enable", keys, token: token).html.contains("old-client"))
        // A key that makes an administrator is shown this once.
        let parse = try await browser.post("\(address)/parse/enable", [:], token: token)
        #expect(parse.status == 200 && parse.html.contains("<dt>masterKey</dt>"))
        #expect(try await !browser.get(address).html.contains("<dt>masterKey</dt>"))
        #expect(try await browser.get(address).html.contains("old-client"))
        let seen = try await world.browser("auditor").get(address).html
        #expect(seen.contains("old-app") && !seen.contains("old-client"))
        let off = ["ncmb.confirm": "yes"]
        let unsure = try await browser.post("\(address)/ncmb/disable", off, token: token)
        #expect(unsure.status == 422 && unsure.html.contains(">Switch off: "), "\(unsure.html)")
        #expect(
            try await browser.post("\(address)/ncmb/disable", ["ncmb.confirm": "ncmb"], token: token).status == 303)
        #expect(try await !browser.get(address).html.contains("old-client"))
        #expect(try await browser.post("\(address)/smoke/enable", [:], token: token).status == 404)
    }

    @Test("shows and changes exactly the rules that a protocol heeds", arguments: Composition.protocols.foreign)
    func rules(profile: ProtocolProfile) async throws {
        let name = profile.name
        let world = try await AdminWorld(roles: [.auditor])
        let (browser, address) = (world.browser(), world.page("protocols"))
        let token = try await browser.get(address).token
        _ = try await browser.post("\(address)/\(name.rawValue)/enable", [:], token: token)
        let shown = try await browser.get(address)
        for rule in ProtocolRule.all {
            #expect(
                shown.html.contains("name=\"\(name.rawValue).\(rule.name)\"")
                    == (rule.id.isCommon || profile.rules.contains(rule.id)),
                "\(rule.name)")
        }
        var fields = ["version": shown.value(of: "version") ?? ""]
        var wanted: [String: ProtocolRule.Value] = [:]
        for rule in ProtocolRule.heeded(by: profile) {
            let settings = try await world.server.modules.applications.findApplication(world.server.application.id)
                .settings
            switch rule.value(for: profile, in: settings) {
            case .truth(let truth):
                wanted[rule.name] = .truth(!truth)
                if !truth { fields["\(name.rawValue).\(rule.name)"] = "yes" }
            case .number:
                wanted[rule.name] = .number(77)
                fields["\(name.rawValue).\(rule.name)"] = "77"
            case .texts where rule.kind == .server:
                wanted[rule.name] = .texts(["https://parse.example.com/parse"])
                fields["\(name.rawValue).\(rule.name)"] = "https://parse.example.com/parse"
            case .texts:
                wanted[rule.name] = .texts(["10.0.0.0", "192.0.2.1"])
                fields["\(name.rawValue).\(rule.name)"] = "10.0.0.0\r\n 192.0.2.1"
            }
        }
        let saved = try await browser.post("\(address)/\(name.rawValue)/rules", fields, token: token)
        #expect(saved.location == "\(address)?done=saved&open=\(name.rawValue)", "\(saved.html)")
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        for rule in ProtocolRule.heeded(by: profile) {
            #expect(rule.value(for: profile, in: settings) == wanted[rule.name], "\(rule.name)")
        }
        // Somebody else's form is older than that.
        #expect(
            try await browser.post("\(address)/\(name.rawValue)/rules", fields, token: token).status == 409)
        let auditor = world.browser("auditor")
        let seen = try await auditor.get(address)
        #expect(seen.status == 200 && !seen.html.contains("<button class=\"button button-small\""))
        #expect(try await auditor.post("\(address)/\(name.rawValue)/rules", fields, token: seen.token).status == 403)
    }

    @Test(
        "tells at which rule a value is not possible, shows it as text, and keeps all others as typed",
        arguments: [
            ("idleSeconds", ""), ("idleSeconds", "0"), ("idleSeconds", "99999999999999999999"),
            ("sessionsPerUser", "101"), ("sessionsPerUser", "-1"),
            ("administratorNetworks", #""><script>alert(1)</script>"#),
        ])
    func faults(rule: String, value: String) async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("protocols"))
        let token = try await browser.get(address).token
        _ = try await browser.post("\(address)/parse/enable", [:], token: token)
        let version = try await browser.get(address).value(of: "version") ?? ""
        var fields = [
            "version": version, "parse.idleSeconds": "3600",
            "parse.administratorNetworks": "10.9.0.0/16",
        ]
        fields["parse.\(rule)"] = value
        let refused = try await browser.post("\(address)/parse/rules", fields, token: token)
        #expect(refused.status == 422 && refused.error("parse-\(rule)") != nil, "\(refused.html)")
        #expect(!refused.html.contains("<script>alert"))
        #expect(rule == "administratorNetworks" || refused.html.contains("10.9.0.0/16"))
        let settings = try await world.server.modules.applications.findApplication(world.server.application.id).settings
        #expect(settings.foreignOptions[.parse] == nil)
    }
}
