import Measuring

/// What if there are a million users on PostgreSQL, or ten?
///
/// As `GrowthPhase`, and the sizes are measured in turn.
struct PostgreSQLGrowthPhase {
    let workbench: Workbench
    let isQuick: Bool

    /// How many users there are at the most.
    let large: Int

    private var sizes: [Int] { [1_000, 100_000] + (large > 100_000 ? [large] : []) }

    func measure(into report: inout Report) throws {
        let server = try PostgreSQLServer(workbench)
        var runs: [(data: SeededData, database: String)] = []
        for users in sizes {
            let data = try workbench.seeded(users: users)
            runs.append((data, try server.copy(try server.filled(from: data), to: "run\(users)")))
        }
        for (scenario, name) in [
            // In this order: a log-in ends the device's earlier session.
            ("session-check", "session check"), ("log-in", "log-in of a known device"),
            ("first-launch", "first launch"),
        ] {
            var results: [[LoadResult]] = []
            for _ in 0..<(isQuick ? 1 : 3) {
                results.append(try runs.map { try run(scenario, on: $0.data, server.url($0.database), spread: 1_000) })
            }
            for (index, users) in sizes.enumerated() {
                report.add("\(name), PostgreSQL, \(users) users", results[results.count / 2][index])
            }
            let ratios = results.map { ($0.last?.requestsPerSecond ?? 0) / $0[0].requestsPerSecond }
            report.add(
                ratio: "\(name), PostgreSQL, many users ÷ few", ratios.median,
                "\(sizes.last ?? 0) ÷ \(sizes[0]) users, requests/s at 64")
        }
        guard let many = runs.last else { return }
        report.add(
            "log-in of a known device, PostgreSQL, \(sizes.last ?? 0) users, 90,000 devices in turn",
            try run("log-in", on: many.data, server.url(many.database), spread: 90_000, skip: 10_000))
        let rows = try server.sql("SELECT pg_database_size('\(many.database)') / 1048576", in: "postgres")
        report.add(ratio: "MiB of PostgreSQL, \(sizes.last ?? 0) users", Double(rows) ?? 0, "with what the runs added")
    }

    private func run(
        _ scenario: String, on data: SeededData, _ database: String, spread: Int, skip: Int = 0
    ) throws -> LoadResult {
        let node = try ServerUnderTest.okaeri(workbench, on: data, database: database)
        defer { node.child.stop() }
        let seconds = isQuick ? 2.0 : 4.0
        return try node.load(
            scenario,
            LoadRun(seconds: seconds, requests: Int((seconds + 1) * 8_000), spread: spread, skip: skip))
    }
}
