import Domain
import HTTPTypes
import OkaeriServer
import OkaeriWire
import TestWorld
import Testing

/// What broke Kii's clients when a server did not know it; numbered as `docs/compatibility/kii.md` numbers it.
@Suite("Kii's traps")
struct KiiTrapTests {
    private static let pseudo = "application/vnd.kii.RegistrationAndAuthorizationRequest+json"

    @Test("1: a fault that passes is never a wrong token, which would log a pseudo user out of iOS for good")
    func temporaryFault() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser()
        await world.composition.close()
        for (method, path) in [("GET", "/users/abcdef0123456789"), ("POST", "/users/me"), ("DELETE", "/users/me")] {
            let body = method == "POST" ? "{}" : nil
            let answer = try await world.kii(method, path, body, token: user.token)
            #expect(answer.status == 503 && answer.code == "RESOURCE_TEMPORARILY_UNAVAILABLE", "\(answer.text)")
        }
    }

    @Test("2: a disabled user's token gets the error for disabled users, and counts again afterwards")
    func disabledUser() async throws {
        let world = try await ForeignWorld()
        let (admin, user) = (try await world.administrator(), try await world.pseudoUser())
        for (isDisabled, status, code) in [(true, 401, "USER_DISABLED"), (false, 200, nil)] {
            let changed = try await world.kii(
                "PUT", "/users/\(user.id)/status", #"{"disabled":\#(isDisabled)}"#, token: admin)
            #expect(changed.status == 204)
            let answer = try await world.kii("GET", "/users/me", token: user.token)
            #expect(answer.status == status && answer.code == code, "\(answer.text)")
            let found = try await world.kii("GET", "/users/\(user.id)", token: admin)
            #expect(try found.json()["_disabled"] == .bool(isDisabled))
        }
    }

    @Test(
        "3: the scheme is read in any case, and the token type in the response is one",
        arguments: ["bearer", "Bearer", "BEARER"])
    func scheme(_ scheme: String) async throws {
        let world = try await ForeignWorld()
        let user = try await world.kiiUser("one_1")
        let answer = try await world.send(
            "GET", "/api/apps/\(ForeignWorld.appId)/users/me", [("Authorization", "\(scheme) \(user.token)")])
        #expect(answer.status == 200)
        let token = try await world.kii("POST", "/oauth2/token", #"{"username":"one_1","password":"123ABC"}"#)
        #expect(try token.text("token_type").lowercased() == "bearer")
    }

    @Test("4: statuses are those that JavaScript compares, and an answer without a body is 204")
    func statuses() async throws {
        let world = try await ForeignWorld()
        let made = try await world.kii("POST", "/users", #"{"loginName":"one_1","password":"123ABC"}"#)
        let token = try await world.kii("POST", "/oauth2/token", #"{"username":"one_1","password":"123ABC"}"#)
        #expect(made.status == 201 && token.status == 200)
        let bearer = try token.text("access_token")
        // `kii` checks that a body is missing exactly with 204.
        #expect(try await world.kii("GET", "/users/me", token: bearer).status == 200)
        #expect(try await world.kii("POST", "/users/me", "{}", token: bearer).status == 200)
        let password = #"{"oldPassword":"123ABC","newPassword":"456DEF"}"#
        #expect(try await world.kii("PUT", "/users/me/password", password, token: bearer).status == 204)
        let again = try await world.kiiToken("one_1", "456DEF")
        #expect(try await world.kii("DELETE", "/users/me", token: again).status == 204)
        let second = try await world.kii("DELETE", "/users/me", token: again)
        #expect(second.status == 403 && second.code == "WRONG_TOKEN")
    }

    @Test("5: an unknown user is JSON, with what was looked for, and no error has a percent sign")
    func unknownUser() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser()
        for (path, field, value) in [
            ("LOGIN_NAME:nobody", "loginName", "nobody"), ("EMAIL:no%25body%40example.com", "emailAddress", nil),
            ("abcdef0123456789", "userID", "abcdef0123456789"),
        ] {
            let answer = try await world.kii("GET", "/users/\(path)", token: user.token)
            #expect(answer.status == 404 && answer.code == "USER_NOT_FOUND")
            #expect(answer.headers[.contentType] == "application/vnd.kii.UserNotFoundException+json")
            #expect(try answer.text("field") == field)
            if let value { #expect(try answer.text("value") == value) }
            #expect(try !answer.text("message").contains("%"))
        }
    }

    @Test("6: every response says whether the user has a password, and makes a pseudo user")
    func hasPassword() async throws {
        let world = try await ForeignWorld()
        let (pseudo, normal) = (try await world.pseudoUser(), try await world.kiiUser("one_1"))
        for (token, expected) in [(pseudo.token, false), (normal.token, true)] {
            let user = try await world.kii("GET", "/users/me", token: token).json()
            #expect(user["_hasPassword"] == .bool(expected) && user["_disabled"] == .bool(false))
        }
    }

    @Test("7: a log-in always tells how long its token lives, in seconds that fit 64 bits")
    func expiresIn() async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("one_1")
        for body in [
            #"{"username":"one_1","password":"123ABC"}"#,
            #"{"client_id":"client","client_secret":"client-secret"}"#,
            #"{"grant_type":"client_credentials","client_id":"a1b2c3d4","client_secret":"00112233"}"#,
        ] {
            guard
                case .integer(let seconds)? = try await world.kii("POST", "/oauth2/token", body).json()["expires_in"]
            else { throw Missing(description: "no expires_in") }
            #expect((1...2_147_483_647).contains(seconds))
        }
    }

    @Test("8: what clients echo is taken without an error, and never stored")
    func echoes() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser(#"{"a":1,"_hidden":true,"userID":"mine","emailAddressVerified":true}"#)
        let before = try await world.kii("GET", "/users/me", token: user.token)
        #expect(try before.text("userID") == user.id)
        #expect(try before.json()["_hidden"] == nil && before.json()["emailAddressVerified"] == nil)
        var echoed = try before.json()
        echoed["_accessToken"] = .string(user.token)
        echoed["_hasPassword"] = .bool(true)
        let body = String(decoding: try JSONBytesOfTest.bytes(of: .object(echoed)), as: UTF8.self)
        #expect(try await world.kii("POST", "/users/me", body, token: user.token).status == 200)
        #expect(try await world.kii("GET", "/users/me", token: user.token).json() == before.json())
    }

    @Test("9: success never has an error code in it, whatever the fields are called")
    func noErrorCodeInSuccess() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser(#"{"errorCode":"MINE","message":"mine"}"#)
        let read = try await world.kii("GET", "/users/me", token: user.token)
        #expect(read.status == 200)
        #expect(try read.json()["errorCode"] == nil)
        let changed = try await world.kii("POST", "/users/me", #"{"errorCode":"MINE"}"#, token: user.token)
        #expect(try Set(changed.json().keys) == ["modifiedAt"])
    }

    @Test("10: custom fields are a whole: what is not sent goes, and what is sent comes back as it was")
    func customFields() async throws {
        let world = try await ForeignWorld()
        let fields = #"{"a":[1,{"b":null}],"text":"💚 \"\\","n":-7,"f":1.5,"t":true,"gone":1}"#
        let user = try await world.pseudoUser(fields)
        let kept = #"{"a":[1,{"b":null}],"text":"💚 \"\\","n":-7,"f":1.5,"t":true}"#
        #expect(try await world.kii("POST", "/users/me", kept, token: user.token).status == 200)
        let read = try await world.kii("GET", "/users/me", token: user.token).json()
        guard case .object(let expected) = try JSONValue(parsing: Array(kept.utf8)) else { return }
        for (name, value) in expected { #expect(read[name] == value, "\(name)") }
        #expect(read["gone"] == nil)
    }

    @Test("11: both media types are taken everywhere, a query is ignored, and a body is none where none is needed")
    func media() async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser()
        for type in [
            "application/json", "application/vnd.kii.UserUpdateRequest+json", "APPLICATION/JSON; charset=utf-8",
        ] {
            let path = "/users/me?disable_cache=1700000000000"
            #expect(try await world.kii("POST", path, #"{"a":1}"#, token: user.token, type: type).status == 200)
        }
        // Content types come with requests that have no body, too.
        #expect(try await world.kii("GET", "/users/me", token: user.token, type: "application/json").status == 200)
        let form = try await world.kii(
            "POST", "/oauth2/token", "grant_type=password&username=nobody&password=a+b%40",
            type: "application/x-www-form-urlencoded")
        #expect(form.status == 400 && form.code == "invalid_grant")
        // Each name with an accent is normalised wherever it is hashed: a mebibyte of them kept a thread busy for long.
        let names = (0..<200).map { "&e\u{301}\($0)=1" }.joined()
        for (path, body) in [("/oauth2/token", "grant_type=password\(names)"), ("/users", "displayName=a\(names)")] {
            let many = try await world.kii("POST", path, body, type: "application/x-www-form-urlencoded")
            #expect(many.status == 400 && many.text.contains("more than 200 items"), "\(path): \(many.text)")
        }
        let long = try await world.kii(
            "POST", "/oauth2/token", "grant_type=\(String(repeating: "e\u{301}", count: 30_000))",
            type: "application/x-www-form-urlencoded")
        #expect(long.status == 400 && long.text.contains("more than 65536 bytes"), "\(long.text)")
        // Under the plain media type a body without a name is an error, and no pseudo user.
        let none = try await world.kii("POST", "/users", "{}", type: "application/vnd.kii.RegistrationRequest+json")
        #expect(none.status == 400)
    }
}
