import Domain
import Foundation
import HTTPTypes
import ParseAPI
import StorageSQLite
import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@Suite("Searches that cost too much", .timeLimit(.minutes(20)))
struct SearchLimitTests {
    /// The ways in that search: each sends a search and gives its answer.
    enum Way: CaseIterable {
        case ncmb, parse, kii

        func search(_ world: ForeignWorld, administrator: String) async throws -> Answer {
            switch self {
            case .ncmb: try await world.ncmb("GET", "/users")
            case .parse: try await world.parse("GET", "/users")
            case .kii:
                try await world.kii(
                    "POST", "/users/query", #"{"userQuery":{"clause":{"type":"all"}}}"#, token: administrator,
                    type: "application/vnd.kii.UserQueryRequest+json")
            }
        }
    }

    private func world(
        _ engine: ScriptedSearches, server: [String: String] = ["rate-limits": "off"]
    ) async throws -> (ForeignWorld, administrator: String) {
        let world = try await ForeignWorld(server: server, engine: engine)
        return (world, try await world.administrator())
    }

    private static func engine() throws -> ScriptedSearches {
        ScriptedSearches(try SQLiteStore(.memory, role: .server))
    }

    @Test(
        "by their time are ended in each protocol's words, without an invitation to repeat them",
        arguments: [
            (Way.ncmb, 429, #""E429002""#), (.parse, 400, "124"), (.kii, 503, #""RESOURCE_TEMPORARILY_UNAVAILABLE""#),
        ])
    func tooSlow(way: Way, status: Int, code: String) async throws {
        let engine = try Self.engine()
        let (world, administrator) = try await world(engine)
        engine.play(.tooSlow)
        let answer = try await way.search(world, administrator: administrator)
        #expect(answer.status == status && answer.text.contains(code), "\(answer.status) \(answer.text)")
        #expect(way == .kii || answer.headers[.retryAfter] == nil)
        #expect(engine.limits == [.milliseconds(300)])
        engine.play(.asItIs)
        #expect(try await way.search(world, administrator: administrator).status == 200)
    }

    @Test(
        "by their sum are refused until some of it has passed",
        arguments: [(Way.ncmb, #""E429002""#), (.parse, "100"), (.kii, #""TOO_MANY_REQUESTS""#)])
    func budget(way: Way, code: String) async throws {
        let engine = try Self.engine()
        let (world, administrator) = try await world(
            engine, server: ["search-time-per-address": "3", "search-time-per-application": "9"])
        engine.play(.takes(.seconds(4)))
        // Kii's administrator is the application's own server.
        let count = way == .kii ? 3 : 1
        for _ in 0..<count { #expect(try await way.search(world, administrator: administrator).status == 200) }
        let refused = try await way.search(world, administrator: administrator)
        #expect(refused.status == 429 && refused.text.contains(code), "\(refused.status) \(refused.text)")
        #expect(refused.headers[.retryAfter] == "20")
        world.clock.advance(by: .seconds(21))
        #expect(try await way.search(world, administrator: administrator).status == 200)
    }

    @Test("hold neither log-ins nor sessions, nor another application's searches")
    func others() async throws {
        let engine = try Self.engine()
        let (world, administrator) = try await world(engine)
        let user = try await world.parseUser("hana")
        _ = try await world.modules.applications.createApplication(
            name: "Other app",
            protocols: [
                .parse: [
                    .applicationId: Secret("app2"), .restKey: Secret("rest"), .javascriptKey: Secret("js2"),
                    .clientKey: Secret("client2"), .masterKey: Secret("master2"),
                ]
            ], by: .local)
        func search(_ application: String, from peer: String) -> Task<Int, any Error> {
            Task {
                try await world.send(
                    "GET", "/parse/users",
                    [("X-Parse-Application-Id", application), ("X-Parse-REST-API-Key", "rest")], peer: peer
                ).status
            }
        }
        engine.play(.held)
        let many = (1...40).map { search("app1", from: "192.0.2.\($0)") }
        await engine.untilHeld(1)
        while world.modules.waitingSearches != 39 { await Task.yield() }
        #expect(try await world.parseLogIn("hana").status == 200)
        #expect(try await world.parse("GET", "/users/me", token: user.token).status == 200)
        #expect(try await world.parse("GET", "/users/\(user.id)", token: user.token).status == 200)
        #expect(try await world.parse("PUT", "/users/\(user.id)", #"{"a":1}"#, token: user.token).status == 200)
        #expect(try await world.pseudoUser().id.isEmpty == false)
        // There is a reader for the other application, whatever the first one asks.
        let other = search("app2", from: "192.0.2.1")
        await engine.untilHeld(2)
        engine.letAllGo()
        for task in many + [other] { #expect(try await task.value == 200) }
        #expect(try await Way.kii.search(world, administrator: administrator).status == 200)
    }

    @Test("have one time limit with the queries within them")
    func within() async throws {
        let engine = try Self.engine()
        let (world, _) = try await world(engine)
        engine.play(.takes(.milliseconds(140)))
        func query(_ names: [String]) -> String {
            let members = names.map { #""\#($0)":{"$inQuery":{"className":"_User","where":{}}}"# }
            return #"{"_method":"GET","where":{\#(members.joined(separator: ","))}}"#
        }
        #expect(try await world.parse("POST", "/users", query(["a"])).status == 200)
        #expect(engine.limits == [.milliseconds(300), .milliseconds(160)])
        #expect(try await world.parse("POST", "/users", query(["a", "b", "c"])).parseCode == 124)
        #expect(engine.limits.count == 5)
    }

    @Test("by what they compare with are refused before they begin")
    func tooLarge() async throws {
        let engine = try Self.engine()
        let (world, administrator) = try await world(engine)
        let long = String(repeating: "a", count: 2001)
        let body = #"{"_method":"GET","where":{"a":{"$regex":"\#(long)"}}}"#
        let parse = try await world.parse("POST", "/users", body)
        #expect(parse.parseCode == 102, "\(parse.text)")
        let many = (0...200).map(String.init).joined(separator: ",")
        let parseList = try await world.parse("POST", "/users", #"{"_method":"GET","where":{"a":{"$in":[\#(many)]}}}"#)
        #expect(parseList.parseCode == 102, "\(parseList.text)")
        let kii = try await world.kii(
            "POST", "/users/query",
            #"{"userQuery":{"clause":{"type":"prefix","field":"a","prefix":"\#(long)"}}}"#, token: administrator,
            type: "application/vnd.kii.UserQueryRequest+json")
        #expect(kii.status == 400, "\(kii.text)")
        #expect(engine.limits.isEmpty)
    }

    /// Users whom everybody may read, with 32 KiB each, who are together more than one response holds.
    private func largeUsers(_ world: ForeignWorld, _ more: [String: JSONValue] = [:]) async throws -> Int {
        let (application, now) = (world.application.id, world.clock.now)
        let count = SearchLimits.maximumBytes / 32_768 + 10
        try await world.importing { transaction throws(DomainError) in
            for number in 1000..<(1000 + count) {
                var user = User(
                    id: Identifier(rawValue: "large\(number)"), application: application, createdAt: now, updatedAt: now
                )
                user.acl = ACL([.everybody: [.read]])
                user.fields = ["text": .string(String(repeating: "a", count: 32_768))]
                user.fields.merge(more) { $1 }
                try transaction.insert(user)
            }
        }
        return count
    }

    @Test("by what they find are refused in each protocol's words, and Kii's pages become shorter")
    func tooMuch() async throws {
        let engine = try Self.engine()
        let (world, administrator) = try await world(engine)
        let (count, application) = (try await largeUsers(world), world.application.id)
        engine.play(.takes(.milliseconds(1)))
        let ncmb = try await world.ncmb("GET", "/users?limit=1000")
        #expect(ncmb.status == 400 && ncmb.text.contains("E400005"), "\(ncmb.status)")
        #expect(try await world.ncmb("GET", "/users?limit=100").results().count == 100)
        let parse = try await world.parse("GET", "/users?limit=1000")
        #expect(parse.parseCode == 102, "\(parse.status)")
        #expect(try await world.parse("GET", "/users?limit=100&skip=100").results().count == 100)
        // A page of Kii has two hundred users at the most, who are made larger than any limit of an application's.
        try await world.importing { transaction throws(DomainError) in
            for var user in try transaction.users(in: application, after: nil, limit: count) {
                user.fields = ["text": .string(String(repeating: "a", count: 65_536))]
                try transaction.updateProfile(of: user)
            }
        }
        var (seen, key): (Set<String>, String?) = ([], nil)
        for _ in 0..<40 {
            let more = key.map { #","paginationKey":"\#($0)""# } ?? ""
            let answer = try await world.kii(
                "POST", "/users/query", #"{"userQuery":{"clause":{"type":"all"}},"bestEffortLimit":200\#(more)}"#,
                token: administrator, type: "application/vnd.kii.UserQueryRequest+json")
            #expect(answer.status == 200 && answer.body.count < 2 * SearchLimits.maximumBytes, "\(answer.status)")
            for row in try answer.results() {
                guard case .string(let id)? = row["userID"] else { continue }
                #expect(seen.insert(id).inserted)
            }
            key = try? answer.text("nextPaginationKey")
            if key == nil { break }
        }
        #expect(key == nil && seen.count == count, "\(seen.count)")
    }

    @Test("do not write one user into a response of Parse a thousand times, nor a hundred responses into a batch")
    func multiplied() async throws {
        let engine = try Self.engine()
        let (world, _) = try await world(engine)
        engine.play(.takes(.milliseconds(1)))
        let pointer: JSONValue = ["__type": "Pointer", "className": "_User", "objectId": "large1000"]
        _ = try await largeUsers(world, ["friends": .array([JSONValue](repeating: pointer, count: 100))])
        let query = "/users?limit=50"
        #expect(try await world.parse("GET", query).results().count == 50)
        let included = try await world.parse("GET", "\(query)&include=friends")
        #expect(included.parseCode == 102, "\(included.body.count)")
        let few = try await world.parse("GET", "/users?limit=1&include=friends")
        #expect(try few.results().count == 1, "\(few.text.prefix(200))")
        let deep = try await world.parse("GET", "/users?limit=1&include=friends.friends")
        #expect(deep.parseCode == 102, "\(deep.body.count)")
        let one = #"{"method":"GET","path":"/parse/users","body":{"limit":100}}"#
        let batch = try await world.parse(
            "POST", "/batch", #"{"requests":[\#([String](repeating: one, count: 20).joined(separator: ","))]}"#)
        #expect(batch.status == 200 && batch.body.count < 3 * SearchLimits.maximumBytes, "\(batch.body.count)")
        #expect(batch.text.contains(#""error":{"code":102"#))
    }

    @Test("are ended by the clock on the wall when storage works for long")
    func real() async throws {
        let world = try await ForeignWorld(server: ["rate-limits": "off", "search-time": "20"])
        let list = (0..<3000).map(String.init).joined(separator: ",")
        for number in 0..<60 { _ = try await world.parseUser("user\(number)", #","list":[\#(list)]"#) }
        // Each alternative walks through every list.
        let ways = (0..<100).map { #"{"list":"nothing\#($0)"}"# }.joined(separator: ",")
        // What it would take without an end is twenty million steps.
        let answer = try await world.parse(
            "POST", "/users", #"{"_method":"GET","where":{"$or":[\#(ways)]}}"#, master: true)
        #expect(answer.parseCode == 124, "\(answer.text)")
        // Twenty milliseconds are little on a crowded machine, for one row too.
        var rest: Answer
        repeat {
            rest = try await world.parse(
                "POST", "/users", #"{"_method":"GET","where":{"username":"user7"},"limit":1}"#, master: true)
        } while rest.parseCode == 124
        #expect(try rest.results().count == 1)
    }
}
