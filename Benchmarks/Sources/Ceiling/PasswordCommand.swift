import ArgumentParser
import CSodium
import Foundation
import Measuring
import Synchronization

/// How many passwords a second can be compared with their hashes, on so many threads of the niceness that the server's
/// have?
struct PasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Compare passwords with their hashes.")

    @Option(help: "Threads.")
    var threads = 2
    @Option(help: "Seconds to measure.")
    var seconds = 5.0

    func run() throws {
        guard sodium_init() >= 0 else { throw ExitCode.failure }
        let (count, end) = (Tally(), ContinuousClock.now + .seconds(seconds))
        let group = DispatchGroup()
        let start = ContinuousClock.now
        for _ in 0..<max(1, threads) {
            group.enter()
            let thread = Thread {
                setpriority(__priority_which_t(0), 0, 19)
                let password = KnownPassword.text.utf8.map(CChar.init(bitPattern:))
                while ContinuousClock.now < end {
                    let status = crypto_pwhash_str_verify(KnownPassword.hash, password, UInt64(password.count))
                    if status == 0 { count.value.add(1, ordering: .relaxed) }
                }
                group.leave()
            }
            thread.start()
        }
        group.wait()
        let length = start.duration(to: .now) / .microseconds(1)
        let done = count.value.load(ordering: .relaxed)
        guard done > 0 else { throw ExitCode.failure }
        print(try CeilingResult(name: "password", microsecondsPerRequest: length / Double(done)).line)
    }
}

private final class Tally: Sendable {
    let value = Atomic<Int>(0)
}
