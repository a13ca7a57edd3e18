import Domain
import HTTPTypes
import OkaeriServer
import OkaeriWire
import Testing

@Suite("Statistics")
struct OverviewTests {
    @Test("are those of the rows, before and after the hour is written down, also when it is written twice")
    func counts() async throws {
        let world = try await AdminWorld(roles: [])
        let (server, statistics) = (world.server, world.server.modules.administration.statistics)
        for _ in 0..<3 { _ = try await server.person() }
        let person = try await server.person()
        #expect(try await person.upgrade().status == 200)
        _ = try await server.logIn("hana", "a wrong password")
        func sums() async throws -> [String: Int64] {
            let hours = try await world.send("owner", .get, world.path("/overview?days=7")).json["hours"]?.list ?? []
            var sums: [String: Int64] = [:]
            for hour in hours {
                for (name, value) in hour["counts"]?.members ?? [:] where !name.hasPrefix("users.active") {
                    if case .integer(let number) = value { sums[name, default: 0] += Int64(number) }
                }
            }
            return sums
        }
        let live = try await sums()
        #expect(live["users.new"] == 4)
        #expect(live["audit:user.upgraded:done"] == 1)
        #expect(live["audit:user.logged-in:refused"] == 1)
        // Log-ins by the key are counted nowhere but in the sessions.
        #expect(live["audit:user.logged-in:done"] == nil)
        server.clock.advance(by: .seconds(3700))
        try await statistics.write()
        try await statistics.write()
        world.server.clock.advance(by: .seconds(-100))
        #expect(try await statistics.readOverview(of: server.application.id, days: 7).activeToday == 4)
        #expect(
            try await statistics.readOverview(of: server.application.id, days: 7).statistics.filter {
                $0.name == .newUsers
            }.map(\.value).reduce(0, +) == 4)
    }

    @Test("of hours without a server are made up for")
    func catchingUp() async throws {
        let world = try await AdminWorld(roles: [])
        let statistics = world.server.modules.administration.statistics
        try await statistics.write()
        _ = try await world.server.person()
        world.server.clock.advance(by: .days(4))
        for _ in 0..<3 { try await statistics.write() }
        let overview = try await statistics.readOverview(of: world.server.application.id, days: 7)
        #expect(overview.statistics.filter { $0.name == .newUsers }.map(\.value).reduce(0, +) == 1)
        #expect(overview.activeToday == 0 && overview.activeMonth == 1)
    }

    @Test("of what was refused lead to its entries of the audit log")
    func refused() async throws {
        let world = try await AdminWorld(roles: [])
        #expect(try await world.server.person().upgrade().status == 200)
        _ = try await world.server.logIn("hana", "a wrong password")
        let (browser, entries) = (world.browser(), "\(world.page("audit"))?action=user.logged-in")
        let shown = try await browser.get(world.page()).html
        #expect(shown.contains("<a href=\"\(entries)\" title=\"user.logged-in\">Log-in</a>"))
        #expect(try await browser.get(entries).html.contains("badge-warn\">refused<"))
    }
}
