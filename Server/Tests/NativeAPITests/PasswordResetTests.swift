import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@Suite("POST /v1/password-reset")
struct PasswordResetTests {
    private static let password = "a quite new secret"

    /// Orders a mail and takes its token.
    private func token(_ world: MailServerWorld) async throws -> String {
        let asked = try await world.server.send(
            .post, APIPath.requestPasswordReset, body: #"{"email": "hana@example.com"}"#)
        #expect(asked.status == 202)
        #expect(try asked.read(MailOrderResponse.self).expiresInSeconds == 3600)
        return try #require(try await world.mails().first?.token)
    }

    private func reset(
        _ world: MailServerWorld, _ token: String, _ password: String = PasswordResetTests.password,
        _ headers: [(String, String)] = []
    ) async throws -> Answer {
        try await world.server.send(
            .post, APIPath.resetPassword, headers, body: #"{"token": "\#(token)", "newPassword": "\#(password)"}"#)
    }

    @Test("sets the password, ends every session, and tells the user")
    func reset() async throws {
        let world = try await MailServerWorld(locale: "ja")
        let token = try await token(world)
        #expect(try await reset(world, token).status == 204)
        expect(try await world.person.send(.get, APIPath.user), 401, .sessionInvalid)
        let logIn = try await world.server.logIn("hana@example.com", Self.password)
        #expect(logIn.status == 200)
        #expect(try logIn.read(LogInResponse.self).user.id == world.person.logIn.user.id)
        let notice = try #require(try await world.mails().first)
        #expect(notice.recipient == "hana@example.com" && notice.language == "ja")
        #expect(notice.subject.contains("パスワードが変更されました"))
        #expect(!notice.text.contains(Self.password))
    }

    /// A thief added a number by the session of an old app, and proved it: an old app's reset by text message goes there.
    @Test("names a proved number of the account, and none that the first proof of the address has ended")
    func number() async throws {
        for isVerified in [true, false] {
            let world = try await MailServerWorld(isVerified: isVerified)
            let id = Identifier<User>(rawValue: world.person.logIn.user.id)
            let application = world.server.application.id
            try await world.store.write { transaction throws(DomainError) in
                guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
                (user.phone, user.phoneVerifiedAt) = ("+819012345694", user.createdAt)
                try transaction.updateIdentifiers(of: user)
            }
            #expect(try await reset(world, try await token(world)).status == 204)
            let notice = try #require(try await world.mails().first)
            #expect(notice.text.contains("ends with 94") == isVerified, "\(notice.text)")
            #expect(!notice.text.contains("5694"))
        }
    }

    @Test(
        "is mailed as a link with the token beside it for an app, and as the link alone where the app has a page for it",
        arguments: [true, false])
    func mailed(hasPage: Bool) async throws {
        var settings = ApplicationSettings()
        if hasPage { settings.mail.resetURL = "https://app.example.com/reset" }
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url], application: settings)
        let token = try await token(world)
        let text = try #require(try await world.mails().first).text
        let own = "\(TestServer.url)/a/\(world.server.application.id)/reset"
        let page = hasPage ? "https://app.example.com/reset" : own
        #expect(text.contains("\(page)?token=\(token)"), "\(text)")
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words.contains(token) == !hasPage, "\(text)")
    }

    @Test("leads to the server's page where the app's own is a link of before that no rule of now lets through")
    func refusedPage() async throws {
        var settings = ApplicationSettings()
        settings.mail.resetURL = "javascript:alert(1)"
        let world = try await MailServerWorld(settings: ["public-url": TestServer.url], application: settings)
        let token = try await token(world)
        let mail = try #require(try await world.mails().first)
        let own = "\(TestServer.url)/a/\(world.server.application.id)/reset"
        #expect(mail.text.contains("\(own)?token=\(token)"), "\(mail.text)")
        #expect(!mail.text.contains("javascript:") && !mail.html.contains("javascript:"))
        // As where the application has no page: the app may have a field for the code.
        #expect(mail.text.split(whereSeparator: \.isWhitespace).map(String.init).contains(token))
    }

    @Test("takes a token once, whatever comes after")
    func once() async throws {
        let world = try await MailServerWorld()
        let token = try await token(world)
        #expect(try await reset(world, token).status == 204)
        expect(try await reset(world, token, "another new secret"), 400, .codeRefused)
        #expect(try await world.server.logIn("hana@example.com", Self.password).status == 200)
    }

    @Test("is refused as another request when an attempt comes again with another password")
    func reusedName() async throws {
        let world = try await MailServerWorld()
        let token = try await token(world)
        let name = [("Idempotency-Key", "one")]
        #expect(try await reset(world, token, Self.password, name).status == 204)
        expect(try await reset(world, token, "another new secret", name), 409, .idempotencyKeyReused)
        #expect(try await world.server.logIn("hana@example.com", Self.password).status == 200)
    }

    @Test("can be repeated by its name when the answer was lost, without a second effect")
    func repetition() async throws {
        let world = try await MailServerWorld()
        let token = try await token(world)
        let name = [("Idempotency-Key", "one")]
        #expect(try await reset(world, token, Self.password, name).status == 204)
        let logIn = try await world.server.logIn("hana@example.com", Self.password).read(LogInResponse.self)
        #expect(try await reset(world, token, Self.password, name).status == 204)
        #expect(try await world.server.send(.get, APIPath.user, logIn.bearer).status == 200)
        #expect(try await world.mails().filter { $0.token == nil }.count == 1)
        expect(try await reset(world, token, Self.password, [("Idempotency-Key", "two")]), 400, .codeRefused)
    }

    @Test("refuses passwords that break a rule, and leaves the token for a better one")
    func badPassword() async throws {
        let world = try await MailServerWorld()
        let token = try await token(world)
        for (password, code) in [("short", "too_short"), ("password", "too_common"), ("", "empty")] {
            let answer = try await reset(world, token, password)
            expect(answer, 400, .invalidMember)
            #expect(try answer.read(Problem.self).errors?.map(\.code) == [code])
        }
        #expect(try await reset(world, token.lowercased().replacing("-", with: " ")).status == 204)
    }

    @Test("refuses tokens that are wrong, old, or replaced")
    func wrongTokens() async throws {
        let world = try await MailServerWorld()
        let older = try await token(world)
        let newer = try await token(world)
        for wrong in ["", "nonsense", older, String(newer.reversed()), newer + "A", String(repeating: "A", count: 999)]
        {
            expect(try await reset(world, wrong), 400, .codeRefused)
        }
        world.server.clock.advance(by: .seconds(3600))
        expect(try await reset(world, newer), 400, .codeRefused)
        let last = try await token(world)
        world.server.clock.advance(by: .milliseconds(3_599_998))
        #expect(try await reset(world, last).status == 204)
    }

    @Test("hashes nothing for tokens that are wrong")
    func noHashing() async throws {
        let passwords = CountingPasswords()
        let server = try await TestServer(settings: ["dev": "on"], passwords: passwords)
        for _ in 0..<5 {
            let answer = try await server.send(
                .post, APIPath.resetPassword, body: #"{"token": "AAAA", "newPassword": "a long enough secret"}"#)
            expect(answer, 400, .codeRefused)
        }
        #expect(passwords.counted.hashes == 0)
    }

    @Test("verifies the address, and shuts out the one who signed up with it before")
    func takenOver() async throws {
        // Somebody signed up with a stranger's address, and kept a key that leads to the account.
        let world = try await MailServerWorld(isVerified: false)
        let token = try await token(world)
        #expect(try await reset(world, token).status == 204)
        let logIn = try await world.server.logIn("hana@example.com", Self.password).read(LogInResponse.self)
        #expect(logIn.user.emailVerified && logIn.user.identities.isEmpty)
        expect(try await world.server.logIn(world.person.device), 403, .deviceKeyRemoved)
    }

    @Test(
        "takes away the second factor of who signed up with a stranger's address, and leaves that of the owner",
        arguments: [true, false])
    func factorOfSquatter(isVerified: Bool) async throws {
        let world = try await MailServerWorld(isVerified: isVerified)
        let factors = try await SecondFactorWorld(on: world.server)
        let added = try await factors.enrol(world.person)
        // The mail about that goes out before.
        _ = try await world.mails()
        let token = try await token(world)
        #expect(try await reset(world, token).status == 204)
        let entries = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, matching: AuditFilter(action: .passwordReset))
        #expect(entries.count == 1 && entries.first?.details["second-factors"] == (isVerified ? nil : "removed"))
        let logIn = try await world.server.logIn("hana@example.com", Self.password)
        if isVerified { return expect(logIn, 403, .secondFactorRequired) }
        #expect(logIn.status == 200, "\(logIn.text)")
        let owner = try logIn.read(LogInResponse.self)
        let left = try await world.server.send(.get, APIPath.secondFactors, owner.bearer)
            .read(SecondFactorListResponse.self)
        #expect(left.factors.isEmpty && left.recoveryCodesLeft == 0 && !added.recoveryCodes.isEmpty)
    }

    @Test("takes the keys of devices away, tells them why, and lets them join again by the new password")
    func ownKeys() async throws {
        let world = try await MailServerWorld()
        #expect(try await reset(world, try await token(world)).status == 204)
        let refused = try await world.server.logIn(world.person.device)
        expect(refused, 403, .deviceKeyRemoved)
        let problem = try refused.read(Problem.self)
        #expect(problem.reason == "password_reset" && problem.removedAt != nil)
        let proof = try world.person.device.proof(
            "POST", world.server.url(APIPath.logInWithPassword), at: world.server.clock.now)
        let joined = try await world.server.logIn(
            "hana@example.com", Self.password, headers: [("DPoP", proof)])
        #expect(joined.status == 200)
        let again = try await world.server.logIn(world.person.device).read(LogInResponse.self)
        #expect(again.user.id == world.person.logIn.user.id && !again.isNew)
    }

    @Test("ends the waiting after wrong passwords")
    func failures() async throws {
        let world = try await MailServerWorld()
        for _ in 0..<5 { _ = try await world.server.logIn("hana@example.com", "a wrong password") }
        expect(try await world.server.logIn("hana@example.com", Self.password), 429, .rateLimited)
        #expect(try await reset(world, try await token(world)).status == 204)
        #expect(try await world.server.logIn("hana@example.com", Self.password).status == 200)
    }

    @Test("makes a waiting log-in code void")
    func logInCode() async throws {
        let world = try await MailServerWorld()
        let asked = try await world.server.send(
            .post, APIPath.requestLogInCode, body: #"{"email": "hana@example.com"}"#)
        let ticket = try asked.read(LogInCodeRequestResponse.self).ticket
        let code = try #require(try await world.mails().first?.code)
        #expect(try await reset(world, try await token(world)).status == 204)
        let answer = try await world.server.send(
            .post, APIPath.logInWithCode, body: #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#)
        expect(answer, 400, .codeRefused)
    }

    @Test("tells a user of a change of password too")
    func changeNotice() async throws {
        let world = try await MailServerWorld()
        #expect(try await reset(world, try await token(world)).status == 204)
        let logIn = try await world.server.logIn("hana@example.com", Self.password).read(LogInResponse.self)
        let answer = try await world.server.send(
            .put, "/v1/user/password", logIn.bearer,
            body: #"{"currentPassword": "\#(Self.password)", "newPassword": "yet another secret"}"#)
        #expect(answer.status == 200)
        #expect(try await world.mails().filter { $0.subject.contains("was changed") }.count == 2)
    }
}
