import Measuring

/// What does a log-in with a passkey cost against one by a device's key?
///
/// Both in turn on one server; ratios are made within a round, and their median counts. A log-in with a passkey stands in
/// the audit log and uses up a challenge; what asks for the challenge before is not measured.
struct PasskeysPhase {
    let workbench: Workbench
    let isQuick: Bool

    private var seconds: Double { isQuick ? 1 : 3 }
    private var passkeys: Int { isQuick ? 500 : 20_000 }

    func measure(into report: inout Report) throws {
        let data = try workbench.seeded(users: isQuick ? 1_000 : 100_000).copy(to: workbench.folder + "/run")
        let side = try open(data)
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        var (native, plain, proven): ([LoadResult], [LoadResult], [LoadResult]) = ([], [], [])
        for round in 0..<(isQuick ? 1 : 8) {
            let requests = Int((seconds + 1) * 6_000)
            let run = LoadRun(
                connections: 64, seconds: seconds, requests: requests, spread: requests, skip: round * 10_000)
            native.append(try server.load("log-in", run))
            var ofPasskeys = run
            (ofPasskeys.skip, ofPasskeys.spread) = (0, passkeys)
            plain.append(try server.load("passkey-log-in", ofPasskeys, side: side))
            proven.append(try server.load("proven-passkey-log-in", ofPasskeys, side: side))
        }
        server.child.stop()
        report.add("log-in of a known device", native[native.count / 2])
        for (results, name) in [(plain, ""), (proven, ", with a device's proof")] {
            report.add("log-in with a passkey\(name)", results[results.count / 2])
            report.add(
                ratio: "log-in with a passkey\(name) ÷ log-in of a known device",
                zip(results, native).map { $0.requestsPerSecond / $1.requestsPerSecond }.median,
                zip(results, native).map { "\(Int($0.requestsPerSecond)) ÷ \(Int($1.requestsPerSecond))" }
                    .joined(separator: "; "))
        }
    }

    /// Switches passkeys on, and gives some users one.
    ///
    /// - Returns: where they are noted.
    private func open(_ data: SeededData) throws -> String {
        let (application, side) = (try data.application, data.folder + "/passkeys")
        _ = try Child(
            workbench.server,
            [
                "application", "passkeys", application, "--enabled", "--domain", KnownPasskey.domain, "--data",
                data.folder,
            ], processor: Workbench.otherProcessor
        ).outputText()
        _ = try workbench.start(
            "seed",
            [
                "--data", data.folder, "--application", application, "--users", "\(passkeys)", "--devices", "0",
                "--side", side, "--passkeys",
            ]
        ).outputText()
        return side
    }
}
