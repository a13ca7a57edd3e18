import Synchronization

/// Uses of sessions that are not in the database yet. They are written together, so that a request that only reads
/// costs no write of its own; a crash loses at most the interval of `WriteSessionActivity`.
package final class SessionActivity: Sendable {
    /// How exact a session's `lastUsedAt` is.
    package static let resolution: Duration = .seconds(300)

    private let pending = Mutex<[Identifier<Session>: SessionTouch]>([:])

    package init() {}

    func note(_ use: SessionTouch) {
        pending.withLock { pending in
            var use = use
            use.isFirstOfDay = use.isFirstOfDay || pending[use.id]?.isFirstOfDay == true
            pending[use.id] = use
        }
    }

    func takeAll() -> [SessionTouch] {
        pending.withLock { pending in
            defer { pending = [:] }
            return Array(pending.values)
        }
    }

    func putBack(_ uses: [SessionTouch]) {
        pending.withLock { pending in
            for use in uses {
                guard pending[use.id] != nil else {
                    pending[use.id] = use
                    continue
                }
                if use.isFirstOfDay { pending[use.id]?.isFirstOfDay = true }
            }
        }
    }
}

/// Writes down the uses of sessions that are waiting. The server calls it every minute and when it stops.
package struct WriteSessionActivity: Sendable {
    private static let batchSize = 500

    let store: any Store
    let activity: SessionActivity

    /// - Throws: `storageUnavailable`; what was not written waits for the next call.
    package func callAsFunction() async throws(DomainError) {
        let uses = activity.takeAll()
        for start in stride(from: 0, to: uses.count, by: Self.batchSize) {
            let batch = Array(uses[start..<min(start + Self.batchSize, uses.count)])
            do {
                try await store.write { transaction throws(DomainError) in try transaction.noteUse(batch) }
            } catch {
                activity.putBack(Array(uses[start...]))
                throw error
            }
        }
    }
}
