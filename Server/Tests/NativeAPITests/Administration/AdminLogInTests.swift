import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Admins")
struct AdminLogInTests {
    private func logIn(_ world: AdminWorld, _ name: String, _ password: String, _ code: String) async throws -> Answer {
        try await world.send(
            nil, .post, "log-in", body: #"{"name": "\#(name)", "password": "\#(password)", "code": "\#(code)"}"#)
    }

    private func owner(_ server: TestServer) async throws -> (key: JSONValue, codes: [String]) {
        let token = try await server.modules.administration.admins.makeLink(for: nil, by: .local).token.revealed
        let opened = try await server.send(
            .post, "/v1/admin/set-up/open", body: #"{"token": "\#(token)"}"#, isNamed: false
        ).json
        let key = try #require(opened["totpKey"])
        let code = try AdminWorld.code(key, at: server.clock.now)
        let made = try await server.send(
            .post, "/v1/admin/set-up",
            body: #"{"token": "\#(token)", "name": "boss", "password": "\#(AdminWorld.password)", "code": "\#(code)"}"#,
            isNamed: false)
        return (key, try made.json["recoveryCodes"]?.list.compactMap(\.text) ?? [])
    }

    @Test("do not exist to begin with: the first one comes in by a link that counts once")
    func firstOwner() async throws {
        let server = try await TestServer()
        let rules = server.modules.administration
        #expect(try await rules.logIns.needsFirstAdmin())
        let first = try await rules.admins.makeLink(for: nil, by: .local).token
        let second = try await rules.admins.makeLink(for: nil, by: .local).token
        // A newer link for an owner replaces the older one.
        let old = try await server.send(
            .post, "/v1/admin/set-up/open", body: #"{"token": "\#(first.revealed)"}"#, isNamed: false)
        expect(old, 403, .linkRefused)
        let token = try await AdminWorld.setUp(second, name: "boss", on: server)
        #expect(try await !rules.logIns.needsFirstAdmin())
        let again = try await server.send(
            .post, "/v1/admin/set-up",
            body: #"{"token": "\#(second.revealed)", "name": "evil", "password": "x", "code": "000000"}"#,
            isNamed: false)
        expect(again, 403, .linkRefused)
        let me = try await server.send(.get, "/v1/admin/me", [("Authorization", "Bearer \(token)")], isNamed: false)
        #expect(try me.json["admin"]?["role"] == "owner")
    }

    @Test("refuse links that are forged, late, or come with a wrong code or a weak password")
    func badSetUp() async throws {
        let server = try await TestServer()
        let admins = server.modules.administration.admins
        let link = try await admins.makeLink(for: nil, by: .local).token.revealed
        func setUp(_ token: String, password: String = AdminWorld.password, code: String) async throws -> Answer {
            try await server.send(
                .post, "/v1/admin/set-up",
                body: #"{"token": "\#(token)", "name": "boss", "password": "\#(password)", "code": "\#(code)"}"#,
                isNamed: false)
        }
        expect(try await setUp("okl_" + String(repeating: "A", count: 43), code: "123456"), 403, .linkRefused)
        expect(try await setUp("", code: "123456"), 403, .linkRefused)
        let key = try #require(
            try await server.send(
                .post, "/v1/admin/set-up/open", body: #"{"token": "\#(link)"}"#, isNamed: false
            ).json["totpKey"])
        let code = try AdminWorld.code(key, at: server.clock.now)
        expect(try await setUp(link, code: "12345x"), 400, .codeRefused)
        expect(try await setUp(link, password: "short", code: code), 400, .invalidMember)
        server.clock.advance(by: .days(1))
        expect(try await setUp(link, code: try AdminWorld.code(key, at: server.clock.now)), 403, .linkRefused)
        #expect(try await admins.list().isEmpty)
    }

    @Test("log in by password and one-time code, each code once; a recovery code stands in once")
    func logIn() async throws {
        let world = try await AdminWorld(roles: [])
        let (key, recovery) = try await owner(world.server)
        #expect(recovery.count == 10)
        let used = try AdminWorld.code(key, at: world.server.clock.now)
        // The code of the set-up is used up.
        expect(try await logIn(world, "boss", AdminWorld.password, used), 401, .credentialRefused)
        world.server.clock.advance(by: .seconds(30))
        let code = try AdminWorld.code(key, at: world.server.clock.now)
        expect(try await logIn(world, "boss", "another password entirely", code), 401, .credentialRefused)
        #expect(try await logIn(world, "BOSS", AdminWorld.password, code).status == 200)
        expect(try await logIn(world, "boss", AdminWorld.password, code), 401, .credentialRefused)
        let first = try await logIn(world, "boss", AdminWorld.password, recovery[0].uppercased())
        #expect(try first.json["recoveryCodesLeft"] == 9)
        expect(try await logIn(world, "boss", AdminWorld.password, recovery[0]), 401, .credentialRefused)
        let token = try #require(try first.json["token"]?.text)
        #expect(try await world.send(token, .post, "log-out").status == 204)
        expect(try await world.send(token, .get, "me"), 401, .adminRequired)
    }

    @Test("are guarded against guessing: known and unknown names alike wait after five failures")
    func guessing() async throws {
        let world = try await AdminWorld(roles: [])
        for name in ["root", "nobody"] {
            for _ in 0..<5 {
                expect(try await logIn(world, name, "wrong password here", "000000"), 401, .credentialRefused)
            }
            let delayed = try await logIn(world, name, AdminWorld.password, "000000")
            expect(delayed, 429, .rateLimited)
            #expect(delayed.headers[.retryAfter] != nil)
        }
    }

    @Test("are guarded however their name is spelled or padded", arguments: ["root", "nobody"])
    func spelledGuesses(name: String) async throws {
        let world = try await AdminWorld(roles: [])
        let spellings = [" \(name)", "\(name) ", name.uppercased(), "\u{3000}\(name)", "\(name)\u{200B}"]
        for spelling in spellings {
            expect(try await logIn(world, spelling, "wrong password here", "000000"), 401, .credentialRefused)
        }
        for spelling in spellings + [name] {
            expect(try await logIn(world, spelling, AdminWorld.password, "000000"), 429, .rateLimited)
        }
    }

    @Test("are kept out at once when disabled, and sessions end by disuse and by age")
    func ends() async throws {
        let world = try await AdminWorld(roles: [.support])
        let admins = world.server.modules.administration.admins
        let support = try #require(try await admins.list().first { $0.role == .support })
        #expect(try await world.send("support", .get, "me").status == 200)
        _ = try await admins.change(support.id, .init(isDisabled: true), version: nil, by: .local)
        expect(try await world.send("support", .get, "me"), 401, .adminRequired)
        world.server.clock.advance(by: AdminSession.idleLifetime - .seconds(1))
        #expect(try await world.send("owner", .get, "me").status == 200)
        world.server.clock.advance(by: AdminSession.idleLifetime)
        expect(try await world.send("owner", .get, "me"), 401, .adminRequired)
    }

    @Test("keep one owner, refuse edits that came late, and reset by a link that ends all sessions")
    func manage() async throws {
        let world = try await AdminWorld(roles: [.operator])
        let admins = try await world.send("owner", .get, "admins").json["admins"]?.list ?? []
        let root = try #require(admins.first { $0["role"]?.text == "owner" })
        let other = try #require(admins.first { $0["role"]?.text == "operator" })
        let rootId = try #require(root["id"]?.text)
        func version(_ id: String) async throws -> [(String, String)] {
            let admin = try await world.server.modules.administration.admins.list().first { $0.id.rawValue == id }
            return [("If-Match", "\"\(admin?.updatedAt.milliseconds ?? 0)\"")]
        }
        expect(
            try await world.send("owner", .patch, "admins/\(rootId)", body: #"{"role": "support"}"#), 428,
            .versionRequired)
        expect(
            try await world.send("owner", .patch, "admins/\(rootId)", [("If-Match", "\"1\"")], body: "{}"), 412,
            .changedMeanwhile)
        expect(
            try await world.send(
                "owner", .patch, "admins/\(rootId)", try await version(rootId), body: #"{"isDisabled": true}"#), 409,
            .lastOwner)
        let otherId = try #require(other["id"]?.text)
        let link = try await world.send("owner", .post, "admins/\(otherId)/link").json["token"]?.text
        expect(try await world.send("operator", .get, "me"), 401, .adminRequired)
        _ = try await AdminWorld.setUp(Secret(try #require(link)), name: nil, on: world.server)
        expect(
            try await world.send("owner", .post, "admins", body: #"{"name": "ROOT", "role": "owner"}"#), 409, .nameTaken
        )
    }

    @Test("give keys to programs that may do no more than their scopes, for as long as was said")
    func keys() async throws {
        let world = try await AdminWorld(roles: [])
        let body = """
            {"name": "CI", "scopes": ["figures:read", "users:read"], "applications": ["\(world.server.application.id)"],
            "days": 2}
            """
        let made = try await world.send("owner", .post, "keys", body: body).json
        let secret = try #require(made["secret"]?.text)
        #expect(try await world.send(secret, .get, world.path("/users")).status == 200)
        expect(try await world.send(secret, .get, "applications/\(world.foreign.id)/users"), 404, .notFound)
        expect(try await world.send(secret, .get, world.path("/audit")), 403, .notAllowed)
        expect(try await world.send(secret, .get, "keys"), 403, .notAllowed)
        let list = try await world.send("owner", .get, "keys")
        #expect(!list.text.contains(secret))
        let maker = #"{"name": "CI", "scopes": ["admins:write"], "days": 2}"#
        let refused = try await world.send("owner", .post, "keys", body: maker).read(Problem.self)
        #expect(refused.errors == [.init(field: "scopes", code: "not_offered", detail: "Not offered here.")])
        world.server.clock.advance(by: .days(2))
        expect(try await world.send(secret, .get, world.path("/users")), 401, .adminRequired)
    }

    @Test("are changed with the version that their list tells, once")
    func changedFromList() async throws {
        let world = try await AdminWorld(roles: [.support])
        let listed = try await world.send("owner", .get, "admins").json["admins"]?.list ?? []
        let support = try #require(listed.first { $0["role"] == "support" })
        let (id, version) = (try #require(support["id"]?.text), try #require(support["etag"]?.text))
        let sent = [("If-Match", version)]
        world.server.clock.advance(by: .seconds(1))
        let changed = try await world.send("owner", .patch, "admins/\(id)", sent, body: #"{"isDisabled": true}"#)
        #expect(try changed.status == 200 && changed.json["isDisabled"] == true, "\(changed.text)")
        let late = try await world.send("owner", .patch, "admins/\(id)", sent, body: #"{"isDisabled": false}"#)
        expect(late, 412, .changedMeanwhile)
    }

    /// A second owner, with a session, a link and a key of their own.
    private func secondOwner(
        _ world: AdminWorld
    ) async throws -> (id: String, version: String, token: String, link: Secret, key: String) {
        let admins = world.server.modules.administration.admins
        let admin = try await admins.create(name: "second", role: .owner, applications: nil, by: .local)
        let token = try await AdminWorld.setUp(
            try await admins.makeLink(for: admin.id, by: .local).token, name: nil, on: world.server)
        let body = #"{"name": "CI", "scopes": ["users:read", "settings:write", "settings:read"], "days": 9}"#
        let key = try await world.send(token, .post, "keys", body: body).json["secret"]?.text
        let kept = try await world.send("owner", .post, "keys", body: body)
        #expect(kept.status == 201)
        // Making a link ends sessions: it comes last, by the store.
        let session = try await world.server.store.read { transaction throws(DomainError) in
            try transaction.adminSession(Secret(token).digest)
        }
        let link = try await admins.makeLink(for: admin.id, by: .local).token
        try await world.server.store.write { transaction throws(DomainError) in
            if let session { try transaction.insert(session) }
        }
        let now = try #require(try await admins.list().first { $0.id == admin.id })
        #expect(try await world.send(token, .get, "me").status == 200)
        return (admin.id.rawValue, "\"\(now.updatedAt.milliseconds)\"", token, link, try #require(key))
    }

    @Test("end with all that they made to come in: sessions, links and keys", arguments: ["remove", "disable"])
    func endOfAdmin(action: String) async throws {
        let world = try await AdminWorld(roles: [])
        let second = try await secondOwner(world)
        #expect(try await world.send(second.key, .get, world.path("/users")).status == 200)
        let done =
            action == "remove"
            ? try await world.send("owner", .delete, "admins/\(second.id)")
            : try await world.send(
                "owner", .patch, "admins/\(second.id)", [("If-Match", second.version)], body: #"{"isDisabled": true}"#)
        #expect(done.status == (action == "remove" ? 204 : 200), "\(done.text)")
        expect(try await world.send(second.key, .get, world.path("/users")), 401, .adminRequired)
        expect(try await world.send(second.token, .get, "me"), 401, .adminRequired)
        let opened = try await world.send(
            nil, .post, "set-up/open", body: #"{"token": "\#(second.link.revealed)"}"#)
        expect(opened, 403, .linkRefused)
        // The other owner's key stays.
        #expect(try await world.send("owner", .get, "keys").json["keys"]?.list.count == 1)
        let entries = try await world.server.modules.administration.audit.list(in: AuditEntry.server)
        #expect(
            entries.first { $0.action == (action == "remove" ? .adminRemoved : .adminChanged) }?.details["keys-ended"]
                == "1")
        guard action == "disable" else { return }
        let version = try #require(done.headers[.eTag])
        let again = try await world.send(
            "owner", .patch, "admins/\(second.id)", [("If-Match", version)], body: #"{"isDisabled": false}"#)
        #expect(again.status == 200)
        expect(try await world.send(second.key, .get, world.path("/users")), 401, .adminRequired)
    }

    @Test("end with their API keys too when a link to set up anew is used")
    func resetEndsKeys() async throws {
        let world = try await AdminWorld(roles: [])
        let second = try await secondOwner(world)
        #expect(try await world.send(second.key, .get, world.path("/users")).status == 200)
        let link = try await world.server.modules.administration.admins.makeLink(
            for: Identifier(rawValue: second.id), by: .local)
        // Until it is used, the programs go on.
        #expect(try await world.send(second.key, .get, world.path("/users")).status == 200)
        _ = try await AdminWorld.setUp(link.token, name: nil, on: world.server)
        expect(try await world.send(second.key, .get, world.path("/users")), 401, .adminRequired)
        let entries = try await world.server.modules.administration.audit.list(in: AuditEntry.server)
            .filter { $0.action == .adminSetUp && $0.target == .admin(Identifier(rawValue: second.id)) }
        // The first time nothing was there to end.
        #expect(entries.map { $0.details["keys-ended"] ?? "0" }.sorted() == ["0", "1"])
    }

    @Test("give keys that never do more than they themselves may do now")
    func narrowedKeys() async throws {
        let world = try await AdminWorld(roles: [])
        let second = try await secondOwner(world)
        let rules = world.server.modules.administration
        let id = Identifier<Admin>(rawValue: second.id)
        let patch = world.path("/protocols/parse/rules")
        let version = try await world.version(of: world.path("/protocols"))
        #expect(try await world.send(second.key, .patch, patch, version, body: "{}").status == 200)
        _ = try await rules.admins.change(
            id, .init(role: .support, applications: .set([world.foreign.id])), version: nil, by: .local)
        expect(try await world.send(second.key, .patch, patch, body: "{}"), 404, .notFound)
        let other = "applications/\(world.foreign.id)"
        expect(try await world.send(second.key, .patch, "\(other)/protocols/parse/rules", body: "{}"), 403, .notAllowed)
        #expect(try await world.send(second.key, .get, "\(other)/users").status == 200)
        expect(try await world.send(second.key, .get, world.path("/users")), 404, .notFound)
    }

    @Test("who are locked out by a stranger's guesses are let in by another owner, by the API or the dashboard")
    func unlock() async throws {
        let world = try await AdminWorld(roles: [.operator])
        let (rules, clock) = (world.server.modules.administration, world.server.clock)
        let (key, recovery) = try await owner(world.server)
        let boss = try #require(try await rules.admins.list().first { $0.name == "boss" })
        func lock() async throws {
            for _ in 0..<5 { _ = try await logIn(world, "boss", "wrong password here", "000000") }
            expect(try await logIn(world, "boss", AdminWorld.password, recovery[0]), 429, .rateLimited)
        }
        func shown() async throws -> JSONValue? {
            try await world.send("owner", .get, "admins").json["admins"]?.list
                .first { $0["name"]?.text == "boss" }?["lockedUntil"]
        }
        #expect(try await shown() == nil)
        try await lock()
        #expect(try await shown()?.text != nil)
        expect(try await world.send("operator", .post, "admins/\(boss.id)/unlock"), 403, .notAllowed)
        expect(try await world.send("owner", .post, "admins/nobody/unlock"), 404, .notFound)
        #expect(try await world.send("owner", .post, "admins/\(boss.id)/unlock").status == 204)
        #expect(try await shown() == nil)
        clock.advance(by: .seconds(30))
        #expect(
            try await logIn(world, "boss", AdminWorld.password, try AdminWorld.code(key, at: clock.now)).status == 200)

        try await lock()
        let (browser, path) = (world.browser(), world.page("/admins/\(boss.id)"))
        let page = try await browser.get(path)
        #expect(page.html.contains("\(path)/unlock\""))
        let done = try await browser.post("\(path)/unlock", [:], token: page.token)
        #expect(done.location == "\(path)?done=unlocked")
        #expect(try await !browser.get(path).html.contains("\(path)/unlock\""))
        #expect(try await logIn(world, "boss", AdminWorld.password, recovery[1]).status == 200)
        let entries = try await world.server.modules.administration.audit.list(in: AuditEntry.server)
        #expect(entries.count { $0.action == .adminUnlocked && $0.target == .admin(boss.id) } == 2)
    }

    @Test("who are locked out are so until they set up anew by a link, which forgets the guesses")
    func linkUnlocks() async throws {
        let world = try await AdminWorld(roles: [])
        let rules = world.server.modules.administration
        let (_, recovery) = try await owner(world.server)
        let boss = try #require(try await rules.admins.list().first { $0.name == "boss" })
        func shown() async throws -> JSONValue? {
            try await world.send("owner", .get, "admins").json["admins"]?.list
                .first { $0["name"]?.text == "boss" }?["lockedUntil"]
        }
        for _ in 0..<5 { _ = try await logIn(world, "boss", "wrong password here", "000000") }
        expect(try await logIn(world, "boss", AdminWorld.password, recovery[0]), 429, .rateLimited)
        let link = try await rules.admins.makeLink(for: boss.id, by: .local).token
        #expect(try await shown()?.text != nil)
        _ = try await AdminWorld.setUp(link, name: nil, on: world.server)
        #expect(try await shown() == nil)
    }

    @Test("stand in the audit log with what they did, also refused log-ins")
    func audit() async throws {
        let world = try await AdminWorld(roles: [])
        _ = try await logIn(world, "root", "wrong password here", "000000")
        let person = try await world.server.person()
        _ = try await world.send("owner", .post, world.path("/users/\(person.logIn.user.id)/disable"))
        let id = try #require(try await world.server.modules.administration.admins.list().first?.id)
        let server = try await world.server.modules.administration.audit.list(in: AuditEntry.server)
        #expect(server.contains { $0.action == .adminLoggedIn && $0.result == .refused && $0.target == .admin(id) })
        let application = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        let entry = try #require(application.first { $0.action == .userDisabled })
        #expect(entry.actor == .admin(id) && entry.origin.address == "192.0.2.1" && entry.origin.requestId != nil)
    }

    @Test("come in with the key that an application was made with, to that application alone")
    func applicationKey() async throws {
        let world = try await AdminWorld(roles: [])
        let made = try await world.server.modules.applications.createApplication(name: "Own", by: .local)
        let key = made.adminKey.revealed
        #expect(try await world.send(key, .get, "applications/\(made.application.id)/users").status == 200)
        expect(try await world.send(key, .get, world.path("/users")), 404, .notFound)
        // The key has the permissions, and not for the whole server: the detail names both.
        for (path, needed) in [("admins", "admins:read"), ("health", "figures:read")] {
            let refused = try await world.send(key, .get, path)
            expect(refused, 403, .notAllowed)
            #expect(try refused.json["detail"]?.text == "Needed: \(needed), for all applications.")
        }
        #expect(try await world.send(key, .get, "applications").json["applications"]?.list.count == 1)
    }
}
