import Measuring

/// What do the protocols of other backends cost against the server's own?
///
/// The same read of the own user, in turn by each protocol on one server, with sessions that are in the session cache;
/// ratios are made within a round, and their median counts.
struct ForeignPhase {
    let workbench: Workbench
    let isQuick: Bool

    private var seconds: Double { isQuick ? 2 : 5 }
    private var sessions: Int { isQuick ? 500 : 2_000 }

    func measure(into report: inout Report) throws {
        let data = try workbench.seeded(users: isQuick ? 1_000 : 100_000).copy(to: workbench.folder + "/run")
        let side = try open(data)
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        let foreign = [
            ("ncmb-session-check", "NCMB's protocol"), ("parse-session-check", "Parse's protocol"),
            ("kii-session-check", "Kii's protocol"), ("envelope-session-check", "the envelope"),
        ]
        var native: [LoadResult] = []
        var others: [[LoadResult]] = foreign.map { _ in [] }
        for _ in 0..<(isQuick ? 1 : 3) {
            native.append(try server.load("session-check", run))
            for (index, (scenario, _)) in foreign.enumerated() {
                others[index].append(try server.load(scenario, run, side: side))
            }
        }
        server.child.stop()
        report.add("session check", native[native.count / 2])
        for (results, (_, name)) in zip(others, foreign) {
            report.add("session check by \(name)", results[results.count / 2])
            report.add(
                ratio: "session check, \(name) ÷ native",
                zip(results, native).map { $0.requestsPerSecond / $1.requestsPerSecond }.median,
                zip(results, native).map { "\(Int($0.requestsPerSecond)) ÷ \(Int($1.requestsPerSecond))" }
                    .joined(separator: "; "))
        }
    }

    private var run: LoadRun { LoadRun(connections: 64, seconds: seconds, spread: sessions) }

    /// Switches the protocols on, and gives some users sessions in them.
    ///
    /// - Returns: where the sessions are noted.
    private func open(_ data: SeededData) throws -> String {
        let (application, side) = (try data.application, data.folder + "/foreign-sessions")
        for keys in [
            [
                "ncmb", "--ncmb-application-key", ForeignKeys.ncmbApplicationKey, "--ncmb-client-key",
                ForeignKeys.ncmbClientKey,
            ],
            [
                "parse", "--parse-application-id", ForeignKeys.parseApplicationId, "--parse-rest-key",
                ForeignKeys.parseRestKey,
            ],
            ["kii", "--kii-app-id", ForeignKeys.kiiAppId],
            ["envelope", "--envelope-base-path", ForeignKeys.envelopeBasePath],
        ] {
            _ = try Child(
                workbench.server, ["application", "enable", application] + keys + ["--data", data.folder],
                processor: Workbench.otherProcessor
            ).outputText()
        }
        _ = try workbench.start(
            "seed",
            [
                "--data", data.folder, "--application", application, "--users", "\(sessions)", "--devices", "0",
                "--side", side, "--foreign-sessions",
            ]
        ).outputText()
        return side
    }
}
