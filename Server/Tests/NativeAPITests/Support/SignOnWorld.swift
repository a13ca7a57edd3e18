import Domain
import FakeProviders
import Foundation
import OkaeriWire
import TestWorld
import Testing

/// A server with admins, whose single sign-on is a fake OpenID Connect provider.
struct SignOnWorld: Sendable {
    static let client = "okaeri-admins"
    static let callback = "/dashboard/log-in/sign-on/callback"

    let admins: AdminWorld
    let provider: FakeOpenID
    let address: String

    /// - Parameters:
    ///   - more: Further settings, as on the command line.
    ///   - roles: Which admins there are, beside the owner.
    /// - Throws: when something of the test's own world is missing.
    init(_ more: [String: String] = [:], roles: [AdminRole] = []) async throws {
        let clock = StandingClock()
        provider = try FakeOpenID(clock: clock, key: FakeHost.keys.get()[0])
        address = await FakeHost.address(of: provider)
        provider.listen(at: address)
        provider.register(client: Self.client, secret: "the secret")
        let settings = [
            "public-url": TestServer.url, "admin-sign-on-issuer": address, "admin-sign-on-client": Self.client,
            "admin-sign-on-secret": "the secret",
        ]
        admins = try await AdminWorld(
            try await TestServer(
                settings: settings.merging(more) { $1 }, clock: clock, caller: FakeHost.caller),
            roles: roles)
    }

    var server: TestServer { admins.server }
    var rules: Administration { server.modules.administration }
    var now: Int64 { server.clock.now.milliseconds / 1000 }

    /// What a browser is sent to the provider with.
    func leave(_ browser: Browser, _ path: String = "/dashboard/log-in/sign-on") async throws -> [String: String] {
        let sent = try await browser.get(path)
        try #require(sent.status == 303, "\(sent.html)")
        return try asked(try #require(sent.location))
    }

    /// What an address of the provider's asks.
    func asked(_ location: String) throws -> [String: String] {
        try #require(location.hasPrefix("\(address)/authorize?"), "\(location)")
        let items = try #require(URLComponents(string: location)?.queryItems)
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    /// What the link of a page leads to the provider with.
    func asked(_ page: Page) throws -> [String: String] {
        let link = try #require(page.html.firstMatch(of: /class="button" href="([^"]+)"/)?.output.1, "\(page.html)")
        return try asked(String(link).replacing("&amp;", with: "&").replacing("&#61;", with: "="))
    }

    /// Where the provider sends a browser back to.
    func back(
        _ asked: [String: String], subject: String, more: [String: JSONValue] = [:]
    ) throws -> String {
        let claims = provider.claims(subject: subject, audience: Self.client, nonce: asked["nonce"], more: more)
        let code = provider.code(
            claims, client: Self.client, redirectURI: try #require(asked["redirect_uri"]),
            challenge: try #require(asked["code_challenge"]))
        return "\(Self.callback)?code=\(Browser.escaped(code))&state=\(Browser.escaped(asked["state"] ?? ""))"
    }

    /// Logs in by the provider.
    func logIn(_ browser: Browser, subject: String, more: [String: JSONValue] = [:]) async throws -> Page {
        try await browser.get(try back(try await leave(browser), subject: subject, more: more))
    }

    /// Links an admin to a subject, from the admin's own page.
    @discardableResult
    func link(_ browser: Browser, subject: String) async throws -> Page {
        let page = try await browser.get("/dashboard/sign-on")
        let leaving = try await browser.post("/dashboard/sign-on", [:], token: page.token)
        return try await browser.get(try back(try asked(leaving), subject: subject))
    }

    /// What the server's audit log says of an action, by result.
    func entries(_ action: AuditEntry.Action, _ result: AuditEntry.Result) async throws -> [AuditEntry] {
        try await rules.audit.list(in: AuditEntry.server).filter { $0.action == action && $0.result == result }
    }
}
