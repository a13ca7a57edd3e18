import Dispatch
package import Domain
import Storage
import Synchronization

/// The engine for many nodes: a PostgreSQL database that they share.
///
/// Writes run `SERIALIZABLE` and are repeated when two collide. Reads run on one snapshot; a read that turns out to be
/// one statement is one round trip.
package final class PostgreSQLStore: Engine, Sendable {
    package enum Role: Sendable, Hashable {
        /// Keeps caches, and hears of what other nodes change.
        case server
        /// Does one thing beside servers that may be running, as `okaeri user list` does.
        case command
    }

    /// How often a transaction is repeated that collides with others. It is the time that counts: on busy processors 25 attempts
    /// were not enough for three nodes that order and send events beside log-ins.
    private static let maximumAttempts = 200
    /// A row that is there already is not found by looking twice more: the rule does not look.
    private static let maximumDuplicates = 2

    private let pool: PostgreSQLPool
    /// Connections for searches alone.
    private let searchPool: PostgreSQLPool
    private let changes: NotifyListener?
    private let signals: StoreSignals
    private let node: String
    /// How long a transaction is repeated that collides with others.
    private let repetition: Duration
    /// Up to when a server on SQLite took device proofs in memory, before the installation was copied here.
    private let proofFloor: Timestamp?
    /// How many transactions that collided have waited for their next turns.
    private let pauses = Atomic(0)
    /// First statements of reads that turned out to have more than one.
    private let longReads = Mutex<Set<Query.Key>>([])
    package let validity: any CacheValidity

    /// Connects, and sees whether the schema is the one that this program knows.
    ///
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - role: Who asks.
    ///   - connections: The most connections for transactions. A server has one more, for news.
    ///   - searchConnections: The most connections for searches. They are made when they are needed.
    ///   - limits: How long is waited.
    ///   - node: A word that no other node has.
    ///   - clock: The node's. A server tells when it is far from the database's.
    /// - Returns: the engine.
    /// - Throws: `PostgreSQLOpenFault` in words for the operator.
    package static func open(
        _ address: PostgreSQLAddress, role: Role, connections: Int, searchConnections: Int = 2,
        limits: PostgreSQLTimeLimits = PostgreSQLTimeLimits(), node: String, clock: any WallClock
    ) async throws(PostgreSQLOpenFault) -> PostgreSQLStore {
        let pool = PostgreSQLPool(address, capacity: connections, limits: limits, session: limits.session)
        let searchPool = PostgreSQLPool(
            address, capacity: role == .server ? searchConnections : 1, limits: limits, session: limits.searchSession)
        let signals = StoreSignals()
        let lease = CacheLease()
        let result = await pool.run { pool in
            Result { () throws(PostgreSQLOpenFault) -> (changes: NotifyListener?, proofFloor: Timestamp?) in
                let connection = try pool.take()
                defer { pool.put(connection) }
                let schema = PostgreSQLSchema(connection.link, address)
                try schema.check()
                guard role == .server else { return (nil, nil) }
                try schema.checkRights()
                let proofFloor = try schema.latestProof()
                let changes = try NotifyListener(address, name: node, lease: lease, signals: signals, clock: clock)
                return (changes, proofFloor)
            }
        }
        switch result {
        case .success(let opened):
            return PostgreSQLStore(
                pool: pool, searchPool: searchPool, changes: opened.changes, signals: signals, node: node,
                repetition: limits.repetition, proofFloor: opened.proofFloor,
                validity: role == .server ? lease : NeverValid())
        case .failure(let fault):
            await pool.close()
            await searchPool.close()
            throw fault
        case nil:
            throw PostgreSQLOpenFault("The database \(address) was not asked in time.")
        }
    }

    private init(
        pool: PostgreSQLPool, searchPool: PostgreSQLPool, changes: NotifyListener?, signals: StoreSignals, node: String,
        repetition: Duration, proofFloor: Timestamp?, validity: any CacheValidity
    ) {
        self.pool = pool
        self.searchPool = searchPool
        self.changes = changes
        self.signals = signals
        self.node = node
        self.repetition = repetition
        self.proofFloor = proofFloor
        self.validity = validity
    }

    deinit {
        // A store that nobody closed must not leave its ear open.
        guard let changes else { return }
        Task { await changes.close() }
    }

    package func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) {
        signals.observeChanges(observer)
    }

    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        signals.observeFaults(observer)
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await perform(on: pool) { attempt in attempt.read(body) }.get()
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await perform(on: pool) { attempt in attempt.write(body) }.get()
    }

    package func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await perform(on: pool) { attempt in attempt.writeStatement(body) }.get()
    }

    package func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        let result = await perform(on: searchPool) { attempt in attempt.search(within: limit, body) }
        switch result {
        case .success(let searched): return searched
        case .failure(let refusal): return Searched(.failure(refusal), time: .zero)
        }
    }

    /// Finishes what is queued, or stops it when that takes long. Later calls are refused with `storageUnavailable`.
    package func close() async {
        await pool.close()
        await searchPool.close()
        await changes?.close()
    }

    /// Gives a transaction turns on a pool's threads until it ends. One that collided waits for its next turn without a thread: who
    /// changes one row by many requests at once would have all threads wait, and everybody else behind them.
    private func perform<Value: Sendable>(
        on pool: PostgreSQLPool, _ work: @escaping @Sendable (Attempt) -> Turn<Value>
    ) async -> Result<Value, DomainError> {
        var before: Repetitions?
        while true {
            let known = before
            let turn: Turn<Value>? = await pool.run(isRepeated: known != nil) { [self] pool in
                work(
                    Attempt(
                        store: self, pool: pool,
                        repetitions: known ?? Repetitions(latest: ContinuousClock.now + repetition)))
            }
            switch turn {
            case nil: return .failure(.storageUnavailable)
            case .ended(let result)?: return result
            case .collided(let repetitions)?:
                await pause(after: repetitions.attempts)
                before = repetitions
            }
        }
    }

    /// Lets the other transaction end. Those that collided wait for different times, so that they do not meet again.
    private func pause(after attempts: Int) async {
        let share = pauses.add(1, ordering: .relaxed).newValue % 8 + 1
        let time = DispatchTimeInterval.microseconds(share * 250 * min(attempts, 40))
        // A task's own sleep ends at once when nobody waits for it any more, and what is under way goes on.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + time) { continuation.resume() }
        }
    }
}

extension PostgreSQLStore {
    /// How a transaction ended.
    private enum Outcome<Value> {
        case done(Value)
        /// The rule refused.
        case refused(DomainError)
        /// Not committed for sure.
        case failed(PostgreSQLFault)
        /// Perhaps committed, perhaps not.
        case unknown(PostgreSQLFault)
    }

    /// What a transaction's turn on a worker's thread came to.
    private enum Turn<Value: Sendable>: Sendable {
        case ended(Result<Value, DomainError>)
        case collided(Repetitions)
    }

    /// What was tried of a transaction so far.
    private struct Repetitions: Sendable {
        /// When it is repeated no more.
        let latest: ContinuousClock.Instant
        var (attempts, duplicates, losses) = (0, 0, 0)
        var fault: PostgreSQLFault?

        init(latest: ContinuousClock.Instant) { self.latest = latest }

        /// - Returns: whether it may be tried once more.
        mutating func begin() -> Bool {
            attempts += 1
            return attempts == 1 || attempts <= PostgreSQLStore.maximumAttempts && ContinuousClock.now < latest
        }
    }

    /// A transaction's turn on a worker's thread.
    private struct Attempt {
        let store: PostgreSQLStore
        let pool: PostgreSQLPool
        let repetitions: Repetitions

        func read<Value: Sendable>(_ body: (any Transaction) throws(DomainError) -> Value) -> Turn<Value> {
            repeated { connection in
                let transaction = RecordingConnection(connection)
                connection.begin(.statement)
                // One statement by itself sees one state. Only when a second one comes is a snapshot needed.
                transaction.beforeFirst = { key in
                    if store.longReads.withLock({ $0.contains(key) }) { connection.begin(.snapshot) }
                }
                defer { connection.end() }
                let outcome: Outcome<Value> = Self.outcome(of: body, SQLTransaction(transaction), connection)
                if case .failed(let fault) = outcome, fault.kind == .secondStatement, let key = transaction.firstKey {
                    store.longReads.withLock { _ = $0.insert(key) }
                }
                return outcome
            }
        }

        func search<Value: Sendable>(
            within limit: Duration, _ body: (any Transaction) throws(DomainError) -> Value
        ) -> Turn<Searched<Value>> {
            var time = Duration.zero
            let turn: Turn<Value> = repeated { connection in
                let start = ContinuousClock.now
                connection.begin(.snapshot, until: start + limit)
                defer {
                    connection.end()
                    time += start.duration(to: .now)
                }
                let outcome: Outcome<Value> = Self.outcome(of: body, SQLTransaction(connection), connection)
                if case .failed(let fault) = outcome, fault.kind == .stopped { return .refused(.searchTooSlow) }
                return outcome
            }
            switch turn {
            case .ended(let result): return .ended(.success(Searched(result, time: time)))
            // A search writes nothing that could be in another's way.
            case .collided(let repetitions): return .collided(repetitions)
            }
        }

        func write<Value: Sendable>(_ body: (any Transaction) throws(DomainError) -> Value) -> Turn<Value> {
            repeated { connection in
                connection.begin(.alone)
                let transaction = SQLTransaction(connection, proofFloor: store.proofFloor)
                let outcome: Outcome<Value> = Self.outcome(of: body, transaction, connection)
                guard case .done = outcome else {
                    connection.end()
                    return outcome
                }
                let (changes, news) = (transaction.changes, CommitNews(isHeard: store.isHeard))
                do throws(PostgreSQLFault) {
                    try connection.commit(news == .carried ? ChangeNotice.payloads(changes, from: store.node) : [])
                } catch {
                    connection.end()
                    guard error.kind == .lost else { return .failed(error) }
                    store.announce(changes, toOthers: true)
                    return .unknown(error)
                }
                store.announce(changes, toOthers: news == .announced)
                return answer(outcome, mustSend: news.mustBeSent(isHeard: store.isHeard), changes, connection)
            }
        }

        /// An outcome, once other nodes will hear of it.
        private func answer<Value>(
            _ outcome: Outcome<Value>, mustSend: Bool, _ changes: [Change], _ connection: PostgreSQLConnection
        ) -> Outcome<Value> {
            guard mustSend else { return outcome }
            do throws(PostgreSQLFault) {
                try connection.announce(ChangeNotice.payloads(changes, from: store.node))
                return outcome
            } catch {
                // It is committed. The ear tells it as soon as it can; until then nobody may rely on it.
                store.changes?.tell(changes)
                return .unknown(error)
            }
        }

        func writeStatement<Value: Sendable>(
            _ body: (any Transaction) throws(DomainError) -> Value
        ) -> Turn<Value> {
            repeated { connection in
                connection.begin(.statement)
                let transaction = SQLTransaction(connection, proofFloor: store.proofFloor)
                let outcome: Outcome<Value> = Self.outcome(of: body, transaction, connection)
                switch outcome {
                case .failed(let fault) where fault.kind == .lost && connection.statements > 0:
                    store.announce(transaction.changes, toOthers: true)
                    return .unknown(fault)
                case .failed(let fault) where fault.kind == .secondStatement:
                    return .failed(PostgreSQLFault(.other, fault.words))
                case .failed: return outcome
                case .done, .refused, .unknown:
                    // It is committed already.
                    let isHeard = store.isHeard
                    store.announce(transaction.changes, toOthers: isHeard)
                    return answer(outcome, mustSend: !isHeard, transaction.changes, connection)
                }
            }
        }

        private static func outcome<Value>(
            of body: (any Transaction) throws(DomainError) -> Value, _ transaction: SQLTransaction,
            _ connection: PostgreSQLConnection
        ) -> Outcome<Value> {
            do throws(DomainError) {
                let value = try body(transaction)
                return connection.fault.map { .failed($0) } ?? .done(value)
            } catch {
                return connection.fault.map { .failed($0) } ?? .refused(error)
            }
        }

        /// Runs a transaction until it succeeds, collides, the rule refuses, or there is no more hope.
        private func repeated<Value: Sendable>(
            _ transact: (PostgreSQLConnection) -> Outcome<Value>
        ) -> Turn<Value> {
            var repetitions = repetitions
            while repetitions.begin() {
                let connection: PostgreSQLConnection
                do throws(PostgreSQLOpenFault) {
                    connection = try pool.take()
                } catch {
                    store.signals.report(fault: error.description)
                    return .ended(.failure(.storageUnavailable))
                }
                let outcome = transact(connection)
                pool.put(connection)
                switch outcome {
                case .done(let value): return .ended(.success(value))
                case .refused(let refusal): return .ended(.failure(refusal))
                case .unknown(let found):
                    return .ended(fail("The connection broke during a commit: \(found.words)"))
                case .failed(let found):
                    repetitions.fault = found
                    switch found.kind {
                    case .collision: return .collided(repetitions)
                    case .duplicate: repetitions.duplicates += 1
                    case .lost: repetitions.losses += 1
                    case .secondStatement: break
                    case .badValue: return .ended(refuse(found.words))
                    case .other, .stopped: return .ended(fail(found.words))
                    }
                    // Every idle connection may be dead at once; the pool sorts out those that it hears of.
                    if repetitions.duplicates > PostgreSQLStore.maximumDuplicates || repetitions.losses > 2 {
                        return .ended(fail(found.words))
                    }
                }
            }
            return .ended(fail("No end of collisions: \(repetitions.fault?.words ?? "")"))
        }

        private func fail<Value>(_ words: String) -> Result<Value, DomainError> {
            store.signals.report(fault: "PostgreSQL fault \(words)")
            return .failure(.storageUnavailable)
        }

        /// Rules let no such value through; should one come here, the request is at fault and not the database. The log
        /// has it, because a rule is missing.
        private func refuse<Value>(_ words: String) -> Result<Value, DomainError> {
            store.signals.report(fault: "PostgreSQL refuses a value \(words)")
            return .failure(.fieldsRefused([ValidationError(field: "", rule: .controlCharacter)]))
        }
    }

    /// Whether what the ear tells reaches others at once.
    private var isHeard: Bool { changes?.isHeard == true }

    private func announce(_ changed: [Change], toOthers: Bool) {
        signals.announce(changed)
        if toOthers { changes?.tell(changed) }
    }
}
