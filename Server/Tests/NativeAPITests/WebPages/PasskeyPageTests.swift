import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// A browser whose script speaks with an authenticator.
struct PasskeyBrowser: Sendable {
    let world: PasskeyWorld
    let browser: Browser
    let authenticator: SoftwareAuthenticator

    init(_ world: PasskeyWorld, _ authenticator: SoftwareAuthenticator = SoftwareAuthenticator()) {
        self.world = world
        browser = Browser(world.server)
        self.authenticator = authenticator
    }

    /// A server with passkeys, whose pages apps can open.
    static func world() async throws -> PasskeyWorld {
        try await PasskeyWorld(on: try await TestServer(settings: AccountPageTests.settings))
    }

    func page(_ name: String) async throws -> Page { try await browser.get(browser.path(name)) }

    /// Sends a form of the account page.
    func act(_ action: String, _ fields: [String: String] = [:]) async throws -> Page {
        let shown = try await page("account")
        return try await browser.post(browser.path("account/\(action)"), fields, token: shown.token)
    }

    /// What the script sends to add a passkey, and the user's handle.
    func registration(
        _ spoil: (inout PasskeyWorld.Ceremony) -> Void = { _ in }
    ) async throws -> (credential: String, handle: String) {
        let options = try await act("passkey/options").answer.read(PasskeyCreationResponse.self).publicKey
        var ceremony = PasskeyWorld.Ceremony("webauthn.create", challenge: options.challenge)
        spoil(&ceremony)
        let made = try authenticator.create(ceremony)
        let credential = PasskeyRegistration(
            id: authenticator.id,
            response: .init(
                clientDataJSON: Domain.Base64URL.text(of: made.clientData),
                attestationObject: Domain.Base64URL.text(of: made.attestationObject), transports: ["internal"]))
        return (try world.text(credential), options.user.id)
    }

    /// Adds a passkey to who is logged in.
    ///
    /// - Returns: the user's handle.
    @discardableResult
    func add(named name: String = "") async throws -> String {
        let (credential, handle) = try await registration()
        let added = try await act("passkey", ["credential": credential, "name": name])
        try #require(added.location?.hasSuffix("done=passkeyAdded") == true, "\(added.html)")
        return handle
    }

    /// What the script sends to show a passkey; the page's token comes along.
    func assertion(
        _ handle: String, on page: String = "log-in",
        _ spoil: (inout PasskeyWorld.Ceremony) -> Void = { _ in }
    ) async throws -> (credential: String, token: String?) {
        let token = try await self.page(page).token
        let options = try await browser.post(browser.path("passkey/options"), [:], token: token).answer
            .read(PasskeyRequestResponse.self).publicKey
        var ceremony = PasskeyWorld.Ceremony("webauthn.get", challenge: options.challenge)
        spoil(&ceremony)
        let made = try authenticator.get(ceremony)
        let credential = PasskeyAuthentication(
            id: authenticator.id,
            response: .init(
                clientDataJSON: Domain.Base64URL.text(of: made.clientData),
                authenticatorData: Domain.Base64URL.text(of: made.authenticatorData),
                signature: Domain.Base64URL.text(of: made.signature), userHandle: handle))
        return (try world.text(credential), token)
    }

    func logIn(_ sent: (credential: String, token: String?)) async throws -> Page {
        try await browser.post(
            browser.path("log-in/passkey"), ["credential": sent.credential], token: sent.token)
    }
}

@Suite("Pages with passkeys")
struct PasskeyPageTests {
    private func hana(_ world: PasskeyWorld, _ name: String = "hana") async throws -> PasskeyBrowser {
        let browser = PasskeyBrowser(world)
        try await browser.browser.fill("sign-up", ["username": name, "password": AccountPageTests.password])
        return browser
    }

    @Test("offer them where the application has them, and nothing of them elsewhere")
    func offered() async throws {
        let with = PasskeyBrowser(try await PasskeyBrowser.world())
        let shown = try await with.page("log-in")
        #expect(shown.html.contains(#"autocomplete="username webauthn""#) && shown.html.contains("data-conditional"))
        #expect(shown.html.contains("hidden novalidate") && shown.html.contains("/assets/passkeys-"))
        // Browsers have no passkeys at an address of numbers.
        let local = try await PasskeyWorld().server
        for (host, isOffered) in [("localhost:8080", true), ("127.0.0.1:8080", false), ("[::1]:8080", false)] {
            let path = "/a/\(local.application.id.rawValue)/log-in"
            let page = try await local.send(.get, path, host: host, isNamed: false)
            #expect(page.status == 200)
            #expect(page.text.contains("webauthn") == isOffered && page.text.contains("/assets/passkeys-") == isOffered)
        }
        let server = try await TestServer()
        let without = Browser(server)
        let plain = try await without.get(without.path("log-in"))
        #expect(!plain.html.contains("passkey") && !plain.html.contains("webauthn"))
        let refused = try await without.post(without.path("passkey/options"), [:], token: plain.token)
        #expect(refused.status == 404)
        let sent = try await without.post(without.path("log-in/passkey"), ["credential": ""], token: plain.token)
        #expect(sent.status == 404)
    }

    @Test("change at once when an application turns passkeys on")
    func turnedOn() async throws {
        let server = try await TestServer()
        let browser = Browser(server)
        #expect(try await !browser.get(browser.path("log-in")).html.contains("data-passkey"))
        _ = try await PasskeyWorld(on: server)
        #expect(try await browser.get(browser.path("log-in")).html.contains("data-passkey"))
    }

    @Test("keep a guest's account by one passkey, with no name: id and session stay")
    func guest() async throws {
        let world = try await PasskeyBrowser.world()
        let person = try await world.server.person()
        let pages = PasskeyBrowser(world)
        try await pages.browser.open(accountOf: person)
        let before = pages.browser.session
        #expect(try await pages.page("account").html.contains("Keep my account with a passkey"))
        let handle = try await pages.add()
        #expect(pages.browser.session == before)
        let user = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.id == person.logIn.user.id && user.identities.map(\.provider).contains("passkey"))
        let other = PasskeyBrowser(world, pages.authenticator)
        let entered = try await other.logIn(try await other.assertion(handle))
        #expect(entered.location == other.browser.path("account"))
    }

    @Test("list, name, rename and remove passkeys, and say which are backed up")
    func managed() async throws {
        let pages = try await hana(try await PasskeyBrowser.world())
        try await pages.add(named: "<b>鍵</b>")
        let listed = try await pages.page("account")
        #expect(listed.html.contains("&lt;b&gt;鍵&lt;/b&gt;") && listed.html.contains("backed up"))
        #expect(listed.html.contains("data-accepted=") && listed.html.contains(pages.authenticator.id))
        let renamed = try await pages.act(
            "passkey/name", ["passkey": pages.authenticator.id, "name": "My phone"])
        #expect(renamed.location?.hasSuffix("done=saved") == true)
        #expect(try await pages.page("account").html.contains("My phone"))
        for name in ["", String(repeating: "a", count: 101)] {
            let refused = try await pages.act("passkey/name", ["passkey": pages.authenticator.id, "name": name])
            #expect(refused.status == 422)
            // It says which field that is, opens it, and keeps what was typed.
            #expect(refused.error("passkey0") != nil && refused.html.contains("<details class=\"more\" open>"))
            #expect(refused.html.contains("<a href=\"#field-passkey0\">New name: "), "\(refused.html)")
            #expect(refused.html.contains("id=\"field-passkey0\" name=\"name\" type=\"text\" value=\"\(name)\""))
        }
        let removed = try await pages.act("passkey/remove", ["passkey": pages.authenticator.id])
        #expect(removed.location?.hasSuffix("done=passkeyRemoved") == true)
        #expect(try await !pages.page("account").html.contains("My phone"))
        let again = try await pages.act("passkey/remove", ["passkey": pages.authenticator.id])
        #expect(again.status == 422 && again.html.contains("belongs to no account"))
    }

    @Test("touch nobody else's passkeys")
    func others() async throws {
        let world = try await PasskeyBrowser.world()
        let pages = try await hana(world)
        let owner = try await hana(world, "taro")
        try await owner.add()
        let stranger = try await pages.act("passkey/remove", ["passkey": owner.authenticator.id])
        #expect(stranger.status == 422)
        let renamed = try await pages.act("passkey/name", ["passkey": owner.authenticator.id, "name": "mine"])
        #expect(renamed.status == 422)
        #expect(try await owner.page("account").html.contains(owner.authenticator.id))
    }

    @Test("ask for the owner again, who shows a passkey in the place of the password")
    func confirmed() async throws {
        let pages = try await hana(try await PasskeyBrowser.world())
        let handle = try await pages.add()
        pages.world.server.clock.advance(by: .seconds(660))
        let stale = try await pages.act("passkey/options")
        #expect(stale.html.contains("Is it you?"))
        let asked = try await pages.act("passkey")
        #expect(asked.html.contains("Is it you?") && asked.html.contains("Confirm with a passkey"))
        let missing = try await pages.browser.post(pages.browser.path("account/confirm"), [:], token: asked.token)
        #expect(missing.status == 422)
        let (credential, token) = try await pages.assertion(handle, on: "account")
        let confirmed = try await pages.browser.post(
            pages.browser.path("account/confirm"), ["credential": credential], token: token)
        #expect(confirmed.status == 303)
        #expect(try await pages.act("passkey/options").status == 200)
    }

    @Test("do not take another account's passkey for the owner's")
    func strangersPasskey() async throws {
        let world = try await PasskeyBrowser.world()
        let (pages, other) = (try await hana(world), try await hana(world, "taro"))
        let handle = try await other.add()
        world.server.clock.advance(by: .seconds(660))
        let borrowed = try await other.assertion(handle, on: "account")
        let token = try await pages.page("account").token
        let refused = try await pages.browser.post(
            pages.browser.path("account/confirm"), ["credential": borrowed.credential], token: token)
        #expect(refused.status == 422)
        #expect(try await pages.act("passkey/options").html.contains("Is it you?"))
    }

    @Test("lead a guest who has a passkey of another account to the choice between the two")
    func conflict() async throws {
        let world = try await PasskeyBrowser.world()
        let owner = try await hana(world)
        let handle = try await owner.add()
        let guest = PasskeyBrowser(world, owner.authenticator)
        try await guest.browser.open(accountOf: try await world.server.person())
        let (credential, token) = try await guest.assertion(handle, on: "account")
        let asked = try await guest.browser.post(
            guest.browser.path("account/passkey/other"), ["credential": credential], token: token)
        #expect(asked.status == 409 && asked.html.contains("There is such an account already"))
        let ticket = try #require(asked.value(of: "ticket"))
        let gone = try await guest.browser.post(
            guest.browser.path("account/merge"), ["ticket": ticket, "choice": "switch"], token: asked.token)
        #expect(gone.status == 303)
        #expect(try await guest.page("account").html.contains("hana"))
    }

    @Test("refuse what an authenticator did not say for this, with the form again")
    func refused() async throws {
        let world = try await PasskeyBrowser.world()
        let pages = try await hana(world)
        let handle = try await pages.add()
        let other = PasskeyBrowser(world, pages.authenticator)
        for spoil: (inout PasskeyWorld.Ceremony) -> Void in [
            { $0.origin = "https://evil.example" }, { $0.flags = 0x19 }, { $0.challenge = "AAAA" },
        ] {
            let refused = try await other.logIn(try await other.assertion(handle, spoil))
            #expect(refused.status == 422 && refused.html.contains("was not accepted"))
            #expect(!refused.html.contains("data-unknown") && refused.token != nil)
        }
        let wrong = try await pages.registration { $0.origin = "https://evil.example" }
        #expect(try await pages.act("passkey", ["credential": wrong.credential]).status == 422)
    }

    @Test("refuse bodies that are no credentials", arguments: ["{}", "[", "null", "\"x\"", "{\"id\": 1}"])
    func malformed(_ credential: String) async throws {
        let pages = try await hana(try await PasskeyBrowser.world())
        for action in ["passkey", "passkey/other", "confirm"] {
            #expect(try await pages.act(action, ["credential": credential]).status == 400)
        }
        let token = try await pages.page("log-in").token
        #expect(try await pages.logIn((credential, token)).status == 400)
    }

    @Test("say at its field that a new passkey's name is too long, also before an authenticator makes one")
    func longName() async throws {
        let pages = try await hana(try await PasskeyBrowser.world())
        let long = String(repeating: "n", count: 101)
        for credential in [try await pages.registration().credential, ""] {
            let refused = try await pages.act("passkey", ["credential": credential, "name": long])
            #expect(refused.status == 422 && refused.error("passkeyName") == "At most 100 characters.")
            #expect(refused.html.contains("Name of the passkey (optional): At most 100 characters."))
            #expect(refused.html.contains(#"value="\#(long)""#))
        }
        #expect(try await pages.act("passkey/options", ["name": long]).status == 422)
    }

    @Test("refuse huge credentials, forms of other sites, and browsers without a log-in")
    func hostile() async throws {
        let world = try await PasskeyBrowser.world()
        let pages = PasskeyBrowser(world)
        let token = try await pages.page("log-in").token
        let huge = try await pages.logIn((String(repeating: "a", count: 70_000), token))
        #expect(huge.status == 413)
        for path in ["passkey/options", "log-in/passkey", "account/passkey", "account/passkey/options"] {
            #expect(try await pages.browser.post(pages.browser.path(path), [:]).status == 403)
            let foreign = try await pages.browser.post(
                pages.browser.path(path), [:], token: token, [("Origin", "https://evil.example")])
            #expect(foreign.status == 403)
        }
        let stranger = try await pages.browser.post(pages.browser.path("account/passkey/options"), [:], token: token)
        #expect(stranger.location == pages.browser.path("log-in"))
        #expect(try await pages.logIn(("", token)).html.contains("No passkey was used"))
    }

    @Test("take one assertion once, however many come at once")
    func replayed() async throws {
        let world = try await PasskeyBrowser.world()
        let pages = try await hana(world)
        let handle = try await pages.add()
        let other = PasskeyBrowser(world, pages.authenticator)
        let sent = try await other.assertion(handle)
        let cookie = try #require(other.browser.session)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let twin = PasskeyBrowser(world, pages.authenticator)
                    twin.browser.plant(cookie)
                    return try await twin.logIn(sent).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [303] + [Int](repeating: 422, count: 7))
    }

    @Test("add both of two passkeys that are registered at once")
    func together() async throws {
        let world = try await PasskeyBrowser.world()
        let pages = try await hana(world)
        let second = SoftwareAuthenticator()
        let shown = try await pages.page("account")
        var sent: [String] = []
        for authenticator in [pages.authenticator, second] {
            let options = try await pages.browser.post(
                pages.browser.path("account/passkey/options"), [:], token: shown.token
            ).answer.read(PasskeyCreationResponse.self).publicKey
            let made = try authenticator.create(.init("webauthn.create", challenge: options.challenge))
            sent.append(
                try world.text(
                    PasskeyRegistration(
                        id: authenticator.id,
                        response: .init(
                            clientDataJSON: Domain.Base64URL.text(of: made.clientData),
                            attestationObject: Domain.Base64URL.text(of: made.attestationObject)))))
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for credential in sent {
                group.addTask {
                    try await pages.browser.post(
                        pages.browser.path("account/passkey"), ["credential": credential], token: shown.token
                    ).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == [303, 303])
        let html = try await pages.page("account").html
        #expect(html.contains(pages.authenticator.id) && html.contains(second.id))
    }

    @Test("let the authenticator forget a removed passkey, but never one of another application of the domain")
    func unknown() async throws {
        let world = try await PasskeyBrowser.world()
        let pages = try await hana(world)
        let handle = try await pages.add()
        #expect(try await pages.act("passkey/remove", ["passkey": pages.authenticator.id]).status == 303)
        let other = PasskeyBrowser(world, pages.authenticator)
        let refused = try await other.logIn(try await other.assertion(handle))
        #expect(refused.html.contains(#"data-unknown="\#(pages.authenticator.id)""#))
        // The same passkey in another application: this one does not know it, and says nothing.
        let modules = world.server.modules
        let second = try await modules.applications.createApplication(name: "Second", by: .local).application
        _ = try await modules.applications.changeApplication(second.id, isCurrent: { _ in true }, by: .local) {
            $0.settings.passkeys = PasskeyWorld.settings.passkeys
        }
        let there = SoftwareAuthenticator()
        try await world.server.store.write { transaction throws(DomainError) in
            try transaction.insert(
                Passkey(
                    .init(
                        id: there.id, userHandle: "x", publicKey: [1], aaguid: "", signCount: 0, transports: [],
                        isBackupEligible: true, isBackedUp: true),
                    application: second.id, name: "there", createdAt: world.server.clock.now))
        }
        let elsewhere = PasskeyBrowser(world, there)
        let silent = try await elsewhere.logIn(try await elsewhere.assertion("x"))
        #expect(silent.status == 422 && !silent.html.contains("data-unknown"))
        // To try the same passkey again helps nobody.
        #expect(silent.html.contains("belongs to no account") && !silent.html.contains("was not accepted"))
    }

    @Test("bring a user back that asked to be deleted, by a passkey and a tick")
    func restored() async throws {
        let world = try await PasskeyBrowser.world()
        let pages = try await hana(world)
        let handle = try await pages.add()
        #expect(try await pages.act("delete", ["sure": "yes"]).status == 200)
        let back = PasskeyBrowser(world, pages.authenticator)
        let offered = try await back.logIn(try await back.assertion(handle))
        #expect(offered.status == 403 && offered.html.contains(#"name="restore""#))
        let sent = try await back.assertion(handle)
        let entered = try await back.browser.post(
            back.browser.path("log-in/passkey"), ["credential": sent.credential, "restore": "yes"],
            token: sent.token)
        #expect(entered.status == 303)
    }
}
