package import Domain
import Synchronization

/// Hashes that take no time, and how many there were: what has to be the same for known and unknown users.
package final class CountingPasswords: PasswordHashing {
    private let counts = Mutex(Counts())

    package struct Counts: Hashable, Sendable {
        package var hashes = 0
        package var comparisons = 0
        /// How many fast hashes were wrapped.
        package var wraps = 0
        /// Among which schemes the last comparison was.
        package var schemes: Set<PasswordScheme> = []
        /// Whether the last comparison had a hash to compare with.
        package var hadHash = false
        /// Whose work the last hash, comparison or wrapping was.
        package var share: PasswordShare?
        /// Whether further work is refused.
        package var isBusy = false
        /// How many are said to wait.
        package var waiting = 0
    }

    package init() {}

    package var counted: Counts { counts.withLock { $0 } }

    package var waiting: Int { counted.waiting }

    package func set(isBusy: Bool, waiting: Int = 0) { counts.withLock { ($0.isBusy, $0.waiting) = (isBusy, waiting) } }

    package func hash(_ password: Password, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        try work { counts in
            counts.hashes += 1
            counts.share = share
        }
        return Self.hash(password)
    }

    package func compare(
        _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme>, for share: PasswordShare
    ) async throws(DomainError) -> PasswordVerdict {
        try work { counts in
            counts.comparisons += 1
            (counts.schemes, counts.hadHash, counts.share) = (schemes, hash != nil, share)
        }
        if hash == Self.hash(password) { return .accepted(better: nil) }
        return hash == Self.weakHash(password) ? .accepted(better: Self.hash(password)) : .refused
    }

    package func canTry(_ hash: PasswordHash) -> Bool { true }

    package func isFast(_ hash: PasswordHash) -> Bool { hash.text.hasPrefix("fast:") }

    package func wrap(_ hash: PasswordHash, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        guard isFast(hash) else { return hash }
        try work { counts in
            counts.wraps += 1
            counts.share = share
        }
        return PasswordHash(text: "wrapped:" + hash.text.dropFirst(5))
    }

    /// What is stored of a password.
    package static func hash(_ password: Password) -> PasswordHash {
        PasswordHash(text: "strong:" + Base64URL.text(of: password.normalized.digest.bytes))
    }

    /// What an older program might have stored of it.
    package static func weakHash(_ password: Password) -> PasswordHash {
        PasswordHash(text: "weak:" + Base64URL.text(of: password.normalized.digest.bytes))
    }

    private func work(_ note: (inout Counts) -> Void) throws(DomainError) {
        let isBusy = counts.withLock { counts in
            if !counts.isBusy { note(&counts) }
            return counts.isBusy
        }
        if isBusy { throw .busy(retryAfter: .seconds(2)) }
    }
}
