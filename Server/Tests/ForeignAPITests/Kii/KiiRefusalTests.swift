import Domain
import HTTPTypes
import KiiAPI
import OkaeriServer
import OkaeriWire
import Testing

@Suite("Kii's refusals")
struct KiiRefusalTests {
    private static let pseudo = "application/vnd.kii.RegistrationAndAuthorizationRequest+json"

    @Test(
        "name what is wrong with a registration",
        arguments: [
            (#"{"loginName":"somebody"}"#, 400, "PASSWORD_TOO_SHORT"),
            (#"{"loginName":"somebody","password":"123"}"#, 400, "PASSWORD_TOO_SHORT"),
            (#"{}"#, 400, "PASSWORD_TOO_SHORT"), (#"{"password":"123ABC"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"loginName":"ab","password":"123ABC"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"loginName":"a b c","password":"123ABC"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"loginName":"somebody","password":"パスワード"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"loginName":7,"password":"123ABC"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"loginName":"somebody","password":"123ABC","country":"Japan"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"emailAddress":"nobody","password":"123ABC"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"phoneNumber":"0901111","password":"123ABC"}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"loginName":"somebody","password":"123ABC","displayName":""}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"loginName":"taken_1","password":"123ABC"}"#, 409, "USER_ALREADY_EXISTS"),
            ("no JSON", 400, "INVALID_JSON"), ("[]", 400, "INVALID_JSON"), (#"{"a":1,"a":2}"#, 400, "INVALID_JSON"),
        ])
    func registration(body: String, status: Int, code: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("taken_1")
        let answer = try await world.kii("POST", "/users", body)
        #expect(answer.status == status && answer.code == code, "\(answer.text)")
        if code == "PASSWORD_TOO_SHORT" { #expect(try answer.json()["minimumLength"] == .integer(4)) }
        if code == "INVALID_INPUT_DATA" {
            #expect(try answer.text("message").hasPrefix("There are validation errors: "))
        }
    }

    @Test(
        "sound the same for an unknown user, a wrong password, a disabled user and a pseudo user",
        arguments: ["nobody_1", "known_1", "disabled_1", "pseudo"])
    func grants(who: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("known_1")
        let disabled = try await world.kiiUser("disabled_1")
        try await world.modules.accounts.setUserDisabled(
            .init(rawValue: disabled.id), in: world.application, isDisabled: true, by: .local)
        let name = who == "pseudo" ? try await world.pseudoUser().id : who
        let password = who == "known_1" ? "wrong" : "123ABC"
        let answer = try await world.kii(
            "POST", "/oauth2/token", #"{"username":"\#(name)","password":"\#(password)"}"#)
        #expect(answer.status == 400)
        #expect(
            try answer.json() == [
                "errorCode": "invalid_grant", "error": "invalid_grant",
                "message": "The user was not found or a wrong password was provided",
                "error_description": "The user was not found or a wrong password was provided",
            ])
    }

    @Test(
        "answer grants that are not served",
        arguments: [
            (#"{"grant_type":"mfa","totp_code":"123456"}"#, 400, "unsupported_grant_type"),
            (#"{"refresh_token":"b7Tq0"}"#, 403, "WRONG_REFRESH_TOKEN"), ("{}", 400, "invalid_grant"),
            (#"{"client_id":"client","client_secret":"wrong"}"#, 400, "invalid_grant"),
            (#"{"username":"known_1","password":"123ABC","expiresAt":1}"#, 400, "INVALID_INPUT_DATA"),
            (#"{"username":"known_1","password":"123ABC","expiresAt":{}}"#, 400, "INVALID_INPUT_DATA"),
        ])
    func otherGrants(body: String, status: Int, code: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.kiiUser("known_1")
        let answer = try await world.kii("POST", "/oauth2/token", body)
        #expect(answer.status == status && answer.code == code, "\(answer.text)")
    }

    @Test("say nothing of passwords when something else is wrong")
    func falsePassword() async throws {
        var settings = ApplicationSettings()
        settings.fieldRules = FieldRules([FieldRule(name: "passwordHint", kind: .number)])
        let world = try await ForeignWorld(settings)
        let hint = try await world.kii(
            "POST", "/users", #"{"loginName":"somebody","password":"123ABC","passwordHint":"dog"}"#)
        #expect(hint.status == 400 && hint.code == "INVALID_INPUT_DATA")
        #expect(try !hint.text("message").lowercased().hasPrefix("there are validation errors: password"))
        #expect(try hint.text("message").contains("passwordHint"))
        let type = "application/vnd.kii.RegistrationAndAuthorizationRequest+json"
        let pseudo = try await world.kii("POST", "/users", #"{"locale":"no locale"}"#, type: type)
        #expect(try pseudo.text("message") == "There are validation errors: locale has an invalid value")
        let nobody = try await world.kii("POST", "/users", #"{"emailAddress":"nobody"}"#, type: type)
        #expect(try nobody.text("message").hasSuffix("password has an invalid value"))
        let client = try await world.kii("POST", "/oauth2/token", #"{"client_id":"client","client_secret":"wrong"}"#)
        #expect(client.code == "invalid_grant" && !client.text.contains("password"))
    }

    @Test("tell a missing token from a wrong one, and neither from a fault that passes")
    func tokens() async throws {
        let world = try await ForeignWorld()
        let missing = try await world.kii("GET", "/users/me")
        #expect(missing.status == 401 && missing.code == "UNAUTHORIZED")
        for token in ["x", "adm_99999999999999_x", String(repeating: "a", count: 5000), "oks_" + "a"] {
            let wrong = try await world.kii("GET", "/users/me", token: token)
            #expect(wrong.status == 403 && wrong.code == "WRONG_TOKEN")
        }
        let administrator = try await world.kii("GET", "/users/me", token: try await world.administrator())
        #expect(administrator.status == 401 && administrator.code == "UNAUTHORIZED")
        let (_, token) = try await world.pseudoUser()
        await world.composition.close()
        let away = try await world.kii("GET", "/users/someoneelse12345", token: token)
        #expect(away.status == 503 && away.code == "RESOURCE_TEMPORARILY_UNAVAILABLE", "\(away.text)")
    }

    @Test("are JSON for everything that fails before a call", arguments: ["/api", "/api/apps", "/api/apps/x/y/z"])
    func before(path: String) async throws {
        let world = try await ForeignWorld()
        let answer = try await world.send("GET", path)
        #expect(answer.status == 404 && answer.code == "NOT_FOUND")
        #expect(answer.headers[.contentType] == "application/vnd.kii.NotFoundException+json")
        #expect(answer.headers[.accessControlAllowOrigin] == "*")
    }

    @Test("know wrong methods, long bodies and unknown applications")
    func framing() async throws {
        let world = try await ForeignWorld()
        let method = try await world.kii("PATCH", "/users/me")
        #expect(method.status == 405 && method.code == "METHOD_NOT_ALLOWED")
        let long = try await world.kii("POST", "/users", String(repeating: " ", count: 1024 * 1024 + 1))
        #expect(long.status == 413)
        let unknown = try await world.send("POST", "/api/apps/nobody/users", [], body: "{}")
        #expect(unknown.status == 404 && unknown.code == "APP_NOT_FOUND")
        let nameless = try await world.send("POST", "/api/oauth2/token", [], body: "{}")
        #expect(nameless.status == 404 && nameless.code == "APP_NOT_FOUND")
        #expect(try await world.modules.applications.disableProtocol(.kii, of: world.application.id, by: .local))
        let off = try await world.kii("POST", "/users", "{}")
        #expect(off.status == 404 && off.code == "APP_NOT_FOUND")
    }

    @Test(
        "let browsers of any origin ask first, also about what is not served: else apps read no error, only that there was none",
        arguments: ["/api/apps/a1b2c3d4/users/me", "/api/apps/a1b2c3d4/buckets/scores/objects"])
    func preflight(path: String) async throws {
        let world = try await ForeignWorld()
        let answer = try await world.send("OPTIONS", path)
        #expect(answer.status == 204)
        #expect(answer.headers[.accessControlAllowHeaders]?.contains("x-kii-appid") == true)
        #expect(answer.headers[.accessControlAllowMethods]?.contains("PUT") == true)
    }
}
