import Domain
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
        return (try await AdminWorld(try await TestServer(store: engine), roles: []), engine)
    }

    @Test("tell when not even the first users were looked at in time")
    func tooSlow() async throws {
        let (world, engine) = try await world()
        engine.play(.tooSlow)
        let answer = try await world.send("owner", .get, world.place("/users?search=hana"))
        let code = try answer.json["code"]?.text
        #expect(answer.status == 503 && code == "search_too_slow", "\(answer.text)")
        #expect(answer.headers[.retryAfter] == nil)
        engine.play(.asItIs)
        #expect(try await world.send("owner", .get, world.place("/users")).status == 200)
    }

    @Test("end a page when its time is over, and go on with the next one")
    func shortPages() async throws {
        let (world, engine) = try await world()
        for _ in 0..<3 {
            _ = try await world.server.person()
            world.server.clock.advance(by: .milliseconds(5))
        }
        engine.play(.takes(.milliseconds(299)))
        let browse = world.server.modules.administration.browseUsers
        let application = world.server.application.id
        // Each step looks at one user; after the second one the time is over.
        let first = try await browse(in: application, limit: 50, stride: 1)
        #expect(first.users.count == 2)
        let rest = try await browse(in: application, from: first.next, limit: 50, stride: 1)
        #expect(rest.users.count == 1)
        #expect(engine.limits.prefix(2) == [.milliseconds(300), .milliseconds(1)])
        // An export has longer for its pages, and misses nobody.
        let pages = try await world.server.modules.administration.exportUsers(
            of: application, BrowseUsers.Filter(), by: .local)
        #expect(try await pages(from: nil).users.count == 3)
        #expect(engine.limits.last == .seconds(10))
    }
}
