import Domain
import Storage
import StorageSQLite
import TestWorld

/// A server, alone on its database or one of several.
///
/// Unchecked: a simulation runs on one thread; so with the engine.
final class SimulatedNode: @unchecked Sendable {
    let world: TestWorld
    /// The engine beneath everything.
    let store: SQLiteStore
    /// What only one of several has.
    let shared: (engine: NodeEngine, listener: NodeListener)?
    /// Whether it gets no more requests: another one takes its place.
    var isLeaving = false
    private(set) var isDead = false
    /// How many requests are under way at it.
    var requests = 0

    init(_ world: TestWorld, _ store: SQLiteStore, _ shared: (engine: NodeEngine, listener: NodeListener)?) {
        (self.world, self.store, self.shared) = (world, store, shared)
    }

    /// Its process ends: nothing is committed, announced or answered any more.
    func die() {
        isDead = true
        shared?.engine.die()
        shared?.listener.die()
    }

    /// Gives its connections back.
    func close() async {
        await store.close()
        // It keeps its modules, and they keep it.
        store.observeChanges { _ in }
        shared?.engine.observeChanges { _ in }
    }
}

/// The engine of one of several nodes: SQLite's, with the news of `PostgreSQLStore` and a network between node and database.
final class NodeEngine: Engine, @unchecked Sendable {
    /// Caches of a process that hears of no changes: nothing is believed.
    struct NeverValid: CacheValidity {
        var epoch: UInt64? { nil }
    }

    private let inner: SQLiteStore
    private let name: String
    /// `nil` for a command.
    private let listener: NodeListener?
    private let network: NodeNetwork
    private var observer: @Sendable (Change) -> Void = { _ in }
    private var news = CommitNews.carried
    private(set) var isDead = false

    init(_ inner: SQLiteStore, name: String, _ listener: NodeListener?, on network: NodeNetwork) {
        (self.inner, self.name, self.listener, self.network) = (inner, name, listener, network)
        inner.observeChanges { [unowned self] change in note(change) }
    }

    var validity: any CacheValidity { inner.validity }

    func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) {
        self.observer = observer
        listener?.onChange = observer
    }

    func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { inner.observeFaults(observer) }

    func close() async { await inner.close() }

    /// From now on nothing is committed.
    func die() { isDead = true }

    /// As `PostgreSQLStore` tells of a commit.
    private func note(_ change: Change) {
        observer(change)
        let isHeard = listener?.isHeard ?? false
        if news == .announced { listener?.tell(change) }
        if news == .carried || news.mustBeSent(isHeard: isHeard) { network.publish(.changes([change]), from: name) }
    }

    private func checkReach() throws(DomainError) {
        guard !isDead, listener?.reachesStore ?? true else {
            network.faultCount += 1
            throw .storageUnavailable
        }
    }

    /// Runs a transaction over the network: it may not get there, or its answer not come back.
    private func transact<Value: Sendable>(
        _ body: @escaping Body<Value>, _ run: (@escaping Body<Value>) async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try checkReach()
        let value = try await run { [self] transaction throws(DomainError) in
            try checkReach()
            let value = try body(transaction)
            news = CommitNews(isHeard: listener?.isHeard ?? false)
            return value
        }
        try checkReach()
        return value
    }

    private typealias Body<Value> = @Sendable (any Transaction) throws(DomainError) -> Value

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try checkReach()
        return try await inner.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await transact(body) { body throws(DomainError) in try await inner.write(body) }
    }

    func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await transact(body) { body throws(DomainError) in try await inner.writeStatement(body) }
    }

    func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        await inner.search(within: limit, body)
    }
}
