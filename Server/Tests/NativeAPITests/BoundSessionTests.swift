import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Proofs that come with a session token")
struct BoundSessionTests {
    @Test(
        "accepts the session's key, by both schemes, where a proof is required", arguments: ["DPoP", "Bearer", "dpop"])
    func bound(scheme: String) async throws {
        let person = try await Self.strictServer().person()
        #expect(try await person.send(.get, APIPath.user, proof: person.proof(), scheme: scheme).status == 200)
    }

    @Test(
        "ends a session by its token, whatever proof comes with it", arguments: ["none", "nonsense", "another key's"])
    func logOut(proof: String) async throws {
        let server = try await Self.strictServer()
        let person = try await server.person()
        let ended =
            switch proof {
            case "none": try await person.send(.post, APIPath.logOut)
            case "nonsense": try await person.send(.post, APIPath.logOut, proof: proof)
            default:
                try await person.send(
                    .post, APIPath.logOut,
                    proof: ProofMaker().proof(
                        "POST", server.url(APIPath.logOut), at: server.clock.now, token: person.token))
            }
        #expect(ended.status == 204, "\(ended.text)")
        expect(try await person.send(.get, APIPath.user, proof: person.proof()), 401, .sessionInvalid)
        expect(try await person.send(.post, APIPath.logOut), 401, .sessionInvalid)
        expect(try await server.send(.post, APIPath.logOut), 401, .sessionRequired)
    }

    @Test("ends a session without a key while proofs are wanted, and it does not come back when they are not any more")
    func keylessLogOut() async throws {
        let server = try await TestServer()
        let answer = try await server.signUp("hana")
        let person = Person(server: server, device: ProofMaker(), logIn: try answer.read(LogInResponse.self))
        for areWanted in [true, false] {
            _ = try await server.modules.applications.changeApplication(
                server.application.id, isCurrent: { _ in true }, by: .local
            ) { $0.settings.proofRequired = areWanted }
            if areWanted { #expect(try await person.send(.post, APIPath.logOut).status == 204) }
            expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)
        }
    }

    @Test("wants a proof at every other request where the application requires one")
    func required() async throws {
        let person = try await Self.strictServer().person()
        for (method, path) in [
            (HTTPRequest.Method.get, APIPath.user), (.patch, APIPath.user), (.get, APIPath.sessions),
            (.delete, APIPath.sessions), (.post, APIPath.token),
        ] {
            expect(try await person.send(method, path), 401, .proofRequired)
        }
    }

    @Test("says of a session without a key that it is over once proofs are required", arguments: [false, true])
    func keyless(hasProof: Bool) async throws {
        let server = try await TestServer()
        let answer = try await server.signUp("hana")
        let person = Person(server: server, device: ProofMaker(), logIn: try answer.read(LogInResponse.self))
        func ask() async throws -> Answer {
            guard hasProof else { return try await person.send(.get, APIPath.user) }
            return try await person.send(.get, APIPath.user, proof: person.proof())
        }
        if hasProof {
            expect(try await ask(), 401, .proofInvalid)
        } else {
            #expect(try await ask().status == 200)
        }
        _ = try await server.modules.applications.changeApplication(
            server.application.id, isCurrent: { _ in true }, by: .local
        ) { $0.settings.proofRequired = true }
        expect(try await ask(), 401, .sessionInvalid)
        // What is wanted is a log-in with a key.
        expect(try await server.logIn("hana", AccountTests.password), 401, .proofRequired)
        let proof = try person.device.proof("POST", server.url(APIPath.logInWithPassword), at: server.clock.now)
        let again = try await server.logIn("hana", AccountTests.password, headers: [("DPoP", proof)])
        #expect(again.status == 200)
    }

    @Test("wants a proof with the scheme DPoP, even where none is required")
    func schemeWithoutProof() async throws {
        let person = try await TestServer().person()
        let answer = try await person.server.send(
            .get, APIPath.user, [("Authorization", "DPoP \(person.token)")])
        expect(answer, 401, .proofRequired)
    }

    @Test("refuses a proof without ath, and with another token's", arguments: [true, false])
    func wrongBinding(isMissing: Bool) async throws {
        let server = try await Self.strictServer()
        let person = try await server.person()
        let other = isMissing ? nil : try await server.person(person.device).token
        let proof = try person.device.proof("GET", server.url(APIPath.user), at: server.clock.now, token: other)
        let answer = try await person.send(.get, APIPath.user, proof: proof)
        expect(answer, 401, .proofInvalid)
        #expect(try answer.read(Problem.self).detail?.contains("ath") == true)
    }

    @Test("refuses another device's proof for a stolen token")
    func stolenToken() async throws {
        let server = try await Self.strictServer()
        let (owner, thief) = (try await server.person(), ProofMaker())
        let proof = try thief.proof("GET", server.url(APIPath.user), at: server.clock.now, token: owner.token)
        expect(try await owner.send(.get, APIPath.user, proof: proof), 401, .proofInvalid)
    }

    @Test("refuses a proof the second time")
    func replay() async throws {
        let person = try await Self.strictServer().person()
        let proof = try person.proof()
        #expect(try await person.send(.get, APIPath.user, proof: proof).status == 200)
        expect(try await person.send(.get, APIPath.user, proof: proof), 401, .proofReplayed)
    }

    @Test("checks a proof that is there although none is required")
    func needless() async throws {
        let person = try await TestServer().person()
        #expect(try await person.send(.get, APIPath.user, proof: person.proof(), scheme: "Bearer").status == 200)
        expect(try await person.send(.get, APIPath.user, proof: "nonsense", scheme: "Bearer"), 401, .proofInvalid)
    }

    private static func strictServer() async throws -> TestServer {
        try await TestServer(application: ApplicationSettings(proofRequired: true))
    }
}

extension Person {
    /// A right proof for reading the own user.
    fileprivate func proof() throws -> String {
        try device.proof("GET", server.url(APIPath.user), at: server.clock.now, token: token)
    }
}
