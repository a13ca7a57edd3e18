#if canImport(Glibc)
    import CGlibc
    import Glibc
#else
    import Darwin
#endif

/// Another program that this one starts, reads from and waits for. One thread uses it. Foundation's own `Process` is not in the
/// program for use (decision 0202).
package final class ChildProgram {
    /// Why a program is not started.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        /// The system's number of it.
        package let number: Int32

        /// In the system's words: `No such file or directory`.
        package var description: String { String(cString: strerror(number)) }
    }

    /// Where a program's words go.
    package enum Output: Hashable, Sendable {
        case nowhere
        /// Where those of this process go.
        case same
        /// To an open file or pipe, which stays its maker's.
        case descriptor(Int32)
    }

    package enum Ending: Hashable, Sendable {
        case exit(status: Int32)
        case signal(Int32)
        /// Somebody else has asked for it.
        case unknown
    }

    private let process: pid_t
    private var ended: Ending?

    /// Starts a program with nothing to read and no open file of this process but its outputs. It is of this process's group, so
    /// that Ctrl-C at a terminal ends both, and takes all signals.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: Its arguments, without its name.
    ///   - environment: All of its environment.
    ///   - output: Where its standard output goes.
    ///   - errors: Where its standard error goes.
    /// - Throws: `Fault`.
    package init(
        path: String, arguments: [String], environment: [String: String], output: Output, errors: Output
    ) throws(Fault) {
        #if canImport(Glibc)
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let flags = POSIX_SPAWN_SETSIGMASK
        #else
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
            let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
        // Threads of Dispatch, on which tasks run, hold signals back, and what they start would do so too.
        var heldBack = sigset_t()
        sigemptyset(&heldBack)
        posix_spawnattr_setsigmask(&attributes, &heldBack)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (output, number) in [(output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
            switch output {
            case .nowhere: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_WRONLY, 0)
            case .same: posix_spawn_file_actions_adddup2(&actions, number, number)
            case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }
        #if canImport(Glibc)
            let closes = close_in_child(&actions, STDERR_FILENO + 1)
            guard closes == 0 else { throw Fault(number: closes) }
        #endif
        let words = Texts([path] + arguments)
        let variables = Texts(environment.map { "\($0.key)=\($0.value)" })
        var process: pid_t = 0
        let number = withExtendedLifetime((words, variables)) {
            posix_spawn(&process, path, &actions, &attributes, words.pointers, variables.pointers)
        }
        guard number == 0 else { throw Fault(number: number) }
        self.process = process
    }

    /// How it ended; `nil` while it runs.
    package func ending() -> Ending? { wait(WNOHANG) }

    /// Ends it at once, when it has not ended yet. One that this process may not end, as one of another user by `sudo`, goes on,
    /// and is not waited for.
    package func stop() {
        guard ending() == nil, kill(process, SIGKILL) == 0 else { return }
        _ = wait(0)
    }

    private func wait(_ options: Int32) -> Ending? {
        if let ended { return ended }
        var status: Int32 = 0
        var found = waitpid(process, &status, options)
        while found < 0, errno == EINTR { found = waitpid(process, &status, options) }
        guard found != 0 else { return nil }
        let signal = status & 0x7f
        let ending: Ending =
            if found < 0 {
                .unknown
            } else if signal == 0 {
                .exit(status: (status >> 8) & 0xff)
            } else {
                .signal(signal)
            }
        ended = ending
        return ending
    }

    /// Texts as C reads them, with a list that ends with nothing.
    private final class Texts {
        let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
        private let count: Int

        init(_ texts: [String]) {
            count = texts.count
            pointers = .allocate(capacity: count + 1)
            for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
            (pointers + count).initialize(to: nil)
        }

        deinit {
            for index in 0..<count { free(pointers[index]) }
            pointers.deallocate()
        }
    }
}
