import Dispatch

/// Asks the system for time in the background while a lock is held, and gives the lock free when that time ends: the
/// system ends an app that is suspended with a lock on a file that it shares with extensions.
///
/// The system's part is a function like `ProcessInfo.performExpiringActivity(withReason:using:)`. It calls the block with
/// false on a thread that the block may keep as long as the work lasts; and with true when the time ends or there is
/// none, from another thread, also while the first call still runs.
struct BackgroundLock: Sendable {
    typealias Activity = @Sendable (_ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    let begin: Activity

    /// The same lock, for which the app is kept awake until it is released, forgotten, or until the time ends.
    func keepingAppAwake(_ lock: VaultLock) -> VaultLock {
        let isDone = DispatchSemaphore(value: 0)
        begin { isExpired in
            if isExpired {
                lock.release()
                isDone.signal()
            } else {
                isDone.wait()
                // The next one to ask finds it done as well.
                isDone.signal()
            }
        }
        return VaultLock {
            lock.release()
            isDone.signal()
        }
    }
}
