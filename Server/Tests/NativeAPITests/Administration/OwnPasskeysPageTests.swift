import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("The dashboard's page of the own passkeys, and log-in with one")
struct OwnPasskeysPageTests {
    private static let address = "/dashboard/passkeys"

    private func sent(_ credential: some Encodable) throws -> [String: String] {
        ["credential": try AdminWorld.text(credential)]
    }

    @Test("adds, renames and removes a passkey by forms that a script fills")
    func forms() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: [.auditor]), SoftwareAuthenticator())
        let browser = world.browser("auditor")
        let shown = try await browser.get(Self.address)
        #expect(shown.html.contains(#"data-passkey="create" data-options="/dashboard/passkeys/options""#))
        #expect(shown.html.contains("/assets/passkeys-") && !shown.html.contains("/dashboard/passkeys/password"))
        let options = try await browser.post("\(Self.address)/options", [:], token: shown.token)
        #expect(options.status == 200 && options.html.contains(#""rp":{"#))
        let made = try await world.registration(authenticator, by: "auditor").credential
        var fields = try sent(made)
        fields["name"] = "<b>desk</b>"
        let added = try await browser.post(Self.address, fields, token: shown.token)
        #expect(added.location == "\(Self.address)?done=added")
        let listed = try await browser.get(Self.address)
        #expect(listed.html.contains("&lt;b&gt;desk&lt;/b&gt;") && !listed.html.contains("<b>desk"))
        #expect(listed.html.contains("/dashboard/passkeys/password"))
        let path = "\(Self.address)/\(authenticator.id)"
        #expect(
            try await browser.post("\(path)/rename", ["name": "lamp"], token: shown.token).location
                == "\(Self.address)?done=renamed")
        #expect(try await browser.get(Self.address).html.contains("lamp"))
        #expect(try await browser.post("\(path)/rename", ["name": ""], token: shown.token).status == 422)
        #expect(try await browser.post("\(path)/remove", [:]).status == 403)
        #expect(
            try await browser.post("\(path)/remove", [:], token: shown.token).location
                == "\(Self.address)?done=removed")
        #expect(try await browser.post("\(path)/remove", [:], token: shown.token).status == 422)
    }

    @Test("says at its field that a name is too long, of a new passkey also before an authenticator makes one")
    func longName() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        try await world.add(authenticator)
        let browser = world.browser()
        let token = try await browser.get(Self.address).token
        let long = String(repeating: "n", count: 101)
        let made = try await world.registration(SoftwareAuthenticator(), by: "owner").credential
        for (path, fields, field) in [
            ("", try sent(made), "passkeyName"), ("", [:], "passkeyName"),
            ("/\(authenticator.id)/rename", [:], "passkey0"),
        ] as [(String, [String: String], String)] {
            let named = fields.merging(["name": long]) { $1 }
            let refused = try await browser.post("\(Self.address)\(path)", named, token: token)
            #expect(refused.status == 422 && refused.error(field)?.contains("at most 100 characters") == true)
            #expect(refused.html.contains("href=\"#field-\(field)\"") && refused.html.contains("value=\"\(long)\""))
        }
        #expect(try await browser.post("\(Self.address)/options", ["name": long], token: token).status == 422)
    }

    @Test("logs in with a passkey, and says what is wrong with another")
    func logIn() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        let browser = Browser(world.server)
        let page = try await browser.get("/dashboard/log-in")
        #expect(page.html.contains("data-conditional") && page.html.contains(#"autocomplete="username webauthn""#))
        let options = try await browser.post("/dashboard/log-in/passkey/options", [:], token: page.token)
        #expect(options.status == 200 && options.html.contains(#""rpId":"id.example.test""#))
        for fields in [
            [:], try sent(try await world.assertion(SoftwareAuthenticator(), handle)),
            try sent(try await world.assertion(authenticator, handle) { $0.flags = 0x19 }),
        ] {
            let refused = try await browser.post("/dashboard/log-in/passkey", fields, token: page.token)
            #expect(refused.status == 422 && refused.html.contains("passkey"))
        }
        let fields = try sent(try await world.assertion(authenticator, handle))
        #expect(try await browser.post("/dashboard/log-in/passkey", fields).status == 403, "without the page's token")
        let entered = try await browser.post("/dashboard/log-in/passkey", fields, token: page.token)
        #expect(entered.location == "/dashboard")
        #expect(try await browser.get("/dashboard/admins").status == 200)
    }

    @Test("proves with a passkey that the admin is there, and goes on with what was entered")
    func stepUp() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let handle = try await world.add(authenticator)
        let browser = world.browser()
        let token = try await browser.get("/dashboard/keys").token
        world.server.clock.advance(by: AdminSession.freshness)
        let fields = ["name": "CI", "days": "2", "scope.users:read": "yes", "applications": "all"]
        let asked = try await browser.post("/dashboard/keys", fields, token: token)
        #expect(asked.status == 403 && asked.html.contains(#"name="proof.credential""#))
        var proof = fields
        proof["proof.credential"] = try AdminWorld.text(try await world.assertion(authenticator, "AAAA"))
        let refused = try await browser.post("/dashboard/keys", proof, token: asked.token)
        #expect(refused.status == 422 && refused.html.contains("proof.credential"))
        #expect(try await world.server.modules.administration.keys.list().isEmpty)
        proof["proof.credential"] = try AdminWorld.text(try await world.assertion(authenticator, handle))
        let done = try await browser.post("/dashboard/keys", proof, token: asked.token)
        #expect(done.status == 200 && done.html.contains("oka_"))
        #expect(try await world.server.modules.administration.keys.list().map(\.name) == ["CI"])
    }

    @Test("gives the password up only with a passkey, and asks for no password afterwards")
    func password() async throws {
        let (world, authenticator) = (try await AdminWorld.atOwnAddress(roles: []), SoftwareAuthenticator())
        let browser = world.browser()
        let token = try await browser.get(Self.address).token
        #expect(try await browser.post("\(Self.address)/password", [:], token: token).status == 422)
        try await world.add(authenticator)
        let done = try await browser.post("\(Self.address)/password", [:], token: token)
        #expect(done.location == "\(Self.address)?done=passwordRemoved")
        let last = try await browser.post("\(Self.address)/\(authenticator.id)/remove", [:], token: token)
        #expect(last.status == 422 && last.html.contains("One passkey must stay"))
        world.server.clock.advance(by: AdminSession.freshness)
        let asked = try await browser.post("\(Self.address)/\(authenticator.id)/remove", [:], token: token)
        #expect(asked.status == 403 && !asked.html.contains("proof.password"))
        #expect(asked.html.contains(#"data-passkey="get""#))
        #expect(!asked.html.contains("your password") && asked.html.contains("Please show it once more."))
    }

    @Test(
        "offers no passkey at an address of numbers, and says which address has them",
        arguments: ["127.0.0.1:8080", "[::1]:8080", "127.0.0.1"])
    func numbers(host: String) async throws {
        let server = try await TestServer()
        func shown(at host: String) async throws -> String {
            try await server.send(.get, "/dashboard/log-in", host: host, isNamed: false).text
        }
        let byNumber = try await shown(at: host)
        #expect(!byNumber.contains("data-passkey=") && !byNumber.contains("/assets/passkeys-"))
        #expect(byNumber.contains(#"<a href="http://localhost:8080/dashboard/log-in">"#))
        let byName = try await shown(at: "localhost:8080")
        #expect(byName.contains("data-passkey=") && !byName.contains("http://localhost:8080/dashboard/log-in"))
        // An address of numbers elsewhere has none at all.
        let elsewhere = try await TestServer(settings: ["public-url": "https://192.0.2.7"])
        let without = try await elsewhere.send(.get, "/dashboard/log-in", isNamed: false).text
        #expect(!without.contains("data-passkey=") && !without.contains("localhost"))
    }

    @Test("names no other address while the public one is of numbers, at which alone forms count")
    func numbersInPublic() async throws {
        let server = try await TestServer(settings: ["public-url": "http://127.0.0.1:8080"])
        let shown = try await server.send(.get, "/dashboard/log-in", isNamed: false).text
        #expect(!shown.contains("localhost") && !shown.contains("data-passkey="))
    }

    @Test("names no other address while single sign-on comes back to the one of numbers, which alone has its cookie")
    func numbersWithSignOn() async throws {
        let server = try await TestServer(settings: [
            "admin-sign-on-issuer": "https://login.example.com", "admin-sign-on-client": "okaeri",
        ])
        let shown = try await server.send(.get, "/dashboard/log-in", host: "127.0.0.1:8080", isNamed: false).text
        #expect(shown.contains("/dashboard/log-in/sign-on") && !shown.contains("localhost"))
    }
}
