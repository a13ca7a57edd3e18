import Foundation
import Measuring

/// How does PocketBase do the same job on the same machine?
///
/// Both have 100,000 users, both write with `synchronous=FULL`; they are measured in turn. PocketBase's device log-in is a
/// hook of ours that checks no signature and opens no session on the server: it has less to do.
struct PeersPhase {
    let workbench: Workbench
    let isQuick: Bool
    let program: String
    /// The folder that `scripts/bench-peers` prepared: data, known users.
    let prepared: String
    /// The folder with the hook and the migration.
    let files: String

    func measure(into report: inout Report) throws {
        let okaeriData = try workbench.seeded(users: 100_000).copy(to: workbench.folder + "/run")
        let pocketBaseData = try SeededData(folder: prepared).copy(to: workbench.folder + "/pocketbase-run")
        let okaeri = try ServerUnderTest.okaeri(workbench, on: okaeriData)
        let pocketBase = try ServerUnderTest.pocketBase(
            workbench, program: program,
            folders: [
                "--dir", pocketBaseData.folder + "/data", "--hooksDir", files + "/pb_hooks", "--migrationsDir",
                files + "/pb_migrations", "--hooksWatch=false",
            ], side: pocketBaseData)
        defer {
            okaeri.child.stop()
            pocketBase.child.stop()
        }
        for (scenario, name) in [
            ("session-check", "session check"), ("log-in", "log-in of a known device"),
            ("first-launch", "first launch"),
        ] {
            try compare(scenario, name, okaeri, pocketBase, &report)
        }
    }

    private func compare(
        _ scenario: String, _ name: String, _ okaeri: ServerUnderTest, _ pocketBase: ServerUnderTest,
        _ report: inout Report
    ) throws {
        let seconds = isQuick ? 2.0 : 5.0
        // Each side has a thousand known sessions and devices; log-ins leave the checked sessions alone.
        let run = LoadRun(seconds: seconds, requests: Int((seconds + 1) * 9_000), spread: 1_000)
        var ownRun = run
        if scenario == "log-in" { (ownRun.skip, ownRun.spread) = (1_000, 90_000) }
        var pairs: [(own: LoadResult, other: LoadResult)] = []
        for _ in 0..<(isQuick ? 1 : 3) {
            pairs.append((try okaeri.load(scenario, ownRun), try pocketBase.load("pocketbase-" + scenario, run)))
        }
        let middle = pairs[pairs.count / 2]
        report.add("\(name), Okaeri", middle.own)
        report.add("\(name), PocketBase", middle.other)
        report.add(
            ratio: "\(name), Okaeri ÷ PocketBase",
            pairs.map { $0.own.requestsPerSecond / $0.other.requestsPerSecond }.median,
            "requests/s at 64 connections, 100,000 users")
    }
}
