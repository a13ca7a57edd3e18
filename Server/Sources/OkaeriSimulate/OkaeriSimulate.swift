import ArgumentParser
import Domain
import Foundation
import TestWorld

/// Runs the rules and the SQLite engine on a simulated disk, clock and network, all from one seed.
@main
struct OkaeriSimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "okaeri-simulate",
        abstract: "Runs the rules and the SQLite engine on a simulated disk, clock and network, all from one seed.",
        discussion: "Example: okaeri-simulate --seed 7 --operations 20000 --days 30")

    @Option(help: "The seed; the same one gives the same history. A new one is drawn without it.")
    var seed: UInt64?

    @Option(help: "How many runs one after the other, each in a process of its own; the seed grows by one.")
    var runs = 1

    @Option(help: "How many of the runs at a time, one for each processor.")
    var jobs = 1

    @Option(help: "How many requests.")
    var operations = 20_000

    @Option(help: "How many devices; one for fifty requests without it, at most 5000.")
    var devices: Int?

    @Option(help: "How many days go by in all; without it, two minutes for a request on average.")
    var days: Int?

    @Option(
        help: "How many servers share the database, as nodes on PostgreSQL do; news of changes between them comes late."
    )
    var nodes = 1

    @Flag(help: "Print every request.")
    var verbose = false

    @Flag(inversion: .prefixedNo, help: "Whether the disk fails and the power is lost.")
    var faults = true

    func validate() throws {
        guard operations > 0, runs > 0, jobs > 0, (1...20).contains(nodes), devices.map({ $0 > 1 }) ?? true,
            days.map({ $0 > 0 }) ?? true
        else {
            throw ValidationError("At least one run, one request, two devices and one day; one to twenty nodes.")
        }
    }

    func run() throws {
        try Self.hashDeterministically()
        var generator = SystemRandomNumberGenerator()
        let first = seed ?? generator.next() >> 16
        guard runs > 1 else { return try run(seed: first) }
        // SQLite has one default file system in a process.
        var (started, failed): (UInt64, Int) = (0, 0)
        var running: [(process: Process, output: Pipe)] = []
        while started < UInt64(runs) || !running.isEmpty {
            while started < UInt64(runs), running.count < jobs {
                running.append(try start(seed: first &+ started))
                started += 1
            }
            let (process, output) = running.removeFirst()
            // Runs at a time would mix their lines.
            FileHandle.standardOutput.write(output.fileHandleForReading.readDataToEndOfFile())
            process.waitUntilExit()
            if process.terminationStatus != 0 { failed += 1 }
        }
        if failed > 0 { throw ExitCode.failure }
    }

    private func start(seed: UInt64) throws -> (Process, Pipe) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/proc/\(ProcessInfo.processInfo.processIdentifier)/exe")
        process.arguments = arguments(seed: seed)
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    /// What a run of its own process is given.
    private func arguments(seed: UInt64) -> [String] {
        var arguments = ["--seed", String(seed), "--operations", String(operations)]
        if let devices { arguments += ["--devices", String(devices)] }
        if let days { arguments += ["--days", String(days)] }
        if nodes > 1 { arguments += ["--nodes", String(nodes)] }
        if verbose { arguments.append("--verbose") }
        if !faults { arguments.append("--no-faults") }
        return arguments
    }

    private func run(seed: UInt64) throws {
        let options = Simulation.Options(
            seed: seed, operations: operations, devices: devices ?? min(5_000, max(10, operations / 50)),
            isVerbose: verbose, hasFaults: faults, days: days, nodes: nodes)
        let simulation = try Simulation(options)
        let begin = simulation.now
        let start = ContinuousClock.now
        var toldAt = start
        simulation.onProgress = { count in
            let now = ContinuousClock.now
            guard count > 0, toldAt.duration(to: now) > .seconds(10) else { return }
            toldAt = now
            let passed = start.duration(to: now)
            let left = passed / count * (operations - count)
            FileHandle.standardError.write(
                Data("seed \(seed): \(count) of \(operations) requests, about \(left.components.seconds) s left\n".utf8)
            )
        }
        try simulation.run()
        let (history, disk) = (simulation.history, simulation.disk)
        for (name, count) in history.counts.sorted(by: { $0.key < $1.key }) { print("\(name): \(count)") }
        let days = (simulation.now - begin).components.seconds / 86_400
        print(
            """
            seed \(seed): \(history.operationCount) requests of \(simulation.devices.count) devices in \(days) days, \
            \(simulation.boots - 1) restarts, \(simulation.commandCount) commands, \
            \(disk.powerLosses) losses of power, \(disk.faultCount) failed calls, \
            \(disk.syncCount) syncs, \(simulation.executor.stepCount) steps, \(disk.byteCount >> 20) MiB on the disk\
            \(simulation.summaryOfNodes)
            digest \(history.digest)
            """)
        FileHandle.standardError.write(Data("took \(start.duration(to: .now))\n".utf8))
        guard history.violations.isEmpty else {
            for violation in history.violations.prefix(10) { print("VIOLATION \(violation)") }
            throw ExitCode.failure
        }
    }

    /// Swift orders sets and dictionaries otherwise in each process, unless the environment says not to: starts anew with
    /// that said.
    private static func hashDeterministically() throws {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard ProcessInfo.processInfo.environment[name] == nil else { return }
        var variables = ProcessInfo.processInfo.environment.map { name, value in "\(name)=\(value)" }
        variables.append("\(name)=1")
        let arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
        let environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        execve("/proc/self/exe", arguments, environment)
        throw ValidationError("The simulator cannot be started anew: \(String(cString: strerror(errno))).")
    }
}
