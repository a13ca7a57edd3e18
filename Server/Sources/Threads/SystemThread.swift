import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A thread of the operating system. Foundation's own says nothing when none can be made, as in a container with a limit of
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
            // Foundation names a thread in the system's tools only while it runs.
            Thread.current.name = name
            body()
        }
    }
}
