import Foundation
import Threads

/// One of PostgreSQL's own programs. Blocks while it runs.
struct PostgreSQLProgram {
    private static let maximumWords = 4096

    private let name: String

    init(_ name: String) {
        self.name = name
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments; all users of the machine can see them.
    ///   - environment: What it finds in its environment beside that of this process.
    ///   - look: Called a few times a second while it runs.
    /// - Throws: `BackupFault` with what it said last.
    func run(
        _ arguments: [String], _ environment: [String: String], _ look: () -> Void
    ) throws(BackupFault) {
        // A file and not a pipe: however much it says, it never waits for a reader.
        let words = FileManager.default.temporaryDirectory
            .appendingPathComponent("okaeri-\(name)-\(getpid())-\(try Sodium.hexadecimalDigits(count: 8))")
        defer { unlink(words.path) }
        let file = open(words.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw OutputFile.fault(words.path) }
        defer { close(file) }
        let program: ChildProgram
        do throws(ChildProgram.Fault) {
            program = try ChildProgram(
                path: "/usr/bin/env", arguments: [name] + arguments,
                // Its words are looked for in English.
                environment: ProcessInfo.processInfo.environment.merging(["LC_MESSAGES": "C"]) { $1 }
                    .merging(environment) { $1 },
                output: .nowhere, errors: .descriptor(file))
        } catch {
            throw BackupFault("\(name) cannot be started: \(error).")
        }
        var ending = program.ending()
        while ending == nil {
            look()
            usleep(20_000)
            ending = program.ending()
        }
        guard ending == .exit(status: 0) else {
            guard ending != .exit(status: 127) else {
                throw BackupFault(
                    "\(name) is not there. It comes with PostgreSQL: on Debian “apt-get install postgresql-client”.")
            }
            let said = FileManager.default.contents(atPath: words.path) ?? Data()
            let lines = String(decoding: said.suffix(Self.maximumWords), as: UTF8.self)
                .split(whereSeparator: \.isNewline).filter { line in
                    ["error", "detail"].contains { line.firstRange(of: $0) != nil }
                }
            throw BackupFault(
                "\(name) failed: \(lines.prefix(4).joined(separator: " ")). Its version must be the server's or a newer one."
            )
        }
    }
}
