import Foundation
import Storage
import StoragePostgreSQL
import StorageSQLite
import Threads

/// `okaeri migrate`: the schema that the storage had and has, and the SQL between.
package struct StorageMigration: Sendable {
    /// Which storage, in words that may be shown.
    package let location: String
    package let before: Int
    package let after: Int
    package let statements: [String]

    /// Brings the storage up to date, all steps or none, or says how that would be done.
    ///
    /// - Parameters:
    ///   - settings: Which storage.
    ///   - isRehearsal: Whether to change nothing.
    /// - Throws: `StartFault.storage`.
    package init(_ settings: ServerSettings, isRehearsal: Bool) async throws(StartFault) {
        if let address = settings.database {
            location = address.description
            let result = await Blocking.run {
                Result { () throws(PostgreSQLOpenFault) in
                    try PostgreSQLMigration(address, isRehearsal: isRehearsal)
                }
            }
            switch result {
            case .success(let migration):
                (before, after, statements) = (migration.before, migration.after, migration.statements)
            case .failure(let fault): throw .storage(fault.description)
            }
            return
        }
        location = SQLiteStore.databasePath(in: settings.dataFolder)
        do {
            let version =
                FileManager.default.fileExists(atPath: location)
                ? try SQLiteInspection(folder: settings.dataFolder, isThorough: false).schemaVersion : 0
            if !isRehearsal { await (try SQLiteStore(.folder(settings.dataFolder), role: .command)).close() }
            (before, after) = (version, Migration.latestVersion)
            statements = Migration.all.filter { $0.version > version }.flatMap(\.sqlite)
        } catch {
            throw .storage(error.description)
        }
    }
}

/// Work that blocks for long, done once, on a thread of its own.
enum Blocking {
    static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let isStarted = SystemThread.start("okaeri-blocking") { continuation.resume(returning: work()) }
            // Where the system makes no thread, this one waits.
            if !isStarted { continuation.resume(returning: work()) }
        }
    }
}
