import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@Suite("Verification of mail addresses")
struct EmailVerificationTests {
    @Test("marks the present address, by the code of the mail, in the user's own language")
    func present() async throws {
        let world = try await MailServerWorld(isVerified: false, locale: "ja-JP")
        #expect(try await !world.user().emailVerified)
        let asked = try await world.person.send(.post, APIPath.requestEmailVerification)
        #expect(asked.status == 202)
        #expect(try asked.read(MailOrderResponse.self).expiresInSeconds == 600)
        let mail = try #require(try await world.mails().first)
        #expect(mail.language == "ja" && mail.text.contains("hana@example.com"))
        let code = try #require(mail.code)
        expect(
            try await world.server.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(code)"}"#), 401,
            .sessionRequired)
        let stranger = try await world.server.person()
        expect(
            try await stranger.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(code)"}"#), 400, .codeRefused)
        #expect(
            try await world.person.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(code)"}"#).status == 204)
        #expect(try await world.user().emailVerified)
        expect(
            try await world.person.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(code)"}"#), 400,
            .codeRefused)
        #expect(try await world.mails().count == 1, "nothing changed that needs a mail")
    }

    @Test("takes the address of an imported user, as the person types it, for the present one and not for another")
    func imported() async throws {
        let world = try await MailServerWorld(isVerified: false)
        let (id, application) = (world.person.logIn.user.id, world.server.application.id)
        try await world.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(Identifier(rawValue: id), in: application) else {
                throw .userUnknown
            }
            user.email = "Mika@Example.COM"
            try transaction.updateIdentifiers(of: user)
        }
        // Another address would need a session that is fresh.
        world.server.clock.advance(by: .seconds(601))
        let asked = try await world.person.send(
            .post, APIPath.requestEmailVerification, body: #"{"email": "Mika@example.com"}"#)
        #expect(asked.status == 202, "\(asked.text)")
        let code = try #require(try await world.mails().first?.code)
        #expect(
            try await world.person.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(code)"}"#).status == 204)
        let user = try await world.user()
        #expect(user.email == "Mika@Example.COM" && user.emailVerified)
        #expect(try await world.mails().count == 1, "nothing changed that needs a mail")
    }

    @Test("works by a link without a session, once")
    func link() async throws {
        let world = try await MailServerWorld(
            application: ApplicationSettings(mail: MailSettings(verificationURL: "https://app.example.com/v")),
            isVerified: false)
        let asked = try await world.person.send(.post, APIPath.requestEmailVerification)
        #expect(try asked.read(MailOrderResponse.self).expiresInSeconds == 86_400)
        let mail = try #require(try await world.mails().first)
        let token = try #require(mail.token)
        #expect(mail.text.contains("https://app.example.com/v?token=\(token)"))
        for wrong in [token.dropLast() + "0", token.replacing("-", with: "") + "0", ""] where wrong != token {
            expect(
                try await world.server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(wrong)"}"#), 400,
                .codeRefused)
        }
        let typed = token.lowercased().replacing("-", with: " ")
        #expect(
            try await world.server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(typed)"}"#).status == 204)
        #expect(try await world.user().emailVerified)
        expect(
            try await world.server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(token)"}"#), 400,
            .codeRefused)
    }

    @Test("brings a new address in once it is verified, and tells the former one and the new one")
    func change() async throws {
        let world = try await MailServerWorld(locale: "ko")
        world.server.clock.advance(by: .seconds(601))
        let body = #"{"email": "new@example.com"}"#
        let stale = try await world.person.send(.post, APIPath.requestEmailVerification, body: body)
        expect(stale, 403, .reauthenticationRequired)
        let fresh = try await logIn(world)
        #expect(try await fresh.send(.post, APIPath.requestEmailVerification, body: body).status == 202)
        let mail = try #require(try await world.mails().first)
        #expect(mail.recipient == "new@example.com")
        #expect(try await world.user().email == "hana@example.com")
        #expect(
            try await fresh.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(mail.code ?? "")"}"#).status == 204)
        let user = try await fresh.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.email == "new@example.com" && user.emailVerified)
        let notices = try await world.mails().filter { $0.code == nil && $0.token == nil }
        #expect(Set(notices.map(\.recipient)) == ["hana@example.com", "new@example.com"] && notices.count == 2)
        #expect(notices.allSatisfy { $0.language == "ko" })
        // The session of before, on a device that did not ask for it, is over.
        expect(try await world.person.send(.get, APIPath.user), 401, .sessionInvalid)
    }

    @Test("keeps the session in which the code of a new address is typed, and ends the one that asked for it elsewhere")
    func typedElsewhere() async throws {
        let world = try await MailServerWorld()
        let (asking, typing) = (try await logIn(world), world.person)
        let ordered = try await asking.send(
            .post, APIPath.requestEmailVerification, body: #"{"email": "new@example.com"}"#)
        #expect(ordered.status == 202)
        let mails = try await world.mails()
        let code = try #require(mails.first { $0.recipient == "new@example.com" }?.code)
        func verify() async throws -> Answer {
            try await typing.send(
                .post, APIPath.verifyEmail, [("Idempotency-Key", "one")], body: #"{"code": "\#(code)"}"#)
        }
        #expect(try await verify().status == 204)
        #expect(try await typing.send(.get, APIPath.user).read(UserBody.self).email == "new@example.com")
        // The answer may have got lost.
        #expect(try await verify().status == 204)
        expect(try await asking.send(.get, APIPath.user), 401, .sessionInvalid)
    }

    @Test("is void when the address changed meanwhile")
    func changedMeanwhile() async throws {
        let world = try await MailServerWorld()
        let fresh = try await logIn(world)
        for email in ["first@example.com", "second@example.com"] {
            #expect(
                try await fresh.send(.post, APIPath.requestEmailVerification, body: #"{"email": "\#(email)"}"#).status
                    == 202)
        }
        let codes = try await world.mails().map { ($0.recipient, $0.code ?? "") }
        let first = try #require(codes.first { $0.0 == "first@example.com" })
        let second = try #require(codes.first { $0.0 == "second@example.com" })
        // Two workers may take the two orders in any order; the later mail is the one that counts.
        let answers = [
            try await fresh.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(first.1)"}"#).status,
            try await fresh.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(second.1)"}"#).status,
        ]
        #expect(answers.filter { $0 == 204 }.count == 1)
        let user = try await fresh.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.email == (answers[0] == 204 ? "first@example.com" : "second@example.com"))
    }

    @Test(
        "gives a guest no address whose device or values went over to another user meanwhile, who can have it then",
        arguments: ["switch", "merge", "transfer"])
    func leftBehind(way: String) async throws {
        let world = try await MailServerWorld(
            application: ApplicationSettings(mail: MailSettings(verificationURL: "https://app.example.com/v")))
        let (server, body) = (world.server, #"{"email": "new@example.com"}"#)
        let hana = Person(
            server: server, device: ProofMaker(), logIn: try await server.signUp("hana").read(LogInResponse.self))
        let guest = try await server.person()
        func order(_ person: Person) async throws -> String {
            #expect(try await person.send(.post, APIPath.requestEmailVerification, body: body).status == 202)
            return try #require(try await world.mails().first?.token)
        }
        func verify(_ token: String) async throws -> Answer {
            try await server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(token)"}"#)
        }
        let token = try await order(guest)
        if way == "transfer" {
            let joined = try await server.joined(try await hana.issueCode().code, on: guest.device)
            #expect(joined.logIn.user.id == hana.logIn.user.id)
        } else {
            let offer = try await guest.upgrade()
            let ticket = try #require(try offer.read(Problem.self).merge, "\(offer.text)").ticket
            let merged = try await guest.send(
                .post, APIPath.merge, body: #"{"ticket": "\#(ticket)", "choice": "\#(way)"}"#)
            #expect(merged.status == 200, "\(merged.text)")
        }
        expect(try await verify(token), 400, .codeRefused)
        #expect(try await verify(try await order(hana)).status == 204)
        let user = try await hana.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.email == "new@example.com" && user.emailVerified)
    }

    /// How a device is put out that has joined by a transfer code.
    enum PuttingOut: CaseIterable {
        case undoneTransfer, removedKey, otherKeys, endedSession
    }

    private func putOut(_ thief: Person, by owner: Person, _ way: PuttingOut, _ notice: NoticeBody?) async throws {
        let answer =
            switch way {
            case .undoneTransfer: try await owner.undo(try #require(notice).id)
            case .removedKey: try await owner.send(.delete, APIPath.deviceKey(thief.device.thumbprint))
            case .otherKeys: try await owner.send(.delete, APIPath.deviceKeys)
            case .endedSession: try await owner.send(.delete, APIPath.session(thief.logIn.session.id))
            }
        #expect([200, 204].contains(answer.status), "\(answer.text)")
    }

    @Test(
        "gives no address that a device ordered which was put out since, nor lets it in by a transfer code of its own",
        arguments: PuttingOut.allCases, [true, false])
    func putOut(way: PuttingOut, isWritten: Bool) async throws {
        let world = try await MailServerWorld(
            application: ApplicationSettings(mail: MailSettings(verificationURL: "https://app.example.com/v")))
        let server = world.server
        let owner = try await server.person()
        let thief = try await server.joined(try await owner.issueCode().code, on: ProofMaker())
        // Whose device it is shows later.
        let notice = try await owner.acknowledgeNotices().first
        let body = #"{"email": "thief@example.com"}"#
        #expect(try await thief.send(.post, APIPath.requestEmailVerification, body: body).status == 202)
        var token: String?
        if isWritten { token = try #require(try await world.mails().first?.token) }
        let code = try await thief.issueCode().code
        try await putOut(thief, by: owner, way, notice)
        if let token {
            expect(
                try await server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(token)"}"#), 400, .codeRefused)
        } else {
            #expect(try await world.mails().allSatisfy { $0.token == nil })
        }
        #expect(try await server.redeem(code, on: ProofMaker()).status != 200)
        #expect(try await owner.send(.get, APIPath.user).read(UserBody.self).isAnonymous)
    }

    @Test(
        "gives the address that the owner ordered, whichever device was put out since", arguments: PuttingOut.allCases)
    func ownOrder(way: PuttingOut) async throws {
        let world = try await MailServerWorld(
            application: ApplicationSettings(mail: MailSettings(verificationURL: "https://app.example.com/v")))
        let owner = try await world.server.person()
        let thief = try await world.server.joined(try await owner.issueCode().code, on: ProofMaker())
        let body = #"{"email": "new@example.com"}"#
        #expect(try await owner.send(.post, APIPath.requestEmailVerification, body: body).status == 202)
        let token = try #require(try await world.mails().first?.token)
        try await putOut(thief, by: owner, way, try await owner.notices().first)
        #expect(
            try await world.server.send(.post, APIPath.verifyEmail, body: #"{"token": "\#(token)"}"#).status == 204)
        #expect(try await owner.send(.get, APIPath.user).read(UserBody.self).email == "new@example.com")
    }

    @Test("sends nothing that verifies an address which somebody else has, but tells there of the account")
    func taken() async throws {
        let world = try await MailServerWorld()
        let fresh = try await logIn(world)
        let other = try await world.server.person()
        let (application, now) = (world.server.application.id, world.server.clock.now)
        try await world.store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(Identifier(rawValue: other.logIn.user.id), in: application) else {
                throw .userUnknown
            }
            user.email = "taken@example.com"
            user.updatedAt = now
            try transaction.updateIdentifiers(of: user)
        }
        let before = try await world.mails().count
        let answer = try await fresh.send(
            .post, APIPath.requestEmailVerification, body: #"{"email": "TAKEN@example.com"}"#)
        #expect(answer.status == 202)
        let mails = try await world.mails()
        #expect(mails.count == before + 1)
        let notice = try #require(mails.first)
        #expect(notice.recipient == "taken@example.com" && notice.token == nil && notice.code == nil)
    }

    /// A code that is under way shows whose the address is, and a sign-up shows nothing (decision 0252).
    @Test(
        "gives the address to who proves it, although somebody has signed up with it meanwhile",
        arguments: [false, true])
    func takenMeanwhile(isProved: Bool) async throws {
        let world = try await MailServerWorld()
        let fresh = try await logIn(world)
        let body = #"{"email": "new@example.com"}"#
        #expect(try await fresh.send(.post, APIPath.requestEmailVerification, body: body).status == 202)
        let code = try #require(try await world.mails().first?.code)
        let made = try await world.server.signUp("mina", #", "email": "new@example.com""#)
        let other = Identifier<User>(rawValue: try made.read(LogInResponse.self).user.id)
        let (application, now) = (world.server.application.id, world.server.clock.now)
        if isProved {
            try await world.store.write { transaction throws(DomainError) in
                guard var user = try transaction.user(other, in: application) else { throw .userUnknown }
                user.emailVerifiedAt = now
                try transaction.updateIdentifiers(of: user)
            }
        }
        let answer = try await fresh.send(.post, APIPath.verifyEmail, body: #"{"code": "\#(code)"}"#)
        #expect(answer.status == (isProved ? 409 : 204), "\(answer.text)")
        let left = try await world.server.modules.directory.readUser(other, in: application)
        #expect(left.email == (isProved ? "new@example.com" : nil) && left.username == "mina")
        let user = try await fresh.send(.get, APIPath.user).read(UserBody.self)
        #expect(user.email == (isProved ? "hana@example.com" : "new@example.com"))
    }

    @Test(
        "refuses bodies that say nothing, or two things",
        arguments: ["{}", #"{"code": "1", "token": "2"}"#, #"{"code": null}"#, #"{"kode": "1"}"#])
    func badBodies(body: String) async throws {
        let world = try await MailServerWorld()
        #expect(try await world.person.send(.post, APIPath.verifyEmail, body: body).status == 400)
    }

    @Test("needs an address")
    func noAddress() async throws {
        let server = try await TestServer(settings: ["dev": "on"])
        let person = try await server.person()
        let answer = try await person.send(.post, APIPath.requestEmailVerification)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == ["email"])
    }

    /// A session of the user that is fresh: by a mailed code.
    private func logIn(_ world: MailServerWorld) async throws -> Person {
        let asked = try await world.server.send(
            .post, APIPath.requestLogInCode, body: #"{"email": "hana@example.com"}"#)
        let ticket = try asked.read(LogInCodeRequestResponse.self).ticket
        let code = try #require(try await world.mails().first?.code)
        let answer = try await world.server.send(
            .post, APIPath.logInWithCode, body: #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#)
        return Person(server: world.server, device: ProofMaker(), logIn: try answer.read(LogInResponse.self))
    }
}
