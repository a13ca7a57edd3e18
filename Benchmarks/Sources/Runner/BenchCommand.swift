import ArgumentParser
import Foundation

/// Measures the server in one go and prints figures and ratios beside the committed limits.
@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "All measurements in one go, as ratios beside their limits.",
        discussion: "Run it by `make bench`, which builds what it needs.")

    enum Phase: String, CaseIterable, ExpressibleByArgument {
        case paths, passwords, pages, growth, memory, foreign, dashboard, passkeys, cores, peers, postgresql
        case postgresqlGrowth = "postgresql-growth"
        case postgresqlRevocations = "postgresql-revocations"

        /// What it answers, as the title of its picture.
        var question: String {
            switch self {
            case .paths: "How near do the hot paths come to their ceilings?"
            case .passwords: "What does a password cost, and whom does it hold up?"
            case .pages: "How fast is the log-in page?"
            case .growth: "What if there are a million users?"
            case .memory: "How much memory does the server take?"
            case .foreign: "How fast are the old protocols?"
            case .dashboard: "How fast are lists and exports of the dashboard?"
            case .passkeys: "What does a log-in with a passkey cost?"
            case .cores: "Does a node use every processor that it is given?"
            case .peers: "How does PocketBase do the same job?"
            case .postgresql: "How fast are nodes on PostgreSQL?"
            case .postgresqlGrowth: "What if there are many users in PostgreSQL?"
            case .postgresqlRevocations: "What does the journal of a shared database cost?"
            }
        }
    }

    @Option(help: "The server's program.")
    var server: String
    @Option(help: "The folder of this package's programs.")
    var programs: String
    @Option(help: "A folder for databases, kept for later runs.")
    var data: String
    @Option(help: "The file with the limits.")
    var limits: String
    @Option(help: "What to measure; all on SQLite but the peers unless given.")
    var phase: [Phase] = []
    @Option(help: "How many users the phases of growth have at the most: a million, or 100000 with --quick.")
    var users: Int?
    @Option(help: "A folder that gets a picture of each phase, performance-PHASE.svg.")
    var pictures: String?
    @Flag(help: "Few users, short runs: to see that it works, not how fast.")
    var quick = false
    @Flag(help: "Exit with 1 when a ratio is past its limit.")
    var strict = false
    @Option(help: "The folder with pgbench's scripts, for PostgreSQL.")
    var pgbenchFiles = ""
    @Option(help: "PocketBase's program, for the peers.")
    var pocketbase = ""
    @Option(help: "The folder with PocketBase's data and known users, for the peers.")
    var pocketbaseData = ""
    @Option(help: "The folder with PocketBase's hook and migration, for the peers.")
    var pocketbaseFiles = ""

    private var mostUsers: Int { users ?? (quick ? 100_000 : 1_000_000) }

    func validate() throws {
        guard (100_000...10_000_000).contains(mostUsers) else {
            throw ValidationError("--users must be between 100000 and 10000000.")
        }
    }

    func run() throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let workbench = Workbench(server: server, programs: programs, folder: data)
        var report = Report(limits: try Report.limits(from: limits))
        let loadBefore = loadAverage
        var failure: (any Error)?
        do {
            for phase in phase.isEmpty
                ? [.paths, .passwords, .passkeys, .pages, .foreign, .memory, .dashboard, .growth] : phase
            {
                var part = Report(limits: report.limits)
                defer { report.add(part) }
                try measure(phase, workbench, &part)
                if let pictures {
                    try Data(part.picture(phase.question).svg.utf8)
                        .write(to: URL(filePath: "\(pictures)/performance-\(phase.rawValue).svg"))
                }
            }
        } catch {
            // What was measured before is printed all the same.
            failure = error
        }
        print("Load average before the run: \(loadBefore). Server on processor 0, load on processor 1.\n")
        print(report.text)
        if let failure { throw failure }
        if strict, !report.holds { throw ExitCode.failure }
    }

    private func measure(_ phase: Phase, _ workbench: Workbench, _ report: inout Report) throws {
        switch phase {
        case .paths: try PathsPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .passwords: try PasswordsPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .pages: try PagesPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .growth: try GrowthPhase(workbench: workbench, isQuick: quick, large: mostUsers).measure(into: &report)
        case .postgresql:
            try PostgreSQLPhase(workbench: workbench, isQuick: quick, files: pgbenchFiles).measure(into: &report)
        case .postgresqlGrowth:
            try PostgreSQLGrowthPhase(workbench: workbench, isQuick: quick, large: mostUsers).measure(into: &report)
        case .postgresqlRevocations:
            try PostgreSQLRevocationsPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .memory: try MemoryPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .dashboard: try DashboardPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .passkeys: try PasskeysPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .foreign: try ForeignPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .cores: try CoresPhase(workbench: workbench, isQuick: quick).measure(into: &report)
        case .peers:
            try PeersPhase(
                workbench: workbench, isQuick: quick, program: pocketbase, prepared: pocketbaseData,
                files: pocketbaseFiles
            ).measure(into: &report)
        }
    }

    /// What the machine did beside this, over the last one, five and fifteen minutes.
    private var loadAverage: String {
        // A system without this file simply has no figure to print.
        let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? "unknown"
        return text.split(separator: " ").prefix(3).joined(separator: " ")
    }
}
