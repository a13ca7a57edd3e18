import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Passkeys, for operators")
struct AdminPasskeyTests {
    private func path(_ person: Person, in world: AdminWorld) -> String {
        "applications/\(world.server.application.id)/users/\(person.logIn.user.id)"
    }

    @Test("stand in the admin API and on the user's page, by name only for those who may see personal data")
    func listed() async throws {
        let (passkeys, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let world = try await AdminWorld(passkeys.server)
        let person = try await passkeys.server.person()
        let body = try await passkeys.registration(authenticator, by: person, name: "<Hana's phone>")
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status == 201)
        let found = try await world.send("owner", .get, path(person, in: world)).read(InspectedPasskeys.self)
        let passkey = try #require(found.passkeys.first)
        #expect(found.passkeys.count == 1 && passkey.id == authenticator.id && passkey.name == "<Hana's phone>")
        #expect(passkey.aaguid == "00000000-0000-0000-0000-000000000000" && passkey.signCount == 0)
        #expect(passkey.isBackedUp && passkey.isBackupEligible && passkey.lastUsedAt == nil)
        let masked = try await world.send("support", .get, path(person, in: world)).read(InspectedPasskeys.self)
        #expect(masked.passkeys.map(\.name) == ["<•••"])
        let page = try await world.browser().get(world.page("users/\(person.logIn.user.id)"))
        #expect(page.html.contains("&lt;Hana") && page.html.contains("passkeys/\(authenticator.id)/remove"))
        #expect(!page.html.contains("<Hana"))
    }

    @Test(
        "are removed by a permission and a recent log-in, which ends their sessions; the last way in stays",
        arguments: [16, 32, 1023])
    func removed(idBytes: Int) async throws {
        let (passkeys, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator(idBytes: idBytes))
        let world = try await AdminWorld(passkeys.server)
        let (person, handle) = try await passkeys.person(authenticator)
        let logIn = try await passkeys.logIn(try await passkeys.authentication(authenticator, handle))
            .read(LogInResponse.self)
        let address = "\(path(person, in: world))/passkeys/\(authenticator.id)"
        #expect(try await world.send("support", .delete, address).status == 403)
        let foreign = address.replacing(world.server.application.id.rawValue, with: world.foreign.id.rawValue)
        #expect(try await world.send("owner", .delete, foreign).status == 404)
        #expect(try await world.send("owner", .delete, address).status == 204)
        #expect(try await world.send("owner", .delete, address).status == 404)
        let token = [("Authorization", "Bearer \(logIn.session.token)")]
        #expect(try await passkeys.server.send(.get, APIPath.user, token).status == 401)
        expect(
            try await passkeys.logIn(try await passkeys.authentication(authenticator, handle)), 404, .passkeyUnknown)
        let entries = try await passkeys.server.modules.administration.audit.list(in: passkeys.server.application.id)
        #expect(entries.contains { $0.action.rawValue == "passkey.removed" })
        // A key of the device led to the user still; to this one, only the passkey.
        let other = SoftwareAuthenticator()
        let (guest, _) = try await passkeys.person(other)
        let keys = try await guest.send(.get, APIPath.deviceKeys).read(DeviceKeyListResponse.self).deviceKeys
        for key in keys { _ = try await guest.send(.delete, APIPath.deviceKey(key.thumbprint)) }
        let last = try await world.send("owner", .delete, "\(path(guest, in: world))/passkeys/\(other.id)")
        expect(last, 409, .lastWayIn)
    }

    @Test("have settings in the dashboard, by the rules of the admin API, and a form without that part leaves them")
    func settings() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("settings"))
        var shown = try await browser.get(address)
        #expect(shown.html.contains("passkeys.refusedAuthenticators"))
        var fields = [
            "version": shown.value(of: "version") ?? "", "name": "Demo", "sessionIdleDays": "30",
            "sessionDays": "100", "passwordMinimumCharacters": "10", "deletionGraceDays": "14",
            "passkeys.enabled": "yes", "passkeys.domain": "Example.com",
            "passkeys.origins": "https://app.example.com\r\nhttps://example.com:8443",
            "passkeys.allowedAuthenticators": "not-one", "passkeys.refusedAuthenticators": "",
            "passkeys.appleApps": "TEAM123456.com.example.app", "passkeys.androidApps": "com.example.app AB:CD",
        ]
        let refused = try await browser.post(address, fields, token: shown.token)
        #expect(refused.status == 422 && refused.error("passkeys.domain") != nil)
        #expect(refused.error("passkeys.allowedAuthenticators") != nil && refused.error("passkeys.origins") == nil)
        #expect(refused.error("passkeys.androidApps") != nil && refused.error("passkeys.appleApps") == nil)
        let certificate = [String](repeating: "AB", count: 32).joined(separator: ":")
        fields["passkeys.androidApps"] =
            " com.example.app \(certificate) \(certificate)\r\n\r\ncom.example.b \(certificate)"
        fields["passkeys.domain"] = "example.com"
        fields["passkeys.allowedAuthenticators"] = "01020304-0506-0708-090a-0b0c0d0e0f10"
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        let rules = try await stored(world)
        #expect(rules.isEnabled && rules.domain == "example.com" && !rules.requiresUserVerification)
        #expect(rules.origins == ["https://app.example.com", "https://example.com:8443"])
        #expect(rules.allowedAuthenticators.count == 1 && rules.refusedAuthenticators.isEmpty)
        #expect(
            rules.appleApps == ["TEAM123456.com.example.app"] && rules.androidApps.map(\.certificates.count) == [2, 1])
        shown = try await browser.get(address)
        #expect(shown.html.contains("com.example.app \(certificate) \(certificate)"))
        for name in fields.keys where name.hasPrefix("passkeys.") { fields[name] = nil }
        fields["version"] = shown.value(of: "version") ?? ""
        #expect(try await browser.post(address, fields, token: shown.token).status == 303)
        #expect(try await stored(world) == rules)
    }

    @Test("have roots of makers in the dashboard, each for its kinds or for all")
    func roots() async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("settings"))
        let kind = "01020304-0506-0708-090a-0b0c0d0e0f10"
        let pem = TestCertifier.rootPEM
        var fields = [
            "name": "Demo", "sessionIdleDays": "30", "sessionDays": "100", "passwordMinimumCharacters": "10",
            "deletionGraceDays": "14", "passkeys.enabled": "yes", "passkeys.domain": "example.com",
        ]
        func send(_ roots: String) async throws -> Page {
            let shown = try await browser.get(address)
            fields["version"] = shown.value(of: "version") ?? ""
            fields["passkeys.attestationRoots"] = roots
            return try await browser.post(address, fields, token: shown.token)
        }
        for wrong in [
            "nonsense", "\(kind)\n", "*\nnot a certificate", "\(kind) x\n\(pem)", pem.replacing("M", with: "!"),
        ] {
            let refused = try await send(wrong)
            #expect(refused.status == 422 && refused.error("passkeys.attestationRoots") != nil, "\(wrong)")
        }
        let written = pem.replacing("\n", with: "\r\n")
        #expect(try await send("\(written)\r\n  \(kind)\r\n\r\n\(written)\(written)").status == 303)
        let rules = try await stored(world)
        #expect(rules.attestationRoots.map(\.authenticators) == [[], [kind]])
        #expect(rules.attestationRoots.map { $0.certificates.components(separatedBy: "BEGIN").count } == [2, 3])
        let shown = try await browser.get(address)
        #expect(shown.html.contains("\n\(kind)\n-----BEGIN CERTIFICATE-----"))
        #expect(try await send(rules.attestationRootLines.joined(separator: "\r\n")).status == 303)
        #expect(try await stored(world) == rules)
        #expect(try await send("").status == 303)
        #expect(try await stored(world).attestationRoots.isEmpty)
    }

    private func stored(_ world: AdminWorld) async throws -> PasskeyRules {
        try await world.server.modules.applications.findApplication(world.server.application.id).settings.passkeys
    }

    private struct InspectedPasskeys: Decodable {
        struct Passkey: Decodable {
            let id: String
            let name: String?
            let aaguid: String
            let signCount: Int64
            let isBackedUp: Bool
            let isBackupEligible: Bool
            let lastUsedAt: String?
        }

        let passkeys: [Passkey]
    }
}
