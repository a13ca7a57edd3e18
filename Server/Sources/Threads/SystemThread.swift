#if canImport(Glibc)
    import Glibc
#else
    import Foundation
#endif

/// A thread of the operating system. Foundation's own, which the program for use does not have (decision 0202), says nothing when none can be made, as in a container with a limit of
/// processes, and what it was to do is never done.
package enum SystemThread {
    /// Starts one, which ends with what it does.
    ///
    /// - Parameters:
    ///   - name: Its name in the system's tools, of which 15 bytes are shown.
    ///   - body: What it does.
    /// - Returns: `false` when the system makes none now; the body does not run then.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        #if canImport(Glibc)
            let work = Unmanaged.passRetained(Work(name, body))
            var thread = pthread_t()
            let fault = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, work.toOpaque())
            guard fault == 0 else {
                work.release()
                return false
            }
            pthread_detach(thread)
        #else
            let work = Work(name, body)
            Thread { work.run() }.start()
        #endif
        return true
    }

    /// What a thread does, as one reference that C can hold.
    private final class Work: Sendable {
        private let name: String
        private let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            #if canImport(Glibc)
                Self.show(name)
            #else
                // Foundation names a thread in the system's tools only while it runs.
                Thread.current.name = name
            #endif
            body()
        }

        #if canImport(Glibc)
            /// Names the thread that calls. The C library's function for it is none that Swift sees.
            private static func show(_ name: String) {
                let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
                // Without /proc it has the program's name.
                guard file >= 0 else { return }
                let bytes = Array(name.utf8.prefix(SystemThread.maximumNameBytes))
                write(file, bytes, bytes.count)
                close(file)
            }
        #endif
    }

    private static let maximumNameBytes = 15

    /// Lets the thread that calls do nothing for so long, whatever signals come.
    package static func sleep(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return }
            let (seconds, attoseconds) = left.components
            var time = timespec(tv_sec: Int(clamping: seconds), tv_nsec: Int(clamping: attoseconds / 1_000_000_000))
            nanosleep(&time, nil)
        }
    }
}
