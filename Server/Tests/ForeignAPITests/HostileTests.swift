import Domain
import HTTPTypes
import KiiAPI
import OkaeriWire
import Testing

/// What nobody's SDK sends. Each protocol refuses it in its own words, and none of it is a fault of the server.
@Suite("A hostile request in a foreign protocol")
struct HostileTests {
    /// A call of a protocol that takes a body.
    struct Call: Sendable, CustomTestStringConvertible {
        let path: String
        var testDescription: String { path }

        static let all = [
            Call(path: "/api/apps/a1b2c3d4/users"), Call(path: "/api/apps/a1b2c3d4/oauth2/token"),
            Call(path: "/user/signup"), Call(path: "/user/signin"),
        ]

        func send(_ body: [UInt8], _ headers: [(String, String)] = [], to world: ForeignWorld) async throws -> Answer {
            try await world.send("POST", path, [("Content-Type", "application/json")] + headers, bytes: body)
        }
    }

    private func isRefused(_ answer: Answer, by call: Call, in statuses: ClosedRange<Int> = 400...499) throws {
        #expect(statuses.contains(answer.status), "\(answer.status) \(answer.text)")
        if call.path.hasPrefix("/api") {
            #expect(answer.code != nil && answer.code != "UNDEFINED_ERROR", "\(answer.text)")
        } else {
            #expect(try answer.json()["success"] == .bool(false) && !answer.text("message").isEmpty)
        }
    }

    @Test("is refused for a megabyte of JSON", arguments: Call.all)
    func large(call: Call) async throws {
        let body = #"{"id":"a","password":"b","text":""# + String(repeating: "a", count: 1 << 20) + #""}"#
        try isRefused(try await call.send(Array(body.utf8), to: try await ForeignWorld()), by: call)
    }

    @Test("is refused for JSON of a thousand levels", arguments: Call.all)
    func deep(call: Call) async throws {
        let body = #"{"a":"# + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000) + "}"
        try isRefused(try await call.send(Array(body.utf8), to: try await ForeignWorld()), by: call)
    }

    @Test("is refused for a name that is there twice", arguments: Call.all)
    func duplicate(call: Call) async throws {
        let body = #"{"id":"a","id":"b","username":"a","username":"b","password":"c"}"#
        try isRefused(try await call.send(Array(body.utf8), to: try await ForeignWorld()), by: call)
    }

    @Test(
        "is refused for bytes that are no text", arguments: Call.all,
        [
            [0xff, 0xfe], Array("{\"id\":\"".utf8) + [0xc3, 0x28] + Array("\"}".utf8), [0x00],
            Array("{\"a\":\"\u{0}".utf8),
        ])
    func bytes(call: Call, body: [UInt8]) async throws {
        try isRefused(try await call.send(body, to: try await ForeignWorld()), by: call)
    }

    @Test("is never a fault of the server for values of other types", arguments: Call.all)
    func types(call: Call) async throws {
        let world = try await ForeignWorld()
        for value in ["1", "true", "null", "[]", "{}", "1e999", #""\ud800""#, "-0"] {
            for name in ["id", "password", "username", "loginName", "grant_type", "expiresAt", "client_id"] {
                let answer = try await call.send(Array("{\"\(name)\":\(value)}".utf8), to: world)
                #expect(answer.status < 500, "\(name): \(value): \(answer.text)")
            }
        }
    }

    @Test(
        "is never a fault of the server for a path that hides something",
        arguments: [
            "/api/apps/a1b2c3d4/users/%00", "/api/apps/a1b2c3d4/users/%ff%fe", "/api/apps/a1b2c3d4/users/..%2f..",
            "/api/apps/a1b2c3d4/users/EMAIL:", "/api/apps/a1b2c3d4/users/PHONE:JP-", "/api/apps/%00/users/me",
            "/api/apps/a1b2c3d4/users/EMAIL%253Aa", "/%00/user/me", "/%2e%2e/user/me", "//user/me",
            "/api/apps/a1b2c3d4/users/LOGIN_NAME:%27%20OR%201=1--",
        ])
    func paths(path: String) async throws {
        let world = try await ForeignWorld()
        let admin = try await world.administrator()
        let answer = try await world.send("GET", path, [("Authorization", "Bearer \(admin)")])
        #expect((400..<500).contains(answer.status), "\(answer.status) \(answer.text)")
    }

    @Test(
        "is never a fault of the server for a header that is none",
        arguments: [
            "Basic", "Basic !!!", "Basic //79", "Bearer", "Bearer  ", "Digest x", "bearer\u{9}x",
            "Bearer " + String(repeating: "x", count: 8000),
        ])
    func headers(value: String) async throws {
        let world = try await ForeignWorld()
        let kii = try await world.send("GET", "/api/apps/a1b2c3d4/users/me", [("Authorization", value)])
        #expect([400, 401, 403].contains(kii.status), "\(kii.text)")
        let envelope = try await world.send("GET", "/user/me", [("Authorization", value)])
        #expect(envelope.status == 401, "\(envelope.text)")
    }

    @Test("cannot use one application's token in another")
    func otherApplication() async throws {
        let world = try await ForeignWorld()
        _ = try await world.modules.applications.createApplication(
            name: "Other", protocols: [.kii: [.appId: Secret("other123")]], by: .local)
        for token in [try await world.pseudoUser().token, try await world.administrator()] {
            let answer = try await world.send(
                "GET", "/api/apps/other123/users/me", [("Authorization", "Bearer \(token)")])
            #expect(answer.status == 403 && answer.code == "WRONG_TOKEN")
        }
    }

    @Test("learns no more of a stranger's address than of nobody's, but by a few look-ups an hour")
    func lookUps() async throws {
        let world = try await ForeignWorld(server: [:])
        let user = try await world.pseudoUser()
        var refused = 0
        for number in 0..<70 {
            let answer = try await world.kii("GET", "/users/EMAIL:a\(number)@example.com", token: user.token)
            if answer.status == 429 { refused += 1 } else { #expect(answer.status == 404) }
        }
        #expect(refused == 10)
        let stranger = try await world.kii("GET", "/users/EMAIL:a@example.com")
        #expect(stranger.status == 401 && stranger.code == "UNAUTHORIZED")
    }

    @Test("learns no more by asking for the address as an own one")
    func addressesAsOwn() async throws {
        let world = try await ForeignWorld(server: [:])
        let made = try await world.kii(
            "POST", "/users", #"{"loginName":"owner_1","emailAddress":"hana@example.com","password":"123ABC"}"#)
        #expect(made.status == 201, "\(made.text)")
        let user = try await world.kiiUser("stranger_1")
        var refused = 0
        for _ in 0..<70 {
            let answer = try await world.kii(
                "PUT", "/users/me/email-address", #"{"emailAddress":"hana@example.com"}"#, token: user.token)
            if answer.status == 429 { refused += 1 } else { #expect(answer.code == "USER_ALREADY_EXISTS") }
        }
        #expect(refused == 10)
        let lookUp = try await world.kii("GET", "/users/EMAIL:hana@example.com", token: user.token)
        #expect(lookUp.status == 429)
        // What is sent back as it is asks for nothing.
        let same = try await world.kii("POST", "/users/me", #"{"loginName":"stranger_1","score":1}"#, token: user.token)
        #expect(same.status == 200, "\(same.text)")
    }
}
