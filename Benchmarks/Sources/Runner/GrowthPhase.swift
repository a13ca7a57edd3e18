import Measuring

/// What if there are a million users, or ten?
///
/// The same requests against a thousand and a million users: as many sessions, as many devices.
struct GrowthPhase {
    let workbench: Workbench
    let isQuick: Bool

    /// How many users there are at the most.
    let large: Int

    func measure(into report: inout Report) throws {
        let few = try workbench.seeded(users: 1_000)
        let between = try workbench.seeded(users: 100_000)
        let many = try workbench.seeded(users: large)
        try addStart(on: many, to: &report)
        for (scenario, name) in [
            ("session-check", "session check"), ("log-in", "log-in of a known device"),
            ("first-launch", "first launch"),
        ] {
            var ratios: [Double] = []
            var last: (few: LoadResult, many: LoadResult)?
            for _ in 0..<(isQuick ? 1 : 3) {
                let pair = (few: try run(scenario, on: few), many: try run(scenario, on: many))
                ratios.append(pair.many.requestsPerSecond / pair.few.requestsPerSecond)
                last = pair
            }
            if let last {
                report.add("\(name), 1,000 users", last.few)
                if large > 100_000 {
                    report.add("\(name), 100,000 users", try run(scenario, on: between))
                }
                report.add("\(name), \(large) users", last.many)
            }
            report.add(ratio: "\(name), many users ÷ few", ratios.median, "\(large) ÷ 1000 users, requests/s at 64")
        }
        // More sessions than the cache holds: each check asks the database.
        report.add(
            "session check, \(large) users, 100,000 sessions in turn",
            try run("session-check", on: many, spread: 100_000))
        report.add(
            "log-in of a known device, \(large) users, 100,000 devices in turn",
            try run("log-in", on: many, spread: 100_000))
    }

    private func run(_ scenario: String, on seeded: SeededData, spread: Int = 1_000) throws -> LoadResult {
        let data = try seeded.copy(to: workbench.folder + "/run")
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        defer { server.child.stop() }
        let seconds = isQuick ? 2.0 : 4.0
        return try server.load(
            scenario, LoadRun(seconds: seconds, requests: Int((seconds + 1) * 9_000), spread: spread))
    }

    /// How long after its start does the server answer?
    private func addStart(on seeded: SeededData, to report: inout Report) throws {
        let data = try seeded.copy(to: workbench.folder + "/run")
        let times = try (0..<5).map { _ in
            let server = try ServerUnderTest.okaeri(workbench, on: data)
            defer { server.child.stop() }
            return server.readyMilliseconds
        }
        report.add(
            ratio: "ready, milliseconds", times.median,
            "from the start of the process to the first 200 of /health/ready, \(large) users; median of 5, worst "
                + "\(Int(times.max() ?? 0))")
    }
}
