import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// The response to a proof of presence gets lost, and the request comes again with the token of before (decision 0194).
@Suite("POST /v1/user/reauthenticate, sent again")
struct LostPresenceTests {
    private static let byPassword = #"{"password": "\#(AccountTests.password)"}"#

    private func prove(
        _ server: TestServer, _ headers: [(String, String)], named name: String?, _ body: String? = byPassword
    ) async throws -> Answer {
        try await server.send(
            .post, APIPath.reauthenticate, headers + (name.map { [(HeaderName.idempotencyKey, $0)] } ?? []), body: body)
    }

    private func token(_ answer: Answer) throws -> String {
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.read(ReauthenticationResponse.self).session.token
    }

    @Test("gets the same token for ten minutes, under its name alone, and then no more")
    func password() async throws {
        let server = try await TestServer()
        let own = try await server.signUp("hana").read(LogInResponse.self)
        server.clock.advance(by: .seconds(601))
        let first = try await prove(server, own.bearer, named: "attempt-1")
        server.clock.advance(by: .seconds(599))
        let again = try await prove(server, own.bearer, named: "attempt-1")
        #expect(try token(again) == token(first))
        // The freshness is that of the first time.
        #expect(
            try again.read(ReauthenticationResponse.self).freshUntil
                == first.read(ReauthenticationResponse.self).freshUntil)
        expect(try await prove(server, own.bearer, named: "attempt-2"), 401, .sessionInvalid)
        expect(try await prove(server, own.bearer, named: nil), 401, .sessionInvalid)
        expect(try await server.send(.get, APIPath.user, own.bearer), 401, .sessionInvalid)
        let bearer = [("Authorization", "Bearer \(try token(first))")]
        #expect(try await server.send(.get, APIPath.user, bearer).status == 200)
        server.clock.advance(by: .seconds(1))
        expect(try await prove(server, own.bearer, named: "attempt-1"), 401, .sessionInvalid)
        #expect(try await server.send(.get, APIPath.user, bearer).status == 200)
    }

    @Test("wants the password again, and another body under the name is another attempt")
    func otherProof() async throws {
        let server = try await TestServer()
        let own = try await server.signUp("hana").read(LogInResponse.self)
        _ = try token(try await prove(server, own.bearer, named: "attempt-1"))
        expect(
            try await prove(server, own.bearer, named: "attempt-1", #"{"password": "a wrong secret"}"#), 401,
            .credentialRefused)
        expect(try await prove(server, own.bearer, named: "attempt-1", #"{"totp": "123456"}"#), 401, .sessionInvalid)
    }

    @Test("wants the password also of who has the device's key, and the name of the attempt")
    func keyInsteadOfPassword() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        #expect(try await person.upgrade().status == 200)
        let bearer = [("Authorization", "Bearer \(person.token)")]
        let first = try await prove(server, bearer, named: "attempt-1")
        let proof = try person.device.proof(
            "POST", server.url(APIPath.reauthenticate), at: server.clock.now, token: person.token)
        expect(
            try await prove(server, bearer + [("DPoP", proof)], named: "attempt-1", nil), 401, .sessionInvalid)
        let again = try await prove(server, bearer, named: "attempt-1")
        #expect(try token(again) == token(first))
    }

    @Test("gets nothing once the session has another token, or has ended")
    func over() async throws {
        let server = try await TestServer()
        let own = try await server.signUp("hana").read(LogInResponse.self)
        let first = try token(try await prove(server, own.bearer, named: "attempt-1"))
        let bearer = [("Authorization", "Bearer \(first)")]
        let second = try token(try await prove(server, bearer, named: "attempt-1"))
        #expect(first != second)
        expect(try await prove(server, own.bearer, named: "attempt-1"), 401, .sessionInvalid)
        let again = try token(try await prove(server, bearer, named: "attempt-1"))
        #expect(again == second)
        #expect(
            try await server.send(.post, APIPath.logOut, [("Authorization", "Bearer \(second)")]).status == 204)
        expect(try await prove(server, bearer, named: "attempt-1"), 401, .sessionInvalid)
    }

    @Test("needs no second token of a provider's, which counts once")
    func apple() async throws {
        let world = try await AppleWorld(settings: ["dev": "on"])
        let person = try await world.person(device: ProofMaker())
        world.server.clock.advance(by: .seconds(601))
        let credential = try world.credential(nonce: "2")
        let body = #"{"provider": "apple", "credential": {"idToken": "\#(credential.identityToken)", "nonce": "2"}}"#
        let bearer = [("Authorization", "Bearer \(person.token)")]
        let first = try await prove(world.server, bearer, named: "attempt-1", body)
        let again = try await prove(world.server, bearer, named: "attempt-1", body)
        #expect(try token(again) == token(first))
        expect(try await prove(world.server, bearer, named: "attempt-2", body), 401, .sessionInvalid)
    }

    @Test("needs another proof by the session's own key where it was made by the key")
    func deviceKey() async throws {
        let server = try await TestServer()
        let guest = try await server.person()
        func bearer(_ device: ProofMaker) throws -> [(String, String)] {
            let proof = try device.proof(
                "POST", server.url(APIPath.reauthenticate), at: server.clock.now, token: guest.token)
            return [("Authorization", "Bearer \(guest.token)"), ("DPoP", proof)]
        }
        let first = try await prove(server, bearer(guest.device), named: "attempt-1", nil)
        let headers = try bearer(guest.device)
        let again = try await prove(server, headers, named: "attempt-1", nil)
        #expect(try token(again) == token(first))
        expect(try await prove(server, headers, named: "attempt-1", nil), 401, .proofReplayed)
        expect(try await prove(server, bearer(ProofMaker()), named: "attempt-1", nil), 401, .proofInvalid)
        let plain = [("Authorization", "Bearer \(guest.token)")]
        expect(try await prove(server, plain, named: "attempt-1", nil), 400, .invalidMember)
    }
}
