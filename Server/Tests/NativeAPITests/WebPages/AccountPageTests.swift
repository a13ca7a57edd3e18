import Domain
import Foundation
import HTTPTypes
import Testing

/// The own account in a browser, and forgotten passwords through the mails that are really written.
@Suite("Account pages")
struct AccountPageTests {
    static let password = "correct horse battery"
    static let settings = ["dev": "on", "public-url": "http://id.example.test"]

    /// Somebody logged in.
    private func person(_ server: TestServer, _ name: String = "hana") async throws -> Browser {
        let browser = Browser(server)
        try await browser.fill(
            "sign-up", ["username": name, "email": "\(name)@example.com", "password": Self.password])
        return browser
    }

    /// Opens the link of the mail that asks whether an address is one's own: it is the account's from then on.
    @discardableResult
    private func confirm(_ browser: Browser, on server: TestServer) async throws -> String {
        _ = try await server.modules.messaging.deliverMail()
        let mail = try #require(try await server.modules.messaging.readOutbox(of: server.application.id).first)
        let link = try #require(mail.text.firstMatch(of: /example\.test(\/a\/\S+)/)?.output.1)
        let shown = try await browser.get(String(link))
        let token = try #require(shown.value(of: "token"))
        let done = try await browser.post(browser.path("verify"), ["token": token], token: shown.token)
        #expect(done.html.contains("Confirmed"))
        return token
    }

    @Test("confirms an address also when the form comes again because its answer got lost, and by nobody else's form")
    func confirmedAgain() async throws {
        let server = try await TestServer(settings: Self.settings)
        let browser = try await person(server)
        let token = try await confirm(browser, on: server)
        #expect(try await browser.fill("verify", ["token": token]).html.contains("Confirmed"))
        #expect(try await Browser(server).fill("verify", ["token": token]).status == 422)
    }

    /// Sends a form of the account page.
    private func act(_ browser: Browser, _ action: String, _ fields: [String: String] = [:]) async throws -> Page {
        let shown = try await browser.get(browser.path("account"))
        return try await browser.post(browser.path("account/\(action)"), fields, token: shown.token)
    }

    @Test("name a person in a way that turns nothing around, by a sign that can be seen")
    func direction() async throws {
        let browser = try await person(try await TestServer(settings: Self.settings))
        let page = try await browser.get(browser.path("account"))
        let name = "\u{202E}evil"
        _ = try await browser.post(browser.path("account/profile"), ["displayName": name], token: page.token)
        let shown = try await browser.get(browser.path("account"))
        #expect(shown.html.contains("aria-hidden=\"true\">E</span><strong>\u{2068}evil\u{2069}</strong>"))
        #expect(shown.value(of: "displayName") == name)
        // Of a name that cannot be seen nobody knows the account again.
        _ = try await browser.post(browser.path("account/profile"), ["displayName": "\u{202E}"], token: page.token)
        #expect(try await browser.get(browser.path("account")).html.contains("<strong>hana</strong>"))
    }

    @Test("shows nothing without a log-in")
    func strangers() async throws {
        let browser = Browser(try await TestServer())
        #expect(try await browser.get(browser.path("account")).location == browser.path("log-in"))
        browser.plant("oks_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
        #expect(try await browser.get(browser.path("account")).location == browser.path("log-in"))
    }

    @Test("a cookie of the pages is no token of the API")
    func cookieIsNoToken() async throws {
        let server = try await TestServer()
        let browser = try await person(server)
        let cookie = try #require(browser.session)
        let answer = try await server.send(.get, "/v1/user", [("Authorization", "Bearer \(cookie)")])
        #expect(answer.status == 401)
    }

    @Test(
        "says what to do about a mail address to who has none that is confirmed, and to nobody else",
        arguments: [
            ("en", "None is confirmed yet"), ("ja", "確認済みのアドレスはまだありません"), ("ko", "확인된 주소가 아직 없습니다"),
        ])
    func withoutAddress(language: String, words: String) async throws {
        let server = try await TestServer(settings: Self.settings)
        let without = Browser(server)
        try await without.fill("sign-up", ["username": "yuki", "password": Self.password])
        #expect(try await without.get(without.path("account") + "?lang=\(language)").html.contains(words))
        // The address of a sign-up is the account's when the mail to it was answered.
        let with = try await person(server)
        #expect(try await with.get(with.path("account") + "?lang=\(language)").html.contains(words))
        try await with.get(with.path("account") + "?lang=en")
        try await confirm(with, on: server)
        #expect(try await !with.get(with.path("account") + "?lang=\(language)").html.contains(words))
    }

    @Test("changes the shown name, and shows hostile names as text")
    func profile() async throws {
        let browser = try await person(try await TestServer())
        #expect(try await act(browser, "profile", ["displayName": "<img src=x onerror=alert(1)>"]).status == 303)
        let page = try await browser.get(browser.path("account") + "?done=saved")
        #expect(page.html.contains("&lt;img src=x"))
        #expect(!page.html.contains("<img src=x"))
        #expect(page.html.contains("Saved."))
    }

    @Test("resets a forgotten password through the mail, and logs everybody else out")
    func reset() async throws {
        let server = try await TestServer(settings: Self.settings)
        let browser = try await person(server)
        try await confirm(browser, on: server)
        let other = Browser(server)
        let sent = try await other.fill("forgot", ["email": "hana@example.com"])
        let nobody = try await Browser(server).fill("forgot", ["email": "nobody@example.com"])
        #expect(sent.status == 200 && nobody.status == 200)
        _ = try await server.modules.messaging.deliverMail()
        let mails = try await server.modules.messaging.readOutbox(of: server.application.id)
        let mail = try #require(mails.first { $0.text.contains("/reset") })
        #expect(mails.count == 2)
        let link = try #require(mail.text.firstMatch(of: /http:\/\/id\.example\.test(\/a\/\S+)/)?.output.1)
        let shown = try await other.get(String(link))
        let token = try #require(shown.value(of: "token"))
        let short = try await other.post(
            other.path("reset"), ["token": token, "password": "short"], token: shown.token)
        #expect(short.error("password")?.contains("At least 8") == true)
        // Another language asks for nothing that the mail has brought.
        let japanese = String(try #require(short.html.firstMatch(of: /href="([^"]+)" lang="ja"/)?.output.1))
        #expect(try await Browser(server).get(japanese.replacing("&amp;", with: "&")).value(of: "token") == token)
        let long = String(repeating: "a", count: 65)
        let strange = try await other.post(
            other.path("reset"), ["token": long, "password": "short"], token: shown.token)
        #expect(strange.value(of: "token") == long && !strange.html.contains("reset?token="))
        let form = ["token": token, "password": "another good password"]
        // The form comes again when its answer got lost; for everybody else the token was used.
        for _ in 0..<2 {
            let done = try await other.post(other.path("reset"), form, token: shown.token)
            #expect(done.status == 200 && done.html.contains("Your password is new"))
        }
        #expect(try await Browser(server).fill("reset", form).status == 422)
        let again = try await other.post(
            other.path("reset"), ["token": token, "password": "a third good password"], token: shown.token)
        #expect(again.status == 422)
        #expect(try await browser.get(browser.path("account")).status == 303)
    }

    @Test("asks for the password again before what must not happen behind the owner's back")
    func presence() async throws {
        let server = try await TestServer()
        let browser = try await person(server)
        server.clock.advance(by: .seconds(660))
        let asked = try await act(browser, "transfer")
        #expect(asked.html.contains("Is it you?"))
        let wrong = try await browser.post(
            browser.path("account/confirm"), ["password": "not it"], token: asked.token)
        #expect(wrong.status == 422)
        let before = browser.session
        let right = try await browser.post(
            browser.path("account/confirm"), ["password": Self.password], token: asked.token)
        #expect(right.location == browser.path("account") + "?done=confirmed" && browser.session != before)
        for (language, words) in [
            ("ja", "もう一度行ってください"), ("ko", "다시 해 주세요"), ("en", "Please do once more what you wanted to do."),
        ] {
            let said = try await browser.get(browser.path("account") + "?done=confirmed&lang=\(language)")
            #expect(said.html.contains(words))
        }
        let shown = try await act(browser, "transfer")
        #expect(shown.html.contains("<svg") && shown.html.contains("data-copyable"))
        // It stands far down the page, which opens there.
        let focused = #"aria-labelledby="s-transfer" tabindex="-1" autofocus>"#
        #expect(shown.html.contains(focused))
        #expect(try await !browser.get(browser.path("account")).html.contains(focused))
    }

    @Test("gives the browser another cookie with another password: a copy of the one before leads nowhere")
    func copiedCookie() async throws {
        let server = try await TestServer()
        let (browser, thief) = (try await person(server), Browser(server))
        server.clock.advance(by: .seconds(700))
        let cookie = try #require(browser.session)
        thief.plant(cookie)
        #expect(try await thief.get(thief.path("account")).status == 200)
        // What is refused changes no cookie.
        let wrong = ["currentPassword": Self.password, "newPassword": "short"]
        #expect(try await act(browser, "password", wrong).error("newPassword") != nil)
        #expect(browser.session == cookie)
        let open = try await browser.get(browser.path("account"))
        let changed = try await act(
            browser, "password", ["currentPassword": Self.password, "newPassword": "another good password"])
        try #require(changed.status == 303, "\(changed.html)")
        #expect(browser.session != cookie)
        #expect(try await browser.get(browser.path("account")).status == 200)
        #expect(try await thief.get(thief.path("account")).location == thief.path("log-in"))
        // A page that was open before leads to the account: its person is logged in.
        let late = try await browser.post(browser.path("account/profile"), ["displayName": "Hana"], token: open.token)
        #expect(late.status == 403 && late.html.contains(#"class="button" href="\#(browser.path("account"))""#))
        let stranger = try await Browser(server).post(browser.path("log-in"), ["identifier": "hana"], token: "none")
        #expect(stranger.html.contains(#"class="button" href="\#(browser.path("log-in"))""#), "\(stranger.html)")
    }

    @Test("gives the browser another cookie with a first password too, of who came by a provider")
    func firstPassword() async throws {
        let world = try await AppleWorld(settings: ["public-url": TestServer.url])
        let (browser, thief) = (Browser(world.server), Browser(world.server))
        try await browser.open(accountOf: try await world.person(device: ProofMaker()))
        let cookie = try #require(browser.session)
        thief.plant(cookie)
        #expect(try await thief.get(thief.path("account")).status == 200)
        let changed = try await act(browser, "password", ["newPassword": "another good password"])
        try #require(changed.status == 303, "\(changed.html)")
        #expect(browser.session != cookie)
        #expect(try await browser.get(browser.path("account")).status == 200)
        #expect(try await thief.get(thief.path("account")).location == thief.path("log-in"))
    }

    @Test("takes away the id by which an old app logs in, which may be a thief's")
    func clientId() async throws {
        let world = try await EvictionWorld()
        try await world.give(.anonymous, "thief")
        let browser = try await world.browser()
        let button = #"name="provider" value="anonymous""#
        #expect(try await browser.get(browser.path("account")).html.contains(button))
        let done = try await act(browser, "identity", ["provider": "anonymous"])
        #expect(done.location?.hasSuffix("done=identityRemoved") == true, "\(done.html)")
        #expect(try await !browser.get(browser.path("account")).html.contains(button))
    }

    @Test("gives the browser another cookie with a first password too, which proves nothing that was not proven before")
    func copiedCookieOfFirstPassword() async throws {
        let world = try await PasskeyBrowser.world()
        let (guest, server) = (PasskeyBrowser(world), world.server)
        try await guest.browser.open(accountOf: try await server.person())
        let handle = try await guest.add()
        let owner = PasskeyBrowser(world, guest.authenticator)
        #expect(try await owner.logIn(try await owner.assertion(handle)).status == 303)
        let (browser, thief) = (owner.browser, Browser(server))
        // Nobody logs in by a password alone.
        #expect(try await !browser.get(browser.path("account")).html.contains("newPassword"))
        let asked = try await act(browser, "email", ["email": "hana@example.com"])
        try #require(asked.location?.hasSuffix("done=emailSent") == true, "\(asked.html)")
        try await confirm(browser, on: server)
        server.clock.advance(by: .seconds(300))
        let cookie = try #require(browser.session)
        thief.plant(cookie)
        #expect(try await thief.get(thief.path("account")).status == 200)
        #expect(try await browser.get(browser.path("account")).html.contains("<summary>Set a password</summary>"))
        let set = try await act(browser, "password", ["newPassword": "another good password"])
        try #require(set.location?.hasSuffix("done=passwordChanged") == true, "\(set.html)")
        #expect(browser.session != cookie)
        #expect(try await browser.get(browser.path("account")).html.contains("<summary>Change the password</summary>"))
        #expect(try await thief.get(thief.path("account")).location == thief.path("log-in"))
        server.clock.advance(by: .seconds(301))
        #expect(try await act(browser, "transfer").html.contains("Is it you?"))
    }

    @Test("changes the password, ends sessions, exports, deletes, and restores at the next log-in")
    func life() async throws {
        let server = try await TestServer()
        let browser = try await person(server)
        let wrong = try await act(
            browser, "password", ["currentPassword": "not it", "newPassword": "another good password"])
        #expect(wrong.error("currentPassword") != nil)
        let changed = try await act(
            browser, "password", ["currentPassword": Self.password, "newPassword": "another good password"])
        #expect(changed.location?.hasSuffix("done=passwordChanged") == true)
        let export = try await act(browser, "export")
        #expect(export.answer.headers[.contentType] == "application/json")
        #expect(export.html.contains("hana@example.com"))
        let unsure = try await act(browser, "delete")
        #expect(unsure.error("sure") == "Please tick this box.")
        #expect(unsure.html.contains(">I want my account to be deleted: Please tick this box.</a>"))
        #expect(try await act(browser, "delete", ["sure": "yes"]).html.contains("will be deleted"))
        #expect(try await browser.get(browser.path("account")).status == 303)
        let back = Browser(server)
        let asked = try await back.fill("log-in", ["identifier": "hana"])
        let fields = ["identifier": "hana", "password": "another good password"]
        let offered = try await back.post(back.path("log-in"), fields, token: asked.token)
        #expect(offered.html.contains("name=\"restore\""))
        let restored = try await back.post(
            back.path("log-in"), fields.merging(["restore": "yes"]) { $1 }, token: offered.token)
        #expect(restored.status == 303)
    }

    @Test("tells password managers whose password is asked for or changed, and how long a new one has to be")
    func passwordManagers() async throws {
        let server = try await TestServer()
        let browser = try await person(server)
        let name = #/value="hana" autocomplete="username" readonly/#
        let account = try await browser.get(browser.path("account")).html
        let form =
            account.components(separatedBy: browser.path("account/password")).last?
            .components(separatedBy: "</form>").first ?? ""
        #expect(form.contains(name) && form.contains("new-password") && form.contains("At least 8 characters."))
        server.clock.advance(by: .seconds(660))
        let asked = try await act(browser, "transfer")
        #expect(asked.html.contains("current-password") && asked.html.contains(name))
    }

    @Test("logs out: the cookie opens nothing any more")
    func logOut() async throws {
        let server = try await TestServer()
        let browser = try await person(server)
        let cookie = try #require(browser.session)
        let shown = try await browser.get(browser.path("account"))
        #expect(try await browser.post(browser.path("log-out"), [:], token: shown.token).status == 303)
        browser.plant(cookie)
        #expect(try await browser.get(browser.path("account")).status == 303)
    }

    @Test("logs in by a mailed code, with one answer for everybody")
    func code() async throws {
        let server = try await TestServer(settings: Self.settings)
        let browser = try await person(server)
        try await confirm(browser, on: server)
        let other = Browser(server)
        let asked = try await other.fill("log-in", ["identifier": "hana@example.com"])
        let entry = try await other.post(
            other.path("code"), ["identifier": "hana@example.com"], token: asked.token)
        let ticket = try #require(entry.value(of: "ticket"))
        _ = try await server.modules.messaging.deliverMail()
        let codes = try await server.modules.messaging.readOutbox(of: server.application.id)
            .compactMap { $0.text.firstMatch(of: /\n(\d{4} \d{4})\n/)?.output.1 }
        let mailed = try #require(codes.first)
        let wrong = try await other.post(
            other.path("code/enter"), ["ticket": ticket, "code": "0000 0000"], token: entry.token)
        #expect(wrong.error("code") != nil)
        let (before, form) = (try #require(other.session), ["ticket": ticket, "code": String(mailed)])
        #expect(try await other.post(other.path("code/enter"), form, token: entry.token).status == 303)
        // The answer got lost, and the form comes again. Nobody else's browser gets in by it.
        other.plant(before)
        #expect(try await other.post(other.path("code/enter"), form, token: entry.token).status == 303)
        #expect(try await other.get(other.path("account")).html.contains("hana"))
        let thief = Browser(server)
        let theirs = try await thief.get(thief.path("log-in")).token
        #expect(try await thief.post(thief.path("code/enter"), form, token: theirs).status == 422)
    }

    @Test("restores by a mailed code and by a new password too, since not everybody knows the old one")
    func restoreByMail() async throws {
        let server = try await TestServer(settings: Self.settings)
        let browser = try await person(server)
        try await confirm(browser, on: server)
        func mailed(_ pattern: Regex<(Substring, Substring)>) async throws -> String {
            _ = try await server.modules.messaging.deliverMail()
            let mails = try await server.modules.messaging.readOutbox(of: server.application.id)
            let found = mails.compactMap { $0.text.firstMatch(of: pattern)?.output.1 }
            return String(try #require(found.first))
        }
        _ = try await act(browser, "delete", ["sure": "yes"])
        let asked = try await browser.fill("log-in", ["identifier": "hana@example.com"])
        let entry = try await browser.post(
            browser.path("code"), ["identifier": "hana@example.com"], token: asked.token)
        let ticket = try #require(entry.value(of: "ticket"))
        var fields = ["ticket": ticket, "code": try await mailed(/\n(\d{4} \d{4})\n/)]
        let offered = try await browser.post(browser.path("code/enter"), fields, token: entry.token)
        #expect(offered.status == 403 && offered.html.contains("name=\"restore\""))
        fields["restore"] = "yes"
        #expect(try await browser.post(browser.path("code/enter"), fields, token: entry.token).status == 303)

        _ = try await act(browser, "delete", ["sure": "yes"])
        try await browser.fill("forgot", ["email": "hana@example.com"])
        let shown = try await browser.get(try await mailed(/example\.test(\/a\/\S+\/reset\S+)/))
        let token = try #require(shown.value(of: "token"))
        fields = ["token": token, "password": "another good password"]
        let refused = try await browser.post(browser.path("reset"), fields, token: shown.token)
        #expect(refused.status == 403 && refused.html.contains("name=\"restore\""))
        fields["restore"] = "yes"
        let done = try await browser.post(browser.path("reset"), fields, token: shown.token)
        #expect(done.html.contains("Your password is new"), "\(done.html)")
        let known = try await browser.fill(
            "log-in", ["identifier": "hana", "password": "another good password"])
        #expect(known.location == browser.path("account"), "\(known.html)")
    }

    @Test("opens in another language from what a form led to, too")
    func languagesOfForms() async throws {
        let server = try await TestServer(settings: Self.settings)
        let guest = Browser(server)
        let asked = try await guest.fill("log-in", ["identifier": "hana@example.com"])
        let code = try await guest.post(
            guest.path("code"), ["identifier": "hana@example.com"], token: asked.token)
        let owner = try await person(server)
        let refused = try await act(owner, "delete")
        for (browser, page) in [(guest, code), (owner, refused)] {
            let link = String(try #require(page.html.firstMatch(of: /href="([^"]+)" lang="ja"/)?.output.1))
            let shown = try await browser.get(link.replacing("&amp;", with: "&"))
            #expect(shown.status == 200 && shown.html.contains(#"<html lang="ja">"#), "\(link)")
        }
    }
}
