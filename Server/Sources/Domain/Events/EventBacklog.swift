/// How much waits of events, for those who watch a server.
package struct EventBacklog: Hashable, Sendable {
    /// Events that wait to be sent, once for each endpoint.
    package var waiting: Int
    /// Events that were given up and are kept, once for each endpoint.
    package var givenUp: Int
    /// When the oldest event happened that has no position yet; `nil` when all have one.
    package var unorderedSince: Timestamp?

    package init(waiting: Int = 0, givenUp: Int = 0, unorderedSince: Timestamp? = nil) {
        self.waiting = waiting
        self.givenUp = givenUp
        self.unorderedSince = unorderedSince
    }
}

/// Counts what waits of events, of all applications.
package struct CountEventBacklog: Sendable {
    /// The most deliveries that are counted: it costs milliseconds, however many there are.
    package static let limit = 100_000

    let store: any Store

    /// - Throws: `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> EventBacklog {
        try await store.read { transaction throws(DomainError) in try transaction.eventBacklog(limit: Self.limit) }
    }
}
