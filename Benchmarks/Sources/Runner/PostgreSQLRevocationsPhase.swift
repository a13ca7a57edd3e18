import Foundation
import Measuring

/// What does it cost that a shared database notes what ends?
///
/// After the first backup triggers write a line for each session that a log-in ends. Two copies of one database, one with the
/// triggers and one without, are measured in turn.
struct PostgreSQLRevocationsPhase {
    let workbench: Workbench
    let isQuick: Bool

    func measure(into report: inout Report) throws {
        let server = try PostgreSQLServer(workbench)
        let data = try workbench.seeded(users: isQuick ? 1_000 : 100_000)
        let filled = try server.filled(from: data)
        let plain = try server.copy(filled, to: "runplain")
        let noted = try server.copy(filled, to: "runnoted")
        try makeBackup(of: data, at: server.url(noted))
        for (scenario, name) in [("log-in", "log-in of a known device"), ("first-launch", "first launch")] {
            var pairs: [(plain: LoadResult, noted: LoadResult)] = []
            for _ in 0..<(isQuick ? 1 : 5) {
                pairs.append(
                    (try run(scenario, on: data, server.url(plain)), try run(scenario, on: data, server.url(noted))))
            }
            let middle = pairs[pairs.count / 2]
            report.add("\(name), PostgreSQL, nothing noted", middle.plain)
            report.add("\(name), PostgreSQL, ends noted", middle.noted)
            report.add(
                ratio: "\(name), PostgreSQL, ends noted ÷ not",
                pairs.map { $0.noted.requestsPerSecond / $0.plain.requestsPerSecond }.median,
                "requests/s at 64, median of \(pairs.count) in turn")
        }
        let lines = try server.sql("SELECT COUNT(*) FROM revocations", in: noted)
        workbench.progress("\(lines) lines in the journal")
        let isNoted = try server.sql("SELECT to_regclass('revocations') IS NULL", in: plain)
        guard (Int(lines) ?? 0) > 0, isNoted == "t" else {
            throw BenchFault("The two databases do not differ as they should: \(lines) lines, \(isNoted)")
        }
    }

    /// The first backup makes the triggers.
    private func makeBackup(of data: SeededData, at database: String) throws {
        struct Made: Decodable {
            let key: String
        }
        let folder = workbench.folder + "/backups"
        // What an earlier run left would be refused as a key's file.
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let text = try Child(
            workbench.server, ["backup", "new-key", "--secret-key-file", folder + "/secret", "--json"],
            processor: Workbench.anyProcessor
        ).outputText()
        let key = try JSONDecoder().decode(Made.self, from: Data(text.utf8)).key
        _ = try Child(
            workbench.server, ["backup", "make", "--to", folder, "--key", key, "--json"],
            processor: Workbench.anyProcessor, environment: try data.environment(for: database)
        ).outputText()
        try FileManager.default.removeItem(atPath: folder)
    }

    private func run(_ scenario: String, on data: SeededData, _ database: String) throws -> LoadResult {
        let node = try ServerUnderTest.okaeri(workbench, on: data, database: database)
        defer { node.child.stop() }
        let seconds = isQuick ? 2.0 : 4.0
        return try node.load(scenario, LoadRun(seconds: seconds, requests: Int((seconds + 1) * 8_000), spread: 1_000))
    }
}
