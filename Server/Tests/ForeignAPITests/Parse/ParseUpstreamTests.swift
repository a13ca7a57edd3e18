import Crypto
import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import OutboundServices
import ParseAPI
import Synchronization
import Testing

/// Stands in for an app's own Parse Server: it keeps what it gets, and answers with who asked.
private final class StandInParseServer: FakeProvider {
    private let received = Mutex<[FakeRequest]>([])

    var requests: [FakeRequest] { received.withLock { $0 } }

    func answer(_ request: FakeRequest) async -> FakeResponse {
        received.withLock { $0.append(request) }
        switch request.path {
        case "/parse/serverInfo":
            return FakeResponse(200, ["features": ["push": ["immediatePush": true]], "parseServerVersion": "8.2.0"])
        case "/parse/classes/Refused": return FakeResponse(400, ["code": 102, "error": "bad"])
        case "/parse/classes/Many":
            return FakeResponse(200, .array([JSONValue](repeating: [0], count: 50_000)))
        case "/parse/classes/Long": return FakeResponse(200, .string(String(repeating: "a", count: 1 << 20)))
        case "/parse/functions/elsewhere": return FakeResponse(302, location: "http://127.0.0.1:9/")
        default: return FakeResponse(200, ["results": [], "path": .string(request.path)])
        }
    }
}

@Suite("An app's own Parse Server")
struct ParseUpstreamTests {
    private let server = StandInParseServer()
    private let world: ForeignWorld

    init() async throws {
        world = try await Self.world("\(await FakeHost.address(of: server))/parse", private: IPNetwork.loopback)
    }

    private static func world(_ upstream: String, private networks: [IPNetwork]) async throws -> ForeignWorld {
        let world = try await ForeignWorld(caller: .ofTests(private: networks))
        _ = try await world.modules.applications.changeProtocolRules(
            .parse, of: world.application.id, to: ["upstream": .texts([upstream])], mayLoosen: true,
            isCurrent: { _ in true }, by: .local)
        return world
    }

    /// The claims of an access token whose signature holds by the keys that this server shows.
    private func claims(of token: Substring) async throws -> [String: JSONValue] {
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        guard case .array(let keys)? = try await world.send("GET", "/.well-known/jwks.json").json()["keys"],
            case .object(let key)? = keys.first, case .string(let x)? = key["x"], case .string(let y)? = key["y"],
            let left = Self.decoded(x), let right = Self.decoded(y), let signature = Self.decoded(parts[2])
        else { throw Missing(description: "no key") }
        let isRight = try P256.Signing.PublicKey(rawRepresentation: left + right).isValidSignature(
            try P256.Signing.ECDSASignature(rawRepresentation: signature), for: Data("\(parts[0]).\(parts[1])".utf8))
        #expect(isRight)
        guard case .object(let claims) = try JSONValue(parsing: Array(Self.decoded(parts[1]) ?? Data())) else {
            throw Missing(description: "no claims")
        }
        return claims
    }

    private static func decoded(_ text: String) -> Data? {
        let base = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base + String(repeating: "=", count: (4 - base.count % 4) % 4))
    }

    @Test(
        "never gets what is this server's, in whatever writing",
        arguments: [
            "/Users", "/USERS/me", "/Login", "/LoginAs", "/Classes/_User", "/classes/_user", "/classes/%5FUser",
            "/classes/_SESSION", "/Batch", "/classes/../users", "/classes/Game/../../users", "/functions/..%2fusers",
            "/classes/%2e%2e/users", "/functions/%2E%2E/login", "/./users", "/%75sers",
            "/functions/a%5c..%5c..%5cusers",
            "/functions/%ff", "/classes", "/users#", "/login#x", "/classes/_User#", "/classes/_Session#/s1", "/batch#",
            "/classes/_User#?limit=1", "/functions/#/users",
        ])
    func own(path: String) async throws {
        let answer = try await world.parse("GET", path)
        #expect(answer.status >= 400 || path == "/%75sers", "\(path): \(answer.text)")
        let batch = try await world.parse("POST", "/batch", #"{"requests":[{"method":"GET","path":"/parse\#(path)"}]}"#)
        #expect([200, 400].contains(batch.status), "\(batch.text)")
        #expect(server.requests.map(\.path) == [])
    }

    @Test("is asked at no address that a whole address as target would make of its own")
    func wholeAddress() async throws {
        let keys = [("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest")]
        let targets = [
            "abc://-admin/parse/classes/Game", "http://users/parse/classes/Game", "a://bc/parse/functions/f",
        ]
        for target in targets {
            let answer = try await world.send("GET", target, keys)
            #expect(answer.status >= 400, "\(target): \(answer.text)")
        }
        #expect(server.requests.map(\.path) == [])
    }

    @Test("gets the name that a client gave its attempt, but of a batch, whose items are no repetitions of one another")
    func requestId() async throws {
        let name = [("X-Parse-Request-Id", "attempt-1")]
        _ = try await world.parse("POST", "/classes/Game", #"{"a":1}"#, name)
        let items = #"{"requests":[{"method":"POST","path":"/parse/classes/Game","body":{"a":1}}]}"#
        _ = try await world.parse("POST", "/batch", items, name)
        let envelope = #"{"a":1,"_ApplicationId":"app1","_JavaScriptKey":"jskey"}"#
        _ = try await world.send("POST", "/parse/classes/Game", [("Content-Type", "text/plain")] + name, body: envelope)
        #expect(server.requests.map { $0.headers["x-parse-request-id"] } == ["attempt-1", nil, "attempt-1"])
    }

    @Test("gets a list of very many numbers from the SDK for JavaScript, which names the application within the body")
    func longList() async throws {
        let tiles = [String](repeating: "1", count: 100_000).joined(separator: ",")
        let envelope = #"{"tiles":[\#(tiles)],"_ApplicationId":"app1","_JavaScriptKey":"jskey"}"#
        let answer = try await world.send(
            "POST", "/parse/classes/Game", [("Content-Type", "text/plain")], body: envelope)
        #expect(answer.status == 200, "\(answer.text.prefix(200))")
        #expect(server.requests.map(\.path) == ["/parse/classes/Game"])
    }

    @Test("gets everything but users and sessions, with the user's identity and without the session's token")
    func passes() async throws {
        let user = try await world.parseUser("mika")
        let answer = try await world.parse(
            "GET", "/classes/Game?where=%7B%22a%22%3A1%7D&limit=2", token: user.token, installation: "phone")
        #expect(try answer.status == 200 && answer.json()["path"] == "/parse/classes/Game")
        let seen = try #require(server.requests.first)
        #expect(seen.method == "GET" && seen.query == ["where": #"{"a":1}"#, "limit": "2"])
        #expect(seen.headers["x-parse-application-id"] == "app1" && seen.headers["x-parse-rest-api-key"] == "rest")
        #expect(seen.headers["x-parse-installation-id"] == "phone" && seen.headers["x-forwarded-for"] == "192.0.2.1")
        #expect(!seen.headers.values.contains { $0.contains(user.token) })
        let token = try #require(seen.headers["authorization"]).dropFirst("Bearer ".count)
        let claims = try await claims(of: token)
        #expect(claims["sub"] == .string(user.id) && claims["aud"] == .string(world.application.id.rawValue))
        for (method, path) in [
            ("POST", "/classes/Game"), ("PUT", "/classes/Game/g1"), ("DELETE", "/classes/Game/g1"),
            ("POST", "/functions/hello"), ("POST", "/files/a.txt"), ("GET", "/config"), ("GET", "/roles"),
            ("POST", "/classes/_Role"), ("GET", "/schemas"), ("POST", "/installations"),
        ] {
            let before = server.requests.count
            let body = method == "GET" ? nil : #"{"a":1}"#
            #expect(try await world.parse(method, path, body, token: user.token).status == 200, "\(path)")
            let seen = try #require(server.requests.last)
            #expect(server.requests.count == before + 1 && seen.method == method, "\(path)")
            #expect(seen.path == "/parse\(path)" && String(decoding: seen.body, as: UTF8.self) == body ?? "")
        }
        #expect(try await world.parse("GET", "/classes/Refused").parseCode == 102)
    }

    @Test("gets the key of .NET and Unity by its own header, which it compares")
    func dotNetKey() async throws {
        _ = try await world.modules.applications.enableProtocol(
            .parse, given: [.dotNetKey: Secret("windows")], of: world.application.id, by: .local)
        let answer = try await world.send(
            "GET", "/parse/classes/Game", [("X-Parse-Application-Id", "app1"), ("X-Parse-Windows-Key", "windows")])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(server.requests.last?.headers["x-parse-windows-key"] == "windows")
    }

    @Test("says itself what it can do; without one nothing is offered that is not here")
    func features() async throws {
        let answer = try await world.parse("GET", "/serverInfo", master: true)
        #expect(try answer.json()["features"] == ["push": ["immediatePush": true]], "\(answer.text)")
        #expect(server.requests.last?.headers["x-parse-master-key"] == "master")
        let alone = try await ForeignWorld().parse("GET", "/serverInfo", master: true)
        guard case .object(let groups)? = try alone.json()["features"] else { throw Missing(description: alone.text) }
        #expect(!groups.isEmpty)
        for case .object(let group) in groups.values { #expect(group.values.allSatisfy { $0 == false }) }
    }

    @Test("gets nothing of users and sessions, and nothing of a session that is dead")
    func own() async throws {
        let user = try await world.parseUser("mika")
        for path in [
            "/users", "/users/me", "/classes/_User", "/classes/_Session", "/sessions/me", "/users/x/y", "/logout",
            "/classes/%5FUser/x/y", "/verifyPassword", "/health",
        ] { _ = try await world.parse("GET", path, token: user.token) }
        #expect(try await world.parse("GET", "/classes/Game", token: "r:dead").parseCode == 209)
        #expect(
            try await world.send("GET", "/parse/classes/Game", [("X-Parse-Application-Id", "app1")]).status == 403)
        #expect(server.requests.isEmpty)
    }

    @Test("gets the envelope of the JavaScript SDK without its secrets, and no master key that counts for nothing here")
    func envelope() async throws {
        let user = try await world.parseUser("mika")
        let body = #"""
            {"where":{"a":1},"_method":"GET","_ApplicationId":"app1","_JavaScriptKey":"jskey","_MasterKey":"guess",
             "_SessionToken":"\#(user.token)","_InstallationId":"phone"}
            """#
        #expect(
            try await world.send("POST", "/parse/classes/Game", [("Content-Type", "text/plain")], body: body).status
                == 200)
        let seen = try #require(server.requests.first)
        guard case .object(let members) = try JSONValue(parsing: seen.body) else {
            throw Missing(description: "no JSON")
        }
        #expect(Set(members.keys) == ["where", "_method", "_ApplicationId", "_JavaScriptKey", "_InstallationId"])
        let token = try #require(seen.headers["authorization"]).dropFirst("Bearer ".count)
        #expect(try await claims(of: token)["sub"] == .string(user.id))
        // Apps cut a text within an emoji, which strict JSON has not: the whole body went on as it was.
        let half = #"""
            {"text":"half \ud83d","_method":"POST","_ApplicationId":"app1","_JavaScriptKey":"jskey","_MasterKey":"guess",
             "_SessionToken":"\#(user.token)"}
            """#
        let saved = try await world.send("POST", "/parse/classes/Game", [("Content-Type", "text/plain")], body: half)
        #expect(saved.status == 200, "\(saved.text)")
        let passed = try #require(server.requests.last)
        #expect(
            try JSONValue(parsing: passed.body) == [
                "text": "half \u{fffd}", "_method": "POST", "_ApplicationId": "app1", "_JavaScriptKey": "jskey",
            ])
        _ = try await world.parse("GET", "/classes/Game", nil, [("X-Parse-Master-Key", "guess")])
        #expect(server.requests.last?.headers["x-parse-master-key"] == nil)
        _ = try await world.parse("GET", "/classes/Game", master: true)
        #expect(server.requests.last?.headers["x-parse-master-key"] == "master")
        #expect(server.requests.last?.headers["authorization"] == nil)
    }

    @Test("gives its files to who has their address, without keys: browsers and SDKs send none for a picture")
    func files() async throws {
        let path = "/parse/files/app1/picture.png"
        let read = try await world.send("GET", path)
        #expect(read.status == 200, "\(read.text)")
        let seen = try #require(server.requests.first)
        #expect(seen.method == "GET" && seen.path == path && seen.headers["x-parse-application-id"] == "app1")
        #expect(seen.headers["authorization"] == nil && seen.headers["x-parse-rest-api-key"] == nil)
        for (range, isPassed) in [("bytes=0-1", true), ("bytes=0-,0-", false)] {
            _ = try await world.send("GET", path, [("Range", range)])
            #expect(server.requests.last?.headers["range"] == (isPassed ? range : nil))
        }
        // Of a site that is not open yet a proxy asks for a password, which browsers send on.
        let staff = ("Authorization", "Basic \(Data("staff:letmein".utf8).base64EncodedString())")
        let behindProxy = try await world.send("GET", path, [staff])
        #expect(behindProxy.status == 200 && server.requests.last?.headers["authorization"] == nil)
        for (method, path) in [
            ("POST", path), ("DELETE", path), ("GET", "/parse/files/picture.png"),
            ("GET", "/parse/files/app2/picture.png"), ("GET", "/parse/classes/app1/picture.png"),
            ("GET", "/parse/files/app1/%2e%2e"),
            ("GET", "/parse/files/app1/..%2f..%2fusers"), ("GET", "/parse/functions/app1/f"),
        ] {
            let refused = try await world.send(method, path)
            #expect(refused.status == 403, "\(method) \(path): \(refused.text)")
        }
        #expect(server.requests.count == 4)
    }

    @Test("takes part in batches")
    func batch() async throws {
        let user = try await world.parseUser("mika")
        let answer = try await world.parse(
            "POST", "/batch",
            #"""
            {"requests":[{"method":"POST","path":"/parse/classes/Game","body":{"a":1}},
             {"method":"GET","path":"/parse/users/me"},{"method":"GET","path":"/parse/classes/Refused"}]}
            """#, token: user.token)
        guard case .array(let results) = try JSONValue(parsing: answer.body), results.count == 3 else {
            throw Missing(description: answer.text)
        }
        #expect(results[0] == ["success": ["results": [], "path": "/parse/classes/Game"]])
        #expect(results[2] == ["error": ["code": 102, "error": "bad"]])
        let seen = try #require(server.requests.first)
        #expect(try JSONValue(parsing: seen.body) == ["a": 1, "_method": "POST"] && seen.method == "POST")
        #expect(seen.headers["x-parse-application-id"] == "app1" && seen.headers["authorization"] != nil)
    }

    /// Values are many times as long as their text, and what is ready waits for the last item.
    @Test("has responses of a bounded size in a batch, behind which no further item is begun")
    func longBatch() async throws {
        func batch(_ names: String...) async throws -> [JSONValue] {
            let items = names.map { #"{"method":"GET","path":"/parse/classes/\#($0)"}"# }.joined(separator: ",")
            let answer = try await world.parse("POST", "/batch", "{\"requests\":[\(items)]}")
            guard case .array(let results) = try JSONValue(parsing: answer.body) else {
                throw Missing(description: answer.text)
            }
            return results
        }
        func isRefused(_ result: JSONValue?) -> Bool {
            guard case .object(let members)? = result, case .object(let error)? = members["error"] else { return false }
            return error["code"] == 102
        }
        // The small one is done, though a long one before it was not taken.
        let long = try await batch("Long", "Game")
        #expect(long.count == 2 && isRefused(long.first) && !isRefused(long.last))
        // 100,001 values: a list's are counted by four, and the lists themselves one by one.
        let many = try await batch("Many", "Game", "Game")
        #expect(many.count == 3 && !isRefused(many.first) && many.dropFirst().allSatisfy { isRefused($0) })
        #expect(server.requests.map(\.path) == ["/parse/classes/Long", "/parse/classes/Game", "/parse/classes/Many"])
        // What is not held has no such bound.
        #expect(try await world.parse("GET", "/classes/Long").status == 200)
    }

    @Test("is asked where it may be, leads nowhere else, and is no page of this server")
    func limits() async throws {
        let forbidden = try await Self.world("http://127.0.0.1:1/parse", private: [])
        #expect(try await forbidden.parse("GET", "/classes/Game").parseCode == 2)
        #expect(try await world.parse("POST", "/functions/elsewhere", "{}").parseCode == 2)
        let answer = try await world.parse("GET", "/classes/Game")
        #expect(answer.headers[.contentSecurityPolicy] == "sandbox; default-src 'none'")
        for wrong in [
            "ftp://a.example", "https://", "https://a.example/", "https://u@a.example", "https://a.example?b",
        ] {
            await #expect(throws: DomainError.self, "\(wrong)") {
                _ = try await world.modules.applications.changeProtocolRules(
                    .parse, of: world.application.id, to: ["upstream": .texts([wrong])], mayLoosen: true,
                    isCurrent: { _ in true }, by: .local)
            }
        }
        await #expect(throws: DomainError.reauthenticationRequired) {
            _ = try await world.modules.applications.changeProtocolRules(
                .parse, of: world.application.id, to: ["upstream": .texts(["https://other.example"])],
                mayLoosen: false, isCurrent: { _ in true }, by: .local)
        }
    }
}
