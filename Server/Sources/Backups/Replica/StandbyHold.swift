import Foundation
import StorageSQLite

/// Which process works on a standby's folder: one at a time. Who wants to take over asks the one that follows to let go.
package final class StandbyHold: Sendable {
    private let folder: String
    private let lock: ServerLock

    private static func requestPath(in folder: String) -> String { "\(folder)/standby.request" }

    private init(_ folder: String, _ lock: ServerLock) {
        self.folder = folder
        self.lock = lock
    }

    /// Holds a folder, which is made if missing.
    ///
    /// - Throws: `BackupFault` when another process holds it.
    package static func take(_ folder: String) throws(BackupFault) -> StandbyHold {
        try RestoreBackup.makeFolder(folder)
        do throws(SQLiteOpenFault) {
            let lock = try ServerLock(
                path: "\(folder)/standby.lock",
                busy:
                    "Another process follows the replica into the folder \(folder). Stop it first, or choose another with "
                    + "--data.")
            // What a process left that was killed while it waited is no reason to let go; one that waits asks again.
            unlink(requestPath(in: folder))
            return StandbyHold(folder, lock)
        } catch {
            throw BackupFault(error.description)
        }
    }

    /// Holds a folder as soon as the process that follows there lets go of it.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - attempts: How often to try.
    ///   - pause: Called before each further try.
    /// - Returns: the hold.
    /// - Throws: `BackupFault` when that process does not let go.
    package static func takeOver(
        _ folder: String, attempts: Int, pause: () -> Void
    ) throws(BackupFault) -> StandbyHold {
        try RestoreBackup.makeFolder(folder)
        let request = requestPath(in: folder)
        defer { unlink(request) }
        for attempt in 1...max(1, attempts) {
            do throws(BackupFault) {
                return try take(folder)
            } catch {
                guard attempt < attempts else { throw error }
            }
            _ = try OutputFile(path: request)
            pause()
        }
        throw BackupFault("The folder \(folder) cannot be held.")
    }

    /// Whether another process wants to take over.
    package var isAskedFor: Bool { FileManager.default.fileExists(atPath: Self.requestPath(in: folder)) }

    /// Lets another process in.
    package func release() {
        lock.release()
    }
}
