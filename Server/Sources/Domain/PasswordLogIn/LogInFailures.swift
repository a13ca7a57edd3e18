import Foundation

/// Wrong passwords in a row for one identifier (requirement 8).
///
/// They are counted by what was typed, whether or not it leads to a user: what happens is then the same for unknown
/// users (requirement 10). Log-ins by device key never ask for them, so nobody can be locked out of the own device.
package struct LogInFailures: Hashable, Sendable {
    /// Wrong passwords that cost no waiting.
    package static let free = 5
    /// The longest wait between two tries.
    package static let longestDelay: Duration = .seconds(900)
    /// So many in a row, and the next try is a day away.
    package static let maximum = 100
    /// When a row that nobody goes on with is forgotten.
    package static let memory: Duration = .days(1)

    package var count: Int
    package var lastAt: Timestamp

    package init(count: Int, lastAt: Timestamp) {
        self.count = count
        self.lastAt = lastAt
    }

    /// How long the next try has to wait: after five failures 1 s, then doubling up to 15 min; after a hundred, a day.
    package func wait(at now: Timestamp) -> Duration? {
        guard count >= Self.free else { return nil }
        let delay =
            count >= Self.maximum
            ? Self.memory : min(.seconds(1 << min(count - Self.free, 30)), Self.longestDelay)
        let end = lastAt + delay
        return now < end ? end - now : nil
    }

    /// The row with one more failure.
    package static func next(after before: LogInFailures?, at now: Timestamp) -> LogInFailures {
        guard let before, now < before.lastAt + memory else { return LogInFailures(count: 1, lastAt: now) }
        return LogInFailures(count: before.count + 1, lastAt: now)
    }
}

/// What the slice asks of storage. Counts survive a restart and are shared between nodes (requirement 12). Whose they
/// are is stored as a digest, because people type passwords into the wrong field.
package protocol LogInFailureQueries {
    func failures(of subject: SecretDigest, in application: Identifier<Application>) throws(DomainError)
        -> LogInFailures?
    func write(
        _ failures: LogInFailures, of subject: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError)
    func removeFailures(of subject: SecretDigest, in application: Identifier<Application>) throws(DomainError)
    /// Forgets rows that nobody went on with.
    func removeFailures(lastBefore limit: Timestamp) throws(DomainError)
}

extension TypedIdentifier {
    /// Stands for the identifier where failures are counted.
    package var failureSubject: SecretDigest { SecretDigest(of: "\(kind.rawValue):\(folded)".utf8) }
}

extension LogInFailureQueries {
    /// Ends the rows of all of a user's identifiers: after a log-in, and after the password was set anew.
    package func forgetFailures(of user: User) throws(DomainError) {
        for identifier in user.typedIdentifiers {
            try removeFailures(of: identifier.failureSubject, in: user.application)
        }
    }
}
