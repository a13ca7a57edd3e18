import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("A second factor")
struct SecondFactorTests {
    @Test("is asked for with a word about passkeys, so that nobody is offered one who has none")
    func passkey() async throws {
        let world = try await SecondFactorWorld()
        let (passkeys, authenticator) = (try await PasskeyWorld(on: world.server), SoftwareAuthenticator())
        let person = try await world.person()
        _ = try await world.enrol(person)
        #expect(try await world.ticket().hasPasskey == false)
        _ = try await passkeys.add(authenticator, to: person)
        #expect(try await world.ticket().hasPasskey == true)
    }

    @Test("is added by a code, is listed, and is asked for at the next log-in from elsewhere")
    func added() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let (key, factor, codes) = try await world.enrol(person)
        #expect(codes.count == 10 && Set(codes).count == 10)
        let listed = try await person.send(.get, APIPath.secondFactors).read(SecondFactorListResponse.self)
        #expect(listed.factors.map(\.id) == [factor] && listed.recoveryCodesLeft == 10)
        let challenge = try await world.ticket()
        #expect(challenge.factors == ["totp", "recovery-code"])
        let done = try await world.finish(challenge.ticket, #""code": "\#(try world.nextCode(key))""#)
        #expect(done.status == 200, "\(done.text)")
        #expect(try done.read(LogInResponse.self).user.id == person.logIn.user.id)
    }

    @Test("stores no key and no code as it is")
    func sealed() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let (key, _, codes) = try await world.enrol(person)
        let application = world.server.application.id
        let user = Identifier<User>(rawValue: person.logIn.user.id)
        let stored = try await world.server.store.read { transaction throws(DomainError) -> [String] in
            try transaction.totpFactors(of: user, in: application).map { String(decoding: $0.sealedKey, as: UTF8.self) }
                + transaction.recoveryCodes(of: user, in: application).map { String(decoding: $0.bytes, as: UTF8.self) }
        }
        #expect(stored.count == 11)
        #expect(!stored.contains { text in ([key] + codes).contains { text.contains($0) } })
    }

    @Test("counts each code once, also of the steps beside the present one, and no older")
    func replay() async throws {
        let world = try await SecondFactorWorld()
        let (key, _, _) = try await world.enrol(try await world.person())
        // The code that confirmed it.
        expect(
            try await world.finish(try await world.ticket().ticket, #""code": "\#(try world.code(key))""#), 401,
            .secondFactorInvalid)
        let code = try world.nextCode(key)
        #expect(try await world.finish(try await world.ticket().ticket, #""code": "\#(code)""#).status == 200)
        expect(
            try await world.finish(try await world.ticket().ticket, #""code": "\#(code)""#), 401,
            .secondFactorInvalid)
        let late = try world.nextCode(key)
        world.server.clock.advance(by: .seconds(30))
        let ticket = try await world.ticket().ticket
        #expect(try await world.finish(ticket, #""code": "\#(late)""#).status == 200)
        let old = try world.nextCode(key)
        world.server.clock.advance(by: .seconds(60))
        expect(
            try await world.finish(try await world.ticket().ticket, #""code": "\#(old)""#), 401,
            .secondFactorInvalid)
    }

    @Test("opens one session when the same code comes ten times at once with ten tickets")
    func together() async throws {
        let world = try await SecondFactorWorld(settings: ["rate-limits": "off"])
        let (key, _, _) = try await world.enrol(try await world.person())
        let code = try world.nextCode(key)
        var tickets: [String] = []
        for _ in 0..<10 { tickets.append(try await world.ticket().ticket) }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for ticket in tickets {
                group.addTask { try await world.finish(ticket, #""code": "\#(code)""#).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200] + [Int](repeating: 401, count: 9))
    }

    @Test("is answered again for the same session when the response got lost")
    func retry() async throws {
        let world = try await SecondFactorWorld()
        let (key, _, codes) = try await world.enrol(try await world.person())
        for rest in [#""code": "\#(try world.nextCode(key))""#, #""recoveryCode": "\#(codes[0])""#] {
            let ticket = try await world.ticket().ticket
            let first = try await world.finish(ticket, rest).read(LogInResponse.self)
            let second = try await world.finish(ticket, rest).read(LogInResponse.self)
            #expect(first.session.id == second.session.id && first.session.token != second.session.token)
            expect(try await world.finish(ticket, #""code": "000000""#), 409, .idempotencyKeyReused)
        }
    }

    @Test("is not passed by a sign-up that comes again under its name, and the session that it opened goes on")
    func repeatedSignUp() async throws {
        let world = try await SecondFactorWorld()
        func signUp() async throws -> Answer {
            try await world.server.signUp("hana", headers: [("Idempotency-Key", "one")])
        }
        let made = try await signUp()
        #expect(made.status == 201)
        let owner = Person(server: world.server, device: ProofMaker(), logIn: try made.read(LogInResponse.self))
        _ = try await world.enrol(owner)
        expect(try await signUp(), 409, .identifierTaken)
        #expect(try await owner.send(.get, APIPath.user).status == 200)
    }

    @Test("makes who guesses wait, and nobody else: the device's own log-in goes on")
    func guesses() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let (key, _, _) = try await world.enrol(person)
        let ticket = try await world.ticket().ticket
        for number in 0..<5 {
            expect(try await world.finish(ticket, #""code": "00000\#(number)""#), 401, .secondFactorInvalid)
        }
        let code = try world.code(key)
        expect(try await world.finish(ticket, #""code": "\#(code)""#), 429, .rateLimited)
        #expect(try await world.server.logIn(person.device).status == 200)
    }

    @Test("takes each recovery code once, however it is written, and none after they were replaced")
    func recoveryCodes() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let (_, _, codes) = try await world.enrol(person)
        let written = codes[0].uppercased().replacingOccurrences(of: "-", with: " ")
        #expect(
            try await world.finish(try await world.ticket().ticket, #""recoveryCode": "\#(written)""#).status == 200)
        expect(
            try await world.finish(try await world.ticket().ticket, #""recoveryCode": "\#(codes[0])""#), 401,
            .secondFactorInvalid)
        let replaced = try await person.send(.post, APIPath.recoveryCodes)
        let new = try replaced.read(RecoveryCodesResponse.self).recoveryCodes
        #expect(replaced.status == 201 && new.count == 10 && Set(new).isDisjoint(with: codes))
        expect(
            try await world.finish(try await world.ticket().ticket, #""recoveryCode": "\#(codes[1])""#), 401,
            .secondFactorInvalid)
        #expect(try await world.finish(try await world.ticket().ticket, #""recoveryCode": "\#(new[1])""#).status == 200)
        let listed = try await person.send(.get, APIPath.secondFactors).read(SecondFactorListResponse.self)
        #expect(listed.recoveryCodesLeft == 9)
    }

    @Test(
        "is confirmed again with the same recovery codes when the response got lost, and once when it comes ten times")
    func confirmedAgain() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let body = try world.confirmation(try await world.offer(to: person))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<10 { group.addTask { try await person.send(.post, APIPath.totp, body: body) } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        let read = try answers.map { try $0.read(NewSecondFactorResponse.self) }
        #expect(Set(read.map(\.factor.id)).count == 1 && Set(read.map { $0.recoveryCodes ?? [] }).count == 1)
        #expect(read.first?.recoveryCodes?.count == 10)
        let actions = try await world.server.modules.administration.audit.list(in: world.server.application.id)
            .map(\.action.rawValue)
        #expect(actions.count { $0 == "second-factor.added" } == 1)
    }

    @Test("shows recovery codes once when two enrolments are confirmed at once")
    func twoAtOnce() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let bodies = [
            try world.confirmation(try await world.offer(to: person)),
            try world.confirmation(try await world.offer(to: person)),
        ]
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for body in bodies { group.addTask { try await person.send(.post, APIPath.totp, body: body) } }
            return try await group.reduce(into: [Answer]()) { $0.append($1) }
        }
        // The second one comes from a session that has shown the first, or not yet.
        #expect(answers.allSatisfy { $0.status == 201 || $0.code == .secondFactorNotRecent })
        let added = try answers.filter { $0.status == 201 }.map { try $0.read(NewSecondFactorResponse.self) }
        #expect(added.count { $0.recoveryCodes != nil } == 1)
    }

    @Test("is added and removed only by an owner who was there lately, and removed only with a code")
    func stolenSession() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let (key, factor, _) = try await world.enrol(person)
        world.server.clock.advance(by: .seconds(700))
        for (method, path) in [
            (HTTPRequest.Method.post, APIPath.requestTOTP), (.delete, APIPath.secondFactor(factor)),
            (.post, APIPath.recoveryCodes),
        ] {
            expect(try await person.send(method, path), 403, .reauthenticationRequired)
        }
        let byPassword = try await person.send(
            .post, APIPath.reauthenticate, body: #"{"password": "\#(SecondFactorWorld.password)"}"#)
        let fresh = try byPassword.read(ReauthenticationResponse.self).session.token
        func send(_ method: HTTPRequest.Method, _ path: String, _ token: String) async throws -> Answer {
            try await world.server.send(method, path, [("Authorization", "Bearer \(token)")])
        }
        // A password alone adds nothing that counts as two factors, and takes nothing away.
        for (method, path) in [
            (HTTPRequest.Method.post, APIPath.requestTOTP), (.delete, APIPath.secondFactor(factor)),
            (.post, APIPath.recoveryCodes), (.post, APIPath.transferCode),
        ] {
            expect(try await send(method, path, fresh), 403, .secondFactorNotRecent)
        }
        let byCode = try await world.server.send(
            .post, APIPath.reauthenticate, [("Authorization", "Bearer \(fresh)")],
            body: #"{"totp": "\#(try world.nextCode(key))"}"#)
        let proven = try byCode.read(ReauthenticationResponse.self).session.token
        #expect(try await send(.delete, APIPath.secondFactor(factor), proven).status == 204)
        #expect(try await world.logIn().status == 200)
    }

    @Test("is used before it is removed, or not at all, when both come at once")
    func removedWhileUsed() async throws {
        let world = try await SecondFactorWorld()
        for number in 0..<10 {
            let name = "hana\(number)"
            let person = try await world.person(name)
            let (key, factor, _) = try await world.enrol(person)
            let ticket = try await world.ticket(name).ticket
            let code = try world.nextCode(key)
            async let finishing = world.finish(ticket, #""code": "\#(code)""#)
            async let removal = person.send(.delete, APIPath.secondFactor(factor))
            let (finished, removed) = try await (finishing, removal)
            #expect(removed.status == 204, "\(removed.text)")
            #expect(finished.status == 200 || finished.code == .secondFactorTicketInvalid, "\(finished.text)")
            #expect(try await world.logIn(name).status == 200)
        }
    }

    @Test("ends tickets of log-ins with a reset of the password, which does not remove it")
    func reset() async throws {
        let world = try await EvictionWorld()
        let factors = try await SecondFactorWorld(on: world.server)
        let (key, _, _) = try await factors.enrol(world.owner)
        let refused = try await world.server.logIn("hana", EvictionWorld.password)
        let ticket = try #require(try refused.read(Problem.self).secondFactor).ticket
        let reset = try await world.server.send(
            .post, APIPath.resetPassword,
            body: #"{"token": "\#(try await world.resetToken())", "newPassword": "a quite new secret"}"#)
        #expect(reset.status == 204, "\(reset.text)")
        expect(
            try await factors.finish(ticket, #""code": "\#(try factors.nextCode(key))""#), 401,
            .secondFactorTicketInvalid)
        expect(try await world.server.logIn("hana", "a quite new secret"), 403, .secondFactorRequired)
    }

    @Test("refuses tickets that are altered, too old, or of another application")
    func tickets() async throws {
        let (world, other) = (try await SecondFactorWorld(), try await SecondFactorWorld())
        let (key, _, _) = try await world.enrol(try await world.person())
        let ticket = try await world.ticket().ticket
        for wrong in ["", "wrong", String(ticket.dropLast(4)), String(repeating: "A", count: 100_000)] {
            expect(
                try await world.finish(wrong, #""code": "\#(try world.code(key))""#), 401, .secondFactorTicketInvalid)
        }
        expect(try await other.finish(ticket, #""code": "123456""#), 401, .secondFactorTicketInvalid)
        world.server.clock.advance(by: .seconds(300))
        expect(
            try await world.finish(ticket, #""code": "\#(try world.code(key))""#), 401, .secondFactorTicketInvalid)
    }

    @Test("refuses a body without a factor, or with two")
    func bodies() async throws {
        let world = try await SecondFactorWorld()
        _ = try await world.enrol(try await world.person())
        let ticket = try await world.ticket().ticket
        for rest in [#""name": "x""#, #""code": "1", "recoveryCode": "2""#, #""enrolment": "x""#] {
            expect(try await world.finish(ticket, rest), 400, .invalidMember)
        }
        let long = String(repeating: "1", count: 100_000)
        expect(try await world.finish(ticket, #""code": "\#(long)""#), 401, .secondFactorInvalid)
        expect(try await world.finish(ticket, #""recoveryCode": "\#(long)""#), 401, .secondFactorInvalid)
        expect(try await world.finish(long, #""code": "123456""#), 401, .secondFactorTicketInvalid)
    }

    @Test("is not passed by a transfer code that was redeemed before it was added, and comes again")
    func redeemedBefore() async throws {
        let world = try await SecondFactorWorld { $0.deviceKeysCount = false }
        let (person, thief) = (try await world.person(), ProofMaker())
        let code = try await person.issueCode().code
        _ = try await world.server.joined(code, on: thief)
        #expect(try await world.server.redeem(code, on: thief).status == 200)
        _ = try await world.enrol(person)
        expect(try await world.server.redeem(code, on: thief), 403, .transferCodeRefused)
        expect(try await world.server.logIn(thief), 403, .secondFactorRequired)
    }

    @Test("is not passed by a transfer code that was given out and redeemed while the application asked nobody for it")
    func redeemedWhileOff() async throws {
        let world = try await SecondFactorWorld()
        let (person, thief) = (try await world.person(), ProofMaker())
        _ = try await world.enrol(person)
        world.server.clock.advance(by: .seconds(1))
        try await world.change { $0.mode = .off }
        // A stolen password is enough for it.
        let code = try await person.issueCode().code
        _ = try await world.server.joined(code, on: thief)
        #expect(try await world.server.logIn(thief).status == 200)
        try await world.change { $0.mode = .optional }
        expect(try await world.server.logIn(thief), 403, .secondFactorRequired)
        expect(try await world.server.redeem(code, on: thief), 403, .transferCodeRefused)
        #expect(try await world.server.logIn(person.device).status == 200)
    }

    @Test("has a name of a hundred characters at most")
    func names() async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        let offer = try await world.offer(to: person)
        for (count, status) in [(100_000, 400), (101, 400), (100, 201)] {
            let name = String(repeating: "x", count: count)
            let body =
                #"{"ticket": "\#(offer.ticket)", "code": "\#(try world.code(offer.secret))", "name": "\#(name)"}"#
            #expect(try await person.send(.post, APIPath.totp, body: body).status == status)
        }
    }

    @Test("is finished on the device on which the log-in began")
    func device() async throws {
        let world = try await SecondFactorWorld()
        let (key, _, _) = try await world.enrol(try await world.person())
        let device = ProofMaker()
        let ticket = try await world.ticket(device: device).ticket
        let code = try world.nextCode(key)
        expect(try await world.finish(ticket, #""code": "\#(code)""#), 401, .proofRequired)
        expect(try await world.finish(ticket, #""code": "\#(code)""#, device: ProofMaker()), 401, .proofInvalid)
        #expect(try await world.finish(ticket, #""code": "\#(code)""#, device: device).status == 200)
        // Its key joined, and counts as the second factor from now on.
        #expect(try await world.logIn(device: device).status == 200)
        #expect(try await world.server.logIn(device).status == 200)
    }
}
