import Domain
import Foundation
import Threads

/// One of PostgreSQL's own programs. Blocks while it runs.
struct PostgreSQLProgram {
    private static let maximumWords = 4096

    private let name: String

    init(_ name: String) {
        self.name = name
    }

    /// The last words in a file; none when they cannot be read.
    private static func end(of file: Int32) -> [UInt8] {
        let reader = FileReader(descriptor: file)
        let size = Int(clamping: reader.byteCount ?? 0)
        guard lseek(file, off_t(max(0, size - maximumWords)), SEEK_SET) >= 0 else { return [] }
        // That it failed is said without them too.
        return (try? reader.readAll(upTo: maximumWords)) ?? []
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
        // A file and not a pipe: however much it says, it never waits for a reader. No name stays of it, however this process ends.
        let words = FileManager.default.temporaryDirectory
            .appendingPathComponent("okaeri-\(name)-\(getpid())-\(try Sodium.hexadecimalDigits(count: 8))")
        let file = open(words.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw OutputFile.fault(words.path) }
        defer { close(file) }
        unlink(words.path)
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
            let lines = String(decoding: Self.end(of: file), as: UTF8.self)
                .split(whereSeparator: \.isNewline).filter { line in
                    ["error", "detail"].contains { line.firstRange(of: $0) != nil }
                }
            throw BackupFault(
                "\(name) failed: \(lines.prefix(4).joined(separator: " ")). Its version must be the server's or a newer one."
            )
        }
    }
}
