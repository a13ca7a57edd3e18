import Foundation
import Measuring

/// How much memory does the server hold?
struct MemoryPhase {
    let workbench: Workbench
    let isQuick: Bool

    func measure(into report: inout Report) throws {
        try addIdle(to: &report)
        let data = try workbench.seeded(users: 100_000).copy(to: workbench.folder + "/run")
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        defer { server.child.stop() }
        // Proofs are good for a minute, signing included: the five minutes come in slices of ten seconds.
        var highest = 0.0
        let slices = isQuick ? 1 : 10
        let seconds = isQuick ? 3.0 : 10.0
        for _ in 0..<slices {
            let checks = LoadRun(seconds: seconds, spread: 50_000)
            let logIns = LoadRun(
                seconds: seconds, requests: Int((seconds + 1) * 6_000), spread: 50_000, skip: 50_000)
            for (scenario, run) in [("session-check", checks), ("log-in", logIns), ("first-launch", logIns)] {
                highest = max(highest, try server.load(scenario, run).residentMebibytes)
            }
        }
        report.add(
            ratio: "resident after load, MB", megabytes(max(highest, server.child.usage.residentMebibytes)),
            "\(Int(seconds) * slices * 3) s at 64 connections, 100,000 users at first, 50,000 sessions and 50,000 devices"
        )
    }

    private func addIdle(to report: inout Report) throws {
        let data = SeededData(folder: workbench.folder + "/idle")
        // There is nothing to remove the first time.
        try? FileManager.default.removeItem(atPath: data.folder)
        _ = try workbench.createApplication(in: data.folder)
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        defer { server.child.stop() }
        sleep(10)
        report.add(
            ratio: "resident idle, MB", megabytes(server.child.usage.residentMebibytes),
            "ten seconds after the start, unused"
        )
    }
    /// The targets are in millions of bytes.
    private func megabytes(_ mebibytes: Double) -> Double { mebibytes * 1.048576 }
}
