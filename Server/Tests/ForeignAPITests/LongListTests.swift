import Domain
import Foundation
import OkaeriWire
import TestWorld
import Testing

/// Lists as long as a body can hold, at every route of every old protocol. What looked at each value did so while all changes
/// waited.
@Suite("A list of a hundred thousand, in a foreign protocol", .timeLimit(.minutes(10)))
struct LongListTests {
    typealias Surface = RouteBodyTests.Surface

    /// Somebody who can log in, and what they log in with.
    private static func owner(
        _ name: String, _ surface: Surface, in world: ForeignWorld
    ) async throws -> (id: String, token: String) {
        switch surface {
        case .ncmb:
            let made = try await world.ncmb("POST", "/users", #"{"userName":"\#(name)","password":"secret"}"#)
            return (try made.text("objectId"), try made.text("sessionToken"))
        case .parse: return try await world.parseUser(name)
        case .kii: return try await world.kiiUser(name)
        case .envelope: return (name, try await surface.token(of: name, in: world))
        }
    }

    /// Bodies for what changes a user: each with a list where the protocol has one.
    private static let ofUsers = [
        LongBody.list(#"{"list":{"__op":"AddUnique","objects":["#, "%", "]}}"),
        LongBody.list(#"{"list":{"__op":"Remove","objects":["#, "%", "]}}"),
        LongBody.list(#"{"users":{"__op":"AddRelation","objects":["#, #"{"objectId":"u%"}"#, "]}}"),
        LongBody.list(#"{"ACL":{"#, #""u%":{"read":true}"#, "}}"),
        LongBody.list(#"{"acl":{"#, #""u%":{"read":true}"#, "}}"),
        LongBody.list(#"{"authData":{"#, #""p%":{"id":"a"}"#, "}}"),
        LongBody.list(#"{"authData":{"facebook":{"#, #""m%":"a""#, "}}}"),
        LongBody.list("{", #""a.m%":1"#, "}"),
    ]
    /// Bodies for what looks for users, and for several requests in one.
    private static let ofSearches = [
        LongBody.list(#"{"_method":"GET","where":{"$or":["#, #"{"a":%}"#, "]}}"),
        LongBody.list(#"{"_method":"GET","where":{"a":{"$in":["#, "%", "]}}}"),
        LongBody.list(#"{"_method":"GET","where":{"objectId":{"$in":["#, #""u%""#, "]}}}"),
        LongBody.list(#"{"_method":"GET","where":{"#, #""m%":1"#, "}}"),
        LongBody.list(#"{"userQuery":{"clause":{"type":"or","clauses":["#, #"{"type":"all"}"#, "]}}}"),
        LongBody.list(#"{"userQuery":{"clause":{"type":"in","field":"userID","values":["#, #""u%""#, "]}}}"),
        LongBody.list(#"{"requests":["#, #"{"method":"GET","path":"/parse/users/u%"}"#, "]}"),
    ]

    /// Queries of an address, which is as long as an operator lets it be (`maximum-header-bytes`): each with a list by a name that
    /// a protocol has, and names without end.
    private static let ofAddresses: [String] = {
        let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: ",:[]"))
        func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }
        let names = LongBody.list("", "m%", "")
        let conditions = [
            LongBody.list(#"{"$or":["#, #"{"a":%}"#, "]}", maximumBytes: 400_000),
            LongBody.list(#"{"a":{"$in":["#, "%", "]}}"),
            LongBody.list(#"{"objectId":{"$in":["#, #""u%""#, "]}}", maximumBytes: 400_000),
            LongBody.list("{", #""m%":1"#, "}", maximumBytes: 400_000),
        ]
        let quoted = escaped(LongBody.list("[", #""m%""#, "]", maximumBytes: 400_000))
        var queries: [String] = conditions.map { "where=\(escaped($0))" }
        for name in ["order", "keys", "excludeKeys", "include", "limit", "userName"] {
            queries.append("\(name)=\(names)")
        }
        queries += ["order=\(quoted)", "keys=\(quoted)"]
        for item in ["n%=1", "where=%"] {
            queries.append(LongBody.list("", item, "", maximumBytes: 300_000, separator: "&"))
        }
        return queries
    }()

    /// Sends a body, which is answered soon, and not by a fault of the server. What is away for a short body too may say so.
    private static func send(
        _ body: String, to route: (method: String, path: String), of surface: Surface, token: String?,
        in world: ForeignWorld, away: Int? = nil
    ) async throws {
        let what = "\(route.method) \(route.path) \(body.prefix(60))"
        try await HostileTextTests.isSoon(what, within: LongBody.patience(with: body)) {
            let answer = try await surface.send(route.method, route.path, body, token: token, in: world)
            #expect(
                answer.status < 500 || answer.status == away,
                "\(what): \(answer.status) \(answer.text.prefix(300))")
            #expect(answer.body.count < 100_000, "\(what): \(answer.body.count) bytes")
        }
    }

    /// The routes of a surface that read a body, with a text for each name in their paths.
    private static func routes(
        of surface: Surface, segment: String
    ) async throws -> [(method: String, path: String)] {
        try await RouteBodyTests.routes(of: surface, segment: segment).filter { route in
            guard ["POST", "PUT", "PATCH"].contains(route.method) else { return false }
            // Every path of Parse's has every method: those that it has operations for.
            guard surface == .parse else { return true }
            return route.path.hasPrefix("/parse/")
                && route.method == (route.path.hasSuffix("/\(segment)") ? "PUT" : "POST")
        }
    }

    @Test("is answered soon at every route, and no fault of the server", arguments: Surface.allCases)
    func everyRoute(surface: Surface) async throws {
        let world = try await ForeignWorld()
        let count = try await Self.routes(of: surface, segment: "u").count
        #expect(count > 2)
        for number in 0..<count {
            // Some routes end the session.
            let owner = try await Self.owner("hana\(number)", surface, in: world)
            let route = try await Self.routes(of: surface, segment: owner.id)[number]
            let other = try await Self.owner("yuki\(number)", surface, in: world)
            let twin = try await Self.routes(of: surface, segment: other.id)[number]
            let short = try await surface.send(twin.method, twin.path, "{}", token: other.token, in: world)
            let away = short.status == 503 ? 503 : nil
            for body in LongBody.chosen(of: LongBody.shapes, at: number, share: 2) {
                try await Self.send(body, to: route, of: surface, token: owner.token, in: world, away: away)
            }
        }
    }

    /// The addresses of a surface that are read, with a text for each name in their paths.
    private static func addresses(of surface: Surface, segment: String) async throws -> [String] {
        try await RouteBodyTests.routes(of: surface, segment: segment).filter { $0.method == "GET" }.map(\.path)
    }

    @Test("is answered soon in the query of every address, and no fault of the server", arguments: Surface.allCases)
    func queries(surface: Surface) async throws {
        let world = try await ForeignWorld()
        // What decodes a query and takes it apart does as much as what reads a body.
        let patience = LongBody.patience(with: LongBody.shapes[0])
        let count = try await Self.addresses(of: surface, segment: "u").count
        #expect(count > 0 || surface == .envelope)
        for number in 0..<count {
            // Some routes end the session.
            let owner = try await Self.owner("hana\(number)", surface, in: world)
            let address = try await Self.addresses(of: surface, segment: owner.id)[number]
            let other = try await Self.owner("yuki\(number)", surface, in: world)
            let twin = try await Self.addresses(of: surface, segment: other.id)[number]
            let short = try await surface.send("GET", twin, nil, token: other.token, in: world)
            for query in LongBody.chosen(of: Self.ofAddresses, at: number, share: 4) {
                let what = "GET \(address)?\(query.prefix(40))"
                try await HostileTextTests.isSoon(what, within: patience) {
                    let answer = try await surface.send(
                        "GET", "\(address)?\(query)", nil, token: owner.token, in: world)
                    #expect(
                        answer.status < 500 || answer.status == 503 && short.status == 503,
                        "\(what): \(answer.status) \(answer.text.prefix(300))")
                    #expect(answer.body.count < 100_000, "\(what): \(answer.body.count) bytes")
                }
            }
        }
    }

    @Test(
        "is answered soon where a user is made or changed, or looked for, wherever the protocol has a list",
        arguments: Surface.allCases)
    func lists(surface: Surface) async throws {
        let world = try await ForeignWorld()
        let owner = try await Self.owner("hana", surface, in: world)
        let routes: [(method: String, path: String)] =
            switch surface {
            case .ncmb:
                [
                    ("POST", "/2013-09-01/users"), ("PUT", "/2013-09-01/users/\(owner.id)"),
                    ("POST", "/2013-09-01/classes/user"),
                ]
            case .parse:
                [
                    ("POST", "/parse/users"), ("PUT", "/parse/users/\(owner.id)"), ("POST", "/parse/sessions"),
                    ("POST", "/parse/batch"),
                ]
            case .kii:
                [
                    ("POST", "/api/apps/\(ForeignWorld.appId)/users"),
                    ("POST", "/api/apps/\(ForeignWorld.appId)/users/\(owner.id)"),
                    ("POST", "/api/apps/\(ForeignWorld.appId)/users/query"),
                ]
            case .envelope: [("POST", "/user/signup"), ("POST", "/user/signin")]
            }
        for (number, route) in routes.enumerated() {
            for body in LongBody.chosen(of: Self.ofUsers + Self.ofSearches, at: number, share: 6) {
                try await Self.send(body, to: route, of: surface, token: owner.token, in: world)
            }
        }
        guard surface == .parse || surface == .kii else { return }
        // Who reads and writes for everybody is held to the same.
        let administrator = surface == .kii ? try await world.administrator() : nil
        for body in LongBody.chosen(of: Self.ofUsers + Self.ofSearches, at: 0, share: 5) {
            let what = "an administrator's \(body.prefix(60))"
            try await HostileTextTests.isSoon(what, within: LongBody.patience(with: body)) {
                let answer =
                    surface == .kii
                    ? try await world.kii("POST", "/users/query", body, token: administrator)
                    : try await world.parse("POST", "/users", body, master: true)
                #expect(answer.status < 500, "\(what): \(answer.status) \(answer.text.prefix(300))")
            }
        }
    }
}
