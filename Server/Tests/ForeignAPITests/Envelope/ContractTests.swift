import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("What AuthService's apps count on")
struct ContractTests {
    private static let person =
        #"{"id":"mina26","password":"pw-1234","name":"Mina","email":"mina@example.com","phone":"010-1234-5678"}"#

    private func signIn(_ body: String, at world: ForeignWorld) async throws -> Answer {
        try await world.send("POST", "/user/signin", [("Content-Type", "application/json")], body: body)
    }

    @Test("a sign-up that works is 200, with 204 in the body and no data")
    func signUp() async throws {
        let world = try await ForeignWorld()
        let answer = try await world.send("POST", "/user/signup", body: Self.person)
        #expect(answer.status == 200)
        #expect(
            try answer.json() == ["status": .integer(204), "success": true, "message": "회원 가입 성공"])
    }

    @Test("an id that is taken is 200, with 200 in the body, no success and a message")
    func taken() async throws {
        let world = try await ForeignWorld()
        _ = try await world.send("POST", "/user/signup", body: Self.person)
        let answer = try await world.send("POST", "/user/signup", body: Self.person)
        #expect(answer.status == 200)
        #expect(
            try answer.json() == ["status": .integer(200), "success": false, "message": "이미 존재하는 ID입니다."])
    }

    @Test(
        "a value that is missing or empty is 200 with a message",
        arguments: [#"{"id":"a"}"#, #"{"password":"b"}"#, #"{"id":"","password":"b"}"#, #"{"id":"a","password":""}"#],
        ["/user/signup", "/user/signin"])
    func missing(body: String, path: String) async throws {
        let answer = try await ForeignWorld().send("POST", path, body: body)
        #expect(answer.status == 200)
        #expect(try answer.json()["success"] == false && answer.text("message") == "필요한 값이 없습니다.")
        #expect(try answer.json()["data"] == nil)
    }

    @Test("a log-in that works has success and a token in data.jwt")
    func signInWorks() async throws {
        let world = try await ForeignWorld()
        _ = try await world.send("POST", "/user/signup", body: Self.person)
        let answer = try await signIn(Self.person, at: world)
        #expect(answer.status == 200)
        #expect(try answer.json()["success"] == true && answer.json()["status"] == .integer(200))
        guard case .object(let data)? = try answer.json()["data"], case .string(let token)? = data["jwt"] else {
            throw Missing(description: answer.text)
        }
        #expect(!token.isEmpty && data.count == 1)
    }

    @Test("an unknown id and a wrong password are one answer, without data")
    func signInRefused() async throws {
        let world = try await ForeignWorld()
        _ = try await world.send("POST", "/user/signup", body: Self.person)
        let wrong = try await signIn(#"{"id":"mina26","password":"no"}"#, at: world)
        let unknown = try await signIn(#"{"id":"nobody","password":"no"}"#, at: world)
        #expect(wrong.status == 200 && unknown.status == 200 && wrong.text == unknown.text)
        #expect(try wrong.json()["data"] == nil && wrong.json()["success"] == false)
        #expect(try wrong.text("message") == "아이디 또는 비밀번호가 잘못되었습니다.")
    }

    @Test("a body that is no JSON is 400 with an envelope", arguments: ["", "id=a", "[]", "{"])
    func notJSON(body: String) async throws {
        let answer = try await ForeignWorld().send("POST", "/user/signin", body: body)
        #expect(answer.status == 400)
        #expect(try answer.json()["success"] == false && !answer.text("message").isEmpty)
    }

    @Test(
        "the token counts in the header jwt, in Authorization, and for as long as it is used",
        arguments: ["jwt", "JWT", "Authorization"])
    func token(header: String) async throws {
        let world = try await ForeignWorld()
        _ = try await world.send("POST", "/user/signup", body: Self.person)
        let pass = try #require(try await SpokenProtocol.envelope.logIn(world, "mina26", "pw-1234"))
        let value = header == "Authorization" ? "Bearer \(pass.token)" : pass.token
        for _ in 0..<3 {
            world.clock.advance(by: .days(390))
            let answer = try await world.send("GET", "/user/me", [(header, value)])
            #expect(answer.status == 200, "\(answer.text)")
        }
        #expect(try await world.send("GET", "/user/me", [(header, value + "x")]).status == 401)
        #expect(try await world.send("GET", "/user/me").text("message") == "토큰 값이 없습니다.")
    }

    @Test("both spellings of the paths are known", arguments: ["signup", "signUp"], ["signin", "signIn"])
    func spellings(signUp: String, signIn: String) async throws {
        let world = try await ForeignWorld()
        let made = try await world.send("POST", "/user/\(signUp)", body: Self.person)
        #expect(try made.json()["success"] == true)
        let logIn = try await world.send("POST", "/user/\(signIn)", body: Self.person)
        #expect(try logIn.json()["success"] == true)
    }
}
