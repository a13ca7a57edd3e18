import Domain
import KiiAPI
import OkaeriWire
import TestWorld
import Testing

@Suite("Mail addresses of Kii's users, where the application demands their verification")
struct KiiVerificationTests {
    private func world() async throws -> ForeignWorld {
        var settings = ApplicationSettings()
        settings.foreignOptions[.kii] = ForeignOptions(demandsVerifiedEmail: true)
        return try await ForeignWorld(settings, server: ["rate-limits": "off", "dev": "on"])
    }

    /// What the link of the newest mail carries.
    private func code(at world: ForeignWorld) async throws -> String {
        _ = try await world.modules.messaging.deliverMail()
        let mail = try #require(try await world.modules.messaging.readOutbox(of: world.application.id).first)
        let match = try #require(mail.text.firstMatch(of: #/token=([0-9A-Z\-]+)/#), "\(mail.text)")
        return String(match.output.1)
    }

    private func user(at world: ForeignWorld) async throws -> (id: String, token: String) {
        let made = try await world.kii(
            "POST", "/users", #"{"loginName":"one_1","emailAddress":"one@example.com","password":"123ABC"}"#)
        #expect(made.status == 201)
        #expect(try made.json()["emailAddressVerified"] == .bool(false))
        return (try made.text("userID"), try await world.kiiToken("one_1"))
    }

    private func logIn(_ name: String, at world: ForeignWorld) async throws -> Answer {
        try await world.kii("POST", "/oauth2/token", #"{"username":"\#(name)","password":"123ABC"}"#)
    }

    private func verify(_ code: String, _ token: String, at world: ForeignWorld) async throws -> Answer {
        try await world.kii(
            "POST", "/users/me/email-address/verify", #"{"verificationCode":"\#(code)"}"#, token: token,
            type: "application/vnd.kii.AddressVerificationRequest+json")
    }

    @Test("are good for neither log-in nor look-up until they are verified")
    func first() async throws {
        let world = try await world()
        let user = try await user(at: world)
        let stranger = try await world.pseudoUser()
        #expect(try await logIn("one@example.com", at: world).code == "invalid_grant")
        #expect(
            try await world.kii("GET", "/users/EMAIL:one@example.com", token: stranger.token).code == "USER_NOT_FOUND")
        let read = try await world.kii("GET", "/users/me/email-address", token: user.token)
        #expect(try read.json()["verified"] == .bool(false))
        let wrong = try await verify("000000", user.token, at: world)
        #expect(wrong.status == 403 && wrong.code == "INVALID_VERIFICATION_CODE")
        let right = try await verify(code(at: world), user.token, at: world)
        #expect(right.status == 200, "\(right.text)")
        #expect(try await logIn("one@example.com", at: world).status == 200)
        #expect(try await world.kii("GET", "/users/EMAIL:one@example.com", token: stranger.token).status == 200)
        let again = try await verify("000000", user.token, at: world)
        #expect(again.status == 400 && again.code == "INVALID_ACCOUNT_STATUS")
        #expect(try again.text("accountType") == "emailAddress" && again.text("userID") == user.id)
    }

    @Test("stay in their place, and usable, until a new one is verified", arguments: [true, false])
    func change(byUpdate: Bool) async throws {
        let world = try await world()
        let user = try await user(at: world)
        #expect(try await verify(code(at: world), user.token, at: world).status == 200)
        // The outbox tells the newest mail by its time.
        world.clock.advance(by: .seconds(60))
        let body = #"{"emailAddress":"new@example.com"}"#
        let changed = try await world.kii(
            byUpdate ? "POST" : "PUT", byUpdate ? "/users/me" : "/users/me/email-address", body, token: user.token)
        #expect(changed.status == (byUpdate ? 200 : 204), "\(changed.text)")
        // Apps show it before any mail is written.
        let pending = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(pending["emailAddress"] == "one@example.com" && pending["emailAddressVerified"] == .bool(true))
        #expect(pending["_emailAddressPending"] == "new@example.com")
        let code = try await code(at: world)
        #expect(try await logIn("one@example.com", at: world).status == 200)
        #expect(try await logIn("new@example.com", at: world).code == "invalid_grant")
        #expect(try await verify(code, user.token, at: world).status == 200)
        let after = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(after["emailAddress"] == "new@example.com" && after["_emailAddressPending"] == nil)
        #expect(try await logIn("new@example.com", at: world).status == 200)
        #expect(try await logIn("one@example.com", at: world).code == "invalid_grant")
    }

    @Test("are verified by a mail that was sent again, which has the code of the one before")
    func resend() async throws {
        let world = try await world()
        let user = try await user(at: world)
        let first = try await code(at: world)
        // The outbox tells the newest mail by its time.
        world.clock.advance(by: .seconds(60))
        let sent = try await world.kii("POST", "/users/me/email-address/resend-verification", token: user.token)
        #expect(sent.status == 204)
        let again = try await code(at: world)
        #expect(again == first)
        #expect(try await verify(again, user.token, at: world).status == 200)
    }

    @Test("are verified by a link to the pages, where the server has any")
    func link() async throws {
        let world = try await world()
        let user = try await user(at: world)
        let admin = try await world.administrator()
        _ = try await world.modules.messaging.deliverMail()
        let mail = try #require(try await world.modules.messaging.readOutbox(of: world.application.id).first)
        let match = try #require(
            mail.text.firstMatch(of: #/https?:\/\/[^\/]+\/a\/\w+\/verify\?token=([0-9A-Z\-]+)/#))
        let read = try await world.kii("GET", "/users/\(user.id)/email-address/verification-code", token: admin)
        #expect(try read.text("verificationCode") == String(match.output.1).filter { $0 != "-" })
        #expect(try await verify(String(match.output.1), user.token, at: world).status == 200)
        #expect(try await logIn("one@example.com", at: world).status == 200)
    }

    @Test("cannot stand in for a login name")
    func alone() async throws {
        let answer = try await world().kii(
            "POST", "/users", #"{"emailAddress":"one@example.com","password":"123ABC"}"#)
        #expect(answer.status == 400 && answer.code == "INVALID_INPUT_DATA")
    }

    @Test("and phone numbers that are not there get an error; text messages go to those that are")
    func absent() async throws {
        let world = try await world()
        let user = try await world.pseudoUser()
        for path in ["email-address", "phone-number"] {
            let none = try await world.kii(
                "POST", "/users/me/\(path)/verify", #"{"verificationCode":"1"}"#, token: user.token)
            #expect(none.status == 404 && none.code == "USER_ADDRESS_NOT_FOUND")
        }
        let phoned = try await world.kii(
            "POST", "/users", #"{"loginName":"two_2","phoneNumber":"+819012345678","password":"123ABC"}"#)
        #expect(phoned.status == 201)
        let token = try await world.kiiToken("two_2")
        let sent = try await world.kii("POST", "/users/me/phone-number/resend-verification", token: token)
        #expect(sent.status == 204, "\(sent.text)")
    }
}
