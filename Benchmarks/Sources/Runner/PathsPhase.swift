import Measuring

/// How near do the hot paths come to their ceilings?
///
/// Server, bare route, signature and rows are measured in turn, so that the machine's moods fall on all; ratios are made
/// within a round, and their median counts.
struct PathsPhase {
    let workbench: Workbench
    let isQuick: Bool

    private var seconds: Double { isQuick ? 2 : 3 }
    private var checkedSessions: Int { isQuick ? 500 : 2_000 }

    func measure(into report: inout Report) throws {
        let seeded = try workbench.seeded(users: isQuick ? 1_000 : 100_000)
        let data = try seeded.copy(to: workbench.folder + "/run")
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        let bodyBytes = try server.load("session-check", run(connections: 1, seconds: 0.5)).bodyBytes
        let logInBytes = try server.load("first-launch", run(connections: 1, seconds: 0.5)).bodyBytes
        let bare = try ServerUnderTest.bare(workbench, bodyBytes: bodyBytes, logInBytes: logInBytes)
        let nio = try ServerUnderTest.bareNIO(workbench, bodyBytes: bodyBytes)
        var usedDevices = checkedSessions
        for connections in [1, 16] where !isQuick {
            try round(server, bare, nio, connections: connections, &usedDevices).add(to: &report)
        }
        var rounds: [(Round, Parts)] = []
        for _ in 0..<(isQuick ? 1 : 5) {
            rounds.append((try round(server, bare, nio, connections: 64, &usedDevices), try parts(on: seeded)))
        }
        rounds[rounds.count / 2].0.add(to: &report)
        server.child.stop()
        bare.child.stop()
        nio.child.stop()
        addSessionRatios(of: rounds.map(\.0), bodyBytes: bodyBytes, to: &report)
        addLogInRatios(of: rounds, to: &report)
    }

    private struct Round {
        let bare: LoadResult
        let bareNIO: LoadResult
        let bareLogIn: LoadResult
        let sessionCheck: LoadResult
        let logIn: LoadResult
        let firstLaunch: LoadResult

        func add(to report: inout Report) {
            report.add("bare Hummingbird route", bare)
            report.add("bare SwiftNIO handler", bareNIO)
            report.add("session check", sessionCheck)
            report.add("bare Hummingbird route with a log-in's request", bareLogIn)
            report.add("log-in of a known device", logIn)
            report.add("first launch", firstLaunch)
        }
    }

    /// Parts of a log-in alone, in microseconds of processor time.
    private struct Parts {
        let signature: Double
        let logInRows: Rows
        let firstLaunchRows: Rows
    }

    /// The rows of a log-in in commits of 64 rows; and in commits of 64 log-ins, more than wait together mostly.
    private struct Rows {
        let few: Double
        let many: Double
    }

    private func round(
        _ server: ServerUnderTest, _ bare: ServerUnderTest, _ nio: ServerUnderTest, connections: Int,
        _ usedDevices: inout Int
    ) throws -> Round {
        var run = run(connections: connections, seconds: seconds)
        let bareResult = try bare.load("bare", run)
        let sessionCheck = try server.load("session-check", run)
        let nioResult = try nio.load("bare", run)
        let bareLogIn = try bare.load("bare-log-in", run)
        // Each device logs in once, and none whose session is checked: a log-in ends the device's earlier session.
        run.skip = usedDevices
        run.spread = 100_000
        let logIn = try server.load("log-in", run)
        usedDevices += Int(Double(logIn.requests) * (seconds + 1) / seconds) + 1_000
        if usedDevices > 82_000 { usedDevices = checkedSessions }
        return Round(
            bare: bareResult, bareNIO: nioResult, bareLogIn: bareLogIn, sessionCheck: sessionCheck, logIn: logIn,
            firstLaunch: try server.load("first-launch", run))
    }

    private func parts(on seeded: SeededData) throws -> Parts {
        Parts(
            signature: try workbench.ceiling(["signature"]), logInRows: try rows("log-in", on: seeded),
            firstLaunchRows: try rows("first-launch", on: seeded))
    }

    private func rows(_ kind: String, on seeded: SeededData) throws -> Rows {
        func time(group: Int) throws -> Double {
            let data = try seeded.copy(to: workbench.folder + "/rows")
            return try workbench.ceiling(
                ["rows", kind, "--database", data.folder + "/okaeri.sqlite", "--group", "\(group)"])
        }
        return Rows(few: try time(group: 64), many: try time(group: 256))
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
            ratio: "session check ÷ bare SwiftNIO",
            rounds.map { $0.sessionCheck.requestsPerSecond / $0.bareNIO.requestsPerSecond }.median,
            "requests/s at 64 connections, the same length of body")
        report.add(
            ratio: "session check p99 ÷ bare route p99",
            rounds.map { $0.sessionCheck.p99Microseconds / $0.bare.p99Microseconds }.median,
            "at 64 connections")
    }

    private func addLogInRatios(of rounds: [(Round, Parts)], to report: inout Report) {
        report.add(
            ratio: "log-in of a known device p99 ÷ p50",
            rounds.map { $0.0.logIn.p99Microseconds / $0.0.logIn.medianMicroseconds }.median, "at 64 connections")
        typealias Path = (name: String, server: KeyPath<Round, LoadResult>, rows: KeyPath<Parts, Rows>)
        let paths: [Path] = [
            ("log-in of a known device", \.logIn, \.logInRows), ("first launch", \.firstLaunch, \.firstLaunchRows),
        ]
        for path in paths {
            for (suffix, rows) in [("", \Rows.few), (", 64 log-ins in a commit", \Rows.many)] {
                let made = rounds.map { round, parts in
                    let bare = round.bareLogIn.serverMicrosecondsPerRequest
                    let server = round[keyPath: path.server].serverMicrosecondsPerRequest
                    let rows = parts[keyPath: path.rows][keyPath: rows]
                    return (
                        ratio: (bare + parts.signature + rows) / server,
                        text: "("
                            + [bare, parts.signature, rows].map { Report.text($0, digits: 0) }.joined(separator: " + ")
                            + ") ÷ " + Report.text(server, digits: 0)
                    )
                }
                report.add(
                    ratio: "parts ÷ \(path.name)\(suffix)", made.map(\.ratio).median,
                    "bare + signature + rows ÷ log-in, µs of processor: " + made.map(\.text).joined(separator: "; "))
            }
        }
    }
}
