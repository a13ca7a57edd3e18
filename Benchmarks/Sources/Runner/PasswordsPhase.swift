import Measuring

/// How near do log-ins by password come to the bare hash, and what do they cost everybody else?
struct PasswordsPhase {
    let workbench: Workbench
    let isQuick: Bool

    private var seconds: Double { isQuick ? 2 : 6 }
    /// The server's own default.
    private static let threads = 2

    func measure(into report: inout Report) throws {
        let data = try workbench.seeded(users: 1_000).copy(to: workbench.folder + "/run")
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        var (logIns, idle, busy, hashes): ([LoadResult], [LoadResult], [LoadResult], [Double]) = ([], [], [], [])
        for _ in 0..<(isQuick ? 1 : 3) {
            hashes.append(
                1_000_000
                    / (try workbench.ceiling([
                        "password", "--threads", "\(Self.threads)", "--seconds", "\(seconds)",
                    ])))
            logIns.append(try server.load("password-log-in", run(connections: 8, seconds: seconds)))
            idle.append(try server.load("session-check", run(connections: 1, seconds: seconds)))
            // Longer than what is measured beside it, at both ends.
            let flood = try server.start("password-log-in", run(connections: 8, seconds: seconds * 2 + 4))
            busy.append(try server.load("session-check", run(connections: 1, seconds: seconds, warmUp: 3)))
            _ = try flood.result(LoadResult.self)
        }
        server.child.stop()
        report.add("log-in by password", logIns[logIns.count / 2])
        report.add("session check, nobody else there", idle[idle.count / 2])
        report.add("session check beside log-ins by password", busy[busy.count / 2])
        report.add(
            ratio: "log-in by password ÷ bare hash",
            zip(logIns, hashes).map { $0.requestsPerSecond / $1 }.median,
            "log-ins/s of 8 connections ÷ hashes/s, both on \(Self.threads) threads of one processor")
        report.add(
            ratio: "session check p99, beside log-ins by password ÷ alone",
            zip(busy, idle).map { $0.p99Microseconds / $1.p99Microseconds }.median,
            "one connection beside eight that log in without end")
    }

    private func run(connections: Int, seconds: Double, warmUp: Double = 1) -> LoadRun {
        LoadRun(connections: connections, seconds: seconds, warmUpSeconds: warmUp, spread: 500)
    }
}
