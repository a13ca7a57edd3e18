import Foundation

/// The built program `okaeri`, run as a process of its own.
enum Program {
    /// The program for development, which plays Apple, stands beside the other.
    static func developmentPath() throws -> String {
        try URL(fileURLWithPath: path()).deletingLastPathComponent().appendingPathComponent("okaeri-dev").path
    }

    /// How a process ended and what it printed.
    struct Finished: Sendable {
        let status: Int32
        let output: String
        let errors: String

        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            do {
                return try JSONDecoder().decode(type, from: Data(output.utf8))
            } catch {
                throw TestFault("no JSON, but status \(status), “\(output)” and “\(errors)”: \(error)")
            }
        }
    }

    /// The program stands beside the bundle of the tests, in the build folder, unless `OKAERI_TEST_PROGRAM` names it.
    static func path() throws -> String {
        if let path = ProcessInfo.processInfo.environment["OKAERI_TEST_PROGRAM"] { return path }
        let candidates = [Bundle.main.executablePath, Bundle.main.bundlePath, CommandLine.arguments.first].compactMap {
            $0
        }
        for candidate in candidates {
            let program = URL(fileURLWithPath: candidate).deletingLastPathComponent().appendingPathComponent("okaeri")
                .path
            if FileManager.default.isExecutableFile(atPath: program) { return program }
        }
        throw TestFault(
            "there is no program “okaeri” beside \(candidates). Build it first: swift build --product okaeri")
    }

    /// Runs a command to its end.
    ///
    /// - Parameters:
    ///   - arguments: The command and its arguments.
    ///   - environment: Variables beside those that every process needs.
    /// - Returns: What it printed, and its exit status.
    /// - Throws: `TestFault` when it does not end in time.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Finished {
        try await ChildProcess(path(), arguments, environment: environment).finished()
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Finished {
        try await run(arguments, environment: environment)
    }
}

/// Why a test cannot go on.
struct TestFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Asks again and again, with short pauses, until the answer is there. The patience is for what never comes: a busy machine
/// has been seen to take a minute for what takes a second.
func eventually<Value>(
    _ what: String, within patience: Duration = .seconds(240), _ ask: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end {
        if let value = try await ask() { return value }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw TestFault("waited \(patience) in vain: \(what)")
}
