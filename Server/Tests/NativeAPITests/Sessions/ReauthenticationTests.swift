import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("POST /v1/user/reauthenticate, by other things than a password")
struct ReauthenticationTests {
    /// A person whom Apple knows, with a session that is not fresh.
    private func stale() async throws -> (AppleWorld, Person) {
        let world = try await AppleWorld(settings: ["dev": "on"])
        let person = try await world.person(device: ProofMaker())
        world.server.clock.advance(by: .seconds(601))
        expect(try await person.send(.get, APIPath.export), 403, .reauthenticationRequired)
        return (world, person)
    }

    private func byApple(_ person: Person, _ credential: FakeApple.Credential, nonce: String) async throws -> Answer {
        let body = ReauthenticationBody(
            provider: "apple",
            credential: ProviderLinkBody(ProviderLogInBody(idToken: credential.identityToken, nonce: nonce)))
        return try await person.send(
            .post, APIPath.reauthenticate, bytes: Array(try JSONEncoder().encode(body)))
    }

    @Test("takes a new token of Apple's about the same person, once; the session has a new token then")
    func apple() async throws {
        let (world, person) = try await stale()
        let credential = try world.credential(nonce: "2")
        let answer = try await byApple(person, credential, nonce: "2")
        #expect(answer.status == 200, "\(answer.text)")
        let token = try answer.read(ReauthenticationResponse.self).session.token
        expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)
        let fresh = [("Authorization", "Bearer \(token)")]
        #expect(try await world.server.send(.get, APIPath.export, fresh).status == 200)
        let body = #"{"provider": "apple", "credential": {"idToken": "\#(credential.identityToken)", "nonce": "2"}}"#
        expect(
            try await world.server.send(.post, APIPath.reauthenticate, fresh, body: body), 401, .providerTokenReplayed)
    }

    /// A thief who has a session's token and the account at Apple makes that session fresh, and its own.
    @Test(
        "binds the session to what was shown: it ends with that, whatever had opened it, and else stays",
        arguments: [true, false])
    func removedSince(isShown: Bool) async throws {
        let world = try await AppleWorld(settings: ["dev": "on"])
        let (server, owner) = (world.server, try await world.server.person())
        let password = "correct horse battery"
        let upgraded = try await owner.send(
            .post, APIPath.upgrade, body: #"{"username": "hana", "password": "\#(password)"}"#)
        try #require(upgraded.status == 200, "\(upgraded.text)")
        #expect(try await world.link(owner, try world.credential(nonce: "1"), nonce: "1").status == 200)
        let other = Person(
            server: server, device: ProofMaker(),
            logIn: try await server.logIn("hana", password).read(LogInResponse.self))
        server.clock.advance(by: .seconds(1))
        var token = other.token
        if isShown {
            let shown = try await byApple(other, try world.credential(nonce: "2"), nonce: "2")
            token = try shown.read(ReauthenticationResponse.self).session.token
        }
        let bearer = [("Authorization", "Bearer \(token)")]
        #expect(try await server.send(.get, APIPath.user, bearer).status == 200)
        let removed = try await owner.send(.delete, APIPath.identity("apple"))
        try #require(removed.status == 200, "\(removed.text)")
        #expect(try await server.send(.get, APIPath.user, bearer).status == (isShown ? 401 : 200))
        #expect(try await owner.send(.get, APIPath.user).status == 200)
    }

    @Test("refuses somebody else's token, known or unknown, and a token without its nonce")
    func otherPerson() async throws {
        let (world, person) = try await stale()
        let taro = FakeApple.Person(subject: "taro")
        expect(
            try await byApple(person, try world.credential(taro, nonce: "2"), nonce: "2"), 401, .credentialRefused)
        _ = try await world.person(FakeApple.Person(subject: "jiro"))
        world.server.clock.advance(by: .seconds(1))
        let jiro = try world.credential(FakeApple.Person(subject: "jiro"), nonce: "3")
        expect(try await byApple(person, jiro, nonce: "3"), 401, .credentialRefused)
        expect(
            try await byApple(person, try world.credential(nonce: "4"), nonce: "5"), 401, .providerTokenInvalid)
        expect(try await person.send(.get, APIPath.export), 403, .reauthenticationRequired)
        let entries = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        #expect(entries.filter { $0.action == .reauthenticated }.map(\.result) == [.refused, .refused])
    }

    @Test("says so when Apple cannot be reached, and nothing is changed")
    func appleDown() async throws {
        let (world, person) = try await stale()
        let code = try world.credential(nonce: "2").code
        world.apple.faults.isDown = true
        let body = #"{"provider": "apple", "credential": {"authorizationCode": "\#(code)", "nonce": "2"}}"#
        expect(try await person.send(.post, APIPath.reauthenticate, body: body), 503, .providerUnavailable)
        #expect(try await person.send(.get, APIPath.user).status == 200)
    }

    @Test("takes a code that was mailed to the user's own address, and nobody else's")
    func code() async throws {
        let (world, person) = try await stale()
        let asked = try await world.server.send(
            .post, APIPath.requestLogInCode, body: #"{"email": "hana@example.com"}"#)
        let ticket = try asked.read(LogInCodeRequestResponse.self).ticket
        _ = try await world.server.modules.messaging.deliverMail()
        let mails = try await world.server.modules.messaging.readOutbox(of: world.server.application.id)
        let code = try #require(mails.first?.code)
        let wrong = #"{"code": "00000000", "ticket": "\#(ticket)"}"#
        expect(try await person.send(.post, APIPath.reauthenticate, body: wrong), 400, .codeRefused)
        let answer = try await person.send(
            .post, APIPath.reauthenticate, body: #"{"code": "\#(code)", "ticket": "\#(ticket)"}"#)
        #expect(answer.status == 200, "\(answer.text)")
        let token = try answer.read(ReauthenticationResponse.self).session.token
        #expect(
            try await world.server.send(.get, APIPath.export, [("Authorization", "Bearer \(token)")]).status == 200)
    }

    @Test(
        "wants exactly one thing that proves",
        arguments: [
            (#"{"password": "x", "code": "1", "ticket": "t"}"#, "code"),
            (#"{"password": "x", "provider": "apple", "credential": {"idToken": "x"}}"#, "provider"),
            (#"{"code": "1"}"#, "ticket"), (#"{"ticket": "1"}"#, "code"), (#"{"provider": "apple"}"#, "credential"),
            (#"{"credential": {"idToken": "x"}}"#, "provider"),
            (#"{"provider": "apple", "credential": {}}"#, "idToken"),
            ("{}", "password"),
        ])
    func ambiguous(_ body: String, field: String) async throws {
        let world = try await AppleWorld()
        let person = try await world.person()
        let answer = try await person.send(.post, APIPath.reauthenticate, body: body)
        expect(answer, 400, .invalidMember)
        let errors = try answer.read(Problem.self).errors
        #expect(errors?.map(\.field) == [field])
        #expect(errors?.first?.detail != "The value has the wrong form.")
    }
}
