import Domain
import Foundation
import NCMBAPI
import OkaeriWire
import Testing

@Suite("NCMB's members")
struct MemberTests {
    private static let users = "/2013-09-01/users"

    private func members(_ answer: Answer) throws -> [String: JSONValue] {
        guard case .object(let members) = try answer.json() else { throw Missing(description: answer.text) }
        return members
    }

    @Test(
        "are answered at sign-up with the members of the documentation's sample, authData: null among them, and updateDate"
    )
    func signUp() async throws {
        let answer = try await NCMBWorld().send(
            "POST", Self.users, body: #"{"userName":"taro","password":"secret-1","nick":"たろう","score":1}"#)
        #expect(answer.status == 201)
        let found = try members(answer)
        #expect(Set(found.keys) == ["createDate", "objectId", "sessionToken", "userName", "authData", "updateDate"])
        #expect(found["updateDate"] == found["createDate"])
        #expect(found["authData"] == .null && found["userName"] == "taro")
        let id = try answer.text("objectId")
        #expect(id.utf8.count == 16 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    }

    @Test(
        "that cannot be signed up are refused in the words that apps compare",
        arguments: [
            (#"{"userName":"taro","password":"x"}"#, #"{"code":"E409001","error":"userName is duplication."}"#),
            (#"{"userName":"TARO","password":"x"}"#, #"{"code":"E409001","error":"userName is duplication."}"#),
            (
                #"{"userName":"b","password":"x","mailAddress":"taro@example.com"}"#,
                #"{"code":"E409001","error":"mailAddress is duplication."}"#
            ),
            (#"{"userName":"b"}"#, #"{"code":"E400003","error":"userName or password is empty."}"#),
            (#"{"userName":"","password":"x"}"#, #"{"code":"E400003","error":"userName or password is empty."}"#),
            (#"{"password":"x"}"#, #"{"code":"E400003","error":"userName or password is empty."}"#),
        ])
    func refused(body: String, expected: String) async throws {
        let world = try await NCMBWorld()
        _ = try await world.signUp("taro", #","mailAddress":"taro@example.com""#)
        #expect(try await world.send("POST", Self.users, body: body).text == expected)
    }

    @Test("whose log-in fails get one answer, whatever was wrong")
    func logInRefused() async throws {
        let world = try await NCMBWorld()
        _ = try await world.signUp("taro", #","mailAddress":"taro@example.com""#)
        let gone = try await world.signUp("gone")
        _ = try await world.send("DELETE", "\(Self.users)/\(gone.id)", token: gone.token)
        for body in [
            #"{"userName":"taro","password":"wrong"}"#, #"{"userName":"nobody","password":"secret-1"}"#,
            #"{"userName":"gone","password":"secret-1"}"#,
            #"{"mailAddress":"nobody@example.com","password":"secret-1"}"#,
            // Not confirmed yet.
            #"{"mailAddress":"taro@example.com","password":"secret-1"}"#,
        ] {
            let answer = try await world.send("POST", "/2013-09-01/login", body: body)
            #expect(answer.text == #"{"code":"E401002","error":"Authentication error with ID/PASS incorrect."}"#)
        }
        for body in [#"{"userName":"taro"}"#, #"{"userName":"taro","password":""}"#] {
            let answer = try await world.send("POST", "/2013-09-01/login", body: body)
            #expect(answer.text == #"{"code":"E400003","error":"password is empty."}"#)
        }
    }

    @Test("log in by GET with every sign, as old Objective-C SDKs encode it")
    func logInByGet() async throws {
        let world = try await NCMBWorld(.takingPasswordsInAddresses)
        let password = ##"test!"#$%&'()*+,-./:;<=>?@[\]^_`{|}~test"##
        let body = try JSONEncoder().encode(["userName": "taro", "password": password])
        let made = try await world.send("POST", Self.users, body: String(decoding: body, as: UTF8.self))
        #expect(made.status == 201)
        let query =
            "password=test%21%22%23$%25%26'%28%29%2A%2B%2C-./:%3B%3C=%3E?%40%5B%5C%5D%5E_%60%7B%7C%7D~test&userName=taro"
        let answer = try await world.send("GET", "/2013-09-01/login?\(query)")
        #expect(answer.status == 200, "\(answer.text)")
        let spaced = try await world.send(
            "POST", Self.users, body: #"{"userName":"hana","password":"p@ss word"}"#)
        #expect(spaced.status == 201)
        for encoded in ["p%40ss%20word", "p%40ss+word"] {
            let target = "/2013-09-01/login?password=\(encoded)&userName=hana"
            #expect(try await world.send("GET", target).status == 200)
        }
    }

    @Test("cannot log in by GET unless the operator allows passwords in addresses")
    func noGet() async throws {
        let world = try await NCMBWorld()
        #expect(
            try await world.send("POST", Self.users, body: #"{"userName":"taro","password":"secret-1"}"#).status == 201)
        let target = "/2013-09-01/login?password=secret-1&userName=taro"
        #expect(try await world.send("GET", target).code == "E405001")
        _ = try await world.modules.applications.changeProtocolRules(
            .ncmb, of: world.application.id, to: ["takesPasswordsInAddresses": .truth(true)], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        #expect(try await world.send("GET", target).status == 200)
    }

    @Test("read themselves with their session's token, and nobody else's")
    func ownToken() async throws {
        let world = try await NCMBWorld()
        let (one, two) = (
            try await world.signUp("one", #","acl":{"*":{"read":true}},"mailAddress":"one@example.com""#),
            try await world.signUp("two")
        )
        let own = try members(try await world.send("GET", "\(Self.users)/\(one.id)", token: one.token))
        #expect(own["sessionToken"] == .string(one.token) && own["mailAddress"] == "one@example.com")
        #expect(own["password"] == nil)
        let others = try members(try await world.send("GET", "\(Self.users)/\(one.id)", token: two.token))
        #expect(others["sessionToken"] == nil && others["mailAddress"] == .null && others["authData"] == .null)
        let searched = try await world.send("GET", Self.users, token: one.token)
        #expect(!searched.text.contains("sessionToken"))
    }

    @Test("are their own alone to read and change, unless their list says more", arguments: ["{}", "read", "write"])
    func access(list: String) async throws {
        let world = try await NCMBWorld()
        let acl = list == "{}" ? "{}" : #"{"*":{"\#(list)":true}}"#
        let (one, two) = (
            try await world.signUp("one", #","acl":\#(acl)"#), try await world.signUp("two")
        )
        let path = "\(Self.users)/\(one.id)"
        for token in [two.token, nil] {
            let read = try await world.send("GET", path, token: token)
            #expect(list == "read" ? read.status == 200 : read.code == "E403001", "\(read.text)")
            let changed = try await world.send("PUT", path, body: #"{"a":1}"#, token: token)
            #expect(list == "write" ? changed.status == 200 : changed.code == "E403001", "\(changed.text)")
        }
        #expect(try await world.send("GET", path, token: one.token).status == 200)
        #expect(try await world.send("PUT", path, body: "{}", token: one.token).status == 200)
        // A list lets others write fields, and never erase.
        #expect(try await world.send("DELETE", path, token: two.token).code == "E403001")
        #expect(try await world.send("GET", "\(Self.users)/nobody0123456789", token: two.token).code == "E404001")
    }

    @Test("are readable by all, where the application wants that")
    func readableByAll() async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(isReadableByAll: true)
        let world = try await NCMBWorld(settings)
        let one = try await world.signUp("one")
        #expect(try await world.send("GET", "\(Self.users)/\(one.id)").status == 200)
        #expect(try await world.send("GET", Self.users).text.contains(one.id))
        #expect(try await world.send("PUT", "\(Self.users)/\(one.id)", body: "{}").code == "E403001")
    }

    @Test(
        "change their fields by every operation",
        arguments: [
            (#"{"__op":"Increment","amount":2}"#, "3"), (#"{"__op":"Increment","amount":-0.5}"#, "0.5"),
            (#"{"__op":"Delete"}"#, ""), ("null", ""), (#"{"a":[1,null]}"#, #"{"a":[1,null]}"#),
        ])
    func operations(operation: String, expected: String) async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro", #","field":1,"list":[1,2,2]"#)
        let path = "\(Self.users)/\(member.id)"
        let changed = try await world.send("PUT", path, body: #"{"field":\#(operation)}"#, token: member.token)
        #expect(changed.status == 200)
        #expect(try Set(members(changed).keys) == ["updateDate"])
        let read = try members(try await world.send("GET", path, token: member.token))
        let value: JSONValue? = expected.isEmpty ? .none : .some(try JSONValue(parsing: Array(expected.utf8)))
        #expect(read["field"] == value)
    }

    @Test(
        "change their lists by every operation",
        arguments: [
            ("Add", "[2,3]", "[1,2,2,2,3]"), ("AddUnique", "[2,3]", "[1,2,2,3]"), ("Remove", "[2]", "[1]"),
        ])
    func lists(operation: String, objects: String, expected: String) async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro", #","list":[1,2,2]"#)
        let path = "\(Self.users)/\(member.id)"
        for name in ["list", "fresh"] where operation != "Remove" || name == "list" {
            let body = #"{"\#(name)":{"__op":"\#(operation)","objects":\#(objects)}}"#
            #expect(try await world.send("PUT", path, body: body, token: member.token).status == 200)
        }
        let read = try members(try await world.send("GET", path, token: member.token))
        #expect(read["list"] == (try JSONValue(parsing: Array(expected.utf8))))
        let wrong = try await world.send(
            "PUT", path, body: #"{"list":{"__op":"Increment","amount":1}}"#, token: member.token)
        #expect(wrong.code == "E400002")
    }

    @Test(
        "have no relations, whose objects are not here, and stay as they were",
        arguments: ["AddRelation", "RemoveRelation"])
    func relations(operation: String) async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro", #","field":1"#)
        let path = "\(Self.users)/\(member.id)"
        let pointer = #"{"__type":"Pointer","className":"Game","objectId":"Abc123Def456Ghi7"}"#
        let body = #"{"field":2,"games":{"__op":"\#(operation)","objects":[\#(pointer)]}}"#
        #expect(try await world.send("PUT", path, body: body, token: member.token).code == "E400005")
        let read = try members(try await world.send("GET", path, token: member.token))
        #expect(read["field"] == 1 && read["games"] == nil)
    }

    @Test("send back what they once read, and nobody minds")
    func echoes() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro", #","mailAddress":"taro@example.com","nick":"x""#)
        let path = "\(Self.users)/\(member.id)"
        let before = try await world.send("GET", path, token: member.token)
        let answer = try await world.send("PUT", path, body: before.text, token: member.token)
        #expect(answer.status == 200, "\(answer.text)")
        var (first, second) = (
            try members(before), try members(try await world.send("GET", path, token: member.token))
        )
        first["updateDate"] = nil
        second["updateDate"] = nil
        #expect(first == second)
    }

    @Test("keep a name that their game has cut within an emoji: the SDK for Unity escapes each half by itself")
    func halfEmoji() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro", #","nick":"\ud83d\ude00""#)
        let path = "\(Self.users)/\(member.id)"
        let change = try await world.send("PUT", path, body: #"{"name":"Taro \ud83d"}"#, token: member.token)
        #expect(change.status == 200, "\(change.text)")
        let read = try members(try await world.send("GET", path, token: member.token))
        #expect(read["name"] == "Taro \u{fffd}" && read["nick"] == "😀")
    }

    @Test("have times with milliseconds and a Z, which Swift and Objective-C read and nothing else")
    func times() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro", #","d":{"__type":"Date","iso":"2026-01-02T12:04:05+09:00"}"#)
        let read = try await world.send("GET", "\(Self.users)/\(member.id)", token: member.token)
        #expect(read.text.contains(#""iso":"2026-01-02T03:04:05.000Z""#), "\(read.text)")
        for name in ["createDate", "updateDate"] {
            let time = try read.text(name)
            #expect(time.hasSuffix("Z") && time.utf8.count == 24)
        }
    }

    @Test("cannot change a password by PUT, which would lock somebody out silently")
    func password() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro")
        let answer = try await world.send(
            "PUT", "\(Self.users)/\(member.id)", body: #"{"password":"other"}"#, token: member.token)
        #expect(answer.text == #"{"code":"E403005","error":"password must not be entered."}"#)
    }

    @Test("may send the present password with everything else, as Kotlin does, and nobody else's")
    func presentPassword() async throws {
        let world = try await NCMBWorld()
        let (member, other) = (try await world.signUp("taro"), try await world.signUp("hana"))
        let (path, body) = ("\(Self.users)/\(member.id)", #"{"password":"secret-1","nick":"x"}"#)
        #expect(try await world.send("PUT", path, body: body, token: member.token).status == 200)
        #expect(try await world.send("GET", path, token: member.token).text.contains(#""nick":"x""#))
        // The session is the same: nothing was changed that ends it.
        for token in [nil, other.token] {
            #expect(try await world.send("PUT", path, body: body, token: token).code == "E403005")
        }
        for password in [#""secret-2""#, #""""#, "7", "{}"] {
            let answer = try await world.send(
                "PUT", path, body: #"{"password":\#(password),"nick":"y"}"#, token: member.token)
            #expect(answer.text == #"{"code":"E403005","error":"password must not be entered."}"#, "\(password)")
        }
    }

    @Test("may send the present password though they have a second factor, and no other one")
    func presentPasswordBesideFactor() async throws {
        var settings = ApplicationSettings()
        settings.secondFactors.mode = .optional
        let world = try await NCMBWorld(settings)
        let member = try await world.signUp("taro")
        let (id, application, now) = (Identifier<User>(rawValue: member.id), world.application.id, world.clock.now)
        try await world.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.secondFactorAt = now
            try transaction.updateSecondFactor(of: user)
        }
        func save(_ password: String) async throws -> Answer {
            try await world.send(
                "PUT", "\(Self.users)/\(member.id)", body: #"{"password":"\#(password)","nick":"x"}"#,
                token: member.token)
        }
        let saved = try await save("secret-1")
        #expect(saved.status == 200, "\(saved.text)")
        #expect(try await save("secret-2").code == "E403005")
    }

    @Test("are shown without entries of an access list that give no rights, which JavaScript cannot read")
    func emptyRights() async throws {
        let world = try await NCMBWorld()
        let acl = #"{"role:x":{},"*":{"read":true},"role:y":{"read":false,"write":false},"z":{"write":true}}"#
        let member = try await world.signUp("taro", #","acl":\#(acl)"#)
        let shown: JSONValue = ["*": ["read": true], "z": ["write": true]]
        #expect(try members(try await world.send("GET", "\(Self.users)/\(member.id)"))["acl"] == shown)
        guard case .array(let results)? = try members(try await world.send("GET", Self.users))["results"],
            case .object(let found)? = results.first
        else { throw Missing(description: "nobody is found") }
        #expect(found["acl"] == shown)
    }

    @Test("ignore members of authData that are no providers when they are saved, as after Android's unlinking")
    func foreignAuthData() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro")
        let path = "\(Self.users)/\(member.id)"
        for authData in [#"{"facebook":null,"type":"facebook"}"#, #"{"mail":{"id":"1"}}"#, #"{"":7}"#] {
            let answer = try await world.send(
                "PUT", path, body: #"{"authData":\#(authData),"nick":"x"}"#, token: member.token)
            #expect(answer.status == 200, "\(authData): \(answer.text)")
        }
        #expect(try await world.send("GET", path, token: member.token).text.contains(#""authData":null"#))
        let signUp = try await world.send("POST", Self.users, body: #"{"authData":{"mail":{"id":"1"}}}"#)
        #expect(signUp.code == "E400005")
    }

    /// Providers that this server knows and NCMB did not.
    private static let laterProviders = ["line", "kakao", "naver", "yahoojapan", "gamecenter", "oidc:keycloak"]

    @Test("know NCMB's providers alone: others are refused at a sign-up and ignored by PUT", arguments: laterProviders)
    func laterProvider(provider: String) async throws {
        let world = try await NCMBWorld()
        let authData = #"{"authData":{"\#(provider)":{"id":"U1","access_token":"t","id_token":"t"}}}"#
        let refused = try await world.send("POST", Self.users, body: authData)
        #expect(refused.text == #"{"code":"E400005","error":"authData is not a valid value."}"#)
        let member = try await world.signUp("taro")
        let path = "\(Self.users)/\(member.id)"
        let saved = try await world.send("PUT", path, body: authData, token: member.token)
        #expect(saved.status == 200, "\(saved.text)")
        #expect(try await world.send("GET", path, token: member.token).text.contains(#""authData":null"#))
        let user = try #require(try await world.modules.directory.listUsers(in: world.application.id).first)
        #expect(user.identities.isEmpty)
    }

    @Test("read back the anonymous id that their client made, and nobody else does")
    func anonymousId() async throws {
        let world = try await NCMBWorld()
        let authData = #""authData":{"anonymous":{"id":"a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"}}"#
        let made = try await world.send(
            "POST", Self.users, body: #"{\#(authData),"acl":{"*":{"read":true}}}"#)
        #expect(made.status == 201, "\(made.text)")
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        let path = "\(Self.users)/\(id)"
        for _ in 0..<2 {
            #expect(try await world.send("GET", path, token: token).text.contains(authData))
            #expect(try await world.send("GET", Self.users, token: token).text.contains(authData))
            let other = try await world.send("GET", path)
            #expect(other.status == 200 && other.text.contains(#""authData":null"#), "\(other.text)")
            #expect(try await world.send("PUT", path, body: #"{"nick":"x"}"#, token: token).status == 200)
        }
        #expect(
            try await world.send("PUT", path, body: #"{"authData":{"anonymous":null}}"#, token: token).status == 200)
        #expect(try await world.send("GET", path, token: token).text.contains(#""authData":null"#))
    }
}
