import ArgumentParser
import Domain
import Foundation
import PasswordHashes

/// `okaeri passwords check-filter`
struct CheckPasswordFilterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-filter",
        abstract: "Look at a filter, and look passwords up in it.",
        discussion: """
            Passwords are read from standard input, one on a line, and never shown: a line of the answer says whether its \
            password is on the list. The exit status is 0 in either case. The last line says how long a lookup took, with the \
            digest of the password.

            Examples:
              okaeri passwords check-filter passwords.filter < words.txt
              okaeri passwords check-filter passwords.filter < words.txt | tail -n 1
            """)

    @Argument(help: ArgumentHelp("The filter.", valueName: "file"))
    var filter: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let opened: PasswordFilter
        do {
            opened = try PasswordFilter(path: filter)
        } catch {
            throw CommandFault.failed("\(error)")
        }
        if isatty(STDIN_FILENO) != 0 {
            Console.tell("Type passwords, one on a line; Ctrl-D ends.")
        }
        let clock = ContinuousClock()
        var answers: [Bool] = []
        var durations: [Duration] = []
        while let line = readLine() {
            guard let password = Password(line) else {
                throw CommandFault.failed(
                    "Line \(answers.count + 1) is no password: 1 to \(Password.maximumBytes) bytes are expected.")
            }
            do {
                let begin = clock.now
                answers.append(try await opened.contain(password))
                durations.append(clock.now - begin)
            } catch {
                throw CommandFault.failed("\(error.reason): make it anew by “okaeri passwords build-filter”.")
            }
        }
        let times = LookupTimes(durations)
        guard !output.isJSON else {
            return Console.write(json: Output(passwords: opened.count, isOnList: answers, lookupMicroseconds: times))
        }
        Console.write("\(filter) holds \(opened.count.counted("password")).")
        for (index, isOnList) in answers.enumerated() {
            Console.write("Line \(index + 1): \(isOnList ? "on the list" : "not on the list")")
        }
        if let times {
            Console.write("A lookup took \(times.median) µs; 99 of 100 took \(times.p99) µs or less.")
        }
    }

    private struct Output: Encodable {
        let passwords: UInt64
        let isOnList: [Bool]
        let lookupMicroseconds: LookupTimes?
    }

    /// How long lookups took, in microseconds.
    private struct LookupTimes: Encodable {
        let median: Double
        let p99: Double

        /// `nil` without any.
        init?(_ durations: [Duration]) {
            guard !durations.isEmpty else { return nil }
            let ordered = durations.sorted()
            func microseconds(_ hundredths: Int) -> Double {
                let duration = ordered[min(ordered.count - 1, ordered.count * hundredths / 100)]
                return (duration / .microseconds(1) * 10).rounded() / 10
            }
            (median, p99) = (microseconds(50), microseconds(99))
        }
    }
}
