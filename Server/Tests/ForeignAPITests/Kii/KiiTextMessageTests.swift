import Domain
import KiiAPI
import OkaeriWire
import TestWorld
import Testing

@Suite("Phone numbers of Kii's users, and text messages to them")
struct KiiTextMessageTests {
    private static let number = "+819012345678"

    private func world(demands: Bool = true) async throws -> ForeignWorld {
        var settings = ApplicationSettings()
        var options = ForeignOptions()
        options.demandsVerifiedPhone = demands
        settings.foreignOptions[.kii] = options
        return try await ForeignWorld(settings, server: ["rate-limits": "off", "dev": "on"])
    }

    /// The newest message to a number.
    private func message(_ number: String = number, at world: ForeignWorld) async throws -> MailMessage? {
        _ = try await world.modules.messaging.deliverMail()
        return try await world.modules.messaging.readOutbox(of: world.application.id).first { $0.recipient == number }
    }

    /// The code of the newest message.
    private func code(_ number: String = number, at world: ForeignWorld) async throws -> String {
        let text = try #require(try await message(number, at: world)).text
        let match = try #require(text.firstMatch(of: #/\d{3,4} \d{3,4}/#))
        return String(match.output).replacing(" ", with: "")
    }

    private func user(_ more: String = "", at world: ForeignWorld) async throws -> (id: String, token: String) {
        let made = try await world.kii(
            "POST", "/users", #"{"loginName":"one_1","phoneNumber":"\#(Self.number)","password":"123ABC"\#(more)}"#)
        #expect(made.status == 201, "\(made.text)")
        return (try made.text("userID"), try await world.kiiToken("one_1"))
    }

    private func logIn(_ name: String, _ password: String = "123ABC", at world: ForeignWorld) async throws -> Answer {
        try await world.kii("POST", "/oauth2/token", #"{"username":"\#(name)","password":"\#(password)"}"#)
    }

    private func verify(_ code: String, _ token: String, at world: ForeignWorld) async throws -> Answer {
        try await world.kii(
            "POST", "/users/me/phone-number/verify", #"{"verificationCode":"\#(code)"}"#, token: token,
            type: "application/vnd.kii.AddressVerificationRequest+json")
    }

    /// Asks for another number, which is not verified.
    private func changeNumber(_ token: String, at world: ForeignWorld) async throws -> String {
        let other = "+819011112222"
        let changed = try await world.kii(
            "PUT", "/users/me/phone-number", #"{"phoneNumber":"\#(other)"}"#, token: token)
        #expect(changed.status == 204)
        return other
    }

    private func requestReset(
        _ who: String, _ body: String = #"{"notificationMethod":"SMS","smsResetMethod":"PIN"}"#, at world: ForeignWorld
    ) async throws -> Answer {
        try await world.kii("POST", "/users/\(who)/password/request-reset", body)
    }

    private func completeReset(
        _ who: String, _ code: String, _ password: String = "789GHI", from peer: String = "192.0.2.1",
        at world: ForeignWorld
    ) async throws -> Answer {
        try await world.kii(
            "POST", "/users/\(who)/password/complete-reset", #"{"pinCode":"\#(code)","newPassword":"\#(password)"}"#,
            peer: peer)
    }

    @Test("are good for neither log-in nor look-up until they are verified, where the application demands that")
    func first() async throws {
        let world = try await world()
        let user = try await user(at: world)
        let me = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(me["phoneNumber"] == .string(Self.number) && me["phoneNumberVerified"] == .bool(false))
        let stranger = try await world.pseudoUser()
        #expect(try await logIn(Self.number, at: world).code == "invalid_grant")
        #expect(try await world.kii("GET", "/users/PHONE:\(Self.number)", token: stranger.token).status == 404)
        let wrong = try await verify("000000", user.token, at: world)
        #expect(wrong.status == 403 && wrong.code == "INVALID_VERIFICATION_CODE")
        let right = try await verify(code(at: world), user.token, at: world)
        #expect(right.status == 200, "\(right.text)")
        #expect(try await logIn(Self.number, at: world).status == 200)
        #expect(try await world.kii("GET", "/users/PHONE:\(Self.number)", token: stranger.token).status == 200)
        let read = try await world.kii("GET", "/users/me/phone-number", token: user.token)
        #expect(try read.json()["verified"] == .bool(true))
        let again = try await verify("000000", user.token, at: world)
        #expect(again.status == 400 && again.code == "INVALID_ACCOUNT_STATUS")
        #expect(try again.text("accountType") == "phoneNumber")
    }

    @Test("stay in their place, and usable, until a new one is verified")
    func change() async throws {
        let world = try await world()
        let user = try await user(at: world)
        #expect(try await verify(code(at: world), user.token, at: world).status == 200)
        let other = try await changeNumber(user.token, at: world)
        let code = try await code(other, at: world)
        let me = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(me["phoneNumber"] == .string(Self.number) && me["_phoneNumberPending"] == .string(other))
        #expect(try await logIn(Self.number, at: world).status == 200)
        #expect(try await logIn(other, at: world).code == "invalid_grant")
        #expect(try await verify(code, user.token, at: world).status == 200)
        let after = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(after["phoneNumber"] == .string(other) && after["_phoneNumberPending"] == nil)
        #expect(try await logIn(other, at: world).status == 200)
        let entries = try await world.modules.administration.audit.list(in: world.application.id).filter {
            $0.action == AccountChange.phoneReplaced.policy.action
        }
        #expect(Set(entries.map { $0.details["number"] }) == ["same", "new"])
        #expect(entries.allSatisfy { $0.actor == .user(Identifier(rawValue: user.id)) && $0.origin.requestId != nil })
        // Whatever a thief took is void with another number.
        let stored = try await world.modules.directory.readUser(
            Identifier(rawValue: user.id), in: world.application.id)
        #expect(stored.credentialsVersion > 0)
    }

    @Test("wait for no verification when they are only written in another way, and neither do mail addresses")
    func sameWrittenOtherwise() async throws {
        var settings = ApplicationSettings()
        var options = ForeignOptions(demandsVerifiedEmail: true)
        options.demandsVerifiedPhone = true
        settings.foreignOptions[.kii] = options
        let world = try await ForeignWorld(settings, server: ["rate-limits": "off", "dev": "on"])
        let user = try await user(#","emailAddress":"one@example.com""#, at: world)
        let (id, application) = (Identifier<User>(rawValue: user.id), world.application.id)
        try await world.importing { transaction throws(DomainError) in
            guard var known = try transaction.user(id, in: application) else { throw .userUnknown }
            (known.emailVerifiedAt, known.phoneVerifiedAt) = (known.createdAt, known.createdAt)
            try transaction.updateIdentifiers(of: known)
        }
        _ = try await world.modules.messaging.deliverMail()
        // As an app does that sends what was typed each time.
        let body = #"{"emailAddress":"one@EXAMPLE.com","phoneNumber":"+81-90-1234-5678","score":1}"#
        #expect(try await world.kii("POST", "/users/me", body, token: user.token).status == 200)
        let me = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(me["_emailAddressPending"] == nil && me["_phoneNumberPending"] == nil)
        #expect(me["phoneNumber"] == .string(Self.number) && me["phoneNumberVerified"] == .bool(true))
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
    }

    @Test("are written to again on demand, in the user's language, with the code that is good")
    func resend() async throws {
        let world = try await world()
        let user = try await user(#","locale":"ja""#, at: world)
        let first = try await code(at: world)
        world.clock.advance(by: .seconds(60))
        #expect(
            try await world.kii("POST", "/users/me/phone-number/resend-verification", token: user.token).status == 204)
        let text = try #require(try await message(at: world)).text
        #expect(text.contains("電話番号の確認コード"))
        #expect(try await code(at: world) == first)
        // Soon it would be too late to type it.
        world.clock.advance(by: .seconds(500))
        #expect(
            try await world.kii("POST", "/users/me/phone-number/resend-verification", token: user.token).status == 204)
        let second = try await code(at: world)
        #expect(second != first)
        #expect(try await verify(first, user.token, at: world).status == 403)
        #expect(try await verify(second, user.token, at: world).status == 200)
    }

    @Test("cannot stand in for a login name before they are verified, nor be verified by guessing")
    func guesses() async throws {
        let world = try await world()
        let alone = try await world.kii(
            "POST", "/users", #"{"phoneNumber":"+819099998888","password":"123ABC"}"#)
        #expect(alone.status == 400 && alone.code == "INVALID_INPUT_DATA")
        let limited = try await ForeignWorld(
            {
                var settings = ApplicationSettings()
                settings.foreignOptions[.kii] = ForeignOptions()
                return settings
            }(), server: ["dev": "on"])
        let user = try await user(at: limited)
        #expect(
            try await limited.kii("POST", "/users/me/phone-number/resend-verification", token: user.token).status == 204
        )
        let code = try await code(at: limited)
        for guess in 0..<5 { #expect(try await verify("00000\(guess)", user.token, at: limited).status == 403) }
        #expect(try await verify(code, user.token, at: limited).status == 403)
    }

    @Test("are guessed at from one address as often as the operator says")
    func limitedGuesses() async throws {
        let world = try await ForeignWorld(server: ["dev": "on", "old-app-code-tries": "2"])
        let user = try await user(at: world)
        for guess in 0..<2 { #expect(try await verify("00000\(guess)", user.token, at: world).status == 403) }
        #expect(try await verify("000003", user.token, at: world).status == 429)
    }

    @Test("get a code for a new password, which counts once and for its user alone", arguments: [true, false])
    func reset(byNumber: Bool) async throws {
        let world = try await world(demands: false)
        let user = try await user(at: world)
        let other = try await world.kiiUser("two_2")
        #expect(try await requestReset("PHONE:\(Self.number)", at: world).status == 204)
        let code = try await code(at: world)
        #expect(code.count == 8)
        #expect(try await completeReset(other.id, code, at: world).status == 403)
        let short = try await completeReset(user.id, code, "1", at: world)
        #expect(short.status == 400 && short.code == "PASSWORD_TOO_SHORT")
        let name = byNumber ? "PHONE:\(Self.number)" : user.id
        #expect(try await completeReset(name, code, at: world).status == 204)
        #expect(try await world.kii("GET", "/users/me", token: user.token).code == "WRONG_TOKEN")
        #expect(try await logIn("one_1", at: world).code == "invalid_grant")
        #expect(try await logIn(Self.number, "789GHI", at: world).status == 200)
        #expect(try await completeReset(name, code, "another", at: world).status == 403)
    }

    @Test("get a new password although a stranger guesses at the code, who does not learn when the guess is right")
    func strangersGuesses() async throws {
        let world = try await world(demands: false)
        let user = try await user(at: world)
        #expect(try await requestReset("PHONE:\(Self.number)", at: world).status == 204)
        let code = try await code(at: world)
        let guess = code == "00000000" ? "11111111" : "00000000"
        for _ in 0..<30 {
            let wrong = try await completeReset("PHONE:\(Self.number)", guess, from: "192.0.2.66", at: world)
            #expect(wrong.code == "INVALID_VERIFICATION_CODE")
        }
        // Beyond the stranger's tries neither the password's faults nor anything else shows that a code is right.
        let right = try await completeReset(user.id, code, "1", from: "192.0.2.66", at: world)
        #expect(right.code == "INVALID_VERIFICATION_CODE")
        #expect(try await completeReset("PHONE:\(Self.number)", code, at: world).status == 204)
        #expect(try await logIn("one_1", "789GHI", at: world).status == 200)
    }

    @Test("are guessed at twenty-five times for one code, from however many addresses")
    func guessesOfMany() async throws {
        let world = try await world(demands: false)
        _ = try await user(at: world)
        #expect(try await requestReset("PHONE:\(Self.number)", at: world).status == 204)
        let code = try await code(at: world)
        let guess = code == "00000000" ? "11111111" : "00000000"
        for number in 0..<25 {
            let wrong = try await completeReset(
                "PHONE:\(Self.number)", guess, from: "192.0.2.\(100 + number / 5)", at: world)
            #expect(wrong.status == 403)
        }
        #expect(try await completeReset("PHONE:\(Self.number)", code, at: world).status == 403)
    }

    @Test("get a link to the pages for a new password, where the app asks for one and the server has pages")
    func resetByLink() async throws {
        let link = #"{"notificationMethod":"SMS","smsResetMethod":"URL"}"#
        let world = try await world(demands: false)
        let user = try await user(at: world)
        #expect(try await requestReset("PHONE:\(Self.number)", link, at: world).status == 204)
        let text = try #require(try await message(at: world)).text
        let match = try #require(
            text.firstMatch(of: #/https?:\/\/[^\/]+\/a\/\w+\/reset\?token=([0-9A-Z\-]+)/#))
        let token = String(match.output.1)
        #expect(token.count > 20)
        #expect(try await completeReset("PHONE:+819000000000", token, at: world).status == 204)
        #expect(try await world.kii("GET", "/users/me", token: user.token).code == "WRONG_TOKEN")
        #expect(try await logIn("one_1", "789GHI", at: world).status == 200)
        #expect(try await completeReset("PHONE:\(Self.number)", token, "another", at: world).status == 403)
    }

    @Test("get a password that the server chose, when the app sends none with the code")
    func chosenPassword() async throws {
        let world = try await world(demands: false)
        let user = try await user(at: world)
        #expect(try await requestReset("PHONE:\(Self.number)", at: world).status == 204)
        let code = try await code(at: world)
        world.clock.advance(by: .seconds(60))
        let path = "/users/PHONE:\(Self.number)/password/complete-reset"
        #expect(try await world.kii("POST", path, #"{"pinCode":"00000000"}"#).code == "INVALID_VERIFICATION_CODE")
        #expect(try await world.kii("POST", path, #"{"pinCode":"\#(code)"}"#).status == 204)
        let waiting = try await world.modules.messaging.listQueuedMail(in: world.application.id)
        #expect(waiting.filter { $0.kind == .textedPassword }.map { $0.expiresAt - $0.createdAt } == [.days(1)])
        #expect(try await world.kii("GET", "/users/me", token: user.token).code == "WRONG_TOKEN")
        let text = try #require(try await message(at: world)).text
        let match = try #require(text.firstMatch(of: #/[0-9A-Za-z]{12}/#))
        #expect(try await logIn("one_1", String(match.output), at: world).status == 200, "\(text)")
        #expect(try await logIn("one_1", at: world).code == "invalid_grant")
    }

    @Test("of strangers get one answer and no message", arguments: ["PHONE:+819000000000", "PHONE:nonsense", "none"])
    func unknown(who: String) async throws {
        let world = try await world(demands: false)
        _ = try await user(at: world)
        let answer = try await requestReset(who, at: world)
        #expect(answer.status == 204 || who == "PHONE:nonsense", "\(answer.text)")
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
        #expect(try await completeReset("PHONE:+819000000000", "12345678", at: world).status == 403)
    }

    @Test("that nobody has proved are no way around a mail address that was, nor where proof is demanded")
    func unproved() async throws {
        let demanding = try await world()
        _ = try await user(at: demanding)
        _ = try await demanding.modules.messaging.deliverMail()
        #expect(try await requestReset("PHONE:\(Self.number)", at: demanding).status == 204)
        #expect(try await demanding.modules.messaging.deliverMail().delivered == 0)
        let world = try await world(demands: false)
        let user = try await user(at: world)
        let id = Identifier<User>(rawValue: user.id)
        let application = world.application.id
        try await world.importing { transaction throws(DomainError) in
            guard var known = try transaction.user(id, in: application) else { throw .userUnknown }
            known.email = "one@example.com"
            known.emailVerifiedAt = known.createdAt
            try transaction.updateIdentifiers(of: known)
        }
        #expect(try await requestReset("PHONE:\(Self.number)", at: world).status == 204)
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
    }

    /// Somebody signed up with another's address and a number of their own. The owner of the address got the account by
    /// a reset, and changed the address in an app where it counts at once.
    @Test("are no way back in for who signed up with another's address, whatever address its owner has later")
    func numberOfASquatter() async throws {
        let world = try await world(demands: false)
        let user = try await user(#","emailAddress":"owner@example.com""#, at: world)
        _ = try await world.kii("POST", "/users/me/phone-number/resend-verification", token: user.token)
        #expect(try await verify(code(at: world), user.token, at: world).status == 200)
        let byMail = #"{"notificationMethod":"EMAIL"}"#
        let ordered = try await requestReset("EMAIL:owner@example.com", byMail, at: world)
        #expect(ordered.status == 204, "\(ordered.text)")
        let mailed = try #require(try await message("owner@example.com", at: world)).text
        let token = String(try #require(mailed.firstMatch(of: #/token=([0-9A-Z\-]+)/#), "\(mailed)").output.1)
        let reset = try await completeReset("EMAIL:owner@example.com", token, at: world)
        #expect(reset.status == 204, "\(reset.text)")
        let owner = try await world.kiiToken("one_1", "789GHI")
        let moved = try await world.kii(
            "PUT", "/users/me/email-address", #"{"emailAddress":"owner@example.org"}"#, token: owner)
        #expect(moved.status == 204, "\(moved.text)")
        _ = try await world.modules.messaging.deliverMail()
        #expect(try await requestReset("PHONE:\(Self.number)", at: world).status == 204)
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
        // The owner still comes in by mail.
        #expect(try await requestReset("EMAIL:owner@example.org", byMail, at: world).status == 204)
        #expect(try await world.modules.messaging.deliverMail().delivered == 1)
    }

    @Test("that a stolen token added, and nobody has proved, set no password after the owner's own new one")
    func numberOfAThief() async throws {
        let world = try await world(demands: false)
        let made = try await world.kii(
            "POST", "/users", #"{"loginName":"one_1","emailAddress":"one@example.com","password":"123ABC"}"#)
        #expect(made.status == 201, "\(made.text)")
        let stolen = try await world.kiiToken("one_1")
        let added = try await world.kii(
            "PUT", "/users/me/phone-number", #"{"phoneNumber":"\#(Self.number)"}"#, token: stolen)
        #expect(added.status == 204, "\(added.text)")
        let changed = try await world.kii(
            "PUT", "/users/me/password", #"{"oldPassword":"123ABC","newPassword":"456DEF"}"#,
            token: try await world.kiiToken("one_1"))
        #expect(changed.status == 204, "\(changed.text)")
        _ = try await world.modules.messaging.deliverMail()
        #expect(try await requestReset("PHONE:\(Self.number)", at: world).status == 204)
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
    }

    @Test("are answered with 501 where the server sends no text messages")
    func without() async throws {
        let world = try await ForeignWorld()
        let user = try await user(at: world)
        let resent = try await world.kii("POST", "/users/me/phone-number/resend-verification", token: user.token)
        #expect(resent.status == 501 && resent.code == "OPERATION_NOT_IMPLEMENTED")
        let reset = try await requestReset("PHONE:\(Self.number)", at: world)
        #expect(reset.status == 501)
        let link = try await requestReset(
            "PHONE:\(Self.number)", #"{"notificationMethod":"SMS","smsResetMethod":"URL"}"#, at: world)
        #expect(link.status == 501)
    }
}
