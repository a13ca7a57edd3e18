import Dispatch
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An advisory lock on a file (`flock`), which the system gives free when its process ends.
final class FileLock: Sendable {
    /// The open file; -1 once closed.
    private let descriptor: Protected<Int32>

    init(path: String, protection: FileProtection) throws(VaultError) {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .unreadableNow("cannot open the lock: \(String(cString: strerror(errno)))") }
        protection.apply(file)
        descriptor = Protected(file)
    }

    deinit {
        close()
    }

    /// Waits until the lock is held, or until patience ends.
    func acquire(patience: Duration, clock: any WallClock) async {
        let file = descriptor.withValue { $0 }
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let waiting = Protected<CheckedContinuation<Void, Never>?>(continuation)
            let goOn: @Sendable () -> Void = {
                let taken = waiting.withValue { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                taken?.resume()
            }
            // Nobody awaits this task; it ends by itself when the lock is held or patience ends.
            let timer = Task {
                // Cancelled means that the lock is held: nothing left to do.
                guard (try? await clock.sleep(for: patience)) != nil else { return }
                goOn()
            }
            // `flock` blocks its thread, so it gets one outside the cooperative pool. It keeps this lock alive.
            DispatchQueue.global(qos: .userInitiated).async {
                while flock(file, LOCK_EX) != 0 && errno == EINTR {}
                timer.cancel()
                goOn()
                withExtendedLifetime(self) {}
            }
        }
    }

    /// Gives the lock free.
    func close() {
        let file = descriptor.withValue { file in
            defer { file = -1 }
            return file
        }
        guard file >= 0 else { return }
        #if canImport(Darwin)
            Darwin.close(file)
        #elseif canImport(Glibc)
            Glibc.close(file)
        #else
            Musl.close(file)
        #endif
    }
}
