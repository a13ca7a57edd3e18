import Foundation
import Synchronization

/// A file that one process at a time holds, such as the one by which a second server is kept out of a data folder. The system
/// lets go of it when the process ends, however it ends.
package final class ServerLock: Sendable {
    private let held: Mutex<Int32?>

    /// - Throws: `SQLiteOpenFault` when another server, a restore or a copy holds the lock.
    package convenience init(folder: String) throws(SQLiteOpenFault) {
        try self.init(
            path: folder + "/server.lock",
            busy:
                "Another Okaeri server runs on the data folder \(folder). Stop it first, or choose another with --data. A "
                + "restore or a copy into the folder counts as one."
        )
    }

    /// - Parameters:
    ///   - path: The file, which is made if missing.
    ///   - busy: What to say when another process holds it.
    /// - Throws: `SQLiteOpenFault`.
    package init(path: String, busy: String) throws(SQLiteOpenFault) {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteOpenFault("The file \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
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
