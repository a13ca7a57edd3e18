import Domain
import HTTPTypes
import NativeAPI
import OkaeriWire
import Testing

@Suite("Users, as admins see them")
struct AdminUserTests {
    private func ids(_ answer: Answer) throws -> [String] {
        try answer.json["users"]?.list.compactMap { $0["user"]?["id"]?.text } ?? []
    }

    @Test("are listed newest first, a page at a time, each once")
    func paging() async throws {
        let world = try await AdminWorld(roles: [])
        var made: [String] = []
        for _ in 0..<7 {
            made.append(try await world.server.person().logIn.user.id)
            world.server.clock.advance(by: .milliseconds(5))
        }
        var (seen, next): ([String], String?) = ([], nil)
        repeat {
            let answer = try await world.send(
                "owner", .get, world.path("/users?limit=3\(next.map { "&from=\($0)" } ?? "")"))
            seen += try ids(answer)
            next = try answer.json["next"]?.text
        } while next != nil
        #expect(seen == made.reversed())
    }

    @Test("are found by every filter, and by what names them")
    func filters() async throws {
        let world = try await AdminWorld(roles: [])
        let server = world.server
        let keyBody = #"{"name": "test", "scopes": ["users:read", "users:write", "users:personal"], "days": 9}"#
        // A session would not outlive the days that pass.
        let key = try #require(try await world.send("owner", .post, "keys", body: keyBody).json["secret"]?.text)
        let guest = try await server.person(body: #"{"user": {"displayName": "Hana Sato"}}"#).logIn.user.id
        server.clock.advance(by: .days(3))
        let signed = try await server.signUp("hanako", #", "email": "hanako@example.com""#).read(LogInResponse.self)
            .user
            .id
        func found(_ query: String) async throws -> [String] {
            try ids(try await world.send(key, .get, world.path("/users?\(query)")))
        }
        #expect(try await found("kind=anonymous") == [guest])
        #expect(try await found("kind=registered") == [signed])
        #expect(try await found("provider=device") == [guest])
        #expect(try await found("provider=apple") == [])
        #expect(try await found("search=HANA") == [signed, guest])
        #expect(try await found("search=hanako@ex") == [signed])
        #expect(try await found("search=\(guest)") == [guest])
        #expect(try await found("search=hana%25") == [])
        let day = WireTime(millisecondsSince1970: server.clock.now.milliseconds).description.prefix(10)
        #expect(try await found("seenSince=\(day)") == [signed])
        #expect(try await found("notSeenSince=\(day)") == [guest])
        #expect(try await found("disabled=true") == [])
        _ = try await world.send(key, .post, world.path("/users/\(guest)/disable"))
        #expect(try await found("disabled=true") == [guest])
        _ = try await world.send(key, .delete, world.path("/users/\(signed)"))
        #expect(try await found("leaving=true&kind=registered") == [signed])
        #expect(try await found("disabled=true&kind=registered") == [])
        #expect(try await found("weak=true") == [])
        for (query, rule) in [
            ("colour=red", "Known here: "), ("seenSince=yesterday", "A day such as 2026-11-21."),
            ("disabled=1", "true or false."), ("kind=guest", "One of anonymous, registered."),
        ] {
            let refused = try await world.send(key, .get, world.path("/users?\(query)"))
            expect(refused, 400, .invalidMember)
            #expect(try refused.read(Problem.self).errors?.first?.detail.hasPrefix(rule) == true, "\(refused.text)")
        }
    }

    @Test("are masked for support, who can search whole identifiers alone")
    func masked() async throws {
        let world = try await AdminWorld(roles: [.support])
        let user = try await world.server.signUp(
            "hanako", #", "email": "hanako@example.com", "displayName": "Hana", "fields": {"shoe": "size 23"}"#
        ).read(LogInResponse.self).user.id
        for path in ["/users", "/users/\(user)", "/users?search=hanako@example.com"] {
            let text = try await world.send("support", .get, world.path(path)).text
            #expect(text.contains(user))
            for secret in ["hanako", "Hana", "size 23", "example.com", "192.0.2.1"] {
                #expect(!text.contains(secret), "\(path) shows \(secret)")
            }
        }
        // Or the letters of an address could be guessed one after the other.
        #expect(try ids(try await world.send("support", .get, world.path("/users?search=hana"))) == [])
        #expect(try ids(try await world.send("owner", .get, world.path("/users?search=hana"))) == [user])
    }

    @Test("are masked in the entries of the audit log about them too, for a key that reads it: the whole log is open")
    func maskedEntries() async throws {
        let world = try await AdminWorld(roles: [])
        let user = try await world.server.signUp(
            "hanako", headers: [("User-Agent", "HanaBrowser/7")], peer: "203.0.113.77"
        ).read(LogInResponse.self).user.id
        let key = try await world.key([.readUsers, .readAudit])
        let path = world.path("/users/\(user)")
        let open = try await world.send("owner", .get, path)
        let masked = try await world.send(key, .get, path)
        for secret in ["203.0.113.77", "HanaBrowser"] {
            #expect(open.text.contains(secret) && !masked.text.contains(secret), "\(secret)")
        }
        let addresses = try masked.json["audit"]?.list.compactMap { $0["address"]?.text } ?? []
        #expect(addresses.contains("203.0.•••"))
        // An auditor looks for addresses, and learns no names.
        let log = try await world.send(key, .get, world.path("/audit")).text
        #expect(log.contains("203.0.113.77") && !log.contains("hanako"))
    }

    @Test("are edited when nobody else came before, and the edit is in the audit log")
    func edit() async throws {
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person()
        let path = world.path("/users/\(person.logIn.user.id)")
        let version = try #require(try await world.send("owner", .get, path).headers[.eTag])
        let body = #"{"displayName": "Hana", "fields": {"level": 3}}"#
        let edited = try await world.send("owner", .patch, path, [("If-Match", version)], body: body)
        #expect(try edited.json["user"]?["fields"]?["level"] == 3)
        expect(
            try await world.send("owner", .patch, path, [("If-Match", version)], body: body), 412, .changedMeanwhile)
        expect(try await world.send("owner", .patch, path, body: body), 428, .versionRequired)
        let own = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(own.displayName == "Hana")
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        #expect(entries.contains { $0.action == .userChanged })
        #expect(entries.contains { $0.action == .usersRead })
    }

    @Test("are logged out everywhere, one session or all, at once")
    func sessions() async throws {
        let world = try await AdminWorld(roles: [])
        let person = try await world.server.person()
        let user = person.logIn.user.id
        let list = try await world.send("owner", .get, world.path("/sessions")).json["sessions"]?.list ?? []
        #expect(list.first?["user"]?.text == user)
        let path = world.path("/users/\(user)/sessions/\(person.logIn.session.id)")
        #expect(try await world.send("owner", .delete, path).status == 204)
        expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)
        expect(try await world.send("owner", .delete, path), 404, .sessionUnknown)
        let again = try await world.server.person(person.device)
        let ended = try await world.send("owner", .post, world.path("/users/\(user)/log-out"))
        #expect(try ended.json["ended"] == 1)
        expect(try await again.send(.get, APIPath.user), 401, .sessionInvalid)
    }

    /// How an operator ends one session.
    enum EndWay: CaseIterable { case adminAPI, dashboard, command }

    @Test("show in their time line that an operator ended a session, whichever way in", arguments: EndWay.allCases)
    func sessionEnded(way: EndWay) async throws {
        let world = try await AdminWorld(roles: [])
        let logIn = try await world.server.person().logIn
        let (user, session) = (logIn.user.id, logIn.session.id)
        let (browser, page) = (world.browser(), world.page("users/\(user)"))
        switch way {
        case .adminAPI:
            let ended = try await world.send("owner", .delete, world.path("/users/\(user)/sessions/\(session)"))
            #expect(ended.status == 204)
        case .dashboard:
            let shown = try await browser.get(page)
            #expect(!shown.html.contains("session.ended"))
            #expect(try await browser.post("\(page)/sessions/\(session)/end", [:], token: shown.token).status == 303)
        case .command:
            try await world.server.modules.sessions.endSession(
                Identifier(rawValue: session), of: nil, in: world.server.application.id, by: .local)
        }
        let read = try await world.send("owner", .get, world.path("/users/\(user)"))
        let entries = try (read.json["audit"]?.list ?? []).filter { $0["action"]?.text == "session.ended" }
        #expect(entries.map { $0["target"]?.text } == ["user:\(user)"])
        #expect(entries.map { $0["details"]?["session"]?.text } == [session])
        #expect(try await browser.get(page).html.contains("session.ended"))
    }

    @Test("get a transfer code from an operator, but not a user who is kept out")
    func transferCode() async throws {
        let world = try await AdminWorld(roles: [])
        let user = try await world.server.person().logIn.user.id
        let path = world.path("/users/\(user)/transfer-code")
        #expect(try await world.send("owner", .post, path).json["code"]?.text?.count == 19)
        _ = try await world.send("owner", .post, world.path("/users/\(user)/disable"))
        expect(try await world.send("owner", .post, path), 409, .userUnavailable)
        expect(
            try await world.send("owner", .post, world.path("/users/\(user)/password-reset")), 400, .invalidMember)
    }

    /// A key to which addresses are masked took a transfer code, logged in by it, and read the user's own.
    @Test(
        "are masked for a key that sees nothing personal, and it cannot be one of them either",
        arguments: ["code", "address", "merge"])
    func becoming(way: String) async throws {
        let world = try await AdminWorld(roles: [])
        let guest = try await world.server.person().logIn.user.id
        let user = try await world.server.signUp("hanako").read(LogInResponse.self).user.id
        let one = world.path("/users/\(user)")
        func become(_ key: String) async throws -> Answer {
            switch way {
            case "code": try await world.send(key, .post, "\(one)/transfer-code")
            case "address":
                try await world.send(
                    key, .patch, one, try await world.version(of: one), body: #"{"email": "evil@example.com"}"#)
            default:
                try await world.send(
                    key, .post, world.path("/users/\(guest)/merge"), body: #"{"into": "\#(user)"}"#)
            }
        }
        let refused = try await become(try await world.key([.readUsers, .changeUsers]))
        expect(refused, 403, .notAllowed)
        #expect(try refused.json["detail"]?.text == "Needed: users:personal.")
        let done = try await become(try await world.key([.readUsers, .changeUsers, .readPersonalData]))
        #expect(done.status == (way == "code" ? 201 : 200), "\(done.text)")
    }

    @Test("are merged by an operator and taken apart again")
    func merge() async throws {
        let world = try await AdminWorld(roles: [])
        let guest = try await world.server.person(body: #"{"user": {"fields": {"gems": 5}}}"#)
        let kept = try await world.server.signUp("hanako").read(LogInResponse.self).user.id
        let path = world.path("/users/\(guest.logIn.user.id)/merge")
        expect(
            try await world.send(
                "owner", .post, world.path("/users/\(kept)/merge"), body: #"{"into": "\#(guest.logIn.user.id)"}"#),
            409,
            .alreadyRegistered)
        expect(
            try await world.send("owner", .post, path, body: #"{"into": "\#(guest.logIn.user.id)"}"#), 400,
            .invalidMember)
        let merged = try await world.send("owner", .post, path, body: #"{"into": "\#(kept)"}"#)
        let merge = try #require(try merged.json["merge"]?.text)
        #expect(try await world.server.person(guest.device).logIn.user.id == kept)
        let list = try await world.send("owner", .get, world.path("/merges")).json["merges"]?.list ?? []
        #expect(list.compactMap { $0["id"]?.text } == [merge])
        let undo = world.path("/users/\(kept)/merges/\(merge)/undo")
        #expect(try await world.send("owner", .post, undo).status == 204)
        #expect(try await world.server.person(guest.device).logIn.user.id == guest.logIn.user.id)
        expect(try await world.send("owner", .post, undo), 404, .mergeUnknown)
    }
}
