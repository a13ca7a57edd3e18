/// Counts an act and refuses it when there were too many.
package struct RateLimiter: Sendable {
    let store: any Store
    let clock: any WallClock

    /// - Throws: `rateLimited` with the time until the window ends, `storageUnavailable`.
    package func callAsFunction(_ key: RateLimitKey, limit: RateLimit) async throws(DomainError) {
        let now = clock.now
        let (count, start) = try await store.writeStatement { transaction throws(DomainError) in
            try transaction.count(key, window: limit.window, at: now)
        }
        guard count <= limit.maximum else { throw .rateLimited(retryAfter: start + limit.window - now) }
    }
}
