import Domain
import Foundation
import Synchronization
import Threads

/// A bounded number of connections, each used by one thread at a time. Who finds none free waits, first come, first
/// served, and not for ever.
// Unchecked: everything that changes is touched under `condition` only.
final class PostgreSQLPool: @unchecked Sendable {
    /// The most transactions that may wait. More would wait for longer than their clients do.
    private static let maximumWaiting = 10_000
    /// How long nobody tries to connect after that has failed.
    private static let pauseAfterFailure: Duration = .milliseconds(300)
    /// What was begun before, and was in another's way.
    private static let repeated = WorkerThreads.Share("repeated")
    /// How long statements under way may go on when the pool is closed.
    private static let shutdownTimeout: Double = 5

    private let address: PostgreSQLAddress
    private let session: String
    private let limits: PostgreSQLTimeLimits
    private let capacity: Int
    private let threads: WorkerThreads
    private let condition = ThreadCondition()
    private var idle: [PostgreSQLConnection] = []
    private var cancellations: [ObjectIdentifier: PostgreSQLCancellation] = [:]
    private var opening = 0
    private var lastFailure: (at: ContinuousClock.Instant, fault: PostgreSQLOpenFault)?
    private var isClosed = false

    /// - Parameters:
    ///   - address: Where to connect to.
    ///   - capacity: The most connections, at least 1. They are made when they are needed.
    ///   - limits: How long is waited.
    ///   - session: What each connection's session is set to, as one text of `SET` statements.
    init(_ address: PostgreSQLAddress, capacity: Int, limits: PostgreSQLTimeLimits, session: String) {
        self.address = address
        self.limits = limits
        self.session = session
        self.capacity = max(1, capacity)
        threads = WorkerThreads(name: "postgresql", count: max(1, capacity), maximumWaiting: Self.maximumWaiting)
    }

    deinit {
        // A pool that nobody closed still ends its threads.
        let threads = threads
        Task { await threads.close() }
    }

    /// Runs work on a thread that may block.
    ///
    /// - Parameters:
    ///   - isRepeated: Whether it was begun before. Such work and what is new take turns.
    ///   - work: What to do.
    /// - Returns: what the work returns, or `nil` when it was not begun: too much waits, or the pool is closed.
    func run<Value: Sendable>(
        isRepeated: Bool = false, _ work: @escaping @Sendable (PostgreSQLPool) -> Value
    ) async -> Value? {
        let latest = ContinuousClock.now + limits.connection
        let job: @Sendable () -> Value? = { [weak self] in
            // Without the pool nobody can be waiting for an answer.
            guard let self, ContinuousClock.now < latest, !self.condition.withLock({ self.isClosed }) else {
                return nil
            }
            return work(self)
        }
        do {
            guard isRepeated else { return try await threads.run(job) }
            return try await threads.run(for: Self.repeated, job)
        } catch {
            return nil
        }
    }

    /// A connection for this thread's own use until it is given back; made when none is idle.
    ///
    /// - Throws: `PostgreSQLOpenFault` when none can be made, or none came free in time.
    func take() throws(PostgreSQLOpenFault) -> PostgreSQLConnection {
        let latest = ContinuousClock.now + limits.connection
        var isTimed = false
        condition.lock()
        defer { condition.unlock() }
        while true {
            guard !isClosed else { throw PostgreSQLOpenFault("The storage is closed.") }
            while let connection = idle.popLast() {
                if connection.link.isAlive() { return connection }
                forget(connection)
            }
            if cancellations.count + opening < capacity, let connection = try open() { return connection }
            guard ContinuousClock.now < latest else {
                throw PostgreSQLOpenFault("No connection to \(address) came free in time.")
            }
            if !isTimed { wakeWaiting() }
            isTimed = true
            condition.wait()
        }
    }

    /// Wakes those who wait, when the one that begins to has waited long enough. A limit of the condition's own would
    /// be one of the wall clock: set back, it lets them wait for as long as that, and set ahead, not at all.
    private func wakeWaiting() {
        // A moment later than the limit, so that it is over by the other clock too.
        let wait = DispatchTimeInterval.milliseconds(Int(clamping: limits.connection.wholePollMilliseconds) + 10)
        DispatchQueue.global().asyncAfter(deadline: .now() + wait) { [self] in
            condition.withLock { condition.broadcast() }
        }
    }

    /// Gives a connection back.
    func put(_ connection: PostgreSQLConnection) {
        condition.withLock {
            if connection.link.isLost || isClosed {
                forget(connection)
            } else {
                idle.append(connection)
            }
            condition.signal()
        }
    }

    /// Lets statements under way end, stops them when they take long, and closes all connections. Later work is not
    /// begun.
    func close() async {
        condition.withLock {
            isClosed = true
            for connection in idle { forget(connection) }
            idle = []
            condition.broadcast()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.shutdownTimeout) { [self] in
            let running = condition.withLock { Array(cancellations.values) }
            for cancellation in running { cancellation.cancel() }
        }
        await threads.close()
    }

    /// Makes a connection while others go on. Call with the condition locked.
    ///
    /// - Returns: `nil` when the server gives no more, but others are there to wait for.
    private func open() throws(PostgreSQLOpenFault) -> PostgreSQLConnection? {
        if let lastFailure, lastFailure.at.duration(to: .now) < Self.pauseAfterFailure {
            if cancellations.isEmpty { throw lastFailure.fault }
            return nil
        }
        opening += 1
        let (address, session, patience) = (address, session, limits.answer)
        condition.unlock()
        let result = Result { () throws(PostgreSQLOpenFault) in
            PostgreSQLConnection(try PostgreSQLLink(address, session: session, patience: patience))
        }
        condition.lock()
        opening -= 1
        switch result {
        case .success(let connection):
            lastFailure = nil
            cancellations[ObjectIdentifier(connection)] = connection.link.cancellation
            return connection
        case .failure(let fault):
            lastFailure = (.now, fault)
            condition.broadcast()
            if cancellations.isEmpty { throw fault }
            return nil
        }
    }

    private func forget(_ connection: PostgreSQLConnection) {
        cancellations[ObjectIdentifier(connection)] = nil
    }
}
