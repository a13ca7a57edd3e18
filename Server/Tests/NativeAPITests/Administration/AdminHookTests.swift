import Domain
import FakeProviders
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Hooks over the admin API")
struct AdminHookTests {
    @Test("are set with a secret that is shown once, changed, rotated and removed, each in the audit log")
    func life() async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/hooks")
        #expect(try await world.send("owner", .get, path).json["hooks"] == [])
        let made = try await world.send(
            "owner", .put, "\(path)/sign-up", body: #"{"url": "https://app.example.com/hooks", "whenDown": "refuse"}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.json["secret"]?.text?.hasPrefix("whsec_") == true && made.json["timeoutMilliseconds"] == 500)
        let listed = try await world.send("owner", .get, path)
        #expect(try listed.json["hooks"]?.list.count == 1 && !listed.text.contains("whsec_"))
        let changed = try await world.send(
            "owner", .put, "\(path)/sign-up",
            body:
                #"{"url": "https://app.example.com/h", "whenDown": "allow", "timeoutMilliseconds": 50, "asksGuests": true, "isPaused": true}"#
        )
        #expect(try made.json["isPaused"] == false && changed.json["isPaused"] == true)
        #expect(try changed.status == 200 && changed.json["secret"] == nil && changed.json["whenDown"] == "allow")
        let rotated = try await world.send("owner", .post, "\(path)/sign-up/rotate", body: #"{"overlapHours": 1}"#)
        #expect(try rotated.json["secret"] != made.json["secret"] && rotated.json["formerSecretUntil"] != nil)
        #expect(try await world.send("owner", .delete, "\(path)/sign-up").status == 204)
        for (method, rest, body) in [
            (HTTPRequest.Method.delete, "", nil), (.post, "/rotate", "{}"), (.post, "/test", nil),
        ] as [(HTTPRequest.Method, String, String?)] {
            expect(try await world.send("owner", method, "\(path)/sign-up\(rest)", body: body), 404, .notFound)
        }
        expect(try await world.send("owner", .put, "\(path)/unheard", body: "{}"), 404, .notFound)
        let entries = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, limit: 100
        ).filter { $0.details["hook"] == "sign-up" }
        #expect(
            entries.map { $0.details["change"] ?? "" }.sorted() == ["changed", "created", "removed", "secret-rotated"])
    }

    @Test(
        "are refused with the name of what is wrong",
        arguments: [
            ("sign-up", #"{"whenDown": "refuse"}"#, "url"),
            ("sign-up", #"{"url": "https://a.example.com"}"#, "whenDown"),
            ("sign-up", #"{"url": "https://a.example.com", "whenDown": "maybe"}"#, "whenDown"),
            ("sign-up", #"{"url": "http://a.example.com", "whenDown": "allow"}"#, "url"),
            ("sign-up", #"{"url": "https://127.0.0.1/", "whenDown": "allow"}"#, "url"),
            ("sign-up", #"{"url": "https://169.254.169.254/", "whenDown": "allow"}"#, "url"),
            (
                "sign-up", #"{"url": "https://a.example.com", "whenDown": "allow", "timeoutMilliseconds": 49}"#,
                "timeoutMilliseconds"
            ),
            (
                "sign-up", #"{"url": "https://a.example.com", "whenDown": "allow", "timeoutMilliseconds": 5001}"#,
                "timeoutMilliseconds"
            ),
            ("upgrade", #"{"url": "https://a.example.com", "whenDown": "allow", "asksGuests": true}"#, "asksGuests"),
        ])
    func faults(hook: String, body: String, field: String) async throws {
        let world = try await AdminWorld(roles: [])
        let answer = try await world.send("owner", .put, world.path("/hooks/\(hook)"), body: body)
        #expect(answer.status == 400 && answer.text.contains("\"\(field)\""), "\(answer.text)")
        #expect(try await world.send("owner", .get, world.path("/hooks")).json["hooks"] == [])
    }

    @Test("are tested about a user who does not exist, and tell what is wrong with a response")
    func test() async throws {
        let world = try await HookWorld()
        let secret = try await world.set(.accessToken)
        func run() async throws -> JSONValue {
            try await world.world.send("owner", .post, world.world.path("/hooks/access-token/test")).json
        }
        world.hook.decide(FakeResponse(200, ["decision": "allow", "claims": ["tenant": "north"]]))
        #expect(try await run() == ["decision": "allow", "claims": ["tenant": "north"]])
        let request = try #require(world.hook.requests.first)
        #expect(request.isSigned(by: secret))
        #expect(try world.hook.questions.first?["data"]?["isTest"] == true)
        world.hook.decide(FakeResponse(200, ["decision": "refuse", "message": "No."]))
        #expect(try await run() == ["decision": "refuse", "message": "No."])
        world.hook.decide(FakeResponse(200, ["decision": "allow", "claims": ["sub": "x"]]))
        #expect(try await run()["fault"]?.text?.contains("sub") == true)
        world.hook.decide(FakeResponse(500))
        #expect(try await run()["fault"]?.text?.contains("500") == true)
    }

    @Test("sign by the secret before too, until its time is over")
    func overlap() async throws {
        let world = try await HookWorld()
        let first = try await world.set(.signUp)
        let path = world.world.path("/hooks/sign-up/rotate")
        let rotated = try await world.world.send("owner", .post, path, body: #"{"overlapHours": 1}"#)
        let second = Secret(try #require(try rotated.json["secret"]?.text))
        #expect(try await world.server.signUp("hana").status == 201)
        world.server.clock.advance(by: .seconds(3600))
        #expect(try await world.server.signUp("yuki").status == 201)
        let requests = world.hook.requests
        #expect(requests.count == 2 && requests.allSatisfy { $0.isSigned(by: second) })
        #expect(requests.map { $0.isSigned(by: first) } == [true, false])
    }

    @Test("of another application are out of reach")
    func tenants() async throws {
        let world = try await AdminWorld(restricted: true)
        let foreign = "applications/\(world.foreign.id)/hooks"
        let body = #"{"url": "https://other.example.com", "whenDown": "allow"}"#
        #expect(try await world.send("owner", .put, "\(foreign)/sign-up", body: body).status == 201)
        #expect(try await world.send("owner", .get, world.path("/hooks")).json["hooks"] == [])
        for role in AdminRole.allCases where role != .owner {
            #expect(try await world.send(role.rawValue, .get, foreign).status == 404, "\(role)")
        }
    }
}
