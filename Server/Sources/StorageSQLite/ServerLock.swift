import Foundation
import Synchronization

/// A file that one process at a time holds, such as the one by which a second server is kept out of a data folder. The system
/// lets go of it when the process ends, however it ends.
package final class ServerLock: Sendable {
    private let held: Mutex<Int32?>

    /// - Throws: `SQLiteOpenFault` when another server, a restore or a copy holds the lock.
    package convenience init(folder: String) throws(SQLiteOpenFault) {
        try self.init(folder: folder, isShared: false)
    }

    private convenience init(folder: String, isShared: Bool) throws(SQLiteOpenFault) {
        try self.init(
            path: folder + "/server.lock",
            busy:
                "Another Okaeri server runs on the data folder \(folder). Stop it first, or choose another with --data. A "
                + "restore or a copy into the folder counts as one.",
            isShared: isShared)
    }

    /// Keeps servers, restores and copies out of a folder while commands make a database there, several at once if they like.
    ///
    /// - Returns: `nil` where there is a database: a command uses it beside a server.
    /// - Throws: `SQLiteOpenFault` when a restore or a copy into the folder is under way.
    static func whileMaking(_ database: String, in folder: String) throws(SQLiteOpenFault) -> ServerLock? {
        guard access(database, F_OK) != 0 else { return nil }
        do throws(SQLiteOpenFault) {
            return try ServerLock(folder: folder, isShared: true)
        } catch {
            // A server that has just started has made one meanwhile, or the restore has ended.
            guard access(database, F_OK) != 0 else { return nil }
            throw error
        }
    }

    /// Keeps servers out of a folder while a command brings its database up to date. One that runs is of an older program, whose
    /// statements may not fit any more, and which could not be started again.
    ///
    /// - Parameters:
    ///   - folder: The data folder.
    ///   - version: The version of the schema there.
    /// - Returns: `nil` where no server has run: the file is the server's to make.
    /// - Throws: `SQLiteOpenFault` when one runs.
    static func whileMigrating(in folder: String, from version: Int) throws(SQLiteOpenFault) -> ServerLock? {
        let path = folder + "/server.lock"
        guard access(path, F_OK) == 0 else { return nil }
        return try ServerLock(
            path: path,
            busy:
                "The database in the data folder \(folder) has schema version \(version), and a server of an older Okaeri runs on "
                + "it. Start that server anew with this program, which brings the database up to date; no command does so below "
                + "a server.",
            isShared: true)
    }

    /// - Parameters:
    ///   - path: The file, which is made if missing.
    ///   - busy: What to say when another process holds it.
    ///   - isShared: Whether others that share it may hold it too.
    /// - Throws: `SQLiteOpenFault`.
    package init(path: String, busy: String, isShared: Bool = false) throws(SQLiteOpenFault) {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteOpenFault("The file \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            close(descriptor)
            throw SQLiteOpenFault(busy)
        }
        held = Mutex(descriptor)
    }

    deinit {
        release()
    }

    /// Lets another process in.
    package func release() {
        held.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }
}
