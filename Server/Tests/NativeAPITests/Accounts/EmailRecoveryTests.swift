import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// A stolen session of an old app changed the mail address of an account, and its owner had no way back (decision 0251).
@Suite("A mail address that a session of an old app alone took away")
struct EmailRecoveryTests {
    typealias Surface = AccountChangeStep.Surface

    static let oldApps: [Surface] = [.ncmb, .parse, .kii]
    static let (former, thiefs) = ("hana@example.com", "thief@example.com")
    static let newPassword = "a quite new secret"

    func id(_ world: EvictionWorld) -> Identifier<User> { Identifier(rawValue: world.owner.logIn.user.id) }

    func user(_ world: EvictionWorld) async throws -> User {
        try await world.server.modules.directory.readUser(id(world), in: world.server.application.id)
    }

    /// Changes the address by a session of an old app.
    func change(
        _ world: EvictionWorld, by app: Surface, _ token: String, to email: String = thiefs
    ) async throws {
        let path = "users/\(world.owner.logIn.user.id)"
        let answer =
            switch app {
            case .ncmb:
                try await world.ncmb(.put, "/2013-09-01/\(path)", #"{"mailAddress":"\#(email)"}"#, token: token)
            case .parse: try await world.parse(.put, "/parse/\(path)", #"{"email":"\#(email)"}"#, token: token)
            default:
                try await world.kii(
                    .put, EvictionWorld.kiiPath("/users/me/email-address"), #"{"emailAddress":"\#(email)"}"#,
                    token: token)
            }
        try #require([200, 204].contains(answer.status), "\(answer.text)")
    }

    /// A thief with a session that its owner opened some time ago.
    func steal(
        _ world: EvictionWorld, by app: Surface = .parse, after age: Duration = .seconds(700)
    ) async throws {
        let token = try await world.ownerToken(app)
        world.server.clock.advance(by: age)
        try await change(world, by: app, token)
    }

    /// The tokens of the links that an address got.
    func links(_ world: EvictionWorld, to address: String = former) async throws -> [String] {
        try await world.mails().filter { $0.recipient == address && $0.text.contains("/recover?token=") }
            .compactMap(\.token)
    }

    func link(_ world: EvictionWorld) async throws -> String {
        let links = try await links(world)
        #expect(links.count == 1)
        return try #require(links.first)
    }

    /// Opens a link and presses its button.
    func recover(_ world: EvictionWorld, _ token: String, in browser: Browser? = nil) async throws -> Page {
        let browser = browser ?? Browser(world.server)
        let shown = try await browser.get(browser.path("recover") + "?token=\(token)")
        #expect(shown.status == 200)
        return try await browser.post(
            browser.path("recover"), ["token": try #require(shown.value(of: "token"))], token: shown.token)
    }

    @Test("is followed by the form for a new password in another language, too, and when the page is loaded anew")
    func language() async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let browser = Browser(world.server)
        let page = try await recover(world, try await link(world), in: browser)
        // The script opens the address of the page's own language anew.
        for language in ["en", "ja"] {
            let found = page.html.firstMatch(of: try Regex(#"href="([^"]+)" lang="\#(language)""#))
            let link = String(try #require(found?.output[1].substring)).replacing("&amp;", with: "&")
            let shown = try await browser.get(link)
            #expect(shown.value(of: "token") == page.value(of: "token") && link.hasPrefix(browser.path("reset")))
            #expect(shown.html.contains("<html lang=\"\(language)\">"))
        }
    }

    @Test("comes back by the link that it got, everybody is out, and a new password follows", arguments: oldApps)
    func thief(app: Surface) async throws {
        let world = try await EvictionWorld()
        try await steal(world, by: app)
        #expect(try await user(world).email == Self.thiefs)
        let token = try await link(world)
        let browser = Browser(world.server)
        let page = try await recover(world, token, in: browser)
        #expect(page.status == 200, "\(page.html)")
        let after = try await user(world)
        #expect(after.email == Self.former && after.emailVerifiedAt == world.server.clock.now)
        let (id, application) = (id(world), world.server.application.id)
        let sessions = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.sessions(of: id, in: application)
        }
        #expect(sessions.isEmpty)
        // The password of before counts no more, the owner's or a thief's.
        #expect(try await world.server.logIn("hana", EvictionWorld.password).status == 401)
        let reset = try await browser.post(
            browser.path("reset"),
            ["token": try #require(page.value(of: "token")), "password": Self.newPassword], token: page.token)
        #expect(reset.status == 200, "\(reset.html)")
        #expect(try await world.server.logIn(Self.former, Self.newPassword).status == 200)
        #expect(try await world.server.logIn(Self.thiefs, Self.newPassword).status == 401)
    }

    @Test(
        "leaves an entry with actor, address and request, an event, and a mail to the address that is back and to the one that goes, which nobody has proved"
    )
    func trace() async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        world.server.clock.advance(by: .seconds(1))
        let before = try await world.mails().count
        #expect(try await recover(world, token).status == 200)
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
            .filter { $0.action == AccountChange.emailRecovered.policy.action }
        let entry = try #require(entries.first)
        #expect(entries.count == 1 && entry.actor == .user(id(world)) && entry.target == .user(id(world)))
        #expect(entry.result == .done && entry.origin.address == "192.0.2.1" && entry.origin.requestId != nil)
        #expect(!String(reflecting: entry).contains("example.com"))
        #expect(AccountChange.emailRecovered.policy.event?.rawValue == "email.recovered")
        let mails = try await world.mails()
        let new = mails.prefix(mails.count - before)
        #expect(Set(new.map(\.recipient)) == [Self.former, Self.thiefs] && new.count == 2)
        #expect(new.allSatisfy { $0.token == nil && $0.subject.contains("was changed") })
    }

    @Test("stays where it is while programs open the link, however often")
    func scanner() async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        for _ in 0..<3 {
            let browser = Browser(world.server)
            #expect(try await browser.get(browser.path("recover") + "?token=\(token)").status == 200)
        }
        #expect(try await user(world).email == Self.thiefs)
        #expect(try await recover(world, token).status == 200)
    }

    @Test("comes back once, by whichever of two clicks is first")
    func twice() async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        async let one = recover(world, token)
        async let other = recover(world, token)
        let statuses = try await [one.status, other.status].sorted()
        #expect(statuses == [200, 422])
        #expect(try await recover(world, token).status == 422)
        #expect(try await user(world).email == Self.former)
    }

    @Test("comes back for seven days, to the millisecond", arguments: [(-1, 200), (0, 422)] as [(Int64, Int)])
    func life(late: Int64, status: Int) async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let end = world.server.clock.now + .days(7) + .milliseconds(late)
        let token = try await link(world)
        world.server.clock.advance(by: end - world.server.clock.now)
        #expect(try await recover(world, token).status == status)
    }

    @Test(
        "has no link where its owner was shown to be there within ten minutes, or an operator acted",
        arguments: [EvictionTests.Change.addressWritten, .addressVerified, .addressByOperator])
    func onPurpose(change: EvictionTests.Change) async throws {
        let world = try await EvictionWorld()
        try await world.make(change)
        #expect(try await user(world).email == "new@example.com")
        #expect(try await links(world).isEmpty)
        #expect(try await world.mails().contains { $0.recipient == Self.former && $0.subject.contains("was changed") })
    }

    @Test("has no link right after a log-in with the password, in an old app", arguments: oldApps)
    func justLoggedIn(app: Surface) async throws {
        let world = try await EvictionWorld()
        try await steal(world, by: app, after: .seconds(599))
        #expect(try await user(world).email == Self.thiefs)
        #expect(try await links(world).isEmpty)
        #expect(try await world.mails().contains { $0.recipient == Self.former && $0.subject.contains("was changed") })
    }

    /// Whatever the thief does with the new address must not end the way back.
    @Test("comes back although the thief set a password by mail, added ways in, and changed the address again")
    func secondChange() async throws {
        let world = try await EvictionWorld()
        try await world.give(.google, "owner")
        world.server.clock.advance(by: .seconds(1))
        try await steal(world)
        let token = try await link(world)
        _ = try await world.server.send(
            .post, APIPath.requestPasswordReset, body: #"{"email": "\#(Self.thiefs)"}"#)
        let allowed = try await world.mailedToken(to: Self.thiefs)
        let reset = try await world.server.send(
            .post, APIPath.resetPassword,
            body: #"{"token": "\#(allowed)", "newPassword": "a thief's own secret"}"#)
        try #require(reset.status == 204, "\(reset.text)")
        try await world.give(.facebook, "thief")
        let (id, application, now) = (id(world), world.server.application.id, world.server.clock.now)
        try await world.server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            (user.phone, user.phoneVerifiedAt) = ("+819012345678", now)
            try transaction.updateIdentifiers(of: user)
        }
        // The address of the first change is proved by now, and the second one is made by a session alone too.
        let session = try await world.token(.parse, "hana", "a thief's own secret")
        world.server.clock.advance(by: .seconds(700))
        try await change(world, by: .parse, session, to: "third@example.com")
        #expect(try await user(world).email == "third@example.com")
        #expect(try await links(world, to: Self.thiefs).isEmpty)
        let added = world.server.clock.now
        try await world.server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.secondFactorAt = added
            try transaction.updateSecondFactor(of: user)
        }
        #expect(try await links(world) == [token])
        #expect(try await recover(world, token).status == 200)
        let after = try await user(world)
        #expect(after.email == Self.former && after.secondFactorAt == nil && after.phoneVerifiedAt == nil)
        #expect(!after.identities.contains { $0.provider == .facebook })
        #expect(try await world.server.logIn("hana", "a thief's own secret").status == 401)
    }

    @Test("keeps what was there before: an identity and a number that the owner had")
    func kept() async throws {
        let world = try await EvictionWorld()
        try await world.give(.google, "owner")
        try await world.givePhone("+819012345678")
        try await steal(world)
        #expect(try await recover(world, try await link(world)).status == 200)
        let after = try await user(world)
        #expect(after.identities.map(\.provider) == [.google] && after.phoneVerifiedAt != nil)
    }

    @Test("comes back no more once an operator has decided whose the account is", arguments: [false, true])
    func decided(byAddress: Bool) async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        let (modules, application) = (world.server.modules, world.server.application)
        if byAddress {
            let identifiers = NewIdentifiers(email: .set("new@example.com"), rules: .native)
            try await modules.accounts.editUser(
                UserEdit(identifiers: identifiers), of: id(world), in: application, by: .operator(.local))
        } else {
            _ = try await modules.administration.users.endAllSessions(of: id(world), in: application, by: .local)
        }
        let before = try await user(world)
        #expect(try await recover(world, token).status == 422)
        #expect(try await user(world) == before)
    }

    @Test(
        "comes back from somebody who signed up with it and has not proved it, and from nobody else",
        arguments: [false, true])
    func taken(isProved: Bool) async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        let made = try await world.server.signUp("mina", #", "email": "\#(Self.former)""#)
        let other = Identifier<User>(rawValue: try made.read(LogInResponse.self).user.id)
        let (application, now) = (world.server.application.id, world.server.clock.now)
        if isProved {
            try await world.server.store.write { transaction throws(DomainError) in
                guard var user = try transaction.user(other, in: application) else { throw .userUnknown }
                user.emailVerifiedAt = now
                try transaction.updateIdentifiers(of: user)
            }
        }
        let page = try await recover(world, token)
        #expect(page.status == (isProved ? 422 : 200))
        #expect(page.html.contains("another account") == isProved)
        #expect(try await user(world).email == (isProved ? Self.thiefs : Self.former))
        let holder = try await world.server.modules.directory.readUser(other, in: application)
        #expect(holder.email == (isProved ? Self.former : nil) && holder.username == "mina")
        let traces = try await world.server.modules.administration.audit.list(in: application).filter {
            $0.target == .user(other) && $0.action == AccountChange.identifierYielded.policy.action
        }
        let actors: [AuditEntry.Actor] = isProved ? [] : [.user(id(world))]
        #expect(traces.map(\.actor) == actors)
    }

    @Test("comes back to nobody while an operator keeps the user out, and afterwards by the same link")
    func disabled() async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        let (accounts, application) = (world.server.modules.accounts, world.server.application)
        try await accounts.setUserDisabled(id(world), in: application, isDisabled: true, by: .local)
        let refused = try await recover(world, token)
        #expect(refused.status == 403 && refused.html.contains("locked"), "\(refused.html)")
        #expect(try await user(world).email == Self.thiefs)
        try await accounts.setUserDisabled(id(world), in: application, isDisabled: false, by: .local)
        #expect(try await recover(world, token).status == 200)
    }

    @Test("comes back to a user who is about to be erased, whom the new password restores, and not to one who is")
    func leaving() async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        let (deletion, application) = (world.server.modules.deletion, world.server.application)
        _ = try await deletion.deleteUser(id(world), in: application, by: .local)
        let browser = Browser(world.server)
        let page = try await recover(world, token, in: browser)
        #expect(page.status == 200, "\(page.html)")
        let fields = ["token": try #require(page.value(of: "token")), "password": Self.newPassword]
        #expect(try await browser.post(browser.path("reset"), fields, token: page.token).status == 403)
        let restored = try await browser.post(
            browser.path("reset"), fields.merging(["restore": "yes"]) { $1 }, token: page.token)
        #expect(restored.status == 200, "\(restored.html)")
        #expect(try await user(world).deletionRequestedAt == nil)
        world.server.clock.advance(by: .seconds(1))
        let session = try await world.token(.parse, "hana", Self.newPassword)
        world.server.clock.advance(by: .seconds(700))
        try await change(world, by: .parse, session)
        let second = try #require(try await links(world).first { $0 != token })
        try await deletion.eraseUser(id(world), in: application.id, by: .local)
        #expect(try await recover(world, second).status == 422)
    }

    /// A thief lets a merge take the account's keys along, and takes it apart again once the owner is back.
    @Test("comes back although the account was merged into another, and what the merge took along leads to it no more")
    func merged() async throws {
        let world = try await EvictionWorld()
        let (id, server, thief) = (id(world), world.server, try await world.thief())
        let (application, session) = (server.application.id, try await world.ownerToken(.parse))
        try await server.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.username = nil
            try transaction.updateIdentifiers(of: user)
        }
        server.clock.advance(by: .seconds(700))
        let removed = try await world.parse(
            .put, "/parse/users/\(id)", #"{"email":{"__op":"Delete"}}"#, token: session)
        try #require(removed.status == 200, "\(removed.text)")
        let token = try await link(world)
        // Nothing else leads to the user by now, so that the keys have stayed.
        let guest = try await server.person(thief.device)
        try #require(guest.logIn.user.id == id.rawValue)
        _ = try await server.signUp("rin")
        let offered = try await guest.send(
            .post, APIPath.upgrade, body: #"{"username": "rin", "password": "\#(AccountTests.password)"}"#)
        let ticket = try #require(try offered.read(Problem.self).merge?.ticket, "\(offered.text)")
        let merged = try await guest.send(
            .post, APIPath.merge, body: #"{"ticket": "\#(ticket)", "choice": "merge"}"#)
        let merge = try #require(try merged.read(MergeResponse.self).merge, "\(merged.text)")
        let browser = Browser(server)
        let page = try await recover(world, token, in: browser)
        let fields = ["token": try #require(page.value(of: "token")), "password": Self.newPassword, "restore": "yes"]
        let reset = try await browser.post(browser.path("reset"), fields, token: page.token)
        try #require(reset.status == 200, "\(reset.html)")
        let rin = try await server.logIn("rin", AccountTests.password).read(LogInResponse.self)
        let undone = try await server.send(
            .post, APIPath.undoMerge, rin.bearer, body: #"{"merge": "\#(merge)"}"#)
        #expect(undone.status == 204, "\(undone.text)")
        expect(try await server.logIn(thief.device), 403, .deviceKeyRemoved)
        let after = try await user(world)
        #expect(after.identities.isEmpty && after.email == Self.former && after.deletionRequestedAt == nil)
        #expect(try await server.logIn(Self.former, Self.newPassword).status == 200)
    }

    @Test("comes back by a link of its own application alone")
    func elsewhere() async throws {
        let world = try await EvictionWorld()
        try await steal(world)
        let token = try await link(world)
        let other = try await world.server.modules.applications.createApplication(
            name: "Other", settings: ApplicationSettings(), by: .local
        ).application
        let browser = Browser(world.server)
        let shown = try await browser.get("/a/\(other.id)/recover?token=\(token)")
        let refused = try await browser.post("/a/\(other.id)/recover", ["token": token], token: shown.token)
        #expect(refused.status == 422, "\(refused.html)")
        #expect(try await user(world).email == Self.thiefs)
        // Nor does a link for something else.
        for wrong in ["", "ABCD-EFGH-JKMN-PQRS-TVWX-YZ01-2345", String(repeating: "A", count: 5000)] {
            let page = try await browser.get(browser.path("recover"))
            let answer = try await browser.post(browser.path("recover"), ["token": wrong], token: page.token)
            #expect(answer.status == 422 && answer.error("token")?.contains("write to those") == true, "\(answer.html)")
            #expect(answer.html.contains(#"<a href="\#(browser.path("forgot"))">"#))
        }
        #expect(try await recover(world, token).status == 200)
    }
}
