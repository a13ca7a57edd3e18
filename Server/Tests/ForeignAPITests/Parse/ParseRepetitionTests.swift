import HTTPTypes
import TestWorld
import Testing

/// SDKs repeat a request whose response was lost, by the name that they gave it.
@Suite("A repeated sign-up of Parse")
struct ParseRepetitionTests {
    private static let id = "0b4c7e52-6f0e-4f0a-9d5e-2f3b8c1d7a90"
    private static let mika = #"{"username":"Mika","password":"s3cret","score":7}"#

    private let world: ForeignWorld

    init() async throws {
        world = try await ForeignWorld()
    }

    private func signUp(
        _ body: String = Self.mika, id: String = Self.id, installation: String? = nil
    ) async throws -> Answer {
        try await world.parse("POST", "/users", body, installation: installation, [("X-Parse-Request-Id", id)])
    }

    private func isAlive(_ token: String) async throws -> Bool {
        try await world.parse("GET", "/users/me", token: token).status == 200
    }

    @Test("gets the answer of the first try, with a session that works in the place of the lost one")
    func repeated() async throws {
        let lost = try await signUp(installation: "phone")
        // The same members in another order are the same request.
        let body = #"{"score":7,"password":"s3cret","username":"Mika"}"#
        let again = try await signUp(body, installation: "phone")
        #expect(lost.status == 201 && again.status == 201, "\(again.text)")
        for name in ["objectId", "createdAt"] { #expect(try again.text(name) == lost.text(name)) }
        #expect(again.headers[.location] == lost.headers[.location])
        let (first, second) = (try lost.text("sessionToken"), try again.text("sessionToken"))
        #expect(first != second)
        #expect(try await isAlive(second))
        #expect(try await !isAlive(first))
        let sessions = try await world.parse("GET", "/sessions", token: second)
        #expect(try sessions.results().count == 1)
    }

    @Test("gets that answer too where an anonymous id came along, which leads to nobody beside a password")
    func repeatedWithAnonymousId() async throws {
        func body(_ password: String) -> String {
            #"{"username":"Mika","password":"\#(password)","#
                + #""authData":{"anonymous":{"id":"a5f0d7b2-97c3-4c68-8e35-0a4d3c1b2f4e"}}}"#
        }
        let lost = try await signUp(body("s3cret"), installation: "phone")
        let again = try await signUp(body("s3cret"), installation: "phone")
        #expect(lost.status == 201 && again.status == 201, "\(again.text)")
        #expect(try again.text("objectId") == lost.text("objectId"))
        let token = try again.text("sessionToken")
        for other in [try await signUp(body("guessed")), try await signUp(body("s3cret"), id: "another")] {
            #expect(other.status == 400 && other.parseCode == 202, "\(other.text)")
        }
        #expect(try await isAlive(token))
    }

    @Test("works for the JavaScript SDK, whose credentials stand in the body")
    func envelope() async throws {
        let body =
            #"{"username":"Hana","password":"s3cret","_ApplicationId":"app1","_JavaScriptKey":"jskey","#
            + #""_InstallationId":"phone","_method":"POST"}"#
        let headers = [("Content-Type", "text/plain"), ("X-Parse-Request-Id", Self.id)]
        let lost = try await world.send("POST", "/parse/users", headers, body: body)
        let again = try await world.send("POST", "/parse/users", headers, body: body)
        #expect(lost.status == 201 && again.status == 201, "\(again.text)")
        #expect(try again.text("objectId") == lost.text("objectId"))
    }

    @Test(
        "is 202 for a request for something else, and the session of the first try lives on",
        arguments: [
            (#"{"username":"Mika","password":"guessed","score":7}"#, Self.id),
            (#"{"username":"Mika","password":"s3cret","score":8}"#, Self.id),
            (#"{"username":"mika","password":"s3cret","score":7}"#, Self.id), (Self.mika, "another"), (Self.mika, ""),
            (Self.mika, String(repeating: "a", count: 256)),
        ])
    func other(body: String, id: String) async throws {
        let token = try await signUp().text("sessionToken")
        let answer = try await signUp(body, id: id)
        #expect(answer.status == 400 && answer.parseCode == 202, "\(answer.text)")
        #expect(try await isAlive(token))
    }

    @Test("is 202 when its name is too long to be one")
    func unnamed() async throws {
        let long = String(repeating: "a", count: 256)
        #expect(try await signUp(id: long).status == 201)
        #expect(try await signUp(id: long).parseCode == 202)
    }

    @Test("is 202 a day later", arguments: [(86_399, 201), (86_400, 400)])
    func late(seconds: Int, status: Int) async throws {
        _ = try await signUp()
        world.clock.advance(by: .seconds(seconds))
        #expect(try await signUp().status == status)
    }

    @Test("is 202 when its session has ended, by a log-out, a log-in on the same device, or another password")
    func ended() async throws {
        let first = try await signUp(installation: "phone")
        _ = try await world.parse("POST", "/logout", "{}", token: try first.text("sessionToken"))
        #expect(try await signUp(installation: "phone").parseCode == 202)
        for (name, method, path) in [("Hana", "POST", "/login"), ("Yuki", "PUT", "/users/")] {
            let body = #"{"username":"\#(name)","password":"s3cret"}"#
            let made = try await signUp(body, installation: "phone")
            let change = method == "PUT" ? #"{"password":"other"}"# : body
            let target = method == "PUT" ? path + (try made.text("objectId")) : path
            let answer = try await world.parse(
                method, target, change, token: try made.text("sessionToken"), installation: "phone")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await signUp(body, installation: "phone").parseCode == 202)
        }
    }

    @Test("is counted like a new user, so that nobody tries passwords by it without end")
    func limited() async throws {
        let world = try await ForeignWorld(server: ["old-app-first-launches": "2"])
        var answers: [Int] = []
        for password in ["s3cret", "guess", "another guess"] {
            let body = #"{"username":"Mika","password":"\#(password)"}"#
            let answer = try await world.parse("POST", "/users", body, [("X-Parse-Request-Id", Self.id)])
            answers.append(answer.status)
        }
        #expect(answers == [201, 400, 429])
    }
}
