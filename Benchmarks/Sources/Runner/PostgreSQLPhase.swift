import Measuring

/// How near do nodes on PostgreSQL come to the embedded database, and to PostgreSQL itself?
///
/// `pgbench` runs the statements of a log-in as one script where the node runs otherwise, and asks nothing else of
/// anybody. Its users are others than those of the load.
struct PostgreSQLPhase {
    let workbench: Workbench
    let isQuick: Bool
    /// The folder with pgbench's scripts.
    let files: String

    private let scenarios = [
        ("session-check", "session check"), ("log-in", "log-in of a known device"), ("first-launch", "first launch"),
    ]
    private var seconds: Double { isQuick ? 2 : 4 }
    private let users = 200_000

    func measure(into report: inout Report) throws {
        // Half of the users have keys that the load knows; pgbench takes the others.
        let data = try workbench.seeded(users: users)
        let server = try PostgreSQLServer(workbench)
        let template = try server.filled(from: data)
        try compareWithPgbench(data, server, template, &report)
        try compareWithSQLite(data, server, template, &report)
        try compareTwoNodes(data, server, template, &report)
    }

    private func compareWithPgbench(
        _ data: SeededData, _ server: PostgreSQLServer, _ template: String, _ report: inout Report
    ) throws {
        let database = try server.copy(template, to: "run")
        let variables = ["application=\(try data.application)", "step=\(users / 100_000)"]
        for (scenario, name) in scenarios.dropFirst() {
            var ratios: [Double] = []
            var details: [String] = []
            for round in 0..<(isQuick ? 1 : 3) {
                let ceiling = try server.pgbench(
                    "\(files)/\(scenario).sql", on: database, seconds: Int(seconds), variables: variables)
                let node = try ServerUnderTest.okaeri(workbench, on: data, database: server.url(database))
                var run = self.run
                (run.skip, run.spread) = (10_000 + round * 30_000, 30_000)
                let before = server.processorMicroseconds
                let result = try node.load(scenario, run)
                // The warm-up of a second is in it.
                let count = result.requestsPerSecond * (seconds + 1)
                let each = Int((server.processorMicroseconds - before) / count)
                node.child.stop()
                report.add("\(name), PostgreSQL", result)
                ratios.append(result.requestsPerSecond / ceiling)
                details.append("\(Int(result.requestsPerSecond)) ÷ \(Int(ceiling)) (\(each) µs of PostgreSQL each)")
            }
            report.add(ratio: "\(name), node ÷ pgbench", ratios.median, details.joined(separator: ", "))
        }
    }

    private func compareWithSQLite(
        _ data: SeededData, _ server: PostgreSQLServer, _ template: String, _ report: inout Report
    ) throws {
        let database = try server.copy(template, to: "run")
        let copy = try data.copy(to: workbench.folder + "/run")
        var ratios: [Double] = []
        for _ in 0..<(isQuick ? 1 : 3) {
            let embedded = try ServerUnderTest.okaeri(workbench, on: copy).load("session-check", run)
            let node = try ServerUnderTest.okaeri(workbench, on: data, database: server.url(database))
                .load("session-check", run)
            report.add("session check, SQLite", embedded)
            report.add("session check, PostgreSQL", node)
            ratios.append(node.requestsPerSecond / embedded.requestsPerSecond)
        }
        report.add(ratio: "session check, PostgreSQL ÷ SQLite", ratios.median, "requests/s at 64 connections")
    }

    private func compareTwoNodes(
        _ data: SeededData, _ server: PostgreSQLServer, _ template: String, _ report: inout Report
    ) throws {
        for (scenario, name) in scenarios {
            let database = try server.copy(template, to: "run")
            var ratios: [Double] = []
            for round in 0..<(isQuick ? 1 : 3) {
                let first = try ServerUnderTest.okaeri(workbench, on: data, database: server.url(database))
                var run = self.run
                (run.skip, run.spread) = scenario == "session-check" ? (0, 2_000) : (round * 30_000, 10_000)
                let alone = try first.load(scenario, run)
                let second = try ServerUnderTest.okaeri(
                    workbench, on: data, database: server.url(database), processor: Workbench.otherProcessor)
                run.connections = 32
                if scenario != "session-check" { run.skip += 10_000 }
                let one = try first.start(scenario, run)
                if scenario != "session-check" { run.skip += 10_000 }
                let other = try second.start(scenario, run).result(LoadResult.self)
                let together = try one.result(LoadResult.self).requestsPerSecond + other.requestsPerSecond
                workbench.progress("\(name): \(Int(alone.requestsPerSecond)) on one node, \(Int(together)) on two")
                ratios.append(together / alone.requestsPerSecond)
                first.child.stop()
                second.child.stop()
            }
            report.add(
                ratio: "\(name), two nodes ÷ one", ratios.median,
                "requests/s at 64 connections in all; the second node shares its processor with the load")
        }
    }

    private var run: LoadRun {
        LoadRun(seconds: seconds, requests: Int((seconds + 1) * 8_000), spread: 2_000)
    }
}
