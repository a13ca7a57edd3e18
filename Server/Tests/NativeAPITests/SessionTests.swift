import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Sessions")
struct SessionTests {
    @Test("lists the own sessions, newest first, and marks the current one")
    func list() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let first = try await server.person(device, body: #"{"device": {"name": "Phone"}}"#)
        server.clock.advance(by: .seconds(60))
        let second = try await server.person(device)
        let answer = try await second.send(.get, APIPath.sessions)
        let sessions = try answer.read(SessionListResponse.self).sessions
        #expect(sessions.map(\.id) == [second.logIn.session.id, first.logIn.session.id])
        #expect(sessions.map(\.isCurrent) == [true, false])
        #expect(sessions.map(\.device?.name) == [nil, "Phone"])
        #expect(sessions.allSatisfy { $0.address == "192.0.2.1" && $0.createdWith == "automatic" })
    }

    @Test("ends one session: its token is dead at the next request")
    func endOne() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let (first, second) = (try await server.person(device), try await server.person(device))
        #expect(try await first.send(.get, APIPath.user).status == 200)
        let answer = try await second.send(.delete, APIPath.session(first.logIn.session.id))
        #expect(answer.status == 204 && answer.body.isEmpty)
        expect(try await first.send(.get, APIPath.user), 401, .sessionInvalid)
        expect(try await second.send(.delete, APIPath.session(first.logIn.session.id)), 404, .sessionUnknown)
        #expect(try await second.send(.get, APIPath.user).status == 200)
    }

    @Test("answers alike for a session that does not exist and one of somebody else")
    func foreignSession() async throws {
        let server = try await TestServer()
        let (one, other) = (try await server.person(), try await server.person())
        let foreign = try await one.send(.delete, APIPath.session(other.logIn.session.id))
        let unknown = try await one.send(.delete, APIPath.session("0000000000000000"))
        expect(foreign, 404, .sessionUnknown)
        var (left, right) = (try foreign.read(Problem.self), try unknown.read(Problem.self))
        (left.requestId, right.requestId) = (nil, nil)
        #expect(left == right)
        #expect(try await other.send(.get, APIPath.user).status == 200)
    }

    @Test("ends all other sessions and tells how many")
    func endOthers() async throws {
        let server = try await TestServer()
        let device = ProofMaker()
        let people = [
            try await server.person(device), try await server.person(device), try await server.person(device),
        ]
        for person in people { #expect(try await person.send(.get, APIPath.user).status == 200) }
        let answer = try await people[1].send(.delete, APIPath.sessions)
        #expect(try answer.read(EndedSessionsResponse.self).ended == 2)
        expect(try await people[0].send(.get, APIPath.user), 401, .sessionInvalid)
        expect(try await people[2].send(.get, APIPath.user), 401, .sessionInvalid)
        #expect(try await people[1].send(.get, APIPath.user).status == 200)
    }

    @Test("logs out: the token is dead, the account is not")
    func logOut() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        #expect(try await person.send(.post, APIPath.logOut).status == 204)
        expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)
        expect(try await person.send(.post, APIPath.logOut), 401, .sessionInvalid)
        #expect(try await server.person(person.device).logIn.user.id == person.logIn.user.id)
    }

    @Test("ends sessions by disuse and by age")
    func lifetimes() async throws {
        let server = try await TestServer(
            application: ApplicationSettings(sessionIdleLifetime: .days(2), sessionLifetime: .days(3)))
        let person = try await server.person()
        server.clock.advance(by: .days(1))
        #expect(try await person.send(.get, APIPath.user).status == 200)
        // As every minute: a node that forgets its cache, or another one, reads the use from the database.
        try await server.modules.sessions.writeSessionActivity()
        server.clock.advance(by: .days(1))
        #expect(try await person.send(.get, APIPath.user).status == 200)
        server.clock.advance(by: .days(1))
        expect(try await person.send(.get, APIPath.user), 401, .sessionInvalid)

        let idle = try await server.person(person.device)
        server.clock.advance(by: .days(2))
        expect(try await idle.send(.get, APIPath.user), 401, .sessionInvalid)
    }

    @Test(
        "refuses tokens that are dead, malformed or made up, all alike",
        arguments: [
            "oks_", "oks_tooshort", "nothing", "oks_" + String(repeating: "A", count: 43),
            "oks_" + String(repeating: "A", count: 42) + "=", "oks_" + String(repeating: "é", count: 43),
            String(repeating: "A", count: 10_000), "oks_" + String(repeating: "A", count: 43) + " ",
        ])
    func wrongTokens(token: String) async throws {
        let answer = try await TestServer().send(.get, APIPath.user, [("Authorization", "Bearer \(token)")])
        expect(answer, 401, .sessionInvalid)
        #expect(answer.headers[.wwwAuthenticate]?.hasPrefix(#"Bearer error="invalid_token""#) == true)
        #expect(try answer.read(Problem.self).detail == nil)
    }

    @Test(
        "wants a token, in a header that it understands",
        arguments: [
            [], [("Authorization", "")], [("Authorization", "Bearer")], [("Authorization", "Basic dTpw")],
        ] as [[(String, String)]])
    func noToken(headers: [(String, String)]) async throws {
        let answer = try await TestServer().send(.get, APIPath.user, headers)
        expect(answer, 401, .sessionRequired)
        #expect(answer.headers[.wwwAuthenticate] == #"Bearer, DPoP algs="ES256""#)
    }

    @Test("refuses two tokens in one request")
    func twoTokens() async throws {
        let person = try await TestServer().person()
        let answer = try await person.send(.get, APIPath.user, [("Authorization", "Bearer \(person.token)")])
        expect(answer, 401, .sessionInvalid)
    }

    @Test("refuses another application's token like a made-up one")
    func foreignToken() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        let other = try await server.modules.applications.createApplication(name: "Other", by: .local).application
        for _ in 0..<2 {
            let answer = try await server.send(
                .get, APIPath.user,
                [("Authorization", "Bearer \(person.token)"), ("Okaeri-Application", other.id.rawValue)],
                isNamed: false)
            expect(answer, 401, .sessionInvalid)
            // The second time the session is in the cache.
            #expect(try await person.send(.get, APIPath.user).status == 200)
        }
    }

    @Test(
        "refuses an application that is missing or unknown, on every path that needs one",
        arguments: [
            (HTTPRequest.Method.get, APIPath.user), (.patch, APIPath.user), (.post, APIPath.logOut),
            (.get, APIPath.sessions), (.delete, APIPath.sessions), (.delete, APIPath.session("x")),
            (.post, APIPath.token), (.post, APIPath.logInAutomatically),
        ])
    func unknownApplication(method: HTTPRequest.Method, path: String) async throws {
        let server = try await TestServer()
        let person = try await server.person()
        let token = ("Authorization", "Bearer \(person.token)")
        for name in [[], [("Okaeri-Application", "0000000000000000")], [("Okaeri-Application", "")]] {
            let answer = try await server.send(method, path, [token] + name, isNamed: false)
            expect(answer, 401, .applicationUnknown)
        }
    }
}
