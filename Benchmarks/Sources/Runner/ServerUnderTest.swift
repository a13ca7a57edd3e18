import Foundation
import Measuring

/// A server that runs on the first processor, and loads against it from the second.
final class ServerUnderTest {
    let child: Child
    let port: Int
    /// From the start of the process to the first 200.
    let readyMilliseconds: Double
    private let workbench: Workbench
    private let data: SeededData?

    private init(_ workbench: Workbench, data: SeededData?, ready path: String, start: (Int) throws -> Child) throws {
        self.workbench = workbench
        self.data = data
        port = try Loopback.freePort()
        let begin = ContinuousClock.now
        child = try start(port)
        readyMilliseconds = try Loopback.wait(forGet: path, port: port, since: begin) { [child] in child.isRunning }
    }

    deinit {
        child.stop()
    }

    /// Starts the server on a data folder, or as a node on a database with the same users.
    static func okaeri(
        _ workbench: Workbench, on data: SeededData, database: String? = nil,
        processor: String = Workbench.serverProcessor
    ) throws -> ServerUnderTest {
        var environment = ["OKAERI_RATE_LIMITS": "off"]
        if let database {
            environment.merge(try data.environment(for: database)) { $1 }
        } else {
            environment["OKAERI_DATA"] = data.folder
        }
        return try ServerUnderTest(workbench, data: data, ready: "/health/ready") { port in
            try Child(
                workbench.server, ["serve", "--listen", "127.0.0.1:\(port)"], processor: processor,
                environment: environment, log: "\(workbench.folder)/okaeri-\(processor).log")
        }
    }

    /// Starts the bare routes, with answers as long as a session check's and a log-in's.
    static func bare(_ workbench: Workbench, bodyBytes: Int, logInBytes: Int) throws -> ServerUnderTest {
        try ServerUnderTest(workbench, data: nil, ready: "/bare") { port in
            try Child(
                "\(workbench.programs)/ceiling",
                [
                    "bare", "--port", "\(port)", "--body-bytes", "\(bodyBytes)", "--post-body-bytes",
                    "\(logInBytes)",
                ],
                processor: Workbench.serverProcessor, log: "\(workbench.folder)/bare.log")
        }
    }

    /// Starts SwiftNIO alone, with answers as long as a session check's.
    static func bareNIO(_ workbench: Workbench, bodyBytes: Int) throws -> ServerUnderTest {
        try ServerUnderTest(workbench, data: nil, ready: "/bare") { port in
            try Child(
                "\(workbench.programs)/ceiling", ["bare-nio", "--port", "\(port)", "--body-bytes", "\(bodyBytes)"],
                processor: Workbench.serverProcessor, log: "\(workbench.folder)/bare-nio.log")
        }
    }

    /// Starts a PocketBase with our hook.
    ///
    /// - Parameters:
    ///   - workbench: Where programs and data are.
    ///   - program: PocketBase's program.
    ///   - folders: Its folders for data, hooks and migrations, as options.
    ///   - side: The users that it knows.
    /// - Returns: The server, ready.
    /// - Throws: When it does not become ready.
    static func pocketBase(
        _ workbench: Workbench, program: String, folders: [String], side: SeededData
    ) throws -> ServerUnderTest {
        try ServerUnderTest(workbench, data: side, ready: "/api/health") { port in
            try Child(
                program, ["serve", "--http", "127.0.0.1:\(port)"] + folders, processor: Workbench.serverProcessor,
                log: "\(workbench.folder)/pocketbase.log")
        }
    }

    /// Puts load on the server.
    ///
    /// - Parameters:
    ///   - scenario: What `load` shall ask for.
    ///   - run: How.
    ///   - side: The side file, when it is not the one with the devices.
    /// - Returns: What it found.
    /// - Throws: When an answer was missing or none of success.
    func load(_ scenario: String, _ run: LoadRun, side: String? = nil) throws -> LoadResult {
        let result = try start(scenario, run, side: side).result(LoadResult.self)
        workbench.progress(
            "\(scenario) at \(run.connections): \(Int(result.requestsPerSecond)) requests/s, "
                + "p99 \(String(format: "%.1f", result.p99Microseconds / 1000)) ms, "
                + "\(String(format: "%.1f", result.serverMicrosecondsPerRequest)) µs of processor each, "
                + "\(Int(result.residentMebibytes)) MiB")
        if result.ranOut { workbench.progress("the prepared requests ran out after \(result.seconds) s") }
        return result
    }

    /// Puts load on the server without waiting for its end.
    func start(_ scenario: String, _ run: LoadRun, side: String? = nil) throws -> Child {
        var arguments = [
            scenario, "--port", "\(port)", "--pid", "\(child.identifier)", "--connections", "\(run.connections)",
            "--seconds", "\(run.seconds)", "--warm-up", "\(run.warmUpSeconds)", "--requests", "\(run.requests)",
            "--spread", "\(run.spread)", "--skip", "\(run.skip)",
        ]
        if let data { arguments += ["--application", try data.application, "--devices", side ?? data.devices] }
        return try workbench.start("load", arguments, processor: run.processor)
    }
}

/// How to put load on a server.
struct LoadRun {
    var connections = 64
    var seconds = 5.0
    var warmUpSeconds = 1.0
    /// The most requests that can be used once; enough for the time, or the run ends early.
    var requests = 60_000
    /// How many sessions or devices take part.
    var spread = 2_000
    /// How many are left to other scenarios: a log-in ends the device's earlier session.
    var skip = 0
    /// Where `load` runs.
    var processor = Workbench.otherProcessor
}
