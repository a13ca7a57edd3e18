import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// What a stolen session token leads to by way of the pages: a ticket, a code, and a session of another device.
@Suite("A session that came from another one by the pages, without a proof")
struct DerivedSessionTests {
    private static let password = SecondFactorWorld.password

    private func world() async throws -> SecondFactorWorld {
        var settings = ApplicationSettings(redirectAddresses: [WebLogInTests.redirect])
        settings.secondFactors.mode = .optional
        return SecondFactorWorld(
            of: try await TestServer(settings: ["public-url": TestServer.url], application: settings))
    }

    /// Opens the pages by a token alone, and takes a code of theirs to another device.
    private func derived(from person: Person, on device: ProofMaker? = nil) async throws -> (Person, Browser) {
        let browser = Browser(person.server)
        try await browser.open(accountOf: person)
        return (try await browser.app(on: device).person, browser)
    }

    private func reauthenticate(_ person: Person) async throws -> Answer {
        let server = person.server
        let proof = try person.device.proof(
            "POST", server.url(APIPath.reauthenticate), at: server.clock.now, token: person.token)
        return try await person.send(.post, APIPath.reauthenticate, [("DPoP", proof)], body: "{}")
    }

    @Test("is not made fresh by its own key, which does not lead to the guest")
    func keyOfThief() async throws {
        let guest = try await world().server.person()
        guest.server.clock.advance(by: .seconds(700))
        let (thief, _) = try await derived(from: guest, on: ProofMaker())
        #expect(thief.logIn.user.id == guest.logIn.user.id)
        expect(try await reauthenticate(thief), 401, .credentialRefused)
        expect(try await thief.send(.post, APIPath.transferCode), 403, .reauthenticationRequired)
        // The guest's own key does.
        #expect(try await reauthenticate(guest).status == 200)
    }

    @Test("has not shown the second factor because a remembered device had not to")
    func secondFactor() async throws {
        let world = try await world()
        let person = try await world.person()
        let (key, factor, _) = try await world.enrol(person)
        world.server.clock.advance(by: .seconds(700))
        let logIn = try await world.logIn(device: person.device)
        #expect(logIn.status == 200, "\(logIn.text)")
        let own = Person(server: world.server, device: person.device, logIn: try logIn.read(LogInResponse.self))
        let device = ProofMaker()
        let (other, browser) = try await derived(from: own, on: device)
        for session in [own, other] {
            expect(try await session.send(.post, APIPath.recoveryCodes), 403, .secondFactorNotRecent)
            expect(
                try await session.send(.delete, "\(APIPath.secondFactors)/\(factor)"), 403, .secondFactorNotRecent)
        }
        let shown = try await browser.get(browser.path("account"))
        _ = try await browser.post(browser.path("account/factors/remove"), ["factor": factor], token: shown.token)
        let factors = try await own.send(.get, APIPath.secondFactors)
        #expect(factors.text.contains(factor))
        // The new device is not remembered either.
        expect(try await world.logIn(device: device), 403, .secondFactorRequired)
        // What was really shown is carried over, with its time.
        let ticket = try await world.ticket().ticket
        let finished = try await world.finish(ticket, #""code": "\#(try world.nextCode(key))""#)
        #expect(finished.status == 200, "\(finished.text)")
        let proven = Person(server: world.server, device: device, logIn: try finished.read(LogInResponse.self))
        world.server.clock.advance(by: .seconds(590))
        let (late, _) = try await derived(from: proven)
        #expect(try await late.send(.post, APIPath.recoveryCodes).status == 201)
        world.server.clock.advance(by: .seconds(10))
        expect(try await late.send(.post, APIPath.transferCode), 403, .reauthenticationRequired)
    }

    @Test("is fresh no longer than the first one, however often it is passed on")
    func freshness() async throws {
        let world = try await world()
        let server = world.server
        var person = try await world.person()
        let start = server.clock.now.milliseconds / 1000
        for _ in 0..<3 {
            server.clock.advance(by: .seconds(190))
            person = try await derived(from: person).0
            #expect(try await claims(of: person)["auth_time"] == .integer(start))
        }
        #expect(try await person.send(.post, APIPath.transferCode).status == 201)
        server.clock.advance(by: .seconds(30))
        expect(try await person.send(.post, APIPath.transferCode), 403, .reauthenticationRequired)
        // A key joins by what was shown on the pages alone.
        let (phone, tablet) = (ProofMaker(), ProofMaker())
        let (_, browser) = try await derived(from: person, on: phone)
        #expect(try await server.person(phone).logIn.user.id != person.logIn.user.id)
        let account = try await browser.get(browser.path("account"))
        server.clock.advance(by: .seconds(1))
        let confirmed = try await browser.post(
            browser.path("account/confirm"), ["password": Self.password], token: account.token)
        #expect(confirmed.status == 303, "\(confirmed.html)")
        _ = try await browser.app(on: tablet)
        #expect(try await server.person(tablet).logIn.user.id == person.logIn.user.id)
    }

    private func claims(of person: Person) async throws -> [String: JSONValue] {
        let answer = try await person.send(.post, APIPath.token, body: "{}").read(TokenResponse.self)
        return try Self.claims(answer.accessToken)
    }

    private static func claims(_ token: String) throws -> [String: JSONValue] {
        let payload = Domain.Base64URL.bytes(of: token.split(separator: ".")[1].utf8) ?? []
        return try JSONDecoder().decode([String: JSONValue].self, from: Data(payload))
    }

    @Test("says no time at which nobody proved anything, and is asked where a log-in may have some age")
    func authenticationTime() async throws {
        let world = try await world()
        let first = try await world.person()
        world.server.clock.advance(by: .seconds(700))
        let person = try await world.server.person(first.device)
        #expect(try await claims(of: person)["auth_time"] == nil)
        let browser = Browser(world.server)
        try await browser.open(accountOf: person)
        for age in ["0", "60", "1000000000"] {
            let asked = try await browser.get(browser.authorization + "&max_age=\(age)")
            #expect(asked.location?.contains("/log-in?") == true, "\(age)")
        }
        let (app, identity) = try await browser.app(on: nil)
        #expect(try Self.claims(identity)["auth_time"] == nil)
        #expect(try await claims(of: app)["auth_time"] == nil)
    }

    @Test("ends with the log-out of the first one, and the page with it, and not with a launch of the device")
    func logOut() async throws {
        let world = try await world()
        let person = try await world.person()
        let (app, browser) = try await derived(from: person)
        world.server.clock.advance(by: .seconds(700))
        let launched = try await world.server.person(person.device)
        #expect(try await app.send(.get, APIPath.user).status == 200)
        #expect(try await browser.get(browser.path("account")).status == 200)
        #expect(try await launched.send(.post, APIPath.logOut).status == 204)
        expect(try await app.send(.get, APIPath.user), 401, .sessionInvalid)
        #expect(try await browser.get(browser.path("account")).location == browser.path("log-in"))
        // One without a key is the origin by its id.
        let logIn = try await world.logIn()
        let other = Person(
            server: world.server, device: ProofMaker(), logIn: try logIn.read(LogInResponse.self))
        let (second, _) = try await derived(from: other)
        let (third, _) = try await derived(from: second)
        let keeper = try await world.server.person(person.device)
        let ended = try await keeper.send(.delete, "\(APIPath.sessions)/\(other.logIn.session.id)")
        #expect(ended.status == 204, "\(ended.text)")
        for session in [second, third] { expect(try await session.send(.get, APIPath.user), 401, .sessionInvalid) }
        #expect(try await keeper.send(.get, APIPath.user).status == 200)
    }

    @Test("ends with the log-out of the page that it came from, and the app that opened the page does not")
    func logOutOfPage() async throws {
        let person = try await world().person()
        let (bare, browser) = try await derived(from: person)
        let bound = try await browser.app(on: ProofMaker()).person
        let (onward, _) = try await derived(from: bound)
        // Another browser, which the same app opened.
        let (other, elsewhere) = try await derived(from: person)
        let account = try await browser.get(browser.path("account"))
        let out = try await browser.post(browser.path("log-out"), [:], token: account.token)
        #expect(out.status == 303, "\(out.html)")
        for session in [bare, bound, onward] {
            expect(try await session.send(.get, APIPath.user), 401, .sessionInvalid)
        }
        for session in [person, other] { #expect(try await session.send(.get, APIPath.user).status == 200) }
        #expect(try await elsewhere.get(elsewhere.path("account")).status == 200)
    }

    private func logIn(_ browser: Browser, _ name: String = "hana") async throws {
        let page = try await browser.get(browser.path("log-in"))
        let fields = ["identifier": name, "password": Self.password]
        let entered = try await browser.post(browser.path("log-in"), fields, token: page.token)
        #expect(entered.status == 303, "\(entered.html)")
    }

    /// Whether a cookie still opens the account.
    private func isOpen(_ cookie: String?, on server: TestServer) async throws -> Bool {
        let browser = Browser(server)
        browser.plant(try #require(cookie))
        return try await browser.get(browser.path("account")).status == 200
    }

    @Test("goes on when its person logs in anew in the browser, and ends with the page's new session")
    func nextLogIn() async throws {
        let world = try await world()
        _ = try await world.person()
        let browser = Browser(world.server)
        try await logIn(browser)
        let app = try await browser.app(on: nil).person
        let before = browser.session
        world.server.clock.advance(by: .seconds(60))
        try await logIn(browser)
        #expect(try await !isOpen(before, on: world.server))
        #expect(try await app.send(.get, APIPath.user).status == 200)
        let account = try await browser.get(browser.path("account"))
        let out = try await browser.post(browser.path("log-out"), [:], token: account.token)
        #expect(out.status == 303, "\(out.html)")
        expect(try await app.send(.get, APIPath.user), 401, .sessionInvalid)
    }

    @Test("keeps the browser's session that it came from, when somebody else logs in there or an app opens its page")
    func otherLogIn() async throws {
        let world = try await world()
        let (server, person) = (world.server, try await world.person())
        let browser = Browser(server)
        let joined = try await browser.fill("sign-up", ["username": "mika", "password": Self.password])
        #expect(joined.status == 303, "\(joined.html)")
        let bare = browser.session
        try await logIn(browser)
        // Nothing had come from it.
        #expect(try await !isOpen(bare, on: server))
        let app = try await browser.app(on: nil).person
        let own = browser.session
        try await browser.open(accountOf: person)
        #expect(try await person.send(.post, APIPath.logOut).status == 204)
        #expect(try await browser.get(browser.path("account")).location == browser.path("log-in"))
        browser.plant(try #require(own))
        try await logIn(browser, "mika")
        #expect(try await isOpen(own, on: server))
        #expect(try await app.send(.get, APIPath.user).status == 200)
    }

    @Test("is fresh when a guest's own key signed the request for the page, after an hour too, and no key joins by it")
    func ticketOfOwnKey() async throws {
        let guest = try await world().server.person()
        let server = guest.server
        server.clock.advance(by: .seconds(3600))
        let (thief, _) = try await derived(from: guest, on: ProofMaker())
        for (opener, isProven, isFresh) in [(guest, true, true), (guest, false, false), (thief, true, false)] {
            let browser = Browser(server)
            try await browser.open(accountOf: opener, isProven: isProven)
            let app = try await browser.app(on: nil).person
            let answer = try await app.send(.post, APIPath.transferCode)
            #expect(answer.status == (isFresh ? 201 : 403), "\(answer.text)")
            let key = ProofMaker()
            _ = try await browser.app(on: key)
            #expect(try await server.person(key).logIn.user.id != guest.logIn.user.id)
        }
    }

    /// A guest whose transfer code was used by somebody else, who passed the session on.
    private func transferred() async throws -> (owner: Person, thief: Person, derived: Person, Browser, ProofMaker) {
        let server = try await world().server
        let owner = try await server.person()
        let code = try await owner.issueCode().code
        server.clock.advance(by: .seconds(1))
        let thief = try await server.joined(code, on: ProofMaker())
        server.clock.advance(by: .seconds(1))
        let key = ProofMaker()
        let (app, browser) = try await derived(from: thief, on: key)
        return (owner, thief, app, browser, key)
    }

    @Test("does not hide the notice of the device that it came from, and cannot undo what is done against it")
    func notice() async throws {
        let (owner, thief, app, _, _) = try await transferred()
        let notice = try #require(try await owner.notices().first)
        for session in [thief, app] {
            #expect(try await session.notices().isEmpty)
            _ = try await session.send(.delete, "\(APIPath.notices)/\(notice.id)")
            expect(try await session.undo(notice.id), 404, .transferUnknown)
        }
        #expect(try await owner.notices().map(\.id) == [notice.id])
        // What came from the owner's own device has the notice.
        let (own, _) = try await derived(from: owner)
        #expect(try await own.notices().map(\.id) == [notice.id])
    }

    @Test(
        "ends when the transfer is undone or the device's key removed, and its own key leads nowhere",
        arguments: [true, false])
    func removed(isUndone: Bool) async throws {
        let (owner, thief, app, browser, key) = try await transferred()
        if isUndone {
            let notice = try #require(try await owner.notices().first)
            #expect(try await owner.undo(notice.id).status == 204)
        } else {
            let path = "\(APIPath.deviceKeys)/\(thief.device.thumbprint)"
            #expect(try await owner.send(.delete, path).status == 204)
        }
        for session in [thief, app] { expect(try await session.send(.get, APIPath.user), 401, .sessionInvalid) }
        #expect(try await browser.get(browser.path("account")).location == browser.path("log-in"))
        #expect(try await owner.server.person(key).logIn.user.id != owner.logIn.user.id)
        #expect(try await owner.send(.get, APIPath.user).status == 200)
    }
}

extension Browser {
    /// The path by which an app sends its person here.
    fileprivate var authorization: String {
        let query = [
            "client_id": server.application.id.rawValue, "redirect_uri": WebLogInTests.redirect,
            "response_type": "code", "code_challenge": WebLogInTests.challenge, "code_challenge_method": "S256",
            "scope": "openid",
        ]
        return path("authorize") + "?"
            + query.map { "\($0)=\(Browser.escaped($1))" }.sorted().joined(separator: "&")
    }

    /// Presses the button for an app, which turns the code into a session.
    fileprivate func app(on device: ProofMaker?) async throws -> (person: Person, identityToken: String) {
        let pressed = try await post(authorization, ["choice": "continue"], token: try await get(authorization).token)
        let items = pressed.location.flatMap { URLComponents(string: $0) }?.queryItems ?? []
        let code = try #require(items.first { $0.name == "code" }?.value, "\(pressed.html)")
        let proof = try device?.proof("POST", server.url(path("token")), at: server.clock.now)
        let answer = try await post(
            path("token"),
            [
                "grant_type": "authorization_code", "client_id": server.application.id.rawValue, "code": code,
                "redirect_uri": WebLogInTests.redirect, "code_verifier": WebLogInTests.verifier,
            ], token: nil, proof.map { [("DPoP", $0)] } ?? [])
        try #require(answer.status == 200, "\(answer.html)")
        let tokens = try answer.answer.read(Tokens.self)
        return (Person(server: server, device: device ?? ProofMaker(), logIn: tokens.logIn), tokens.identityToken)
    }

    private struct Tokens: Decodable {
        let logIn: LogInResponse
        let identityToken: String

        enum CodingKeys: String, CodingKey {
            case logIn = "log_in"
            case identityToken = "id_token"
        }
    }
}
