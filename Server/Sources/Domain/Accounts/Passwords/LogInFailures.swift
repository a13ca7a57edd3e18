import Foundation

/// Wrong passwords in a row for one identifier, or for one user (requirements 8 and 52).
///
/// They are counted by what was typed, whether or not it leads to a user: what happens is then the same for unknown
/// users (requirement 10). And they are counted by whom it leads to, however that was written and in whichever protocol.
/// Log-ins by device key never ask for them, so nobody can be locked out of the own device.
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

    /// How long the next try has to wait: after five failures 1 s, then doubling up to 15 min; after a hundred, a day. For one
    /// that was noted by a clock that has been set back since, by more than 15 min, nobody waits until it is there again.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - free: Failures that cost no waiting.
    ///   - maximum: With so many the next try is a day away.
    /// - Returns: `nil` when there is nothing to wait for.
    package func wait(
        at now: Timestamp, free: Int = Self.free, maximum: Int = Self.maximum
    ) -> Duration? {
        guard count >= free, lastAt <= now + Self.longestDelay else { return nil }
        let delay =
            count >= maximum ? Self.memory : min(.seconds(1 << min(count - free, 30)), Self.longestDelay)
        let end = lastAt + delay
        return now < end ? end - now : nil
    }

    /// The row with one more failure.
    package static func next(after before: LogInFailures?, at now: Timestamp) -> LogInFailures {
        guard let before, now < before.lastAt + memory else { return LogInFailures(count: 1, lastAt: now) }
        return LogInFailures(count: before.count + 1, lastAt: now)
    }
}

extension LogInIdentifier {
    /// The identifier by which failures are counted: without what stands around the text by which identifiers are
    /// compared. Whatever a person or a program writes for one name is one here, in every protocol.
    fileprivate var canonical: LogInIdentifier { LogInIdentifier(kind, shown: IdentifierFolding.trimmed(folded)) }

    private var counted: String { "\(kind.rawValue):\(IdentifierFolding.trimmed(folded))" }

    /// Stands for the identifier where failures are counted.
    package var failureSubject: SecretDigest { SecretDigest(of: counted.utf8) }

    /// Stands for the user that the identifier does not lead to.
    package var nobodysFailureSubject: SecretDigest { SecretDigest(of: "nobody:\(counted)".utf8) }
}

extension Identifier<User> {
    /// Stands for the user where failures are counted.
    package var failureSubject: SecretDigest { SecretDigest(of: "user:\(rawValue)".utf8) }
}

extension Transaction {
    /// Ends the rows of a user and of all its identifiers: after a log-in, and after the password was set anew.
    ///
    /// - Throws: `storageUnavailable`.
    package func forgetFailures(of user: User) throws(DomainError) {
        try removeFailures(of: user.id.failureSubject, in: user.application)
        for identifier in user.typedIdentifiers {
            try forgetFailures(with: identifier, of: user)
            // Typed at log-in it was counted by its other readings too. What leads to somebody else keeps its count.
            for reading in LogInIdentifier.candidates(of: identifier.shown) where !reading.isSame(as: identifier) {
                let owner = try passwordHash(of: reading, in: user.application)?.user
                if owner == nil || owner == user.id { try forgetFailures(with: reading, of: user) }
            }
        }
    }

    /// Ends the row of an identifier, unless it is somebody else's too.
    ///
    /// - Throws: `storageUnavailable`.
    func forgetFailures(with identifier: LogInIdentifier, of user: User) throws(DomainError) {
        guard try isCountedAlone(identifier, of: user) else { return }
        try removeFailures(of: identifier.failureSubject, in: user.application)
        try removeFailures(of: identifier.nobodysFailureSubject, in: user.application)
    }

    /// Whether no other user's failures are counted with those of an identifier: protocols that take names with spaces
    /// around them can have two users of whom one would end the other's row.
    private func isCountedAlone(_ identifier: LogInIdentifier, of user: User) throws(DomainError) -> Bool {
        let canonical = identifier.canonical
        guard canonical.folded != identifier.folded else { return true }
        let owner = try passwordHash(of: canonical, in: user.application)?.user
        return owner == nil || owner == user.id
    }

    /// Takes log-ins with the names of a new user for what they were: apps try to log in, and sign up when nobody has the
    /// name. That is no guess (requirement 52): the name is not made to wait for it, and the address has one failure less,
    /// if the last was within its window. One only, so that nobody saves failures up.
    ///
    /// - Parameters:
    ///   - user: Who has just been made, with the names.
    ///   - address: Where the request came from; `nil` when that had no part in it.
    ///   - now: The time.
    /// - Throws: `storageUnavailable`.
    func forgive(_ user: User, from address: ClientAddress?, at now: Timestamp) throws(DomainError) {
        var last: Timestamp?
        for identifier in user.typedIdentifiers {
            // What may also have meant somebody else was a guess.
            guard let failures = try failures(of: identifier.failureSubject, in: user.application),
                try isCountedAlone(identifier, of: user),
                try owners(of: LogInIdentifier.candidates(of: identifier.shown), in: user.application)
                    .allSatisfy({ $0.user.id == user.id })
            else { continue }
            last = max(last ?? failures.lastAt, failures.lastAt)
            try forgetFailures(with: identifier, of: user)
        }
        guard let last, let address else { return }
        let keys = RateLimitKey.keys(RateLimitKey.passwordFailure, in: user.application, from: address)
        for key in [keys.address, keys.site].compactMap({ $0 }) {
            guard let counted = try counted(key, window: RateLimit.passwordFailures.window, at: now),
                counted.windowStart <= last
            else { continue }
            try uncount(key)
        }
    }
}
