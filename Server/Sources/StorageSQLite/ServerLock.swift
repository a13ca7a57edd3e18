import Foundation
import Synchronization

/// Keeps a second server out of a data folder. The system lets go of it when the process ends, however it ends.
final class ServerLock: Sendable {
    private let held: Mutex<Int32?>

    /// - Throws: `SQLiteOpenFault` when another server holds the lock.
    init(folder: String) throws(SQLiteOpenFault) {
        let descriptor = open(folder + "/server.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteOpenFault("The data folder \(folder) cannot be written: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw SQLiteOpenFault(
                "Another Okaeri server runs on the data folder \(folder). Stop it first, or choose another with --data."
            )
        }
        held = Mutex(descriptor)
    }

    deinit {
        release()
    }

    /// Lets another server in.
    func release() {
        held.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }
}
