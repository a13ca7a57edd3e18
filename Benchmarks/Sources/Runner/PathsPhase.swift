import Measuring

/// How near do the hot paths come to their ceilings?
///
/// Server and bare route are measured in turn, so that the machine's moods fall on both; ratios are made within a round,
/// and their median counts.
struct PathsPhase {
    let workbench: Workbench
    let isQuick: Bool

    private var seconds: Double { isQuick ? 2 : 5 }
    private var checkedSessions: Int { isQuick ? 500 : 2_000 }

    func measure(into report: inout Report) throws {
        let seeded = try workbench.seeded(users: isQuick ? 1_000 : 100_000)
        let data = try seeded.copy(to: workbench.folder + "/run")
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        let bodyBytes = try server.load("session-check", run(connections: 1, seconds: 0.5)).bodyBytes
        let logInBytes = try server.load("first-launch", run(connections: 1, seconds: 0.5)).bodyBytes
        let bare = try ServerUnderTest.bare(workbench, bodyBytes: bodyBytes, logInBytes: logInBytes)
        var usedDevices = checkedSessions
        for connections in [1, 16] where !isQuick {
            let round = try self.round(server, bare, connections: connections, &usedDevices)
            round.add(to: &report)
        }
        var rounds: [Round] = []
        for _ in 0..<(isQuick ? 1 : 3) {
            rounds.append(try round(server, bare, connections: 64, &usedDevices))
        }
        rounds[rounds.count / 2].add(to: &report)
        server.child.stop()
        bare.child.stop()
        addSessionRatios(of: rounds, bodyBytes: bodyBytes, to: &report)
        try addLogInRatios(of: rounds, on: seeded, to: &report)
    }

    private struct Round {
        let bare: LoadResult
        let bareLogIn: LoadResult
        let sessionCheck: LoadResult
        let logIn: LoadResult
        let firstLaunch: LoadResult

        func add(to report: inout Report) {
            report.add("bare Hummingbird route", bare)
            report.add("session check", sessionCheck)
            report.add("bare Hummingbird route with a log-in's request", bareLogIn)
            report.add("log-in of a known device", logIn)
            report.add("first launch", firstLaunch)
        }
    }

    private func round(
        _ server: ServerUnderTest, _ bare: ServerUnderTest, connections: Int, _ usedDevices: inout Int
    ) throws -> Round {
        var run = run(connections: connections, seconds: seconds)
        let bareResult = try bare.load("bare", run)
        let sessionCheck = try server.load("session-check", run)
        let bareLogIn = try bare.load("bare-log-in", run)
        // Each device logs in once, and none whose session is checked: a log-in ends the device's earlier session.
        run.skip = usedDevices
        run.spread = 100_000
        let logIn = try server.load("log-in", run)
        usedDevices += Int(Double(logIn.requests) * (seconds + 1) / seconds) + 1_000
        if usedDevices > 70_000 { usedDevices = checkedSessions }
        return Round(
            bare: bareResult, bareLogIn: bareLogIn, sessionCheck: sessionCheck, logIn: logIn,
            firstLaunch: try server.load("first-launch", run))
    }

    private func run(connections: Int, seconds: Double) -> LoadRun {
        LoadRun(
            connections: connections, seconds: seconds, requests: Int((seconds + 1) * 9_000),
            spread: checkedSessions)
    }

    private func addSessionRatios(of rounds: [Round], bodyBytes: Int, to report: inout Report) {
        report.add(
            ratio: "session check ÷ bare route",
            rounds.map { $0.sessionCheck.requestsPerSecond / $0.bare.requestsPerSecond }.median,
            "requests/s at 64 connections, \(bodyBytes) bytes of body")
        report.add(
            ratio: "session check ÷ bare route, processor time",
            rounds.map { $0.bare.serverMicrosecondsPerRequest / $0.sessionCheck.serverMicrosecondsPerRequest }.median,
            "the same without what other programs took of the processor")
        report.add(
            ratio: "session check p99 ÷ bare route p99",
            rounds.map { $0.sessionCheck.p99Microseconds / $0.bare.p99Microseconds }.median,
            "at 64 connections")
    }

    private func addLogInRatios(of rounds: [Round], on seeded: SeededData, to report: inout Report) throws {
        let signature = try workbench.ceiling(["signature"])
        let bare = rounds.map(\.bareLogIn.serverMicrosecondsPerRequest).median
        let paths = [
            ("log-in", "log-in of a known device", rounds.map(\.logIn.serverMicrosecondsPerRequest).median),
            ("first-launch", "first launch", rounds.map(\.firstLaunch.serverMicrosecondsPerRequest).median),
        ]
        for (kind, name, server) in paths {
            // In commits of 64 rows; then, without a target, of the rows of 64 log-ins, more than wait together mostly.
            for (suffix, group) in [("", 64), (", 64 log-ins in a commit", 256)] {
                let data = try seeded.copy(to: workbench.folder + "/rows")
                let rows = try workbench.ceiling(
                    ["rows", kind, "--database", data.folder + "/okaeri.sqlite", "--group", "\(group)"])
                report.add(
                    ratio: "parts ÷ \(name)\(suffix)", (bare + signature + rows) / server,
                    "(\(Report.text(bare, places: 1)) bare + \(Report.text(signature, places: 1)) signature + "
                        + "\(Report.text(rows, places: 1)) rows) ÷ \(Report.text(server, places: 1)) µs of processor")
            }
        }
    }
}
