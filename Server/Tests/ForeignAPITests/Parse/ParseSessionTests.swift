import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import ParseAPI
import TestWorld
import Testing

@Suite("Sessions of Parse")
struct ParseSessionTests {
    @Test("tell how they began, and that they end in a year")
    func read() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika", installation: "0f9e8d7c-0000-4000-8000-000000000001")
        let own = try await world.parse("GET", "/sessions/me", token: user.token)
        #expect(try own.text("sessionToken") == user.token)
        #expect(try own.text("installationId") == "0f9e8d7c-0000-4000-8000-000000000001")
        #expect(try own.json()["createdWith"] == ["action": "signup", "authProvider": "password"])
        #expect(try own.json()["user"] == ["__type": "Pointer", "className": "_User", "objectId": .string(user.id)])
        let end = WireTime(millisecondsSince1970: (world.clock.now + .days(365)).milliseconds).description
        #expect(try own.json()["expiresAt"] == ["__type": "Date", "iso": .string(end)])
        #expect(try await world.parse("GET", "/sessions/me").text("error") == "Session token required.")
        let unknown = try await world.parse("GET", "/sessions/me", token: "r:x")
        #expect(try unknown.text("error") == "Session token not found.")
    }

    @Test("are one for each installation, and as many as there are devices without one")
    func installations() async throws {
        let world = try await ForeignWorld()
        let first = try await world.parseUser("mika", installation: "phone")
        let body = #"{"username":"mika","password":"s3cret"}"#
        let second = try await world.parse("POST", "/login", body, installation: "phone").text("sessionToken")
        #expect(try await world.parse("GET", "/users/me", token: first.token).parseCode == 209)
        for _ in 0..<2 { _ = try await world.parseLogIn("mika") }
        _ = try await world.parse("POST", "/login", body, installation: "tablet")
        #expect(try await world.parse("GET", "/users/me", token: second).status == 200)
        let all = try await world.parse("GET", "/classes/_Session?count=1&limit=2", token: second)
        #expect(try all.json()["count"] == 4 && all.results().count == 2)
        let shown = try await world.parse("GET", "/sessions", token: second).results().map { $0["sessionToken"] }
        #expect(shown.filter { $0 == .string(second) }.count == 1)
        #expect(shown.filter { $0 == "r:hidden" }.count == 3)
    }

    @Test("are read and left alone by an administrator too")
    func byMaster() async throws {
        let world = try await ForeignWorld()
        let mika = try await world.parseUser("mika")
        let id = try await world.parse("GET", "/sessions/me", token: mika.token).text("objectId")
        let read = try await world.parse("GET", "/sessions/\(id)", master: true)
        #expect(try read.status == 200 && read.text("objectId") == id && read.text("sessionToken") == "r:hidden")
        #expect(try await world.parse("PUT", "/classes/_Session/\(id)", "{}", master: true).status == 200)
        #expect(try await world.parse("PUT", "/sessions/\(id)", #"{"ACL":{}}"#, master: true).parseCode == 105)
        #expect(try await world.parse("GET", "/sessions/nobody", master: true).parseCode == 101)
        _ = try await world.native("POST", "/v1/log-in/password", #"{"identifier":"mika","password":"s3cret"}"#)
        let sessions = try await world.modules.sessions.listSessions(
            of: Identifier(rawValue: mika.id), in: world.application)
        let ofAnother = try #require(sessions.first { $0.protocolName == .native }?.id)
        for method in ["GET", "PUT", "DELETE"] {
            let answer = try await world.parse(method, "/sessions/\(ofAnother)", master: true)
            #expect(answer.parseCode == 101, "\(method): \(answer.text)")
        }
        #expect(try await world.parse("DELETE", "/sessions/\(id)", master: true).status == 200)
        #expect(try await world.parse("GET", "/users/me", token: mika.token).parseCode == 209)
        let ended = try await world.modules.administration.audit.list(
            in: world.application.id, matching: AuditFilter(action: .sessionEnded))
        #expect(ended.map(\.target) == [.user(Identifier(rawValue: mika.id))])
        #expect(ended.map(\.actor) == [.protocolKey(.parse)])
        #expect(ended.map(\.details) == [["session": id]])
    }

    @Test("are made, found, left alone and ended by their owner and nobody else")
    func life() async throws {
        let world = try await ForeignWorld()
        let (mika, hana) = (try await world.parseUser("mika"), try await world.parseUser("hana"))
        let made = try await world.parse("POST", "/sessions", "{}", token: mika.token)
        #expect(made.status == 201)
        #expect(try made.json()["createdWith"] == ["action": "create"] && made.json()["createdAt"] == nil)
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        #expect(made.headers[.location] == "http://id.example.test/parse/classes/_Session/\(id)")
        #expect(try await world.parse("GET", "/users/me", token: token).status == 200)
        for (body, code) in [
            ("{}", nil), (#"{"user":{"__type":"Pointer","className":"_User","objectId":"\#(mika.id)"}}"#, nil),
            (#"{"user":{"__type":"Pointer","className":"_User","objectId":"x"}}"#, 105), (#"{"ACL":{}}"#, 105),
            (#"{"installationId":"x"}"#, 105), (#"{"sessionToken":"x"}"#, 105), (#"{"expiresAt":"x"}"#, 105),
            (#"{"constructor":"x"}"#, 105), (#"{"theme":{"a.b":1}}"#, 121), (#"{"theme":"dark"}"#, nil),
        ] as [(String, Int?)] {
            let answer = try await world.parse("PUT", "/sessions/\(id)", body, token: mika.token)
            #expect(answer.parseCode == code, "\(body): \(answer.text)")
        }
        for method in ["GET", "PUT", "DELETE"] {
            #expect(try await world.parse(method, "/sessions/\(id)", token: hana.token).parseCode == 101)
            #expect(try await world.parse(method, "/sessions/\(id)").parseCode == 209)
        }
        #expect(try await world.parse("PUT", "/sessions/me", "{}", token: mika.token).parseCode == 105)
        #expect(try await world.parse("DELETE", "/sessions/\(id)", token: mika.token).text == "{}")
        #expect(try await world.parse("GET", "/users/me", token: token).parseCode == 209)
        let listed = try await world.parse(
            "GET",
            "/sessions?where=%7B%22user%22%3A%7B%22__type%22%3A%22Pointer%22%2C%22objectId%22%3A%22\(mika.id)%22%7D%7D",
            master: true)
        #expect(try listed.results().count == 1)
        let all = try await world.parse("GET", "/sessions?count=1&limit=1", master: true)
        #expect(try all.json()["count"] == 2 && all.results().first?["objectId"] != nil)
        let newest = try await world.parse("GET", "/sessions?order=-createdAt&limit=1", master: true)
        #expect(try newest.results().first?["objectId"] != all.results().first?["objectId"])
        let one = try await world.parse(
            "GET", "/sessions?where=%7B%22sessionToken%22%3A%22\(mika.token)%22%7D", master: true)
        #expect(try one.results().map { $0["sessionToken"] } == [.string(mika.token)])
        let foreign = try await world.parse(
            "GET", "/sessions?where=%7B%22sessionToken%22%3A%22\(mika.token)%22%7D", token: hana.token)
        #expect(try foreign.results().isEmpty)
    }

    @Test("are in the user's export with what apps store in them, and in the list of sessions without")
    func export() async throws {
        let world = try await ForeignWorld()
        let mika = try await world.parseUser("mika")
        let made = try await world.parse("POST", "/sessions", #"{"theme":"dark","tags":["a"]}"#, token: mika.token)
        #expect(made.status == 201, "\(made.text)")
        let headers = [("Okaeri-Application", world.application.id.rawValue), ("Content-Type", "application/json")]
        let logIn = try await world.send(
            "POST", "/v1/log-in/password", headers, body: #"{"identifier":"mika","password":"s3cret"}"#, origin: nil)
        guard case .object(let session)? = try logIn.json()["session"], case .string(let token)? = session["token"]
        else { throw Missing(description: logIn.text) }
        let bearer = headers + [("Authorization", "Bearer \(token)")]
        let export = try await world.send("GET", "/v1/user/export", bearer, origin: nil)
        guard case .array(let sessions)? = try export.json()["sessions"] else {
            throw Missing(description: export.text)
        }
        let fields = sessions.compactMap { session -> JSONValue? in
            guard case .object(let members) = session else { return nil }
            return members["fields"]
        }
        #expect(sessions.count == 3 && fields == [["theme": "dark", "tags": ["a"]]], "\(export.text)")
        #expect(try await !world.send("GET", "/v1/user/sessions", bearer, origin: nil).text.contains("theme"))
    }

    @Test("keep what apps store in them, within the limits of users, and give it back")
    func fields() async throws {
        let world = try await ForeignWorld()
        let mika = try await world.parseUser("mika")
        let made = try await world.parse(
            "POST", "/sessions", #"{"theme":"dark","tags":["a"],"count":1,"user":null}"#, token: mika.token)
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.json()["theme"] == "dark" && made.json()["createdAt"] == nil)
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        world.clock.advance(by: .seconds(5))
        // As SDKs send it: all that they read, with what was changed.
        let read = try await world.parse("GET", "/sessions/me", token: token)
        guard case .object(var members) = try JSONValue(parsing: read.body) else {
            throw Missing(description: read.text)
        }
        members["theme"] = "light"
        members["count"] = ["__op": "Increment", "amount": 2]
        members["tags"] = ["__op": "AddUnique", "objects": ["a", "b"]]
        members["since"] = ["__type": "Date", "iso": "2026-01-02T03:04:05Z"]
        let changed = try await world.parse(
            "PUT", "/sessions/\(id)", try String(json: .object(members)), token: token)
        #expect(try changed.json()["count"] == 3 && changed.json()["tags"] == ["a", "b"], "\(changed.text)")
        #expect(try changed.json()["theme"] == nil && changed.json()["updatedAt"] != members["updatedAt"])
        let after = try await world.parse("GET", "/classes/_Session/\(id)", token: token)
        #expect(try after.json()["theme"] == "light" && after.json()["updatedAt"] == changed.json()["updatedAt"])
        #expect(try after.json()["createdAt"] == read.json()["createdAt"])
        #expect(try after.json()["since"] == ["__type": "Date", "iso": "2026-01-02T03:04:05.000Z"])
        let cut = try await world.parse("GET", "/sessions/\(id)?keys=count&include=user", token: token)
        #expect(try cut.json()["theme"] == nil && cut.json()["count"] == 3)
        // Of the caller's sessions those with a value.
        for (condition, count) in [
            ("%22light%22", 1), ("%22dark%22", 0), ("null", 1), ("%7B%22%24eq%22%3A%22light%22%7D", 1),
        ] {
            let path = "/sessions?where=%7B%22theme%22%3A\(condition)%7D"
            let found = try await world.parse("GET", path, token: mika.token)
            #expect(try found.results().count == count, "\(condition): \(found.text)")
        }
        let unset = try await world.parse("PUT", "/sessions/\(id)", #"{"theme":{"__op":"Delete"}}"#, token: token)
        #expect(unset.status == 200)
        #expect(try await world.parse("GET", "/sessions/me", token: token).json()["theme"] == nil)
        // Kii is on too, whose apps may have 150 fields in 63 KiB.
        for body in [
            #"{"long":"\#(String(repeating: "x", count: 70_000))"}"#,
            "{\((0..<151).map { "\"f\($0)\":1" }.joined(separator: ","))}",
        ] {
            for (method, path) in [("PUT", "/sessions/\(id)"), ("POST", "/sessions")] {
                #expect(try await world.parse(method, path, body, token: token).parseCode == 116, "\(method)")
            }
        }
        let increment = #"{"tags":{"__op":"Increment","amount":1}}"#
        let wrong = try await world.parse("PUT", "/sessions/\(id)", increment, token: token)
        #expect(wrong.parseCode == 111)
    }

    @Test("end when an administrator says, and nobody else, at any time")
    func end() async throws {
        let world = try await ForeignWorld()
        let mika = try await world.parseUser("mika")
        let path = "/sessions/\(try await world.parse("GET", "/sessions/me", token: mika.token).text("objectId"))"
        func end(_ time: String) -> String { #"{"expiresAt":{"__type":"Date","iso":"\#(time)"}}"# }
        let own = try await world.parse("PUT", path, end("2100-01-01T00:00:00.000Z"), token: mika.token)
        #expect(own.parseCode == 105)
        for body in [#"{"expiresAt":"2100-01-01T00:00:00.000Z"}"#, #"{"expiresAt":null}"#, end("soon")] {
            #expect(try await world.parse("PUT", path, body, master: true).parseCode == 111, "\(body)")
        }
        for time in ["9999-12-31T23:59:59.999Z", "2100-01-01T00:00:00.000Z"] {
            #expect(try await world.parse("PUT", path, end(time), master: true).status == 200)
            let read = try await world.parse("GET", "/sessions/me", token: mika.token)
            #expect(try read.json()["expiresAt"] == ["__type": "Date", "iso": .string(time)])
        }
        world.clock.advance(by: .days(400))
        #expect(try await world.parse("GET", "/users/me", token: mika.token).status == 200)
        #expect(try await world.parse("PUT", path, end("0000-01-01T00:00:00.000Z"), master: true).status == 200)
        let ended = try await world.parse("GET", "/users/me", token: mika.token)
        #expect(try ended.parseCode == 209 && ended.text("error") == "Session token is expired.")
    }

    @Test("that have ended fail every call but a log-in and a log-out, and say whether it was by age")
    func dead() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika")
        for (method, path) in [
            ("GET", "/users/me"), ("GET", "/users"), ("POST", "/users"), ("GET", "/sessions"), ("GET", "/config"),
            ("GET", "/classes/Game"),
        ] {
            let answer = try await world.parse(method, path, method == "POST" ? "{}" : nil, token: "r:dead")
            #expect(try answer.parseCode == 209 && answer.text("error") == "Invalid session token", "\(path)")
        }
        let logIn = #"{"username":"mika","password":"s3cret"}"#
        #expect(try await world.parse("POST", "/login", logIn, token: "r:dead").status == 200)
        #expect(try await world.parse("GET", "/users", token: "r:dead", master: true).status == 200)
        world.clock.advance(by: .days(366))
        let expired = try await world.parse("GET", "/users/me", token: user.token)
        #expect(try expired.parseCode == 209 && expired.text("error") == "Session token is expired.")
        #expect(try await world.parse("GET", "/sessions/me", token: user.token).status == 200)
    }

    @Test("that have ended can be logged out, also when the JavaScript SDK before 3.2 has erased a guest first")
    func logOutAgain() async throws {
        let world = try await ForeignWorld()
        func envelope(_ path: String, _ more: String) async throws -> Answer {
            let keys = #""_ApplicationId":"app1","_JavaScriptKey":"jskey","_ClientVersion":"js2.19.0""#
            return try await world.send(
                "POST", "/parse\(path)", [("Content-Type", "text/plain")], body: "{\(keys),\(more)}")
        }
        let guest = try await envelope(
            "/users", #""authData":{"anonymous":{"id":"a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"}}"#)
        let (id, sessionToken) = (try guest.text("objectId"), try guest.text("sessionToken"))
        let token = #""_SessionToken":"\#(sessionToken)""#
        let erased = try await envelope("/classes/_User/\(id)", #""_method":"DELETE",\#(token)"#)
        #expect(erased.status == 200, "\(erased.text)")
        let out = try await envelope("/logout", token)
        #expect(out.status == 200 && out.text == "{}")

        let user = try await world.parseUser("mika")
        world.clock.advance(by: .days(366))
        for token in [user.token, "r:dead"] {
            #expect(try await world.parse("POST", "/logout", "{}", token: token).text == "{}")
        }
        #expect(try await world.parse("GET", "/users/me", token: user.token).parseCode == 209)
    }

    @Test(
        "keep 200 characters of what a body says of the SDK, and look at no more than ten times as many",
        arguments: [
            ("js" + String(repeating: "1", count: 300_000), 200),
            (String(repeating: #"\u0001"#, count: 2000) + "js", 0),
        ])
    func longClientVersion(version: String, count: Int) async throws {
        let world = try await ForeignWorld()
        let made = try await world.send(
            "POST", "/parse/users", [("Content-Type", "text/plain")],
            body: #"{"_ApplicationId":"app1","_JavaScriptKey":"jskey","_ClientVersion":"\#(version)","#
                + #""username":"mika","password":"s3cret"}"#)
        let (user, application) = (Identifier<User>(rawValue: try made.text("objectId")), world.application.id)
        let sessions = try await world.reading { transaction throws(DomainError) in
            try transaction.sessions(of: user, in: application)
        }
        #expect(sessions.map { $0.device.model?.count } == [count])
    }

    @Test("all end with a new password, which brings a new one")
    func password() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika")
        let other = try await world.parseLogIn("mika").text("sessionToken")
        let changed = try await world.parse(
            "PUT", "/users/\(user.id)", #"{"password":"n3w"}"#, token: user.token, installation: "phone")
        let token = try changed.text("sessionToken")
        for dead in [user.token, other] {
            #expect(try await world.parse("GET", "/users/me", token: dead).parseCode == 209)
        }
        #expect(try await world.parse("GET", "/sessions/me", token: token).text("installationId") == "phone")
        #expect(try await world.parseLogIn("mika").parseCode == 101)
        let byMaster = try await world.parse("PUT", "/users/\(user.id)", #"{"password":"0ther"}"#, master: true)
        #expect(try byMaster.status == 200 && byMaster.json()["sessionToken"] == nil)
        #expect(try await world.parse("GET", "/users/me", token: token).parseCode == 209)
        #expect(try await world.parseLogIn("mika", "0ther").status == 200)
    }

    @Test("that another one opened prove what it did, at its time, outlive its log-out, and end with a new password")
    func opened() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika")
        let start = world.clock.now
        world.clock.advance(by: .seconds(700))
        let made = try await world.parse("POST", "/sessions", "{}", token: user.token).text("sessionToken")
        let upgraded = try await world.parse("POST", "/upgradeToRevocableSession", "{}", token: made)
            .text("sessionToken")
        let sessions = try await world.modules.sessions.listSessions(
            of: Identifier(rawValue: user.id), in: world.application)
        #expect(sessions.map(\.authenticatedAt) == [start, start, start])
        #expect(try await world.parse("POST", "/logout", "{}", token: user.token).status == 200)
        #expect(try await world.parse("GET", "/users/me", token: user.token).parseCode == 209)
        for token in [made, upgraded] {
            #expect(try await world.parse("GET", "/users/me", token: token).status == 200)
        }
        let changed = try await world.parse("PUT", "/users/\(user.id)", #"{"password":"n3w"}"#, token: made)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try await world.parse("GET", "/users/me", token: upgraded).parseCode == 209)
    }

    @Test("of the old kind go on after an import, and become revocable ones")
    func legacy() async throws {
        let world = try await ForeignWorld()
        try await world.importParseUser("u1")
        let imported = ImportedSession(
            user: Identifier(rawValue: "u1"), application: world.application.id, token: Secret("legacytoken"),
            protocolName: .parse, method: .password, createdAt: world.clock.now)
        #expect(try await world.modules.sessions.importSessions([imported], isRehearsal: false) == [.imported])
        #expect(try await world.parse("GET", "/users/me", token: "legacytoken").status == 200)
        let upgraded = try await world.parse("POST", "/upgradeToRevocableSession", "{}", token: "legacytoken")
        #expect(try upgraded.json()["createdWith"] == ["action": "upgrade"])
        let token = try upgraded.text("sessionToken")
        #expect(token.hasPrefix("r:"))
        #expect(try await world.parse("GET", "/users/me", token: token).status == 200)
        let again = try await world.parse("POST", "/upgradeToRevocableSession", "{}", token: "legacytoken")
        #expect(try again.text("error") == "invalid legacy session token")
        #expect(try await world.parse("POST", "/upgradeToRevocableSession", "{}").parseCode == 101)
        #expect(try await world.parse("POST", "/upgradeToRevocableSession", "{}", token: token).status == 200)
    }

    @Test("are opened for administrators by loginAs, which nobody else may")
    func logInAs() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika")
        let opened = try await world.parse("POST", "/loginAs", #"{"userId":"\#(user.id)"}"#, master: true)
        let own = try await world.parse("GET", "/sessions/me", token: try opened.text("sessionToken"))
        #expect(try own.json()["createdWith"] == ["action": "login", "authProvider": "masterkey"])
        for (body, master, code) in [
            (#"{"userId":"\#(user.id)"}"#, false, 119), (#"{"userId":""}"#, true, 162),
            (#"{"userId":"none"}"#, true, 101),
        ] {
            #expect(try await world.parse("POST", "/loginAs", body, master: master).parseCode == code)
        }
    }
}

extension String {
    /// JSON as a text.
    fileprivate init(json value: JSONValue) throws {
        self.init(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
