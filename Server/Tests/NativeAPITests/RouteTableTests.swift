import Domain
import HTTPSupport
import OkaeriServer
import enum OkaeriWire.APIPath
import enum OkaeriWire.JSONValue
import Testing

@Suite("Every route of every surface", .timeLimit(.minutes(5)))
struct RouteTableTests {
    enum Surface: String, CaseIterable, Sendable {
        case admin, native, ncmb, parse, kii, envelope, pages, dashboard

        /// What the surface answers a method that a path has not: the status, and what stands in the body.
        var methodUnknown: (status: Int, text: String) {
            switch self {
            case .admin, .native: (405, "\"code\":\"method_not_allowed\"")
            case .ncmb: (405, "E405001")
            case .parse: (404, "cannot route this method")
            case .kii: (405, "METHOD_NOT_ALLOWED")
            case .envelope: (405, "\"success\":false")
            case .pages, .dashboard: (405, "<html")
            }
        }

        /// Whether responses have headers for pages of other origins.
        var isForOtherOrigins: Bool { [.ncmb, .parse, .kii].contains(self) }
    }

    /// The routes of a surface, with a text for each name in their paths.
    private func routes(of surface: Surface) async throws -> [(route: RouteDescription, path: String)] {
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let routes = try await Composition.routeTable(settings).filter { $0.surface == surface.rawValue }
        try #require(!routes.isEmpty)
        return routes.map { route in
            let segments = route.path.split(separator: "/").map { segment in
                segment.hasPrefix("{") ? "x1" : segment == "**" ? "y1/z1" : String(segment)
            }
            return (route, "/" + segments.joined(separator: "/"))
        }
    }

    /// A request, sent once on the fast path and once on Hummingbird's, which has those that end their connection.
    private func ask(
        _ method: String, _ path: String, headers: String = "", body: String? = nil, _ server: RunningServer
    ) async throws -> (fast: HTTPAnswer, ordinary: HTTPAnswer) {
        let head =
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.listening.port)\r\n\(headers)"
            + (body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n" } ?? "")
        let sent = "\(head)\r\n\(body ?? "")" + "\(head)Connection: close\r\n\r\n\(body ?? "")"
        var bytes = Array(try await server.exchange([sent]).utf8)[...]
        let answers = (try HTTPAnswer(&bytes), try HTTPAnswer(&bytes))
        #expect(bytes.isEmpty, "\(method) \(path)")
        return answers
    }

    @Test("is answered on no event loop where it shows many users, or what admins read")
    func longResponses() async throws {
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let all = try await Composition.routeTable(settings)
        let long = Set(all.filter(\.hasLongResponse).map { "\($0.method) \($0.path)" })
        for route in [
            "GET /parse/users", "POST /parse/users", "GET /parse/users/{objectId}", "GET /parse/classes/_User",
            "POST /parse/batch", "GET /2013-09-01/users", "GET /2013-09-01/classes/user",
            "POST /2013-09-01/classes/user", "POST /api/apps/{appID}/users/query", "GET /v1/user/export",
        ] {
            #expect(long.contains(route), "\(route)")
        }
        #expect(all.filter { ["admin", "dashboard"].contains($0.surface) }.allSatisfy { $0.hasLongResponse })
        // What apps ask for all the time has no other thread to wait for.
        for route in ["GET /v1/user", "POST /v1/log-in/automatic", "GET /parse/users/me", "POST /parse/login"] {
            #expect(!long.contains(route), "\(route)")
        }
    }

    @Test("is answered alike on the fast path and on the ordinary one", arguments: Surface.allCases)
    func alike(_ surface: Surface) async throws {
        let routes = try await routes(of: surface)
        try await RunningServer.run { server in
            for (route, path) in routes {
                let body = ["POST", "PUT", "PATCH"].contains(route.method) ? "{}" : nil
                let (fast, ordinary) = try await ask(
                    route.method, path, headers: "Origin: https://app.example\r\n", body: body, server)
                #expect(fast.status == ordinary.status, "\(route.method) \(path)")
                #expect(fast.lastingHeaders == ordinary.lastingHeaders, "\(route.method) \(path)")
                #expect(fast.lastingBody == ordinary.lastingBody, "\(route.method) \(path)")
            }
        }
    }

    @Test(
        "has a request id and the headers of all responses, and those for other origins where declared",
        arguments: Surface.allCases)
    func headers(_ surface: Surface) async throws {
        let routes = try await routes(of: surface)
        try await RunningServer.run { server in
            for (route, path) in routes {
                for origin in ["", "Origin: https://app.example\r\n"] {
                    let answers = try await ask(route.method, path, headers: origin, server)
                    for answer in [answers.fast, answers.ordinary] {
                        let comment = Comment(rawValue: "\(route.method) \(path)")
                        #expect(answer["request-id"]?.count == 15, comment)
                        #expect(answer["x-content-type-options"] == "nosniff", comment)
                        #expect(answer["cache-control"] != nil, comment)
                        #expect(answer["date"] != nil, comment)
                        let isOffered = surface.isForOtherOrigins && !origin.isEmpty || isForBrowserApps(path, surface)
                        #expect(answer["access-control-allow-origin"] == (isOffered ? "*" : nil), comment)
                    }
                    #expect(answers.fast["request-id"] != answers.ordinary["request-id"])
                }
            }
        }
    }

    /// Whether apps in browsers ask it, so that every response of it may be read from other origins, errors too.
    private func isForBrowserApps(_ path: String, _ surface: Surface) -> Bool {
        path == APIPath.keySet
            || surface == .pages && ["token", "introspect", "revoke", "userinfo"].contains { path.hasSuffix("/\($0)") }
    }

    @Test("refuses a method that its path has not, in the surface's words", arguments: Surface.allCases)
    func methodUnknown(_ surface: Surface) async throws {
        let paths = Set(try await routes(of: surface).map(\.path))
        let (status, text) = surface.methodUnknown
        try await RunningServer.run { server in
            // `**` takes what has no route of its own, and has no methods to list.
            for path in paths.sorted() where !path.hasSuffix("y1/z1") {
                let answers = try await ask("TRACE", path, server)
                for answer in [answers.fast, answers.ordinary] {
                    #expect(answer.status == status, "\(path)")
                    // Paths at the root belong to no surface, and are refused in the words of the native API.
                    let words = path.hasPrefix("/.well-known/") ? Surface.native.methodUnknown.text : text
                    #expect(answer.body.contains(words), "\(path): \(answer.body)")
                }
            }
        }
    }

    @Test("refuses a caller who brings nothing along, unless the route is for all", arguments: Surface.allCases)
    func callers(_ surface: Surface) async throws {
        let routes = try await routes(of: surface)
        try await RunningServer.run { server in
            for (route, path) in routes where route.caller != .nothing {
                let (fast, _) = try await ask(route.method, path, server)
                // The dashboard leads to its log-in page.
                let isRefused = (400..<500).contains(fast.status) || surface == .dashboard && fast.status == 303
                #expect(isRefused, "\(route.method) \(path): \(fast.status)")
                if surface == .native, [.session, .recentSession].contains(route.caller) {
                    #expect(fast.body.contains("application_unknown"), "\(route.method) \(path)")
                }
            }
        }
    }

    @Test("asks for a session where one is declared, and for a recent one where that is", arguments: ["", "Bearer x"])
    func sessions(authorization: String) async throws {
        let routes = try await routes(of: .native).filter { [.session, .recentSession].contains($0.route.caller) }
        try await RunningServer.run { server in
            let headers =
                "Okaeri-Application: \(server.application.id.rawValue)\r\n"
                + (authorization.isEmpty ? "" : "Authorization: \(authorization)\r\n")
            for (route, path) in routes {
                let (fast, ordinary) = try await ask(route.method, path, headers: headers, server)
                for answer in [fast, ordinary] {
                    #expect(answer.status == 401, "\(route.method) \(path)")
                    let code = authorization.isEmpty ? "session_required" : "session_invalid"
                    #expect(answer.body.contains(code), "\(route.method) \(path)")
                }
            }
        }
    }
}

/// A response as it came over the network.
struct HTTPAnswer: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: String

    /// Takes one response off some bytes.
    init(_ bytes: inout ArraySlice<UInt8>) throws {
        func line() throws -> String {
            let end = try #require(bytes.firstIndex(of: UInt8(ascii: "\r")))
            defer { bytes = bytes[(end + 2)...] }
            return String(decoding: bytes[..<end], as: UTF8.self)
        }
        status = try #require(Int(try line().split(separator: " ")[1]))
        var headers: [(name: String, value: String)] = []
        while case let text = try line(), !text.isEmpty {
            let colon = try #require(text.firstIndex(of: ":"))
            headers.append((text[..<colon].lowercased(), text[colon...].dropFirst().drop { $0 == " " }.description))
        }
        self.headers = headers
        var body: [UInt8] = []
        if headers.contains(where: { $0.name == "transfer-encoding" }) {
            while true {
                let count = try #require(Int(try line(), radix: 16))
                body += bytes.prefix(count)
                bytes = bytes.dropFirst(count + 2)
                if count == 0 { break }
            }
        } else if let length = headers.first(where: { $0.name == "content-length" }) {
            let count = try #require(Int(length.value))
            body += bytes.prefix(count)
            bytes = bytes.dropFirst(count)
        }
        self.body = String(decoding: body, as: UTF8.self)
    }

    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The headers without what differs from request to request.
    var lastingHeaders: [String] {
        headers.compactMap { header -> String? in
            switch header.name {
            case "request-id", "date", "connection": nil
            // Nonces and cookies are drawn anew.
            case "content-security-policy", "set-cookie": header.name
            case "content-length" where isPage: header.name
            default: "\(header.name): \(header.value)"
            }
        }.sorted()
    }

    /// The body without what differs from request to request.
    var lastingBody: String {
        let id = self["request-id"] ?? ""
        let body = id.isEmpty ? body : body.replacing(id, with: "")
        // Members have no order.
        guard let value = try? JSONValue(parsing: Array(body.utf8)), case .object = value else {
            return isPage ? "" : body
        }
        return Self.text(of: value)
    }

    private static func text(of value: JSONValue) -> String {
        switch value {
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \(text(of: $0.value))" }.joined(separator: ", ")
                + "}"
        case .array(let items): "[" + items.map(text(of:)).joined(separator: ", ") + "]"
        default: "\(value)"
        }
    }

    private var isPage: Bool { self["content-type"]?.hasPrefix("text/html") == true }
}
