import Domain
import HTTPSupport
import OkaeriServer
import OkaeriWire
import Testing

/// Every route of every old protocol, from the list of routes: a route that comes later is among them by itself.
@Suite("Any route of an old protocol")
struct RouteBodyTests {
    enum Surface: String, CaseIterable, Sendable {
        case ncmb, parse, kii, envelope

        /// Makes a user and gives a token of theirs.
        func token(of name: String, in world: ForeignWorld) async throws -> String {
            switch self {
            case .ncmb:
                _ = try await world.ncmb("POST", "/users", #"{"userName":"\#(name)","password":"secret"}"#)
                let entered = try await world.ncmb("POST", "/login", #"{"userName":"\#(name)","password":"secret"}"#)
                return try entered.text("sessionToken")
            case .parse: return try await world.parseUser(name).token
            case .kii: return try await world.kiiUser(name).token
            case .envelope:
                let person = #"{"id":"\#(name)","password":"secret","name":"Hana"}"#
                _ = try await world.send("POST", "/user/signup", body: person)
                let entered = try await world.send("POST", "/user/signin", body: person)
                guard case .object(let data)? = try entered.json()["data"], case .string(let token)? = data["jwt"]
                else {
                    throw Missing(description: entered.text)
                }
                return token
            }
        }

        /// Sends a request with the application's keys.
        func send(
            _ method: String, _ path: String, _ body: String?, token: String?, in world: ForeignWorld
        ) async throws -> Answer {
            switch self {
            case .ncmb:
                return try await world.ncmb(method, String(path.trimmingPrefix("/2013-09-01")), body, token: token)
            case .parse:
                return try await world.parse(method, String(path.trimmingPrefix("/parse")), body, token: token)
            case .kii:
                var headers = [("X-Kii-AppID", ForeignWorld.appId), ("X-Kii-AppKey", "00112233")]
                headers.append(("Content-Type", "application/json"))
                if let token { headers.append(("Authorization", "Bearer \(token)")) }
                return try await world.send(method, path, headers, body: body)
            case .envelope:
                return try await world.send(
                    method, path, [("Content-Type", "application/json")] + (token.map { [("jwt", $0)] } ?? []),
                    body: body)
            }
        }

        /// Whether an error has the form that the protocol's apps read.
        func isError(_ answer: Answer) -> Bool {
            guard let members = try? answer.json() else { return false }
            return switch self {
            case .ncmb: ((try? answer.text("code"))?.hasPrefix("E") ?? false) && members["error"] != nil
            case .parse: (answer.parseCode != nil || answer.status == 403) && members["error"] != nil
            case .kii: answer.code != nil && members["message"] != nil
            case .envelope: members["success"] == .bool(false) && members["message"] != nil
            }
        }
    }

    /// The routes of a surface, with a text for each name in their paths.
    static func routes(of surface: Surface, segment: String) async throws -> [(method: String, path: String)] {
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let routes = try await Composition.routeTable(settings).filter { $0.surface == surface.rawValue }
        try #require(!routes.isEmpty)
        return routes.map { route in
            var segments = route.path.split(separator: "/").map { part in
                part.hasPrefix("{") || part == "**" ? segment : String(part)
            }
            if surface == .kii, segments.starts(with: ["api", "apps"]), segments.count > 2 {
                segments[2] = ForeignWorld.appId
            }
            return (route.method, "/" + segments.joined(separator: "/"))
        }
    }

    private static let bodies: [String?] = [
        nil, "{}", "[]", "null", "1", "\"text\"", "{\"a\":", "{\"a\":1,\"a\":2}", "\u{feff}{}", "{\"a\":1e999}",
        #"{"username":1,"password":[],"id":null,"userName":{},"loginName":true,"email":7,"mailAddress":[]}"#,
        #"{"authData":{"anonymous":null,"facebook":[],"apple":{"id":1}},"ACL":[],"acl":{"*":1}}"#,
        #"{"score":{"__op":"Increment","amount":"x"},"list":{"__op":"Add","objects":1},"__op":"Delete"}"#,
        "{\"text\":\"\\u0000\",\"\\u0000\":1}",
        #"{"requests":[{"method":"POST","path":"/parse/batch","body":{"requests":[]}}]}"#,
        #"{"grant_type":"refresh_token","refresh_token":7}"#, #"{"_method":"GET","where":{"$or":{}},"limit":-1}"#,
    ]

    @Test(
        "has words for any body, of somebody and of nobody, and none is a fault of the server",
        arguments: Surface.allCases, [true, false])
    func anyBody(surface: Surface, isLoggedIn: Bool) async throws {
        let world = try await ForeignWorld()
        for (number, (method, path)) in try await Self.routes(of: surface, segment: "x1").enumerated() {
            // Some routes end the session.
            var token: String?
            if isLoggedIn { token = try await surface.token(of: "hana\(number)", in: world) }
            for body in Self.bodies where body == nil || ["POST", "PUT", "PATCH"].contains(method) {
                let answer = try await surface.send(method, path, body, token: token, in: world)
                #expect(answer.status != 500, "\(method) \(path) \(body ?? ""): \(answer.text)")
                guard answer.status >= 400 else { continue }
                #expect(surface.isError(answer), "\(method) \(path) \(body ?? ""): \(answer.status) \(answer.text)")
            }
        }
    }

    @Test(
        "has words for anything in its path, and none is a fault of the server", arguments: Surface.allCases,
        [
            "%00", "%ff%fe", "%2e%2e", "..", "%F0%9F%A6%8A", "'%20OR%201=1--", "EMAIL:", "PHONE:%2B81", "LOGIN_NAME:",
            String(repeating: "a", count: 3000),
        ])
    func anySegment(surface: Surface, segment: String) async throws {
        let world = try await ForeignWorld()
        let token = try await surface.token(of: "hana", in: world)
        for (method, path) in try await Self.routes(of: surface, segment: segment) where path.contains(segment) {
            var headers = [("X-Kii-AppID", ForeignWorld.appId), ("X-Kii-AppKey", "00112233"), ("jwt", token)]
            headers += [
                ("X-Parse-Application-Id", "app1"), ("X-Parse-REST-API-Key", "rest"), ("X-Parse-Session-Token", token),
            ]
            headers += [("X-NCMB-Application-Key", "ncmb-key"), ("X-NCMB-Timestamp", "2026-01-02T03:04:05.678Z")]
            headers += [
                ("X-NCMB-Signature", "none"), ("Authorization", "Bearer \(token)"),
                ("Content-Type", "application/json"),
            ]
            let answer = try await world.send(method, path, headers, body: method == "GET" ? nil : "{}")
            #expect(answer.status != 500, "\(method) \(path): \(answer.text)")
        }
    }
    enum Caller: String, CaseIterable, Sendable { case user, nobody, administrator }

    /// Sends a request to a path with an id, as somebody of the world's application.
    private static func ask(
        _ surface: Surface, _ method: String, _ path: String, by caller: Caller, token: String, in world: ForeignWorld
    ) async throws -> Answer {
        let body = method == "GET" || method == "DELETE" ? nil : "{}"
        switch (caller, surface) {
        case (.user, _): return try await surface.send(method, path, body, token: token, in: world)
        case (.administrator, .parse):
            let headers = [
                ("X-Parse-Application-Id", "app1"), ("X-Parse-Master-Key", "master"),
                ("Content-Type", "application/json"),
            ]
            return try await world.send(method, path, headers, body: body, peer: "127.0.0.1")
        case (.administrator, .kii):
            return try await surface.send(method, path, body, token: try await world.administrator(), in: world)
        case (.nobody, _), (.administrator, _):
            return try await surface.send(method, path, body, token: nil, in: world)
        }
    }

    /// The JSON of a response, whatever order its members have, or else its text.
    private static func body(of answer: Answer, without id: String) -> JSONValue {
        let text = answer.text.replacing(id, with: "ID")
        return (try? JSONValue(parsing: Array(text.utf8))) ?? .string(text)
    }

    @Test(
        "responds to the id of another application's user or session as to one that nobody has",
        arguments: [Surface.ncmb, .parse, .kii], Caller.allCases)
    func otherApplication(surface: Surface, caller: Caller) async throws {
        let world = try await ForeignWorld()
        let modules = world.modules
        let other = try await modules.applications.createApplication(
            name: "Other app", settings: ApplicationSettings(), by: .local
        ).application
        let victim = try await modules.logIns.signUp(
            .init(
                application: other, identifiers: .init(username: .set("victim"), rules: .native),
                password: Secret("four quiet words"),
                client: LogInClient(
                    .native, from: ClientAddress(text: "192.0.2.9", allowanceGroup: "x"), origin: .local))
        ).user
        let session = try await modules.sessions.openSession(
            OpenSession.Request(
                user: victim.id, application: other, protocolName: .init(rawValue: "parse"), method: .adoption,
                actor: .operator, origin: .local)
        ).session
        let before = try await modules.directory.readUser(victim.id, in: other.id)
        let token = try await surface.token(of: "hana", in: world)
        var count = 0
        for id in [victim.id.rawValue, session.id.rawValue] {
            let unknown = String(id.reversed())
            let foreign = try await Self.routes(of: surface, segment: id)
            let missing = try await Self.routes(of: surface, segment: unknown)
            for (route, twin) in zip(foreign, missing) where route.path.contains(id) {
                let answer = try await Self.ask(
                    surface, route.method, route.path, by: caller, token: token, in: world)
                let expected = try await Self.ask(
                    surface, twin.method, twin.path, by: caller, token: token, in: world)
                #expect(
                    answer.status == expected.status
                        && Self.body(of: answer, without: id) == Self.body(of: expected, without: unknown),
                    "\(route.method) \(route.path): \(answer.status) \(answer.text), \(expected.text)")
                count += 1
            }
        }
        #expect(count > 2)
        #expect(try await modules.directory.readUser(victim.id, in: other.id) == before)
        let left = try await world.reading { transaction throws(DomainError) in
            try transaction.sessions(of: victim.id, in: other.id)
        }
        #expect(left.count == 2)
    }
}
