import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

/// A person at the pages who logs in as somebody, and what may go wrong on the way back.
private struct FakeBrowser: WebLogInBrowser {
    let server: InMemoryServer
    let user: User.ID?
    var change: @Sendable (String) -> String = { $0 }

    func open(_ address: URL, redirect: URL) async throws(OkaeriError) -> URL {
        guard let back = server.visit(address, as: user), let url = URL(string: change(back.absoluteString)) else {
            throw .cancelled
        }
        return url
    }
}

@Suite("Logging in through the hosted pages")
struct WebLogInTests {
    private let world = World()
    private let redirect = URL(string: "com.example.app:/back") ?? URL(fileURLWithPath: "/")
    private static let password = "correct horse battery"

    /// Somebody with an account, from another device.
    private func somebody(_ name: String = "hana") async throws -> User {
        try await world.launch(vault: TestVault()).signUp(username: name, password: Self.password)
    }

    private func query(_ address: URL) -> [String: String] {
        let items = URLComponents(url: address, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    @Test("leads to a session, and the next launch is automatic")
    func whole() async throws {
        let hana = try await somebody()
        let okaeri = world.launch()
        let welcome = try await okaeri.logIn(
            through: FakeBrowser(server: world.server, user: hana.id), redirect: redirect)
        #expect(welcome.user.id == hana.id)
        #expect(await okaeri.currentUser?.id == hana.id)
        #expect(try await okaeri.reloadUser().id == hana.id)
        world.server.endAllSessions()
        // The device's key joined the user: a dead session is renewed without a word.
        #expect(try await okaeri.reloadUser().id == hana.id)
        let again = try await world.launch().logInAutomatically()
        guard case .returning(let user, _) = again else {
            Issue.record("\(again)")
            return
        }
        #expect(user.id == hana.id)
    }

    @Test("leaves a guest's key with the guest, and ends the guest's session")
    func guest() async throws {
        let hana = try await somebody()
        let okaeri = world.launch()
        let guest = try await okaeri.logInAutomatically().user
        try await okaeri.logIn(through: FakeBrowser(server: world.server, user: hana.id), redirect: redirect)
        #expect(await world.launch().currentUser?.id == hana.id)
        #expect(world.server.users.first { $0.id == guest.id }?.identities.count == 1)
        _ = await okaeri.deliverPendingLogOuts()
        #expect(world.server.sessionCount == 2)
    }

    @Test(
        "leaves the key of a guest who has logged out with the guest, and is renewed silently all the same",
        arguments: [nil, .untilQuit, .never] as [RememberMe?])
    func guestLoggedOut(follower: RememberMe?) async throws {
        let (hana, _) = (try await somebody(), try await somebody("kenji"))
        let okaeri = world.launch(inBackground: false)
        let guest = try await okaeri.logInAutomatically().user
        if let follower { try await okaeri.logIn(identifier: "kenji", password: Self.password, rememberMe: follower) }
        await okaeri.logOut()
        try await okaeri.logIn(through: FakeBrowser(server: world.server, user: hana.id), redirect: redirect)
        world.server.endAllSessions()
        #expect(try await okaeri.reloadUser().id == hana.id)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == hana.id)
        #expect(world.server.users.first { $0.id == guest.id }?.identities.count == 1)
    }

    @Test(
        "leaves the key with the guest beside whom somebody is or was logged in, and is renewed silently all the same",
        arguments: [false, true])
    func besideGuest(hasEnded: Bool) async throws {
        let hana = try await somebody()
        let before = world.launch(inBackground: false)
        let guest = try await before.logInAutomatically().user
        try await before.logIn(with: .apple(.test(user: "taro")))
        if hasEnded {
            world.server.endAllSessions()
            await #expect(throws: OkaeriError.sessionEnded) { try await before.reloadUser() }
        }
        let okaeri = world.launch(inBackground: false)
        try await okaeri.logIn(through: FakeBrowser(server: world.server, user: hana.id), redirect: redirect)
        world.server.endAllSessions()
        #expect(try await okaeri.reloadUser().id == hana.id)
        #expect(world.server.users.first { $0.id == guest.id }?.identities.count == 1)
    }

    @Test("for a new account leaves a registered user's key with that user, and is renewed silently all the same")
    func signUp() async throws {
        // Whom the pages have made just now.
        let taro = try await somebody("taro")
        let okaeri = world.launch(inBackground: false)
        let hana = try await okaeri.signUp(username: "hana", password: Self.password)
        await okaeri.logOut()
        let browser = FakeBrowser(server: world.server, user: taro.id)
        try await okaeri.logIn(through: browser, redirect: redirect, options: WebLogInOptions(prompt: .signUp))
        world.server.endAllSessions()
        #expect(try await okaeri.reloadUser().id == taro.id)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == taro.id)
        #expect(world.server.users.first { $0.id == hana.id }?.identities.count == 1)
    }

    @Test("uses no second key for a person who logs out and in again")
    func again() async throws {
        let hana = try await somebody()
        let okaeri = world.launch()
        for _ in 0..<3 {
            try await okaeri.logIn(through: FakeBrowser(server: world.server, user: hana.id), redirect: redirect)
            await okaeri.logOut()
        }
        #expect(world.server.users.first { $0.id == hana.id }?.identities.count == 2)
    }

    @Test("opens no account of somebody else who tried in vain to log in on the device, when its session ends")
    func keyOfSomebodyElse() async throws {
        let (kenji, hana) = (try await somebody("kenji"), try await somebody())
        let okaeri = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let guest = try await okaeri.logInAutomatically().user
        world.server.fail(.lostResponse, path: APIPath.logInWithPassword)
        await #expect(throws: OkaeriError.offline) {
            try await okaeri.logIn(identifier: "kenji", password: Self.password)
        }
        try await okaeri.logIn(through: FakeBrowser(server: world.server, user: hana.id), redirect: redirect)
        world.server.endAllSessions()
        await #expect(throws: OkaeriError.sessionEnded) { try await okaeri.reloadUser() }
        #expect(await okaeri.automaticLogInBeginsAnew)
        guard case .firstVisit(let next) = try await world.launch(inBackground: false).logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(![kenji.id, hana.id, guest.id].contains(next.id))
        // Her own log-in opens her account still.
        try await okaeri.logIn(through: FakeBrowser(server: world.server, user: hana.id), redirect: redirect)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == hana.id)
    }

    @Test("asks with PKCE, state and nonce, which are new each time, and with the options")
    func address() async throws {
        let okaeri = world.launch()
        let options = WebLogInOptions(
            prompt: .signUp, identifier: "hana@example.com", languages: ["ja-JP", "en"], appearance: .dark,
            maximumAge: .seconds(60))
        let requests = [
            try await okaeri.beginWebLogIn(redirect: redirect, options: options),
            try await okaeri.beginWebLogIn(redirect: redirect, options: options),
        ]
        let asked = requests.map { query($0.address) }
        #expect(requests[0].address.absoluteString.hasPrefix("\(world.server.issuer)/authorize?"))
        #expect(asked[0]["code_challenge_method"] == "S256" && asked[0]["code_challenge"]?.utf8.count == 43)
        #expect(asked[0]["response_type"] == "code" && asked[0]["client_id"] == world.server.application)
        #expect(asked[0]["redirect_uri"] == "com.example.app:/back")
        #expect(asked[0]["prompt"] == "create" && asked[0]["login_hint"] == "hana@example.com")
        #expect(asked[0]["ui_locales"] == "ja-JP en" && asked[0]["appearance"] == "dark" && asked[0]["max_age"] == "60")
        for name in ["state", "nonce", "code_challenge"] {
            #expect(asked[0][name]?.utf8.count ?? 0 >= 43 && asked[0][name] != asked[1][name])
        }
        var printed = "\(requests[0]) \(String(reflecting: requests[0]))"
        dump(requests[0], to: &printed)
        #expect(!printed.contains(requests[0].verifier.revealed) && !printed.contains(requests[0].state.revealed))
    }

    @Test(
        "refuses what others send back",
        arguments: [
            ("state=", "state=x", WebLogInRefusal.stateMismatch), ("iss=", "iss=x", .issuerMismatch),
            ("&iss=", "&was=", .issuerMismatch), ("code=", "kode=", .callbackMalformed),
            ("&state=", "&state=1&state=", .callbackMalformed), ("app:/back", "app:/other", .callbackMalformed),
            ("com.example.app", "com.example.evil", .callbackMalformed),
            ("code=", "error=login_required&kode=", .loginRequired), ("code=code-", "code=other-", .codeRefused),
        ])
    func wrongCallback(from: String, to: String, reason: WebLogInRefusal) async throws {
        let hana = try await somebody()
        let okaeri = world.launch()
        let guest = try await okaeri.logInAutomatically().user
        let browser = FakeBrowser(server: world.server, user: hana.id) { $0.replacingOccurrences(of: from, with: to) }
        await #expect(throws: OkaeriError.webLogInRefused(reason)) {
            try await okaeri.logIn(through: browser, redirect: redirect)
        }
        #expect(await okaeri.currentUser?.id == guest.id, "the guest stays logged in")
    }

    @Test("takes no code of another request: the verifier does not fit")
    func injectedCode() async throws {
        let thief = try await somebody("thief")
        let okaeri = world.launch()
        let request = try await okaeri.beginWebLogIn(redirect: redirect)
        let other = try await okaeri.beginWebLogIn(redirect: redirect)
        let theirs = try #require(world.server.visit(other.address, as: thief.id))
        let code = query(theirs)["code"] ?? ""
        let own = try #require(world.server.visit(request.address, as: nil)).absoluteString
        let injected = try #require(
            URL(string: own.replacingOccurrences(of: "error=access_denied", with: "code=\(code)")))
        await #expect(throws: OkaeriError.webLogInRefused(.codeRefused)) {
            try await okaeri.finish(request, with: injected)
        }
        #expect(await okaeri.currentUser == nil)
    }

    @Test("ends a session whose identity token answers another request")
    func wrongNonce() async throws {
        let hana = try await somebody()
        let okaeri = world.launch()
        let request = try await okaeri.beginWebLogIn(redirect: redirect)
        let nonce = query(request.address)["nonce"] ?? ""
        let changed = try #require(
            URL(string: request.address.absoluteString.replacingOccurrences(of: nonce, with: "another")))
        let back = try #require(world.server.visit(changed, as: hana.id))
        await #expect(throws: OkaeriError.webLogInRefused(.identityTokenMismatch)) {
            try await okaeri.finish(request, with: back)
        }
        #expect(await okaeri.currentUser == nil)
        _ = await okaeri.deliverPendingLogOuts()
        #expect(world.server.sessionCount == 1)
    }

    @Test("tells a person who did not go on, a server without pages, and one that is away")
    func nothing() async throws {
        let okaeri = world.launch()
        let browser = FakeBrowser(server: world.server, user: nil)
        await #expect(throws: OkaeriError.cancelled) { try await okaeri.logIn(through: browser, redirect: redirect) }
        world.server.profile = ApplicationProfile(id: world.server.application, name: "demo")
        await #expect(throws: OkaeriError.webLogInRefused(.pagesUnavailable)) {
            try await okaeri.logIn(through: browser, redirect: redirect)
        }
        world.server.isOffline = true
        await #expect(throws: OkaeriError.offline) { try await okaeri.logIn(through: browser, redirect: redirect) }
    }

    @Test(
        "opens nothing but a page, whatever the server names",
        arguments: ["", "//id.example.com", "javascript:alert(1)//", "facetime:hana@example.com?", "https://"])
    func noPage(issuer: String) async throws {
        world.server.profile = ApplicationProfile(
            id: world.server.application, name: "demo", pages: ProfilePages(issuer: issuer))
        let okaeri = world.launch()
        await #expect(throws: OkaeriError.unexpectedResponse(status: 0)) {
            try await okaeri.beginWebLogIn(redirect: redirect)
        }
    }

    @Test("keeps its session when the address opens the app twice, and waits for a vault that gives no key")
    func twice() async throws {
        let hana = try await somebody()
        let okaeri = world.launch(inBackground: false)
        let request = try await okaeri.beginWebLogIn(redirect: redirect)
        let browser = FakeBrowser(server: world.server, user: hana.id)
        let back = try await browser.open(request.address, redirect: redirect)
        world.vault.isLocked = true
        await #expect(throws: OkaeriError.storageLocked) { try await okaeri.finish(request, with: back) }
        world.vault.isLocked = false
        world.vault.refusesKeys = true
        await #expect(throws: OkaeriError.storageUnavailable("refused by the test")) {
            try await okaeri.finish(request, with: back)
        }
        world.vault.refusesKeys = false
        #expect(try await okaeri.finish(request, with: back).user.id == hana.id)
        await #expect(throws: OkaeriError.webLogInRefused(.codeRefused)) {
            try await okaeri.finish(request, with: back)
        }
        #expect(world.server.requests(to: "/a/\(world.server.application)/token").count == 1)
        #expect(world.server.sessionCount == 2)
    }

    @Test("sends a code once, and corrects a wrong clock before it counts")
    func once() async throws {
        let hana = try await somebody()
        world.server.clockOffset = 7200
        let okaeri = world.launch()
        let browser = FakeBrowser(server: world.server, user: hana.id)
        #expect(try await okaeri.logIn(through: browser, redirect: redirect).user.id == hana.id)
        let path = "/a/\(world.server.application)/token"
        #expect(world.server.requests(to: path).count == 2)
        let second = world.launch(vault: TestVault())
        world.server.fail(.lostResponse, path: path)
        await #expect(throws: OkaeriError.offline) { try await second.logIn(through: browser, redirect: redirect) }
        #expect(await second.currentUser == nil)
        #expect(world.server.requests(to: path).count == 3)
    }
}
