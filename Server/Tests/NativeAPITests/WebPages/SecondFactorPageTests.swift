import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// A browser whose person has an authenticator app.
struct SecondFactorBrowser: Sendable {
    let world: SecondFactorWorld
    let browser: Browser
    private let password: String

    init(_ world: SecondFactorWorld, password: String = SecondFactorWorld.password) {
        self.world = world
        self.password = password
        browser = Browser(world.server)
    }

    /// A server with second factors, whose pages apps can open.
    static func world(_ change: (inout SecondFactorRules) -> Void = { _ in }) async throws -> SecondFactorWorld {
        var application = ApplicationSettings(redirectAddresses: [WebLogInTests.redirect])
        application.secondFactors.mode = .optional
        change(&application.secondFactors)
        return SecondFactorWorld(
            of: try await TestServer(settings: AccountPageTests.settings, application: application))
    }

    /// The first step: the password.
    func logIn(_ name: String = "hana") async throws -> Page {
        try await browser.fill("log-in", ["identifier": name, "password": password])
    }

    /// Sends a form of a shown page with what was hidden in it.
    func answer(_ shown: Page, _ fields: [String: String], to path: String = "log-in/second-factor") async throws
        -> Page
    {
        var sent = fields
        for name in ["ticket", "restore", "passkey", "enrolment", "codes", "factor"] {
            if let value = shown.value(of: name) { sent[name] = value }
        }
        return try await browser.post(browser.path(path), sent, token: shown.token)
    }

    /// Logs in with both.
    func enter(_ key: String) async throws {
        let entered = try await answer(try await logIn(), ["totp": try world.nextCode(key)])
        try #require(entered.status == 303, "\(entered.html)")
    }

    /// Sends a form of the account page.
    func act(_ action: String, _ fields: [String: String] = [:]) async throws -> Page {
        let shown = try await browser.get(browser.path("account"))
        return try await browser.post(browser.path("account/\(action)"), fields, token: shown.token)
    }
}

extension Page {
    /// The key that the page shows for an authenticator app.
    var shownKey: String? {
        html.firstMatch(of: /translate="no">([A-Z2-7 ]+)</)?.output.1.filter { $0 != " " }
    }

    /// The recovery codes that the page shows.
    var shownCodes: [String] {
        html.matches(of: /[a-z2-7]{5}-[a-z2-7]{5}(?=\n|<\/pre>)/).map { String($0.output) }
    }
}

@Suite("Pages that ask for a second factor")
struct SecondFactorPageTests {
    @Test("let nobody in by the password alone, and go on with the code of the app")
    func code() async throws {
        let world = try await SecondFactorBrowser.world()
        let (key, _, _) = try await world.enrol(try await world.person())
        let pages = SecondFactorBrowser(world)
        let asked = try await pages.logIn()
        #expect(asked.status == 200 && asked.html.contains("One more step"))
        #expect(asked.html.contains(#"inputmode="numeric""#) && asked.html.contains(#"autocomplete="one-time-code""#))
        #expect(asked.html.contains("Use a recovery code") && !asked.html.contains("data-passkey"))
        #expect(try await pages.browser.get(pages.browser.path("account")).location == pages.browser.path("log-in"))
        // Nothing typed is no try.
        for _ in 0..<8 {
            let empty = try await pages.answer(asked, ["totp": ""])
            #expect(empty.status == 422 && empty.error("totp") == "Please fill this in.")
        }
        let wrong = try await pages.answer(asked, ["totp": "000000"])
        #expect(wrong.status == 422 && wrong.error("totp")?.contains("wrong") == true)
        let entered = try await pages.answer(wrong, ["totp": " \(try world.nextCode(key)) "])
        #expect(entered.status == 303 && entered.location == pages.browser.path("account"))
        #expect(try await pages.browser.get(pages.browser.path("account")).html.contains("hana"))
    }

    @Test("speak the language of the person", arguments: [("ja", "認証アプリに表示"), ("ko", "인증 앱에 표시된")])
    func languages(language: String, words: String) async throws {
        let world = try await SecondFactorBrowser.world()
        _ = try await world.enrol(try await world.person())
        let browser = Browser(world.server, language: language)
        let asked = try await browser.fill(
            "log-in", ["identifier": "hana", "password": SecondFactorWorld.password])
        #expect(asked.html.contains(words))
    }

    @Test("take a recovery code in its place, once")
    func recoveryCode() async throws {
        let world = try await SecondFactorBrowser.world()
        let (_, _, codes) = try await world.enrol(try await world.person())
        for (number, status) in [(0, 303), (0, 422), (1, 303)] {
            let pages = SecondFactorBrowser(world)
            let chosen = try await pages.answer(try await pages.logIn(), ["with": "recovery-code"])
            #expect(chosen.html.contains(#"name="recoveryCode""#) && chosen.html.contains("Use the authenticator app"))
            let sent = try await pages.answer(chosen, ["recoveryCode": codes[number].uppercased()])
            #expect(sent.status == status, "\(sent.html)")
            // To wait for the next recovery code is to wait for ever.
            if status == 422 { #expect(sent.error("recoveryCode")?.contains("Try another one") == true) }
        }
    }

    @Test("make who guesses wait, and say how long at the field")
    func guesses() async throws {
        let world = try await SecondFactorBrowser.world()
        let (key, _, _) = try await world.enrol(try await world.person())
        let pages = SecondFactorBrowser(world)
        let asked = try await pages.logIn()
        for number in 0..<5 {
            #expect(try await pages.answer(asked, ["totp": "00000\(number)"]).status == 422)
        }
        let late = try await pages.answer(asked, ["totp": try world.code(key)])
        #expect(late.status == 429 && late.answer.headers[.retryAfter] != nil)
        #expect(late.error("totp")?.contains("again in") == true)
        let entered = try await pages.answer(late, ["totp": try world.nextCode(key)])
        #expect(entered.status == 303)
    }

    @Test("lead back to the log-in with a ticket that is too old, altered, or of another application")
    func tickets() async throws {
        let (world, other) = (try await SecondFactorBrowser.world(), try await SecondFactorBrowser.world())
        let (key, _, _) = try await world.enrol(try await world.person())
        let pages = SecondFactorBrowser(world)
        let asked = try await pages.logIn()
        let foreign = Browser(other.server)
        let token = try await foreign.get(foreign.path("log-in")).token
        let stranger = try await foreign.post(
            foreign.path("log-in/second-factor"),
            ["ticket": try #require(asked.value(of: "ticket")), "totp": "123456"],
            token: token)
        world.server.clock.advance(by: .seconds(300))
        let late = try await pages.answer(asked, ["totp": try world.code(key)])
        var wrong: [Page] = [stranger, late]
        for ticket in ["", "wrong", String(repeating: "A", count: 20_000)] {
            wrong.append(
                try await pages.browser.post(
                    pages.browser.path("log-in/second-factor"), ["ticket": ticket, "totp": "123456"],
                    token: asked.token))
        }
        for page in wrong {
            #expect(page.status == 422 && page.html.contains("log in again") && page.value(of: "form_token") != nil)
            #expect(page.html.contains(#"name="identifier""#))
        }
    }

    @Test("open one session when the form is sent eight times at once, as after a lost answer")
    func twice() async throws {
        let world = try await SecondFactorBrowser.world()
        let person = try await world.person()
        let (key, _, _) = try await world.enrol(person)
        let pages = SecondFactorBrowser(world)
        let asked = try await pages.logIn()
        let (cookie, code) = (try #require(pages.browser.session), try world.nextCode(key))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let twin = SecondFactorBrowser(world)
                    twin.browser.plant(cookie)
                    return try await twin.answer(asked, ["totp": code]).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: 303, count: 8))
        let (application, user) = (world.server.application.id, Identifier<User>(rawValue: person.logIn.user.id))
        let sessions = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.sessions(of: user, in: application)
        }
        #expect(sessions.count { $0.protocolName == .pages } == 1)
        // The same log-in with another code is none.
        let twin = SecondFactorBrowser(world)
        twin.browser.plant(cookie)
        #expect(try await twin.answer(asked, ["totp": "000000"]).status == 409)
    }

    @Test("let the person begin again when the factor was removed while it was asked for")
    func removedMeanwhile() async throws {
        let world = try await SecondFactorBrowser.world()
        let person = try await world.person()
        let (key, factor, _) = try await world.enrol(person)
        let pages = SecondFactorBrowser(world)
        let asked = try await pages.logIn()
        #expect(try await person.send(.delete, APIPath.secondFactor(factor)).status == 204)
        let refused = try await pages.answer(asked, ["totp": try world.nextCode(key)])
        #expect(refused.status == 422 && refused.html.contains(#"name="identifier""#))
        #expect(try await pages.logIn().status == 303)
    }

    @Test("let the person begin again when the application turned second factors off meanwhile")
    func turnedOff() async throws {
        let world = try await SecondFactorBrowser.world()
        let (key, _, _) = try await world.enrol(try await world.person())
        let pages = SecondFactorBrowser(world)
        let asked = try await pages.logIn()
        try await world.change { $0.mode = .off }
        let refused = try await pages.answer(asked, ["totp": try world.nextCode(key)])
        #expect(refused.status == 409 && refused.html.contains(#"name="identifier""#))
        #expect(try await pages.logIn().status == 303)
    }

    @Test("add an app on the way where everybody must have one, and show the recovery codes before they go on")
    func required() async throws {
        let world = try await SecondFactorBrowser.world { $0.mode = .required }
        _ = try await world.person()
        let pages = SecondFactorBrowser(world)
        let asked = try await pages.logIn()
        let key = try #require(asked.shownKey)
        #expect(asked.status == 200 && asked.html.contains("<svg") && asked.html.contains(#"href="otpauth://totp/"#))
        let wrong = try await pages.answer(asked, ["totp": "000000", "name": "Phone"])
        #expect(wrong.status == 422 && wrong.error("totp") != nil && wrong.shownKey == key)
        #expect(wrong.html.contains(#"value="Phone""#))
        let long = try await pages.answer(
            asked, ["totp": try world.code(key), "name": String(repeating: "a", count: 101)])
        #expect(long.status == 422 && long.error("name") != nil && long.shownKey == key)
        let before = try #require(pages.browser.session)
        let code = try world.nextCode(key)
        let added = try await pages.answer(wrong, ["totp": code, "name": "Phone"])
        #expect(added.status == 200 && Set(added.shownCodes).count == 10, "\(added.html)")
        // The answer got lost: the same form shows the same codes.
        pages.browser.plant(before)
        let again = try await pages.answer(wrong, ["totp": code, "name": "Phone"])
        #expect(again.shownCodes == added.shownCodes && !again.shownCodes.isEmpty)
        let hasty = try await pages.answer(again, [:], to: "log-in/recovery-codes")
        #expect(hasty.status == 422 && hasty.error("kept") != nil && hasty.shownCodes == added.shownCodes)
        let gone = try await pages.answer(hasty, ["kept": "yes"], to: "log-in/recovery-codes")
        #expect(gone.location == pages.browser.path("account"))
        #expect(try await pages.browser.get(pages.browser.path("account")).html.contains("Phone"))
        #expect(try await SecondFactorBrowser(world).logIn().html.contains("One more step"))
    }

    @Test("send no text back that does not look like a recovery code")
    func reflected() async throws {
        let world = try await SecondFactorBrowser.world()
        let pages = SecondFactorBrowser(world)
        try await pages.browser.open(accountOf: try await world.person())
        let sent = try await pages.act("factors/added", ["codes": "<b>x</b> javascript: aaaaa-bbbbb AAAAA-BBBBB"])
        #expect(sent.status == 422 && sent.html.contains("aaaaa-bbbbb"))
        #expect(!sent.html.contains("javascript:") && !sent.html.contains("AAAAA-BBBBB"))
    }

    @Test("bring an app its person with what was shown in `amr` and `acr`")
    func webLogIn() async throws {
        let world = try await SecondFactorBrowser.world()
        let (key, _, _) = try await world.enrol(try await world.person())
        let browser = Browser(world.server)
        let asked = [
            "client_id": world.server.application.id.rawValue, "redirect_uri": WebLogInTests.redirect,
            "response_type": "code", "code_challenge": WebLogInTests.challenge, "code_challenge_method": "S256",
            "scope": "openid",
        ].map { "\($0)=\(Browser.escaped($1))" }.joined(separator: "&")
        let path = try #require(try await browser.get("\(browser.path("authorize"))?\(asked)").location)
        let shown = try await browser.get(path)
        let second = try await browser.post(
            path, ["identifier": "hana", "password": SecondFactorWorld.password], token: shown.token)
        #expect(second.policy.contains("form-action 'self' https:;"))
        let entered = try await browser.post(
            path.replacing("/log-in?", with: "/log-in/second-factor?"),
            ["ticket": try #require(second.value(of: "ticket")), "totp": try world.nextCode(key)],
            token: second.token)
        let items = entered.location.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        let code = try #require(items.first { $0.name == "code" }?.value, "\(entered.html)")
        let answer = try await browser.post(
            browser.path("token"),
            [
                "grant_type": "authorization_code", "client_id": world.server.application.id.rawValue, "code": code,
                "redirect_uri": WebLogInTests.redirect, "code_verifier": WebLogInTests.verifier,
            ])
        guard case .string(let identity)? = try answer.answer.read([String: JSONValue].self)["id_token"] else {
            Issue.record("no token: \(answer.html)")
            return
        }
        let payload = Domain.Base64URL.bytes(of: identity.split(separator: ".")[1].utf8) ?? []
        let claims = String(decoding: payload, as: UTF8.self)
        #expect(claims.contains(#""amr":["pwd","otp","mfa"]"#) && claims.contains(#""acr":"2""#), "\(claims)")
    }

    @Test("bring a user back that asked to be deleted, by both")
    func restored() async throws {
        let world = try await SecondFactorBrowser.world()
        let person = try await world.person()
        let (key, _, _) = try await world.enrol(person)
        #expect(try await person.send(.delete, APIPath.user).status == 202)
        let pages = SecondFactorBrowser(world)
        #expect(try await pages.logIn().html.contains(#"name="restore""#))
        let asked = try await pages.browser.fill(
            "log-in", ["identifier": "hana", "password": SecondFactorWorld.password, "restore": "yes"])
        let chosen = try await pages.answer(asked, ["with": "totp"])
        #expect(try await pages.answer(chosen, ["totp": try world.nextCode(key)]).status == 303)
        #expect(try await pages.browser.get(pages.browser.path("account")).status == 200)
    }

    @Test("ask after a passkey that did not recognise its user, and offer passkeys to who has one")
    func passkey() async throws {
        let world = try await SecondFactorBrowser.world()
        let passkeys = PasskeyBrowser(try await PasskeyWorld(on: world.server))
        let application = world.server.application.id
        _ = try await world.server.modules.applications.changeApplication(
            application, isCurrent: { _ in true }, by: .local
        ) { $0.settings.passkeys.requiresUserVerification = false }
        let person = try await world.person()
        let handle = try await passkeys.world.add(passkeys.authenticator, to: person)
        let (key, _, _) = try await world.enrol(person)
        let asked = try await SecondFactorBrowser(world).logIn()
        let passkeyAt = try #require(asked.html.range(of: "log-in/passkey")).lowerBound
        #expect(passkeyAt < (try #require(asked.html.range(of: #"name="totp""#)).lowerBound))
        let touched = try await passkeys.logIn(try await passkeys.assertion(handle) { $0.flags = 0x19 })
        #expect(touched.status == 200 && touched.html.contains("One more step"))
        let browser = passkeys.browser
        let entered = try await browser.post(
            browser.path("log-in/second-factor"),
            ["ticket": try #require(touched.value(of: "ticket")), "totp": try world.nextCode(key)],
            token: touched.token)
        #expect(entered.status == 303)
        // One that recognised its user is two factors.
        let other = PasskeyBrowser(passkeys.world, passkeys.authenticator)
        #expect(try await other.logIn(try await other.assertion(handle)).status == 303)
    }
}
