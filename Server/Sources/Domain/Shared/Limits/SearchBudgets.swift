/// How long whom has searched of late: for each a bucket that fills by time spent and leaks with time that passes.
/// They are this node's own and live in memory: what they protect is this node's readers.
package struct SearchBudgets: Sendable {
    /// Who has a bucket.
    package enum Owner: Hashable, Sendable {
        case address(Identifier<Application>, String)
        case application(Identifier<Application>)
        case admins(Identifier<Application>)
    }

    private struct Bucket: Sendable {
        var seconds: Double
        var at: Timestamp
    }

    package init() {}

    private static let window = 60.0
    private var buckets: [Owner: Bucket] = [:]
    /// At how many buckets those that have leaked empty are thrown away.
    private var sweepCount = 1024

    package var count: Int { buckets.count }

    /// - Parameters:
    ///   - owner: Whose bucket.
    ///   - limit: How much fits in; a minute after it is full it has leaked empty.
    ///   - now: The present time.
    /// - Throws: `rateLimited` while the bucket is full.
    func check(_ owner: Owner, _ limit: Duration, at now: Timestamp) throws(DomainError) {
        let limit = limit / .seconds(1)
        let excess = level(owner, limit, at: now) - limit
        guard excess >= 0 else { return }
        throw .rateLimited(retryAfter: .seconds(max(1, excess * Self.window / limit)))
    }

    /// Adds time that was spent.
    package mutating func add(_ time: Duration, to owner: Owner, _ limit: Duration, at now: Timestamp) {
        let limit = limit / .seconds(1)
        buckets[owner] = Bucket(seconds: level(owner, limit, at: now) + time / .seconds(1), at: now)
        guard buckets.count > sweepCount else { return }
        // Who stays has spent time of a reader within the last minute, so that there are never many.
        buckets = buckets.filter { $0.value.at + .seconds(60) > now }
        sweepCount = max(1024, buckets.count * 2)
    }

    private func level(_ owner: Owner, _ limit: Double, at now: Timestamp) -> Double {
        guard let bucket = buckets[owner] else { return 0 }
        // A clock that was set back leaks nothing.
        let passed = max(0, (now - bucket.at) / .seconds(1))
        return max(0, bucket.seconds - passed * limit / Self.window)
    }
}
