import Foundation
import TestPostgreSQL

/// A process that a test has started. What it prints goes to files, so that no full pipe can stop it.
final class ChildProcess: Sendable {
    /// What of the tests' own environment a child gets: nothing that would change what it says.
    private static let inherited = ["PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR"]

    private let process: Process
    private let folder: TestFolder
    private let end: Task<Int32, Never>

    init(_ executable: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let folder = TestFolder()
        try folder.make()
        self.folder = folder
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        let own = ProcessInfo.processInfo.environment.filter { Self.inherited.contains($0.key) }
        process.environment = own.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let files = try ["output", "errors"].map { try Self.file("\(folder.path)/\($0)") }
        process.standardOutput = files[0]
        process.standardError = files[1]
        let (statuses, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            ended.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            ended.finish()
        }
        // Ends with the process.
        end = Task {
            for await status in statuses { return status }
            return -1
        }
        self.process = process
        // The child has its own; Foundation keeps these open after its end, and its `run` fails in a process with many.
        defer { for file in files { try? file.close() } }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var id: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    var output: String { text("output") }
    var errors: String { text("errors") }

    func signal(_ signal: Int32) {
        kill(id, signal)
    }

    /// Waits for the end: the exit status, or the number of the signal that ended it, below zero.
    func status() async throws -> Int32 {
        _ = try await eventually("the end of \(process.arguments ?? [])") { process.isRunning ? nil : true }
        return await end.value
    }

    func finished() async throws -> Program.Finished {
        let status = try await status()
        return Program.Finished(status: status, output: output, errors: errors)
    }

    /// Kills it as soon as something is so, and waits for its end. A thread of its own looks: on a crowded machine tasks wait for
    /// their turn, and the process would be at its end by then.
    func killed(once what: String, _ isSo: @escaping @Sendable () throws -> Bool) async throws {
        try await offThread { [self] in
            let end = ContinuousClock.now + .seconds(240)
            while try !isSo() {
                guard isRunning, ContinuousClock.now < end else { throw TestFault("never: \(what): \(errors)") }
                usleep(1000)
            }
            if isRunning { signal(SIGKILL) }
        }
        _ = try await status()
    }

    private func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data(), as: UTF8.self)
    }

    private static func file(_ path: String) throws -> FileHandle {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw TestFault("cannot write \(path)") }
        return file
    }
}

/// A folder that goes away with this object.
final class TestFolder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("okaeri-\(UUID().uuidString)").path
    }

    deinit {
        // The folder may never have been made.
        try? FileManager.default.removeItem(atPath: path)
    }

    func make() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
}
