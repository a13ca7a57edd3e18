package import Domain
import Synchronization

/// The device proofs that one server has taken, in memory: a log-in writes no row for its proof.
///
/// After a restart they are forgotten, so what the former process may have taken is refused: each proof that was made no later
/// than the latest one it took. That time is written in the transaction of the proof, once for each second of proofs. Proofs
/// that were made in the future of the server's clock have rows, and are not counted for it.
package final class ProofMemory: Sendable {
    /// A clock that is set back by less lets no proof count twice. One that is set back further makes what was written of the
    /// former process useless, instead of refusing all log-ins until the clock is there again.
    package static let longestSetBack: Duration = .seconds(600)
    /// Those that are kept beyond the time in which they could count.
    package static let maximumKept = 1_500_000

    package struct Mark: Hashable, Sendable {
        fileprivate let fingerprint: UInt64
        fileprivate let issuedAt: Timestamp
    }

    package enum Answer: Hashable, Sendable {
        /// It counts. Its time must be written when `isLatest`.
        case new(Mark, isLatest: Bool)
        case used
        /// It may have counted before the restart. One made at this time counts.
        case unknown(next: Timestamp)
    }

    private struct State: Sendable {
        var seen: [Timestamp: Set<UInt64>] = [:]
        var count = 0
        /// What was made at this time or before may have counted.
        var floor: Timestamp?
        /// The time that is written; `nil` when it must be written anew.
        var latest: Timestamp?
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - latest: What is written of the former process; `nil` for a new database.
    ///   - kept: The proofs that have rows.
    package init(latest: Timestamp?, kept: [UsedProof]) {
        var state = State(floor: latest, latest: latest)
        for proof in kept {
            guard let issuedAt = proof.issuedAt else { continue }
            let isNew = state.seen[issuedAt, default: []].insert(Self.fingerprint(proof)).inserted
            if isNew { state.count += 1 }
        }
        self.state = Mutex(state)
    }

    /// Takes a proof, or says why it does not count. All applications have one list: a proof names the server and a path, and
    /// two applications have both in common.
    package func take(_ proof: DeviceProof) -> Answer {
        let mark = Mark(fingerprint: Self.fingerprint(proof.used), issuedAt: proof.issuedAt)
        let latestUsable = proof.checkedAt + Self.longestSetBack
        return state.withLock { state in
            if state.seen[mark.issuedAt]?.contains(mark.fingerprint) == true { return .used }
            if let floor = state.floor {
                if floor > latestUsable {
                    state.floor = nil
                } else if let next = Self.next(for: proof, after: floor) {
                    return .unknown(next: next)
                }
            }
            state.seen[mark.issuedAt, default: []].insert(mark.fingerprint)
            state.count += 1
            guard !proof.isFromFuture else { return .new(mark, isLatest: false) }
            let isLatest = state.latest.map { mark.issuedAt > $0 || $0 > latestUsable } ?? true
            if isLatest { state.latest = mark.issuedAt }
            return .new(mark, isLatest: isLatest)
        }
    }

    /// When a proof must be made in the place of one that may have counted already: it was made no later than the latest one
    /// that a former process took. `nil` for one that cannot have.
    static func next(for proof: DeviceProof, after floor: Timestamp) -> Timestamp? {
        guard floor <= proof.checkedAt + longestSetBack, proof.issuedAt <= floor else { return nil }
        return max(proof.checkedAt, floor + .seconds(1))
    }

    /// Takes back what a transaction took that came to nothing.
    package func giveBack(_ marks: [Mark]) {
        guard !marks.isEmpty else { return }
        state.withLock { state in
            for mark in marks where state.seen[mark.issuedAt]?.remove(mark.fingerprint) != nil {
                state.count -= 1
                if state.seen[mark.issuedAt]?.isEmpty == true { state.seen[mark.issuedAt] = nil }
            }
            // The time that one of them has written is gone with it.
            state.latest = nil
        }
    }

    /// Forgets proofs that ended before; under load also younger ones, from the oldest on, but none that could still count
    /// while the clock goes forward.
    package func forget(endedBefore limit: Timestamp, keeping maximum: Int = maximumKept) {
        state.withLock { state in
            let times = state.seen.keys.sorted()
            let oldestUsable = limit + Self.longestSetBack
            for time in times {
                let end = UsedProof.end(ofIssuedAt: time)
                let isPast = end < limit
                guard isPast || state.count > maximum && end < oldestUsable else { break }
                state.count -= state.seen.removeValue(forKey: time)?.count ?? 0
                if !isPast { state.floor = max(state.floor ?? time, time) }
            }
        }
    }

    /// Seeded anew in each process, so nobody can look for two proofs that have the same.
    private static func fingerprint(_ proof: UsedProof) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(proof.key)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
