import ArgumentParser
import Foundation
import Measuring

/// A program that was started, on a processor of its own.
final class Child {
    private let process = Process()
    private let output = Pipe()
    private let name: String

    /// - Parameters:
    ///   - program: The program's path.
    ///   - arguments: Its arguments.
    ///   - processor: The processor that it may use, as `taskset` writes it: `0`; `0,1` for either.
    ///   - environment: Variables beside those of this process.
    ///   - log: A file for what it prints; `nil` to keep its output for `outputText`.
    /// - Throws: When it cannot be started.
    init(
        _ program: String, _ arguments: [String], processor: String, environment: [String: String] = [:],
        log: String? = nil
    ) throws {
        name = URL(filePath: program).lastPathComponent
        process.executableURL = URL(filePath: "/usr/bin/taskset")
        process.arguments = ["-c", processor, program] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        if let log {
            guard FileManager.default.createFile(atPath: log, contents: nil) else {
                throw BenchFault("\(log) cannot be written")
            }
            let file = FileHandle(forWritingAtPath: log)
            process.standardOutput = file
            process.standardError = file
        } else {
            process.standardOutput = output
        }
        try process.run()
    }

    /// `taskset` becomes the program that it starts, so this is the program's id.
    var identifier: Int32 { process.processIdentifier }

    var usage: ProcessUsage { ProcessUsage(of: identifier) }

    var isRunning: Bool { process.isRunning }

    /// Asks the program to end, and waits for it.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Waits for the program's end.
    ///
    /// - Returns: What it printed.
    /// - Throws: When it failed.
    func outputText() throws -> String {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let call = process.arguments?.dropFirst(3).joined(separator: " ") ?? ""
            throw BenchFault("\(name) \(call) failed; it printed: \(String(decoding: data, as: UTF8.self))")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Waits for the program's end and reads the value that it printed as JSON.
    func result<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(outputText().utf8))
    }
}

/// Why a measurement could not be made.
struct BenchFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
