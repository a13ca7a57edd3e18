import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("A transfer to another device")
struct TransferTests {
    @Test("carries the user over: the new device's key leads to it from now on, and the old one's still does")
    func carriesOver() async throws {
        let server = try await TestServer()
        let old = try await server.person(body: #"{"user": {"displayName": "花子", "fields": {"level": 7}}}"#)
        let code = try await old.issueCode()
        #expect(code.expiresAt.millisecondsSince1970 == (server.clock.now + .days(1)).milliseconds)
        #expect(code.link == nil)
        let phone = ProofMaker()
        let new = try await server.joined(code.code.lowercased().replacing("-", with: " "), on: phone)
        #expect(new.logIn.user.id == old.logIn.user.id)
        #expect(!new.logIn.isNew && new.logIn.leftUser == nil)
        #expect(new.logIn.user.fields == ["level": 7])
        #expect(Set(new.logIn.user.identities.map(\.subject)) == [old.device.thumbprint, phone.thumbprint])
        #expect(try await new.send(.get, APIPath.user).status == 200)
        #expect(try await server.person(phone).logIn.user.id == old.logIn.user.id)
        #expect(try await server.person(old.device).logIn.user.id == old.logIn.user.id)
        let sessions = try await old.send(.get, APIPath.sessions).read(SessionListResponse.self).sessions
        #expect(sessions.contains { $0.createdWith == "transfer-code" })
    }

    @Test("reaches the old device with its next response, until it takes note, and never to the new one")
    func notices() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        #expect(try await old.send(.get, APIPath.user).noticeCount == nil)
        let new = try await server.joined(try await old.issueCode().code, on: ProofMaker(), name: "新しい電話")
        #expect(try await old.send(.get, APIPath.user).noticeCount == "1")
        #expect(try await old.send(.delete, APIPath.session("nothing")).noticeCount == "1")
        #expect(try await server.logIn(old.device).noticeCount == "1")
        #expect(try await server.logIn(new.device).noticeCount == nil)
        #expect(try await new.send(.get, APIPath.user).noticeCount == nil)
        #expect(try await new.notices().isEmpty)
        let notice = try #require(try await old.notices().first)
        #expect(notice.kind == "device_added" && notice.device?.name == "新しい電話" && notice.address == "192.0.2.1")
        #expect(notice.undoUntil?.millisecondsSince1970 == (server.clock.now + .days(1)).milliseconds)
        #expect(try await new.send(.delete, APIPath.notice(notice.id)).status == 204)
        #expect(try await old.notices().count == 1)
        #expect(try await old.send(.delete, APIPath.notice(notice.id)).status == 204)
        #expect(try await old.send(.get, APIPath.user).noticeCount == nil)
        #expect(try await old.notices().isEmpty)
    }

    @Test("leaves the new device's own user behind, says so, and has it erased when nothing leads to it")
    func leftUser() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let phone = ProofMaker()
        let first = try await server.person(phone)
        let new = try await server.joined(try await old.issueCode().code, on: phone)
        let left = try #require(new.logIn.leftUser)
        #expect(left.id == first.logIn.user.id)
        #expect(left.erasedAt?.millisecondsSince1970 == (server.clock.now + .days(7)).milliseconds)
        expect(try await first.send(.get, APIPath.user), 401, .sessionInvalid)
    }

    @Test("leaves the new device's own user alone when something else leads to it")
    func leftUserWithAnotherDevice() async throws {
        let server = try await TestServer()
        let (old, other) = (try await server.person(), try await server.person())
        let phone = ProofMaker()
        _ = try await server.joined(try await other.issueCode().code, on: phone)
        let new = try await server.joined(try await old.issueCode().code, on: phone)
        #expect(new.logIn.leftUser == LeftUserBody(id: other.logIn.user.id, erasedAt: nil))
        #expect(try await other.send(.get, APIPath.user).status == 200)
    }

    @Test("can be undone by the old device for a day: the new one is out, and has its own user again")
    func undo() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let phone = ProofMaker()
        let first = try await server.person(phone, body: #"{"user": {"displayName": "before"}}"#)
        let new = try await server.joined(try await old.issueCode().code, on: phone)
        let notice = try #require(try await old.notices().first)
        expect(try await new.undo(notice.id), 404, .transferUnknown)
        server.clock.advance(by: .days(1) - .milliseconds(1))
        #expect(try await old.undo(notice.id).status == 204)
        #expect(try await old.undo(notice.id).status == 204)
        #expect(try await old.send(.get, APIPath.user).noticeCount == nil)
        expect(try await new.send(.get, APIPath.user), 401, .sessionInvalid)
        let back = try await server.person(phone)
        #expect(back.logIn.user.id == first.logIn.user.id && back.logIn.user.displayName == "before")
        let stored = try await server.modules.directory.readUser(
            Identifier(rawValue: first.logIn.user.id), in: server.application.id)
        #expect(stored.deletionRequestedAt == nil)
    }

    @Test("when undone gives no key back to a user whom something else leads to: all keys may have ended meanwhile")
    func undoneAfterEviction() async throws {
        let server = try await TestServer()
        let (old, guest) = (try await server.person(), try await server.person())
        let phone = ProofMaker()
        _ = try await server.joined(try await guest.issueCode().code, on: phone)
        _ = try await server.joined(try await old.issueCode().code, on: phone)
        #expect(try await guest.send(.delete, APIPath.deviceKeys).status == 200)
        #expect(try await old.undo(try #require(try await old.notices().first).id).status == 204)
        expect(try await server.logIn(phone), 403, .deviceKeyRemoved)
        let again = try await server.joined(try await guest.issueCode().code, on: phone)
        #expect(again.logIn.user.id == guest.logIn.user.id)
    }

    @Test("when undone tells a device that had no user before why it is out, instead of making it a new guest")
    func undoneDevice() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let phone = ProofMaker()
        _ = try await server.joined(try await old.issueCode().code, on: phone)
        #expect(try await old.undo(try #require(try await old.notices().first).id).status == 204)
        let refused = try await server.logIn(phone)
        expect(refused, 403, .deviceKeyRemoved)
        #expect(try refused.read(Problem.self).reason == "transfer_undone")
        // By another code it joins again.
        let again = try await server.joined(try await old.issueCode().code, on: phone)
        #expect(again.logIn.user.id == old.logIn.user.id)
        #expect(try await server.logIn(phone).status == 200)
    }

    @Test("cannot be undone after a day, nor by a device that came later, nor by a stranger")
    func undoRefused() async throws {
        let server = try await TestServer()
        let (old, stranger) = (try await server.person(), try await server.person())
        let thief = try await server.joined(try await old.issueCode().code, on: ProofMaker())
        // Without it the thief's device would get no code.
        let notice = try #require(try await old.acknowledgeNotices().first)
        server.clock.advance(by: .seconds(1))
        let second = try await server.joined(try await thief.issueCode().code, on: ProofMaker())
        for person in [thief, second, stranger] {
            expect(try await person.undo(notice.id), 404, .transferUnknown)
        }
        // Logged in anew, its session is younger than the transfer, but its key is older.
        server.clock.advance(by: .days(1))
        let again = try await server.person(old.device)
        expect(try await again.undo(notice.id), 409, .undoTooLate)
        expect(try await again.undo("nothing"), 404, .transferUnknown)
    }

    @Test("counts a repetition by the same device as the same log-in")
    func lostAnswer() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let code = try await old.issueCode().code
        let phone = ProofMaker()
        let first = try await server.redeem(code, on: phone, attempt: "one").read(LogInResponse.self)
        let second = try await server.redeem(code, on: phone, attempt: "one").read(LogInResponse.self)
        #expect(first.session.id == second.session.id && first.session.token != second.session.token)
        #expect(try await old.notices().count == 1)
        expect(try await server.redeem(code, on: ProofMaker(), attempt: "one"), 403, .transferCodeRefused)
    }

    @Test("counts a repetition by a device that was the user's already as the same log-in, and no other code")
    func lostAnswerAtHome() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let code = try await old.issueCode().code
        let first = try await server.redeem(code, on: old.device, attempt: "one")
        #expect(first.status == 200, "\(first.text)")
        let second = try await server.redeem(code, on: old.device, attempt: "one")
        #expect(second.status == 200, "\(second.text)")
        let (one, two) = (try first.read(LogInResponse.self), try second.read(LogInResponse.self))
        #expect(one.session.id == two.session.id && one.session.token != two.session.token)
        // Without the attempt's name it is a code that was used, and so it is to anybody else.
        expect(try await server.redeem(code, on: old.device), 403, .transferCodeRefused)
        expect(try await server.redeem(code, on: ProofMaker(), attempt: "one"), 403, .transferCodeRefused)
        let next = try await server.person()
        let other = try await next.issueCode().code
        _ = try await server.redeem(other, on: next.device, attempt: "two")
        expect(try await server.redeem(other, on: old.device, attempt: "one"), 403, .transferCodeRefused)
    }

    @Test("needs a fresh session for a code, and refuses users who are on their way out")
    func fresh() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        server.clock.advance(by: .seconds(601))
        expect(try await old.send(.post, APIPath.transferCode), 403, .reauthenticationRequired)
        expect(try await server.send(.post, APIPath.transferCode), 401, .sessionRequired)
        #expect(try await old.send(.delete, APIPath.transferCode).status == 204)
    }

    @Test("gives a link by the application's pattern")
    func link() async throws {
        var settings = ApplicationSettings()
        settings.transferLink = "https://app.example.test/t?code={code}"
        let server = try await TestServer(application: settings)
        let code = try await server.person().issueCode()
        #expect(code.link == "https://app.example.test/t?code=\(code.code)")
        #expect(code.qrSVG.hasPrefix("<svg ") && code.qrSVG.hasSuffix("</svg>"))
    }

    @Test("stands alone where the application's link is one of before that no rule of now lets through")
    func refusedLink() async throws {
        let server = try await TestServer()
        let id = server.application.id
        try await server.store.write { transaction throws(DomainError) in
            guard var application = try transaction.application(id) else { return }
            application.settings.transferLink = "javascript:alert('{code}')"
            try transaction.update(application)
        }
        let code = try await server.person().issueCode()
        #expect(code.link == nil && code.qrSVG.hasPrefix("<svg "))
        let changed = try await server.modules.applications.changeApplication(
            id, isCurrent: { _ in true }, by: .local
        ) { $0.settings.transferLink = "https://app.example.test/#/transfer/{code}" }
        #expect(changed.settings.refusedLinks.isEmpty)
        let next = try await server.person().issueCode()
        #expect(next.link == "https://app.example.test/#/transfer/\(next.code)")
    }

    @Test("stands in the audit log, with its refusals and without the code")
    func audit() async throws {
        let server = try await TestServer()
        let old = try await server.person()
        let code = try await old.issueCode().code
        _ = try await server.joined(code, on: ProofMaker())
        _ = try await server.redeem(code, on: ProofMaker(), [("User-Agent", "thief/1.0")])
        let notice = try #require(try await old.notices().first)
        #expect(try await old.undo(notice.id).status == 204)
        let entries = try await server.modules.administration.audit.list(in: server.application.id)
        #expect(
            entries.map(\.action.rawValue).sorted() == [
                "application.created", "transfer-code.issued", "transfer-code.redeemed", "transfer-code.redeemed",
                "transfer.undone",
            ])
        let refused = try #require(entries.first { $0.result == .refused })
        #expect(refused.actor == .unknown && refused.origin.address == "192.0.2.1")
        #expect(refused.origin.userAgent == "thief/1.0" && refused.origin.requestId?.isEmpty == false)
        #expect(!String(reflecting: entries).contains(code))
        #expect(!String(reflecting: entries).contains(code.replacing("-", with: "")))
    }
}
