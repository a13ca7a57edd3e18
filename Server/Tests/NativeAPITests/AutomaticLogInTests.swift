import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("POST /v1/log-in/automatic")
struct AutomaticLogInTests {
    @Test("makes a user at the first launch and knows the user at the second")
    func twoLaunches() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let first = try await server.logIn(
            device,
            body: """
                {"device": {"name": "Hana's iPhone", "model": "iPhone17,1", "system": "iOS 19.1", "appVersion": "2.4"},
                 "user": {"displayName": "花", "locale": "ja", "fields": {"level": 1, "items": ["a", null, 1.5]}}}
                """)
        #expect(first.status == 201)
        let new = try first.read(LogInResponse.self)
        #expect(new.isNew && new.previousLogInAt == nil)
        #expect(new.user.isAnonymous && new.user.displayName == "花" && new.user.locale == "ja")
        #expect(new.user.fields == ["level": 1, "items": ["a", nil, 1.5]])
        #expect(new.user.identities.map(\.subject) == [device.thumbprint])
        #expect(new.session.idleSeconds == 60 * 86_400)

        let time = server.clock.now
        server.clock.advance(by: .seconds(3600))
        let second = try await server.logIn(device)
        #expect(second.status == 200)
        let known = try second.read(LogInResponse.self)
        #expect(!known.isNew && known.user.id == new.user.id)
        #expect(known.previousLogInAt == WireTime(millisecondsSince1970: time.milliseconds))
        #expect(known.session.token != new.session.token)
    }

    @Test("makes one user of twenty simultaneous first launches with one key")
    func race() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 { group.addTask { try await server.logIn(device) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 201 }.count == 1)
        #expect(answers.filter { $0.status == 200 }.count == 19)
        let users = try answers.map { try $0.read(LogInResponse.self).user.id }
        #expect(Set(users).count == 1)
    }

    @Test("answers a repetition with the same Idempotency-Key as the first try")
    func repetition() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let first = try await server.logIn(device, [("Idempotency-Key", "attempt-1")]).read(LogInResponse.self)
        let second = try await server.logIn(device, [("Idempotency-Key", "attempt-1")])
        let repeated = try second.read(LogInResponse.self)
        #expect(repeated.isNew && repeated.user.id == first.user.id)
        #expect(repeated.session.id == first.session.id)
        let other = try await server.logIn(device, [("Idempotency-Key", "attempt-2")]).read(LogInResponse.self)
        #expect(other.session.id != first.session.id)
    }

    @Test("refuses an Idempotency-Key that comes again with another body")
    func reusedKey() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let key = [("Idempotency-Key", "attempt-1")]
        let body = #"{"user": {"displayName": "花", "fields": {"a": 1, "b": 2}}}"#
        #expect(try await server.logIn(device, key, body: body).status == 201)
        expect(try await server.logIn(device, key), 409, .idempotencyKeyReused)
        let respelt = #"{"user":{"fields":{"b":2,"a":1},"displayName":"花"}}"#
        #expect(try await server.logIn(device, key, body: respelt).status == 201)
    }

    @Test(
        "refuses an Idempotency-Key of the wrong form",
        arguments: ["", "two words", String(repeating: "k", count: 256)])
    func wrongKey(key: String) async throws {
        let server = try await TestServer()
        expect(try await server.logIn(ProofMaker(), [("Idempotency-Key", key)]), 400, .invalidHeader)
    }

    @Test("wants a proof")
    func noProof() async throws {
        let answer = try await TestServer().send(.post, APIPath.logInAutomatically)
        expect(answer, 401, .proofRequired)
        #expect(answer.headers[.wwwAuthenticate] == #"DPoP algs="ES256""#)
    }

    @Test("does not tell one application's users to another")
    func applications() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let here = try await server.person(device)
        let other = try await server.modules.applications.createApplication(name: "Other", by: .local).application
        let proof = try device.proof("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        let answer = try await server.send(
            .post, APIPath.logInAutomatically, [("DPoP", proof), ("Okaeri-Application", other.id.rawValue)],
            isNamed: false)
        #expect(answer.status == 201)
        #expect(try answer.read(LogInResponse.self).user.id != here.logIn.user.id)
    }
}
