import ArgumentParser
import Foundation
import Measuring
import ServerDatabase

/// How much processor time do the rows of one log-in take?
///
/// The same rows in the same tables as the server writes, with prepared statements and nothing around them, many
/// log-ins in one commit, `synchronous=FULL`. What the server reads to know what to write is not in it.
struct RowsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rows", abstract: "Write the rows of log-ins.")

    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case logIn = "log-in"
        case firstLaunch = "first-launch"
    }

    @Argument(help: "Whose rows: \(Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var kind: Kind
    @Option(help: "A database file of the server's, with users in it. It is written to.")
    var database: String
    @Option(help: "Rows in one commit; each log-in writes \(LogInRows.rowsOfALogIn).")
    var group = 64
    @Option(help: "Log-ins to measure.")
    var count = 40_000

    func validate() throws {
        guard (LogInRows.rowsOfALogIn...10_000).contains(group), (1...1_000_000).contains(count) else {
            throw ValidationError("a number is outside its bounds")
        }
    }

    func run() throws {
        let database = try Database(path: database)
        // As the server sets them.
        try database.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -22528; "
                + "PRAGMA wal_autocheckpoint = 8192")
        guard let application = try database.prepare("SELECT id FROM applications LIMIT 1").texts().first else {
            throw ValidationError("the database has no application")
        }
        let rows = try ServerRows(database, application: application)
        let logIns = try self.logIns(in: database)
        let start = ProcessorTime.now
        let together = group / LogInRows.rowsOfALogIn
        for first in stride(from: 0, to: logIns.count, by: together) {
            try database.execute("BEGIN IMMEDIATE")
            for logIn in logIns[first..<min(first + together, logIns.count)] { try write(logIn, rows) }
            try database.execute("COMMIT")
        }
        let time = (ProcessorTime.now - start) / Double(logIns.count)
        print(try CeilingResult(name: "rows-\(kind.rawValue)", microsecondsPerRequest: time).line)
    }

    private func logIns(in database: Database) throws -> [LogInRows] {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        guard kind == .logIn else { return (0..<count).map { LogInRows(at: now + Int64($0 / 8)) } }
        // Each user once: a log-in replaces the device's session, and the next would find a young one.
        let sessions = try database.prepare(
            "SELECT user_id || ' ' || slot FROM sessions ORDER BY random() LIMIT \(count)"
        ).texts()
        guard !sessions.isEmpty else { throw ValidationError("the database has no sessions") }
        return sessions.enumerated().map { index, session in
            let parts = session.split(separator: " ")
            var logIn = LogInRows(user: String(parts[0]), at: now + Int64(index / 8))
            logIn.slot = String(parts[parts.count - 1])
            return logIn
        }
    }

    private func write(_ logIn: LogInRows, _ rows: ServerRows) throws {
        if let slot = logIn.slot {
            try rows.updateLogInTimes(logIn)
            try rows.replaceSession(in: slot, logIn)
        } else {
            try rows.insertUser(logIn)
            try rows.insertSession(logIn)
        }
    }
}
