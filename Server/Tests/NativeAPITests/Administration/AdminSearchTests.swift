import Domain
import Foundation
import HTTPTypes
import NativeAPI
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@Suite("Lists of users, for admins, within their time")
struct AdminSearchTests {
    private func world() async throws -> (AdminWorld, ScriptedSearches) {
        let engine = ScriptedSearches(try SQLiteStore(.memory, role: .server))
        // As they are without settings.
        let settings = [
            "search-time": "300", "search-time-per-address": "6", "search-time-per-application": "30",
        ]
        return (try await AdminWorld(try await TestServer(settings: settings, store: engine), roles: []), engine)
    }

    @Test("tell when not even the first users were looked at in time")
    func tooSlow() async throws {
        let (world, engine) = try await world()
        engine.play(.tooSlow)
        let answer = try await world.send("owner", .get, world.path("/users?search=hana"))
        let code = try answer.json["code"]?.text
        #expect(answer.status == 503 && code == "search_too_slow", "\(answer.text)")
        #expect(answer.headers[.retryAfter] == nil)
        engine.play(.asItIs)
        #expect(try await world.send("owner", .get, world.path("/users")).status == 200)
    }

    @Test(
        "are not all that takes a turn: so do looks into the audit log, overviews and the list of applications",
        arguments: ["{here}/audit?action=none", "{here}/overview?days=90", "applications", "audit"])
    func otherSearches(path: String) async throws {
        let (world, engine) = try await world()
        let path = path.replacing("{here}", with: world.path())
        engine.play(.tooSlow)
        let answer = try await world.send("owner", .get, path)
        let code = try answer.json["code"]?.text
        #expect(answer.status == 503 && code == "search_too_slow", "\(answer.text)")
        #expect(engine.limits == [.seconds(10)])
        engine.play(.asItIs)
        #expect(try await world.send("owner", .get, path).status == 200)
        // A command takes the time that it needs.
        let log = world.server.modules.administration.audit
        _ = try await log.list(in: world.server.application.id, by: .export)
        #expect(engine.limits.last == .seconds(600))
    }

    @Test("end a page when its time is over, and go on with the next one")
    func shortPages() async throws {
        let (world, engine) = try await world()
        for _ in 0..<3 {
            _ = try await world.server.person()
            world.server.clock.advance(by: .milliseconds(5))
        }
        engine.play(.takes(.milliseconds(299)))
        let browse = world.server.modules.administration.users.browse
        let application = world.server.application.id
        // Each step looks at one user; after the second one the time is over.
        let first = try await browse(in: application, for: .unrestricted, limit: 50, stride: 1)
        #expect(first.users.count == 2)
        let rest = try await browse(
            in: application, for: .unrestricted, from: first.next, limit: 50, stride: 1)
        #expect(rest.users.count == 1)
        #expect(engine.limits.prefix(2) == [.milliseconds(300), .milliseconds(1)])
        // An export has longer for its pages, and misses nobody.
        let pages = try await world.server.modules.administration.users.export(
            of: application, BrowseUsers.Filter(), by: .local)
        #expect(try await pages(from: nil).users.count == 3)
        #expect(engine.limits.last == .seconds(10))
    }

    @Test("end a page when it is as much as a response holds, and go on with the next one")
    func largePages() async throws {
        let (world, engine) = try await world()
        engine.play(.takes(.milliseconds(1)))
        let (application, now) = (world.server.application.id, world.server.clock.now)
        let (size, count) = (200_000, 90)
        try await engine.write { transaction throws(DomainError) in
            for number in 100..<(100 + count) {
                var user = User(
                    id: Identifier(rawValue: "large\(number)"), application: application, createdAt: now, updatedAt: now
                )
                user.fields = ["text": .string(String(repeating: "a", count: size))]
                try transaction.insert(user)
            }
        }
        var (seen, from, pages): ([String], String, Int) = ([], "", 0)
        repeat {
            let answer = try await world.send("owner", .get, "applications/\(application)/users?limit=500\(from)")
            #expect(answer.status == 200 && answer.text.utf8.count < SearchLimits.maximumBytes + 1_000_000)
            let body = try JSONDecoder().decode(Page.self, from: Data(answer.text.utf8))
            seen += body.users.map(\.user.id)
            from = body.next.map { "&from=\($0)" } ?? ""
            pages += 1
        } while !from.isEmpty && pages < 20
        #expect(seen == (100..<(100 + count)).reversed().map { "large\($0)" })
        #expect(pages == 3)
        let export = try await world.server.modules.administration.users.export(
            of: application, BrowseUsers.Filter(), by: .local)
        var (exported, cursor): (Int, UserCursor?) = (0, nil)
        repeat {
            let page = try await export(from: cursor)
            exported += page.users.count
            cursor = page.next
        } while cursor != nil
        #expect(exported == count)
    }

    @Test("list everybody, whatever ids an import brought, and lead to them")
    func importedIds() async throws {
        let store = try SQLiteStore(.memory, role: .server)
        let world = try await AdminWorld(
            try await TestServer(settings: ["rate-limits": "off"], store: store), roles: [])
        let (application, now) = (world.server.application.id, world.server.clock.now)
        let ids = ["花子", "a.300", "a.200", "a.100", "\u{301}b.7", "~", "B", "auth0|x/y?z"]
        try await store.write { transaction throws(DomainError) in
            for id in ids {
                try transaction.insert(
                    User(id: Identifier(rawValue: id), application: application, createdAt: now, updatedAt: now))
            }
        }
        var (seen, from): ([String], String) = ([], "")
        repeat {
            let answer = try await world.send("owner", .get, "applications/\(application)/users?limit=1\(from)")
            let body = try JSONDecoder().decode(Page.self, from: Data(answer.text.utf8))
            seen += body.users.map(\.user.id)
            from = body.next.map { "&from=\(Browser.escaped($0))" } ?? ""
        } while !from.isEmpty && seen.count < 20
        let expected = ids.sorted { $1.utf8.lexicographicallyPrecedes($0.utf8) }
        #expect(seen.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(seen)")
        let browser = world.browser()
        let shown = try await browser.get(world.page("users"))
        for id in ids {
            let path = "users/\(id.percentEncoded)"
            #expect(shown.html.contains("/\(path)\""), "\(id)")
            #expect(try await browser.get(world.page(path)).status == 200, "\(id)")
            let answer = try await world.send("owner", .get, "applications/\(application)/\(path)")
            #expect(answer.status == 200, "\(id): \(answer.text)")
        }
    }

    private struct Page: Decodable {
        struct User: Decodable { let id: String }

        struct Listed: Decodable { let user: User }

        let users: [Listed]
        let next: String?
    }

    @Test("count those who break a rule, however much they have")
    func ruleBreakers() async throws {
        let (world, engine) = try await world()
        let (application, now) = (world.server.application.id, world.server.clock.now)
        try await engine.write { transaction throws(DomainError) in
            for number in 100..<160 {
                var user = User(
                    id: Identifier(rawValue: "large\(number)"), application: application, createdAt: now, updatedAt: now
                )
                user.fields = ["text": .string(String(repeating: "a", count: 200_000)), "level": .integer(1)]
                try transaction.insert(user)
            }
        }
        engine.play(.takes(.milliseconds(1)))
        let count = try await world.server.modules.applications.countRuleBreakers(
            of: FieldRule(name: "text", kind: .boolean), in: application)
        #expect(count.breaking == 60 && count.looked == 60 && count.isComplete)
    }
}
