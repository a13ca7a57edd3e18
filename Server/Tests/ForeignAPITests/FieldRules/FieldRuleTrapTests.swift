import Domain
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Rules for fields, at the corners of the old protocols")
struct FieldRuleTrapTests {
    private static let flag = FieldRule(name: "flag", reader: .server, writer: .server, standard: "watched")
    private static let mood = FieldRule(name: "mood", reader: .owner)

    @Test(
        "let no question or order find out what is hidden",
        arguments: [
            #"{"flag":"watched"}"#, #"{"flag":{"$exists":true}}"#, #"{"$or":[{"score":1},{"mood":{"$ne":"x"}}]}"#,
            #"{"mood.deep":1}"#, #"{"flag":{"$regex":"^w"}}"#,
        ])
    func questions(condition: String) async throws {
        let world = try await ForeignWorld([Self.flag, Self.mood])
        let user = try await world.parseUser("mina26", #","mood":"x""#)
        let text = condition.addingPercentEncoding
        let parse = try await world.parse("GET", "/users?where=\(text)", token: user.token)
        #expect(parse.status == 400 && parse.parseCode == 119, "\(parse.text)")
        let ordered = try await world.parse("GET", "/users?order=-flag", token: user.token)
        #expect(ordered.parseCode == 119, "\(ordered.text)")
        let master = try await world.parse("GET", "/users?where=\(text)", master: true)
        #expect(master.status == 200, "\(master.text)")
    }

    @Test("let Parse's master key and Kii's administrator write and read everything but wrong types")
    func masters() async throws {
        let world = try await ForeignWorld([Self.flag, FieldRule(name: "coins", kind: .integer, writer: .server)])
        let made = try await world.parse(
            "POST", "/users", #"{"username":"mina26","password":"s3cret","coins":3,"flag":"x"}"#, master: true)
        #expect(made.status == 201, "\(made.text)")
        let id = try made.text("objectId")
        let wrong = try await world.parse("PUT", "/users/\(id)", #"{"coins":"much"}"#, master: true)
        #expect(wrong.parseCode == 111, "\(wrong.text)")
        let paid = try await world.parse(
            "PUT", "/users/\(id)", #"{"coins":{"__op":"Increment","amount":2}}"#, master: true)
        #expect(try paid.json()["coins"] == 5, "\(paid.text)")
        #expect(try await world.parse("GET", "/users/\(id)", master: true).json()["flag"] == "x")
        let found = try await world.parse("GET", "/users", token: try made.text("sessionToken")).results()
        #expect(found.first?["coins"] == 5 && found.first?["flag"] == nil)
        // Telling what an operation made of a field is reading it.
        let own = try await world.parse(
            "PUT", "/users/\(id)", #"{"coins":{"__op":"Increment","amount":2}}"#, token: try made.text("sessionToken"))
        #expect(own.parseCode == 119 && !own.text.contains("7"), "\(own.text)")
    }

    @Test("hide from the user what Parse's master key has just read with the user's token", arguments: [true, false])
    func masterWithToken(isMasterFirst: Bool) async throws {
        let world = try await ForeignWorld([Self.flag, Self.mood])
        let user = try await world.parseUser("mina26", #","mood":"x""#)
        for isMaster in [isMasterFirst, !isMasterFirst, isMasterFirst] {
            let me = try await world.parse("GET", "/users/me", token: user.token, master: isMaster)
            let flag: JSONValue? = isMaster ? "watched" : Optional.none
            #expect(try me.json()["flag"] == flag, "\(me.text)")
            #expect(try me.json()["mood"] == "x" && me.text("sessionToken") == user.token, "\(me.text)")
            #expect(try me.text("className") == "_User" && me.text("__type") == "Object")
        }
    }

    @Test("hide from those whom a list lets write what they may not read")
    func writersByList() async throws {
        let world = try await ForeignWorld([
            Self.mood, FieldRule(name: "coins", reader: .owner, writer: .server, standard: 5),
        ])
        let mina = try await world.parseUser("mina26", #","mood":1,"ACL":{"*":{"read":true,"write":true}}"#)
        let taro = try await world.parseUser("taro")
        for coins in [5, 6] {
            let guess = try await world.parse("PUT", "/users/\(mina.id)", #"{"coins":\#(coins)}"#, token: taro.token)
            #expect(guess.parseCode == 119, "\(guess.text)")
        }
        // Whether something can be added says what stands there.
        let added = try await world.parse(
            "PUT", "/users/\(mina.id)", #"{"mood":{"__op":"Increment","amount":1}}"#, token: taro.token)
        #expect(added.parseCode == 119, "\(added.text)")
        #expect(try await world.stored("mina26")["mood"] == 1)
        let shown = try await world.parse("PUT", "/users/\(mina.id)", #"{"mood":2}"#, token: taro.token)
        #expect(shown.status == 200 && !shown.text.contains("mood"), "\(shown.text)")
        #expect(try await world.stored("mina26")["mood"] == 2)
    }

    @Test("let pseudo and anonymous users in without what is required, and ask when they register")
    func anonymous() async throws {
        let world = try await ForeignWorld([FieldRule(name: "team", kind: .string, isRequired: true)])
        let kii = try await world.pseudoUser()
        let refused = try await world.kii(
            "POST", "/users/me", #"{"loginName":"mina26","password":"123ABC"}"#, token: kii.token)
        #expect(refused.status == 400 && refused.text.contains("team"), "\(refused.text)")
        let taken = try await world.kii(
            "POST", "/users/me", #"{"loginName":"mina26","password":"123ABC","team":"red"}"#, token: kii.token)
        #expect(taken.status == 200, "\(taken.text)")
        let guest = try await world.parse(
            "POST", "/users", #"{"authData":{"anonymous":{"id":"0f8fad5b-d9cb-469f-a165-70867728950e"}}}"#)
        #expect(guest.status == 201, "\(guest.text)")
        let (id, token) = (try guest.text("objectId"), try guest.text("sessionToken"))
        let body = #"{"username":"taro","password":"s3cret""#
        let missing = try await world.parse("PUT", "/users/\(id)", body + "}", token: token)
        #expect(missing.parseCode == 142 && missing.text.contains("team"), "\(missing.text)")
        let upgraded = try await world.parse("PUT", "/users/\(id)", body + #","team":"blue"}"#, token: token)
        #expect(upgraded.status == 200, "\(upgraded.text)")
    }

    @Test("are named by the envelope in Korean, and hide from it what is the server's")
    func envelope() async throws {
        let world = try await ForeignWorld([
            FieldRule(name: "email", kind: .string, reader: .server, writer: .server, standard: "-")
        ])
        let refused = try await world.send(
            "POST", "/user/signup", body: #"{"id":"mina26","password":"pass","email":"m@example.com"}"#)
        #expect(try refused.json()["success"] == false && refused.text.contains("사용할 수 없는 값입니다."))
        _ = try await SpokenProtocol.envelope.register(world, "mina26", "pass")
        let pass = try #require(try await SpokenProtocol.envelope.logIn(world, "mina26", "pass"))
        let me = try await world.send("GET", "/user/me", [("jwt", pass.token)])
        #expect(me.status == 200 && !me.text.contains(#""email":"-""#), "\(me.text)")
        try await world.modules.applications.changeFieldRules(of: world.application.id, mayLoosen: true, by: .local) {
            $0["email"] = FieldRule(name: "email", kind: .string, isRequired: true)
        }
        let missing = try await world.send("POST", "/user/signup", body: #"{"id":"taro","password":"pass"}"#)
        #expect(try missing.json()["success"] == false && missing.text.contains("필요한 값이 없습니다."), "\(missing.text)")
    }
}

extension String {
    fileprivate var addingPercentEncoding: String {
        utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) + 0x100, radix: 16).dropFirst().uppercased()
        }.joined()
    }
}
