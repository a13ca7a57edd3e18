import Domain
import HTTPTypes
import OkaeriWire
import ParseAPI
import TestWorld
import Testing

@Suite("Users of Parse")
struct ParseUserTests {
    @Test("sign up, log in by name or address, read themselves, and log out", arguments: ["/parse", "/1"])
    func life(prefix: String) async throws {
        let world = try await ForeignWorld()
        let headers = [("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest")]
        let made = try await world.send(
            "POST", "\(prefix)/classes/_User", headers,
            body: #"{"username":"Mika","password":"s3cret","email":"mika@example.com","phone":"555"}"#)
        #expect(made.status == 201)
        #expect(Set(try made.json().keys) == ["objectId", "createdAt", "sessionToken"])
        let id = try made.text("objectId")
        #expect(made.headers[.location] == "http://id.example.test\(prefix)/users/\(id)")
        #expect(try made.text("sessionToken").wholeMatch(of: #/r:[0-9a-f]{32}/#) != nil)
        for (method, target, body) in [
            ("GET", "\(prefix)/login?username=Mika&password=s3cret", nil),
            ("GET", "\(prefix)/login/?username=mika%40example.com&password=s3cret", nil),
            ("POST", "\(prefix)/login", #"{"email":"mika@example.com","password":"s3cret"}"#),
            ("POST", "\(prefix)/login", #"{"username":"Mika","email":"mika@example.com","password":"s3cret"}"#),
        ] as [(String, String, String?)] {
            let logIn = try await world.send(method, target, headers, body: body)
            #expect(logIn.status == 200, "\(target) \(logIn.text)")
            #expect(try logIn.text("email") == "mika@example.com" && logIn.text("phone") == "555")
            #expect(try logIn.json()["emailVerified"] == false && logIn.json()["password"] == nil)
            #expect(try logIn.json()["ACL"] == .object([id: ["read": true, "write": true]]))
        }
        let token = ("X-Parse-Session-Token", try made.text("sessionToken"))
        let me = try await world.send("GET", "\(prefix)/users/me/", headers + [token])
        #expect(try me.text("sessionToken") == token.1 && me.text("className") == "_User")
        let again = try await world.send("GET", "\(prefix)/users/me", headers + [token])
        #expect(try again.json() == me.json())
        #expect(try await world.send("POST", "\(prefix)/logout", headers + [token], body: "{}").text == "{}")
        let over = try await world.send("GET", "\(prefix)/users/me", headers + [token])
        #expect(over.status == 400 && over.parseCode == 209)
    }

    @Test(
        "are refused at sign-up with the code of what is looked at first",
        arguments: [
            (#"{}"#, 200), (#"{"username":"","password":"x"}"#, 200), (#"{"username":7,"password":"x"}"#, 200),
            (#"{"username":"a"}"#, 201), (#"{"username":"a","password":7}"#, 201),
            (#"{"username":"a","password":"x","emailVerified":true}"#, 119),
            (#"{"username":"a","password":"x","_hidden":1}"#, 105), (#"{"username":"a","password":"x","9a":1}"#, 105),
            (#"{"username":"a","password":"x","objectId":"x"}"#, 105),
            (#"{"username":"a","password":"x","className":"x"}"#, 105),
            (#"{"username":"a","password":"x","createdAt":"2024-05-06T07:08:09.123Z"}"#, 111),
            (#"{"username":"a","password":"x","email":7}"#, 111),
            (#"{"username":"a","password":"x","email":"no"}"#, 125),
            (#"{"username":"a","password":"x","ACL":7}"#, 123),
            (#"{"username":"a","password":"x","ACL":{"*":7}}"#, 123),
            (#"{"username":"a","password":"x","o":{"a.b":1}}"#, 121),
            (#"{"username":"a","password":"x","o":{"$a":1}}"#, 121),
            (#"{"username":"a","password":"x","o":{"$\u0301a":1}}"#, 121),
            (#"{"username":"a","password":"x","o":{"a\u0600.b":1}}"#, 121),
            (#"{"username":"a","password":"x","d":{"__type":"Date","iso":"no"}}"#, 111),
            (#"{"username":"a","password":"x","n":{"__op":"Increment","amount":"1"}}"#, 107),
            (#"{"username":"a","password":"x","n":{"__op":"Add","objects":1}}"#, 107),
            (#"{"username":"a","password":"x","n":{"__op":"Wish"}}"#, 108),
            (#"{"username":"a","password":"x","authData":null}"#, 252),
            (#"{"username":"MIKA","password":"x"}"#, 202),
            (#"{"username":"b","password":"x","email":"MIKA@example.com"}"#, 203),
        ])
    func signUpRefusals(body: String, code: Int) async throws {
        let world = try await ForeignWorld()
        _ = try await world.parseUser("mika", #","email":"mika@example.com""#)
        let answer = try await world.parse("POST", "/users", body)
        #expect(answer.parseCode == code, "\(body): \(answer.text)")
    }

    @Test(
        "are refused at log-in alike, whether unknown, mistyped, in other capitals or kept out",
        arguments: [
            (#"{"password":"x"}"#, 200), (#"{"username":"mika"}"#, 201), (#"{"username":7,"password":"x"}"#, 101),
            (#"{"username":"nobody","password":"x"}"#, 101), (#"{"username":"mika","password":"x"}"#, 101),
            (#"{"username":"MIKA","password":"s3cret"}"#, 101),
            (#"{"username":"mika","email":"other@example.com","password":"s3cret"}"#, 101),
            (#"{"username":"locked","password":"s3cret"}"#, 101),
        ])
    func logInRefusals(body: String, code: Int) async throws {
        let world = try await ForeignWorld()
        _ = try await world.parseUser("mika")
        let locked = try await world.parseUser("locked")
        let lock = try await world.parse("PUT", "/users/\(locked.id)", #"{"ACL":{}}"#, master: true)
        #expect(lock.status == 200, "\(lock.text)")
        for path in ["/login", "/verifyPassword"] {
            let answer = try await world.parse("POST", path, body)
            #expect(answer.parseCode == code, "\(answer.text)")
            if code == 101 { #expect(try answer.text("error") == "Invalid username/password.") }
        }
        #expect(try await world.parse("GET", "/users/me", token: locked.token).parseCode == 209)
        let opened = try await world.parse(
            "PUT", "/users/\(locked.id)", #"{"ACL":{"\#(locked.id)":{"read":true,"write":true}}}"#, master: true)
        #expect(opened.status == 200)
        #expect(try await world.parseLogIn("locked").status == 200)
    }

    @Test("wait after too many wrong passwords, with Parse's words for it")
    func lockout() async throws {
        let world = try await ForeignWorld(server: [:])
        _ = try await world.parseUser("mika")
        for _ in 0..<5 { #expect(try await world.parseLogIn("mika", "wrong").parseCode == 101) }
        let locked = try await world.parseLogIn("mika")
        #expect(locked.status == 404 && locked.text.contains("Please try again after 1 minute(s)"))
        world.clock.advance(by: .seconds(61))
        #expect(try await world.parseLogIn("mika").status == 200)
    }

    @Test("log in by the mail address as they typed it, with capitals in its domain", arguments: ["username", "email"])
    func typedAddress(member: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.parseUser("mika", #","email":"Mika@Example.COM""#)
        func logIn(_ named: String) async throws -> Answer {
            try await world.parse("POST", "/login", #"{\#(named),"password":"s3cret"}"#)
        }
        for address in ["Mika@Example.COM", "Mika@example.com"] {
            #expect(try await logIn(#""\#(member)":"\#(address)""#).status == 200, "\(address)")
            #expect(try await logIn(#""username":"mika","email":"\#(address)""#).status == 200, "\(address)")
        }
        // Before the sign capitals count, as in the original.
        #expect(try await logIn(#""\#(member)":"mika@example.com""#).parseCode == 101)
    }

    @Test(
        "keep a name that their app has cut within an emoji, of which the SDK for JavaScript then escapes one half",
        arguments: [
            (#"Taro \ud83d"#, "Taro \u{fffd}"), (#"a\uDE00b\n"#, "a\u{fffd}b\n"), (#"\ud83d\ud83d\ude00"#, "\u{fffd}😀"),
            (#"\\ud83d\ude00"#, #"\ud83d"# + "\u{fffd}"),
        ])
    func halfEmoji(sent: String, kept: String) async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika", #","nick":"\#(sent)""#)
        let me = try await world.parse("GET", "/users/me", token: user.token)
        #expect(try me.text("nick") == kept)
    }

    @Test("log in by a body behind a byte order mark, which writers of .NET set in front of a text")
    func byteOrderMark() async throws {
        let world = try await ForeignWorld()
        _ = try await world.parseUser("mika")
        let keys = [
            ("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest"), ("Content-Type", "application/json"),
        ]
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let body = mark + Array(#"{"username":"mika","password":"s3cret"}"#.utf8)
        let logIn = try await world.send("POST", "/parse/login", keys, bytes: body)
        #expect(logIn.status == 200, "\(logIn.text)")
        #expect(try await world.send("POST", "/parse/login", keys, bytes: mark + body).parseCode == 107)
    }

    @Test("need a verified address, a better password, or no capitals, where the application says so")
    func options() async throws {
        let world = try await ForeignWorld()
        func rules(_ truths: [String: Bool]) async throws {
            _ = try await world.modules.applications.changeProtocolRules(
                .parse, of: world.application.id, to: truths.mapValues { .truth($0) }, mayLoosen: true,
                isCurrent: { _ in true }, by: .local)
        }
        try await rules(["ignoresCase": true])
        _ = try await world.parseUser("Mika")
        #expect(try await world.parseLogIn("mika").status == 200)
        try await rules(["hasPasswordPolicy": true])
        let weak = try await world.parse("POST", "/users", #"{"username":"a","password":"short"}"#)
        #expect(weak.parseCode == 142)
        try await rules(["hasPasswordPolicy": false, "needsVerifiedEmail": true])
        #expect(try await world.parseLogIn("Mika").parseCode == 205)
        #expect(try await world.parseLogIn("Mika", "wrong").parseCode == 101)
        for (password, code) in [("s3cret", 205), ("wrong", 101)] {
            let body = #"{"username":"Mika","password":"\#(password)"}"#
            #expect(try await world.parse("POST", "/verifyPassword", body).parseCode == code)
        }
        let made = try await world.parse("POST", "/users", #"{"username":"b","password":"s3cret"}"#)
        #expect(made.status == 201)
        #expect(Set(try made.json().keys) == ["objectId", "createdAt"])
    }

    @Test("change fields by operations, whose results are returned, and nothing else")
    func operations() async throws {
        let world = try await ForeignWorld()
        let user = try await world.parseUser("mika", #","list":[1],"prefs":{"theme":"dark","size":2}"#)
        let path = "/users/\(user.id)"
        let changed = try await world.parse(
            "PUT", path,
            #"""
            {"score":{"__op":"Increment","amount":2},"list":{"__op":"AddUnique","objects":[1,2]},
             "prefs.theme":"light","prefs.size":{"__op":"Increment","amount":1},"name":"M",
             "born":{"__type":"Date","iso":"2000-01-02T03:04:05.6Z"}}
            """#, token: user.token)
        #expect(changed.status == 200, "\(changed.text)")
        var members = try changed.json()
        #expect(members.removeValue(forKey: "updatedAt") != nil)
        #expect(members == ["score": 2, "list": [1, 2], "prefs": ["theme": "light", "size": 3]])
        let removed = try await world.parse(
            "PUT", path, #"{"list":{"__op":"Remove","objects":[1]},"name":{"__op":"Delete"},"nothing":null}"#,
            token: user.token)
        #expect(try removed.json()["list"] == [2])
        let read = try await world.parse("GET", path, token: user.token)
        #expect(try read.json()["nothing"] == .null && read.json()["name"] == nil)
        #expect(try read.json()["born"] == ["__type": "Date", "iso": "2000-01-02T03:04:05.600Z"])
        let wrong = try await world.parse(
            "PUT", path, #"{"prefs":{"__op":"Increment","amount":1}}"#, token: user.token)
        #expect(wrong.parseCode == 111)
        #expect(try await world.parse("PUT", path, "{}", token: user.token).status == 200)
    }

    @Test(
        "cannot be changed by whom they are none of the business of",
        arguments: [("PUT", "Cannot modify user"), ("DELETE", "Insufficient auth to delete user")])
    func rights(method: String, words: String) async throws {
        let world = try await ForeignWorld()
        let (mika, hana) = (try await world.parseUser("mika"), try await world.parseUser("hana"))
        let nobody = try await world.parse(method, "/users/\(mika.id)", "{}")
        #expect(try nobody.parseCode == 206 && nobody.text("error").hasPrefix(words))
        for path in ["/users/\(mika.id)", "/users/none", "/users/me"] {
            let other = try await world.parse(method, path, "{}", token: hana.token)
            #expect(try other.parseCode == 206 && other.text("error") == "Insufficient auth.")
        }
        #expect(try await world.parse(method, "/users/none", "{}", master: true).parseCode == 101)
        let own = try await world.parse(method, "/users/\(mika.id)", "{}", token: mika.token)
        #expect(own.status == 200)
        if method == "DELETE" {
            #expect(try await world.parse("GET", "/users/me", token: mika.token).parseCode == 209)
            _ = try await world.parseUser("mika")
        }
    }

    @Test(
        "are refused an update with the right code",
        arguments: [
            (#"{"username":null}"#, 200), (#"{"username":7}"#, 111), (#"{"password":null}"#, 201),
            (#"{"constructor":1}"#, 105), (#"{"__proto__":{}}"#, 105), (#"{"a":{"b":[{"constructor":{}}]}}"#, 105),
            (#"{"a.__proto__":1}"#, 105),
            (#"{"username":"HANA"}"#, 202), (#"{"email":"hana@example.com"}"#, 203), (#"{"email":"no"}"#, 125),
            (#"{"emailVerified":true}"#, 119), (#"{"_x":1}"#, 105), (#"{"id":"x"}"#, 105), (#"{"ACL":"x"}"#, 123),
            (#"{"authData":null}"#, 252), (#"{"authData":{"myspace":{"id":"1"}}}"#, 252),
            (#"{"authData":{"apple":{"token":"x"}}}"#, 252), (#"{"a":1,"a.b":2}"#, 105),
            (#"{"updatedAt":"2024-05-06T07:08:09.123Z"}"#, 111),
        ])
    func updateRefusals(body: String, code: Int) async throws {
        let world = try await ForeignWorld()
        let mika = try await world.parseUser("mika")
        _ = try await world.parseUser("hana", #","email":"hana@example.com""#)
        let answer = try await world.parse("PUT", "/users/\(mika.id)", body, token: mika.token)
        #expect(answer.parseCode == code, "\(body): \(answer.text)")
    }

    @Test("show others neither address nor providers, and are seen by whom their list lets")
    func visibility() async throws {
        let world = try await ForeignWorld()
        let mika = try await world.parseUser("mika", #","email":"mika@example.com","score":1"#)
        let hana = try await world.parseUser("hana")
        let path = "/users/\(mika.id)"
        #expect(try await world.parse("GET", path, token: hana.token).parseCode == 101)
        #expect(try await world.parse("GET", "/users", token: hana.token).results().count == 1)
        let shared = try await world.parse(
            "PUT", path, #"{"ACL":{"*":{"read":true}},"email":"mika@example.com"}"#, token: mika.token)
        #expect(shared.status == 200)
        let seen = try await world.parse("GET", "\(path)?keys=score,username")
        #expect(Set(try seen.json().keys) == ["objectId", "createdAt", "updatedAt", "ACL", "score", "username"])
        let whole = try await world.parse("GET", path, token: hana.token)
        #expect(try whole.json()["email"] == nil && whole.json()["sessionToken"] == nil)
        #expect(try await world.parse("GET", path, master: true).text("email") == "mika@example.com")
        #expect(try await world.parse("GET", path, token: mika.token).text("sessionToken") == mika.token)
        #expect(try await world.parse("GET", "\(path)?limit=1").parseCode == 102)
    }

    @Test("are not read by operations, nor by guesses, by whom their list lets write alone")
    func writeOnly() async throws {
        let world = try await ForeignWorld()
        let list = #""ACL":{"*":{"write":true}},"score":41,"bag":["secret"],"prefs":{"pin":"1234"}"#
        let mika = try await world.parseUser("mika", ",\(list)")
        let hana = try await world.parseUser("hana")
        let path = "/users/\(mika.id)"
        // Fields that are full let in only what is there already, and what has another type was refused by its type.
        for change in [
            #"{"score":{"__op":"Increment","amount":1}}"#, #"{"bag":{"__op":"Increment","amount":1}}"#,
            #"{"bag":{"__op":"Add","objects":["x"]}}"#, #"{"bag":{"__op":"AddUnique","objects":["secret"]}}"#,
            #"{"bag":{"__op":"Remove","objects":["x"]}}"#, #"{"prefs.tries":1}"#, #"{"prefs.pin":{"__op":"Delete"}}"#,
            #"{"username":"mika"}"#, #"{"ACL":{"*":{"write":true}}}"#,
        ] {
            let refused = try await world.parse("PUT", path, change, token: hana.token)
            #expect(refused.parseCode == 206, "\(change): \(refused.text)")
        }
        let blind = try await world.parse(
            "PUT", path, #"{"note":"for you","prefs":{"__op":"Delete"}}"#, token: hana.token)
        let names = Set(try blind.json().keys)
        #expect(blind.status == 200 && names == ["updatedAt"], "\(blind.text)")
        // The user itself reads what its operation gives.
        let own = try await world.parse(
            "PUT", path, #"{"score":{"__op":"Increment","amount":1}}"#, token: mika.token)
        #expect(try own.json()["score"] == 42, "\(own.text)")
        let item = #"{"method":"PUT","path":"/parse\#(path)","body":{"score":{"__op":"Increment","amount":0}}}"#
        let several = try await world.parse("POST", "/batch", #"{"requests":[\#(item)]}"#, token: hana.token)
        #expect(several.status == 200 && several.text.contains("206"), "\(several.text)")
        let read = try await world.parse("GET", path, token: mika.token).json()
        #expect(read["note"] == "for you" && read["bag"] == ["secret"] && read["prefs"] == nil)
    }

    @Test(
        "are found by the ids of before, also as SDKs write them in percents",
        arguments: [
            ("mika@example.com", "mika%40example.com"), ("ミカ", "%E3%83%9F%E3%82%AB"), ("a/b", "a%2fb"),
            ("a%b", "a%25b"),
        ])
    func encodedIds(id: String, segment: String) async throws {
        let world = try await ForeignWorld()
        try await world.importParseUser(id)
        for path in ["/users/\(segment)", "/classes/_User/\(segment)"] {
            let read = try await world.parse("GET", path, master: true)
            #expect(try read.status == 200 && read.text("objectId") == id, "\(read.text)")
            #expect(try await world.parse("PUT", path, #"{"score":1}"#, master: true).status == 200)
        }
        let items = #"{"requests":[{"method":"GET","path":"/parse/users/\#(segment)"}]}"#
        #expect(try await world.parse("POST", "/batch", items, master: true).text.contains("success"))
        // The database of an engine takes no such sign.
        #expect(try await world.parse("GET", "/users/\(segment)%00", master: true).parseCode == 101)
    }
}
