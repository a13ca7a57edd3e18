/// Where the rules keep what they know.
///
/// A transaction is a synchronous closure without effects: an engine may run it again when two writers collide. It
/// either happens as a whole or, when the closure throws or the engine fails, not at all. When `write` returns, what
/// was written survives the loss of power.
package protocol Store: Sendable {
    /// Runs a closure that only reads, on one consistent state.
    ///
    /// - Throws: what the closure throws, or `storageUnavailable`.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value

    /// Runs a closure that reads and writes, alone.
    ///
    /// - Throws: what the closure throws, or `storageUnavailable`.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value

    /// Runs a closure with exactly one statement: a counter that many write, a mark that is set once.
    ///
    /// Such a statement is exact by itself, and need not run alone: those on one row wait for each other instead of
    /// being repeated. An engine may refuse a second statement with `storageUnavailable`.
    ///
    /// - Throws: what the closure throws, or `storageUnavailable`.
    func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value

    /// Runs a closure that searches: it only reads, on one consistent state, and what it costs is up to the one who asks.
    ///
    /// Searches have readers of their own, so that nothing else waits for them, and are stopped at a time limit
    /// (requirement 47). `SearchScheduler` decides whose search comes when; rules go through it.
    ///
    /// - Parameters:
    ///   - limit: The longest time from the closure's beginning to its end, by the wall clock.
    ///   - body: What to ask. Statements beyond the limit end with `searchTooSlow`, and those whose rows are together
    ///     more than `SearchLimits.maximumBytes` with `searchTooLarge`.
    /// - Returns: what the closure returns or throws, or `storageUnavailable`, and how long a reader was taken.
    func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value>
}

/// What a search gave, and what it cost.
package struct Searched<Value: Sendable>: Sendable {
    package var result: Result<Value, DomainError>
    /// For how long a reader was taken.
    package var time: Duration

    package init(_ result: Result<Value, DomainError>, time: Duration) {
        self.result = result
        self.time = time
    }
}

extension Store {
    package func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await write(body)
    }
}

/// What use cases can read and write while a transaction lasts: what the modules need of storage.
package protocol Transaction: AccountQueries, SessionQueries, ProviderQueries, MessagingQueries, ApplicationQueries,
    AdministrationQueries, RateLimitQueries, PasskeyQueries, SecondFactorQueries, EventQueries, SealingQueries
{}

/// Something that a committed transaction changed and that caches hold.
package enum Change: Hashable, Sendable {
    case application(Identifier<Application>)
    case user(Identifier<Application>, Identifier<User>)
    case session(Identifier<Application>, SecretDigest)
    case signingKeys
    /// A user was there for the first time on a day, UTC; it is written down later. No cache holds it.
    case userPresent(UserPresence)
    /// There is mail to send.
    case mailQueued
    /// There are events to order or to send.
    case eventsWritten
}

/// Tells whether what caches hold may still be believed, beside the changes that this process made itself.
package protocol CacheValidity: Sendable {
    /// A number that differs after another process changed something; `nil` while nobody can tell.
    var epoch: UInt64? { get }
}
