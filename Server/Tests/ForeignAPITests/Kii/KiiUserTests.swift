import Domain
import HTTPTypes
import KiiAPI
import OkaeriWire
import TestWorld
import Testing

@Suite("Users of Kii apps")
struct KiiUserTests {
    @Test("keep predefined fields that are not sent, and lose custom ones")
    func customFields() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser(#"{"displayName":"One","country":"JP","locale":"ja","a":1,"b":null}"#)
        let before = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(before["b"] == .null && before["a"] == .integer(1))
        let changed = try await world.kii(
            "POST", "/users/\(user.id)", #"{"b":2,"displayName":null}"#, token: user.token)
        #expect(changed.status == 200)
        let after = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(after["displayName"] == "One" && after["country"] == "JP" && after["locale"] == "ja")
        #expect(after["a"] == nil && after["b"] == .integer(2))
    }

    @Test("keep a name that their app has cut within an emoji, of which the SDK for JavaScript then escapes one half")
    func halfEmoji() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser(#"{"displayName":"Taro \ud83d","nick":"\ud83d\ude00"}"#)
        let me = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(me["displayName"] == "Taro \u{fffd}" && me["nick"] == "😀")
    }

    @Test(
        "stay pseudo users, with token and data, when an upgrade is refused",
        arguments: [
            (#"{"loginName":"taken_1","password":"123ABC"}"#, 409, "USER_ALREADY_EXISTS"),
            (#"{"loginName":"free_1","password":"123"}"#, 400, "PASSWORD_TOO_SHORT"),
            (#"{"loginName":"free_1"}"#, 400, "PASSWORD_TOO_SHORT"),
            (#"{"password":"123ABC"}"#, 400, "INVALID_INPUT_DATA"),
        ])
    func refusedUpgrade(body: String, status: Int, code: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("taken_1")
        let user = try await world.pseudoUser(#"{"HighScore":12000}"#)
        let answer = try await world.kii("POST", "/users/me", body, token: user.token)
        #expect(answer.status == status && answer.code == code, "\(answer.text)")
        let after = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(after["_hasPassword"] == .bool(false) && after["HighScore"] == .integer(12000))
        #expect(after["loginName"] == nil)
    }

    @Test("of two upgrades at once to one name win one, and the other gets 409")
    func raceOfUpgrades() async throws {
        let world = try await ForeignWorld()
        let users = [try await world.pseudoUser(), try await world.pseudoUser()]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for user in users {
                group.addTask {
                    try await world.kii(
                        "POST", "/users/me", #"{"loginName":"wanted_1","password":"123ABC"}"#, token: user.token
                    ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(statuses == [200, 409])
    }

    @Test("cannot be changed by others, who see little of them")
    func others() async throws {
        let world = try await ForeignWorld()
        let (one, two) = (try await world.kiiUser("one_1"), try await world.pseudoUser())
        for path in ["/users/\(one.id)", "/users/LOGIN_NAME:one_1", "/users/LOGIN_NAME:nobody"] {
            let changed = try await world.kii("POST", path, #"{"a":1}"#, token: two.token)
            #expect(changed.status == 401 && changed.code == "UNAUTHORIZED")
            #expect(try await world.kii("DELETE", path, token: two.token).status == 401)
        }
        let seen = try await world.kii("GET", "/users/\(one.id)", token: two.token).json()
        #expect(seen == ["userID": .string(one.id), "loginName": "one_1"])
        #expect(try await world.kii("GET", "/users/\(one.id)").status == 401)
    }

    @Test("are an administrator's to read, change, disable and delete")
    func administration() async throws {
        let world = try await ForeignWorld()
        let (admin, user) = (try await world.administrator(), try await world.pseudoUser(#"{"a":1}"#))
        #expect(try await world.kii("GET", "/users/\(user.id)", token: admin).json()["a"] == .integer(1))
        #expect(try await world.kii("POST", "/users/\(user.id)", #"{"a":2}"#, token: admin).status == 200)
        #expect(try await world.kii("GET", "/users/me", token: user.token).json()["a"] == .integer(2))
        let status = try await world.kii("GET", "/users/\(user.id)/status", token: admin)
        #expect(try status.json() == ["disabled": .bool(false)])
        #expect(try await world.kii("GET", "/users/\(user.id)/status", token: user.token).status == 401)
        #expect(try await world.kii("DELETE", "/users/\(user.id)", token: admin).status == 204)
        #expect(try await world.kii("GET", "/users/me", token: user.token).code == "WRONG_TOKEN")
        #expect(try await world.kii("GET", "/users/\(user.id)", token: admin).code == "USER_NOT_FOUND")
    }

    @Test("have ids in Kii's form where the application asks for it, each another")
    func dashedIds() async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.kii] = ForeignOptions()
        settings.foreignOptions[.kii]?.hasDashedIds = true
        let world = try await ForeignWorld(settings)
        let ids = [
            try await world.pseudoUser().id, try await world.pseudoUser().id, try await world.kiiUser("one_1").id,
        ]
        for id in ids {
            #expect(
                id.wholeMatch(of: #/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/#) != nil,
                "\(id)")
        }
        #expect(Set(ids).count == 3)
        let token = try await world.kiiToken("one_1")
        #expect(try await world.kii("GET", "/users/\(ids[2])", token: token).text("userID") == ids[2])
    }

    @Test("get another password from an administrator, and none when they have none")
    func administratorsPassword() async throws {
        let world = try await ForeignWorld()
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let path = "/users/\(user.id)/password"
        #expect(try await world.kii("PUT", path, #"{"newPassword":"456DEF"}"#, token: admin).status == 204)
        #expect(try await world.kii("GET", "/users/me", token: user.token).code == "WRONG_TOKEN")
        _ = try await world.kiiToken("one_1", "456DEF")
        let pseudo = try await world.pseudoUser()
        let refused = try await world.kii(
            "PUT", "/users/me/password", #"{"oldPassword":"","newPassword":"456DEF"}"#, token: pseudo.token)
        #expect(refused.status == 409 && refused.code == "OPERATION_NOT_ALLOWED")
    }

    @Test("log in by every form of every identifier")
    func identifiers() async throws {
        let world = try await ForeignWorld()
        let made = try await world.kii(
            "POST", "/users",
            #"{"loginName":"one_1","emailAddress":"one@example.com","phoneNumber":"09012345678","country":"JP","password":"123ABC"}"#
        )
        #expect(try made.text("phoneNumber") == "+819012345678")
        for name in [
            "one_1", "LOGIN_NAME:one_1", "one@example.com", "EMAIL:one@example.com", "EMAIL:ONE@example.com",
            "+819012345678", "PHONE:+819012345678", "PHONE:JP-09012345678",
        ] {
            #expect(!(try await world.kiiToken(name)).isEmpty)
        }
        let token = try await world.kiiToken("one_1")
        for path in [
            "EMAIL:one@example.com", "EMAIL%3Aone%40example.com", "EMAIL:ONE@example.com", "LOGIN_NAME:One_1",
            "PHONE:+819012345678", "PHONE%3A%2B819012345678",
        ] {
            let answer = try await world.kii("GET", "/users/\(path)", token: token)
            #expect(try answer.status == 200 && answer.json()["_hasPassword"] == .bool(true), "\(path)")
        }
    }

    @Test("change addresses, which count at once")
    func addresses() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser(#"{"a":1}"#)
        #expect(
            try await world.kii("GET", "/users/me/email-address", token: user.token).code == "USER_ADDRESS_NOT_FOUND")
        _ = try await world.kii(
            "POST", "/users/me", #"{"a":1,"loginName":"one_1","password":"123ABC"}"#, token: user.token)
        let changed = try await world.kii(
            "PUT", "/users/me/email-address", #"{"emailAddress":"new@example.com"}"#, token: user.token)
        #expect(changed.status == 204, "\(changed.text)")
        let read = try await world.kii("GET", "/users/me/email-address", token: user.token)
        #expect(try read.json() == ["emailAddress": "new@example.com", "verified": .bool(true)])
        #expect(try await world.kii("GET", "/users/me", token: user.token).json()["a"] == .integer(1))
        let wrong = try await world.kii(
            "POST", "/users/me/email-address/verify", #"{"verificationCode":"000000"}"#, token: user.token)
        #expect(wrong.status == 403 && wrong.code == "INVALID_VERIFICATION_CODE")
        let phone = try await world.kii(
            "PUT", "/users/me/phone-number", #"{"phoneNumber":"+81 90 1111 2222"}"#, token: user.token)
        #expect(phone.status == 204, "\(phone.text)")
    }

    @Test(
        "have tokens without an end for an SDK that sends the end of its calendar: Unity's, JavaScript's, Android's",
        arguments: ["253402300800000", "8640000000000000", "9223372036854775807"])
    func endless(end: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("one_1")
        let answer = try await world.kii(
            "POST", "/oauth2/token", #"{"username":"one_1","password":"123ABC","expiresAt":\#(end)}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.json()["expires_in"] == .integer(2_147_483_647))
    }

    @Test(
        "have tokens that end when the client wished, and not later than the application allows",
        arguments: ["", ".75"])
    func lifetimes(fraction: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("one_1")
        let end = "\(world.clock.now.milliseconds + 60_000)\(fraction)"
        let answer = try await world.kii(
            "POST", "/oauth2/token", #"{"username":"one_1","password":"123ABC","expiresAt":\#(end)}"#)
        #expect(try answer.json()["expires_in"] == .integer(60))
        let token = try answer.text("access_token")
        #expect(try await world.kii("GET", "/users/me", token: token).status == 200)
        world.clock.advance(by: .seconds(61))
        #expect(try await world.kii("GET", "/users/me", token: token).code == "WRONG_TOKEN")
    }

    @Test("get one response when a password reset is asked for, known or not")
    func resets() async throws {
        let world = try await ForeignWorld(server: ["rate-limits": "off", "dev": "on"])
        let made = try await world.kii(
            "POST", "/users", #"{"loginName":"one_1","emailAddress":"one@example.com","password":"123ABC"}"#)
        let names = [
            "EMAIL:nobody@example.com", "LOGIN_NAME:one_1", "nobody", "me", try made.text("userID"),
            "EMAIL:one@example.com",
        ]
        func sent() async throws -> Int {
            _ = try await world.modules.messaging.deliverMail()
            return try await world.modules.messaging.readOutbox(of: world.application.id).count
        }
        let before = try await sent()
        for name in names {
            let answer = try await world.kii("POST", "/users/\(name)/password/request-reset")
            #expect(answer.status == 204, "\(answer.text)")
            // Others see a user's id and names: a message goes to an address that is typed alone.
            #expect(try await sent() == before + (name == "EMAIL:one@example.com" ? 1 : 0), "\(name)")
        }
        let wrong = try await world.kii(
            "POST", "/users/EMAIL:one@example.com/password/complete-reset",
            #"{"pinCode":"482913","newPassword":"789GHI"}"#)
        #expect(wrong.status == 403 && wrong.code == "INVALID_VERIFICATION_CODE")
    }

    @Test("get a password that the server chose by mail, when the app sends none with the code of a mail")
    func chosenPassword() async throws {
        let world = try await ForeignWorld(server: ["rate-limits": "off", "dev": "on"])
        _ = try await world.kii(
            "POST", "/users", #"{"loginName":"one_1","emailAddress":"one@example.com","password":"123ABC"}"#)
        func mails() async throws -> String {
            _ = try await world.modules.messaging.deliverMail()
            return try await world.modules.messaging.readOutbox(of: world.application.id).map(\.text).joined(
                separator: "\n")
        }
        let asked = try await world.kii("POST", "/users/EMAIL:one@example.com/password/request-reset")
        #expect(asked.status == 204, "\(asked.text)")
        let mail = try await mails()
        let code = try #require(mail.firstMatch(of: #/token=([0-9A-Z\-]+)/#), "\(mail)").output.1
        let done = try await world.kii(
            "POST", "/users/EMAIL:one@example.com/password/complete-reset", #"{"pinCode":"\#(code)"}"#)
        #expect(done.status == 204, "\(done.text)")
        let waiting = try await world.modules.messaging.listQueuedMail(in: world.application.id)
        #expect(waiting.filter { $0.kind == .chosenPassword }.map { $0.expiresAt - $0.createdAt } == [.days(1)])
        let sent = try await mails()
        var accepted: Set<String> = []
        for word in Set(sent.matches(of: #/\b[0-9A-Za-z]{12}\b/#).map { String($0.output) }) {
            let body = #"{"username":"one_1","password":"\#(word)"}"#
            if try await world.kii("POST", "/oauth2/token", body).status == 200 { accepted.insert(word) }
        }
        #expect(accepted.count == 1, "\(sent)")
    }

    @Test("are created with an address of their own")
    func location() async throws {
        let world = try await ForeignWorld()
        let answer = try await world.kii("POST", "/users", #"{"loginName":"one_1","password":"123ABC"}"#)
        let id = try answer.text("userID")
        #expect(answer.headers[.location] == "http://\(ForeignWorld.host)/api/apps/a1b2c3d4/users/\(id)")
        #expect(answer.headers[.contentType] == "application/vnd.kii.RegistrationResponse+json")
    }

    @Test("can bring a token of any form along, which then counts like any other")
    func importedToken() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser()
        let (id, application, now) = (Identifier<User>(rawValue: user.id), world.application.id, world.clock.now)
        let token = "legacy-Token.of+Kii/0123456789=="
        let session = Session(
            id: .init(rawValue: "imported00000001"), application: application, user: id, client: .init(address: nil),
            protocolName: .kii, method: .automatic,
            times: .init(
                createdAt: now, lastUsedAt: now, expiresAt: now + SessionRules.endless))
        try await world.importing { transaction throws(DomainError) in
            try transaction.insert(session, token: SecretDigest(of: token.utf8), attempt: nil)
        }
        #expect(try await world.kii("GET", "/users/me", token: token).text("userID") == user.id)
    }
}
