import Domain
import NCMBAPI
import Testing

@Suite("Sessions of NCMB's members")
struct SessionTests {
    private static let logIn = #"{"userName":"taro","password":"secret-1"}"#

    private func alive(_ member: (id: String, token: String), _ world: NCMBWorld) async throws -> Bool {
        let answer = try await world.send("GET", "/2013-09-01/users/\(member.id)", token: member.token)
        if answer.status != 200 { #expect(answer.code == "E401001") }
        return answer.status == 200
    }

    private func world(_ rules: SessionRules) async throws -> NCMBWorld {
        var settings = ApplicationSettings()
        settings.foreignSessions[.ncmb] = rules
        return try await NCMBWorld(settings)
    }

    @Test("have tokens of 25 letters and digits")
    func form() async throws {
        let token = try await NCMBWorld().signUp("taro").token
        #expect(token.utf8.count == 25 && token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    }

    @Test("are one for each member: a log-in ends the one before")
    func oneSession() async throws {
        let world = try await NCMBWorld()
        let first = try await world.signUp("taro")
        let again = try await world.send("POST", "/2013-09-01/login", body: Self.logIn)
        let second = (id: first.id, token: try again.text("sessionToken"))
        #expect(try await !alive(first, world))
        #expect(try await alive(second, world))
    }

    @Test("can be several, where the application wants that: the oldest ends")
    func severalSessions() async throws {
        let world = try await world(SessionRules(idleLifetime: .days(1), maximumPerUser: 2))
        let first = try await world.signUp("taro")
        var tokens: [String] = []
        for _ in 0..<2 {
            world.clock.advance(by: .seconds(1))
            tokens.append(
                try await world.send("POST", "/2013-09-01/login", body: Self.logIn).text("sessionToken"))
        }
        #expect(try await !alive(first, world))
        for token in tokens { #expect(try await alive((first.id, token), world)) }
    }

    @Test("end a day after the last request, and live on as long as there are some")
    func idle() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro")
        for _ in 0..<4 {
            world.clock.advance(by: .seconds(23 * 3600))
            #expect(try await alive(member, world))
        }
        world.clock.advance(by: .seconds(24 * 3600 + 301))
        #expect(try await !alive(member, world))
    }

    @Test("live longer, where the application wants that")
    func longer() async throws {
        let world = try await world(SessionRules(idleLifetime: .days(365), maximumPerUser: 1))
        let member = try await world.signUp("taro")
        world.clock.advance(by: .days(300))
        #expect(try await alive(member, world))
    }

    @Test("that are dead stand in nobody's way at log-in and sign-up", arguments: ["/login", "/users"])
    func deadToken(path: String) async throws {
        let world = try await NCMBWorld()
        if path == "/login" { _ = try await world.signUp("taro") }
        let answer = try await world.send(
            "POST", "/2013-09-01\(path)", body: Self.logIn, token: "k9J8h7G6f5D4s3A2q1W0e9R8t")
        #expect(answer.status == (path == "/login" ? 200 : 201))
    }

    @Test("that are dead are refused everywhere else", arguments: ["GET", "PUT", "DELETE"])
    func deadElsewhere(method: String) async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro")
        let out = try await world.send("GET", "/2013-09-01/logout", token: member.token)
        #expect(out.status == 200 && out.body.isEmpty)
        let answer = try await world.send(
            method, "/2013-09-01/users/\(member.id)", body: method == "PUT" ? "{}" : nil, token: member.token)
        #expect(answer.code == "E401001")
        #expect(try await world.send("GET", "/2013-09-01/logout", token: member.token).code == "E401001")
        #expect(try await world.send("GET", "/2013-09-01/logout").code == "E401001")
    }

    @Test("of a member that was deleted are refused at log-out with E404001 or E401001, which all SDKs take")
    func deletedMember() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro")
        let gone = try await world.send("DELETE", "/2013-09-01/users/\(member.id)", token: member.token)
        #expect(gone.status == 200 && gone.body.isEmpty)
        let out = try await world.send("GET", "/2013-09-01/logout", token: member.token)
        #expect(["E401001", "E404001"].contains(out.code))
        // The name is free again.
        #expect(try await world.signUp("taro").id != member.id)
    }

    private static let anonymous =
        #"{"authData":{"anonymous":{"id":"0f9e8d7c-6b5a-4433-9211-00ffeeddccbb"}},"score":1}"#

    @Test(
        "of an anonymous member who is kept out stay, for days too, and are E403000: no SDK forgets the member",
        arguments: ["GET", "PUT", "DELETE"])
    func keptOut(method: String) async throws {
        let world = try await NCMBWorld()
        let made = try await world.send("POST", "/2013-09-01/users", body: Self.anonymous)
        let (id, token) = (try made.text("objectId"), try made.text("sessionToken"))
        let disable = world.modules.accounts.setUserDisabled
        try await disable(.init(rawValue: id), in: world.application, isDisabled: true, by: .local)
        for _ in 0..<4 {
            let refused = try await world.send(
                method, "/2013-09-01/users/\(id)", body: method == "PUT" ? "{}" : nil, token: token)
            #expect(refused.text == #"{"code":"E403000","error":"Forbidden."}"#)
            world.clock.advance(by: .seconds(23 * 3600))
        }
        #expect(try await world.send("POST", "/2013-09-01/users", body: Self.anonymous).code == "E403000")
        try await disable(.init(rawValue: id), in: world.application, isDisabled: false, by: .local)
        let member = try await world.send("GET", "/2013-09-01/users/\(id)", token: token)
        #expect(member.status == 200 && member.text.contains(#""score":1"#), "\(member.text)")
    }

    @Test("of a member who is kept out end with a log-out, which the SDKs take for done, and do not count again")
    func logOutWhileKeptOut() async throws {
        let world = try await NCMBWorld()
        let made = try await world.send("POST", "/2013-09-01/users", body: Self.anonymous)
        let member = (id: try made.text("objectId"), token: try made.text("sessionToken"))
        let disable = world.modules.accounts.setUserDisabled
        try await disable(.init(rawValue: member.id), in: world.application, isDisabled: true, by: .local)
        let out = try await world.send("GET", "/2013-09-01/logout", token: member.token)
        #expect(out.status == 200 && out.body.isEmpty)
        try await disable(.init(rawValue: member.id), in: world.application, isDisabled: false, by: .local)
        #expect(try await !alive(member, world))
    }

    @Test("of a registered member who is kept out end, and the password leads back in afterwards")
    func registeredKeptOut() async throws {
        let world = try await NCMBWorld()
        let member = try await world.signUp("taro")
        let disable = world.modules.accounts.setUserDisabled
        try await disable(.init(rawValue: member.id), in: world.application, isDisabled: true, by: .local)
        #expect(try await !alive(member, world))
        #expect(try await world.send("POST", "/2013-09-01/login", body: Self.logIn).code == "E403000")
        try await disable(.init(rawValue: member.id), in: world.application, isDisabled: false, by: .local)
        #expect(try await !alive(member, world))
        #expect(try await world.send("POST", "/2013-09-01/login", body: Self.logIn).status == 200)
    }
}
