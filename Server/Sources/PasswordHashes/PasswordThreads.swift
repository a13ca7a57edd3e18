package import Domain
import Threads

/// Hashes passwords with Argon2id on threads of its own, which yield to everything else, and a queue of bounded length:
/// a flood of log-ins can take neither the memory nor the processor away from other requests (requirement 6).
package final class PasswordThreads: PasswordHashing {
    private let threads: WorkerThreads
    private let strength: Argon2id

    /// What a queue of hashes means for somebody who was turned away.
    private static let retry: Duration = .seconds(2)

    /// - Parameters:
    ///   - count: How many threads; each needs `strength.memoryKiB` while it works.
    ///   - maximumWaiting: The most hashes that may wait for a thread, half of them of one share.
    ///   - strength: How hard new hashes are.
    package init(count: Int, maximumWaiting: Int, strength: Argon2id = .standard) {
        threads = WorkerThreads(name: "passwords", count: count, maximumWaiting: maximumWaiting, niceness: 19)
        self.strength = strength
    }

    package func hash(_ password: Password, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        let strength = strength
        let hash = try await run(for: share) { strength.hash(Array(password.normalized.revealed.utf8)) }
        guard let hash else { throw .busy(retryAfter: Self.retry) }
        return hash
    }

    package func compare(
        _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme>, for share: PasswordShare
    ) async throws(DomainError) -> PasswordVerdict {
        let strength = strength
        return try await run(for: share) {
            // What is stored may also be no hash that this program knows, or too costly to try.
            let stored = hash.flatMap(StoredHash.init)
            if let hash, let stored, stored.fits(password) {
                guard strength.isStronger(than: hash) else { return .accepted(better: nil) }
                // Without memory for it, the old hash stays until the next log-in.
                return .accepted(better: strength.hash(Array(password.normalized.revealed.utf8)))
            }
            // Where the hash is known to be the user's, nothing has to be hidden.
            guard stored == nil || !schemes.isEmpty else { return .refused }
            for decoy in ComparisonWork(schemes, standard: strength).rest(after: stored) { _ = decoy.fits(password) }
            return .refused
        }
    }

    package func canTry(_ hash: PasswordHash) -> Bool { StoredHash(hash) != nil || isFast(hash) }

    package func isFast(_ hash: PasswordHash) -> Bool { FastHash(hash) != nil }

    package func wrap(_ hash: PasswordHash, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        guard let fast = FastHash(hash) else { return hash }
        let strength = strength
        let wrapped = try await run(for: share) { WrappedHash.text(of: fast, strength) }
        guard let wrapped else { throw .busy(retryAfter: Self.retry) }
        return wrapped
    }

    /// How many hashes wait for a thread.
    package var waiting: Int { threads.waiting }

    /// Finishes what waits.
    package func close() async {
        await threads.close()
    }

    /// Does work in turn with the hashes of others.
    package func run<Value: Sendable>(
        for share: PasswordShare, _ work: @escaping @Sendable () -> Value
    ) async throws(DomainError) -> Value {
        do throws(WorkerThreads.Refusal) {
            return try await threads.run(for: WorkerThreads.Share(share), work)
        } catch {
            switch error {
            case .queueFull, .closed: throw .busy(retryAfter: Self.retry)
            }
        }
    }
}

extension WorkerThreads.Share {
    fileprivate init(_ share: PasswordShare) {
        switch share {
        case .application(let application): self.init("application \(application)")
        case .admins: self.init("admins")
        case .imports: self.init("imports")
        }
    }
}
