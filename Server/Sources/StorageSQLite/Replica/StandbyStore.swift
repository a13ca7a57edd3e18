package import Domain
import Foundation
import Storage
import Synchronization

/// The copy of a standby as an engine that only reads.
///
/// Who follows the replica says when the copy changes: reads under way end first, later ones wait, and then see all of what
/// came. What was read before counts no more in any cache. A copy that is older than it may be answers nothing.
package final class StandbyStore: Engine {
    private static let readerCount = 2

    private enum Phase: Sendable {
        /// There is no copy that could be read.
        case empty
        case reading(ReaderPool)
        /// Frames are written into the copy.
        case changing
        case closed

        var isClosed: Bool {
            if case .closed = self { true } else { false }
        }

        var isReading: Bool {
            if case .reading = self { true } else { false }
        }
    }

    private struct State: Sendable {
        var phase = Phase.empty
        /// Another one with each change of the copy.
        var generation: UInt64 = 0
        var time: Timestamp?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let signals = StoreSignals()
    private let maximumLag: Duration
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - maximumLag: How old the copy may be.
    ///   - now: The clock.
    package init(maximumLag: Duration, now: @escaping @Sendable () -> Timestamp) {
        self.maximumLag = maximumLag
        self.now = now
    }

    /// How old the copy is; `nil` when there is none.
    package var lag: Duration? { lag(state.withLock { $0.time }) }

    /// Whether there is a copy, and it is older than it may be.
    package var isTooOld: Bool {
        let time = state.withLock { $0.time }
        return time != nil && !isYoung(time)
    }

    private func lag(_ time: Timestamp?) -> Duration? { time.map { max(.zero, now() - $0) } }

    private func isYoung(_ time: Timestamp?) -> Bool { lag(time).map { $0 <= maximumLag } ?? false }

    // MARK: For who follows the replica

    /// Waits until nobody reads the file any more; nobody does before `resume`. Blocks.
    package func suspend() {
        let readers = state.withLock { state -> ReaderPool? in
            guard case .reading(let readers) = state.phase else { return nil }
            state.phase = .changing
            state.generation += 1
            return readers
        }
        readers?.closeAndWait()
    }

    /// Lets requests read a copy.
    ///
    /// - Parameters:
    ///   - path: The copy, which nobody changes before `suspend`; `nil` when it cannot be read as it is.
    ///   - time: All that was committed before it is in the copy.
    /// - Throws: `SQLiteOpenFault` when it cannot be opened; then nothing is read.
    package func resume(_ path: String?, at time: Timestamp?) throws(SQLiteOpenFault) {
        let readers: Result<ReaderPool?, SQLiteOpenFault> = Result { () throws(SQLiteOpenFault) in
            try path.map { path throws(SQLiteOpenFault) in
                try ReaderPool(path: path, count: Self.readerCount, neverChanges: true) { [signals] in
                    signals.report(fault: $0)
                }
            }
        }
        let opened = (try? readers.get()) ?? nil
        let time = time.map(notLater)
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            guard !state.phase.isClosed else { return state.waiting }
            state.phase = opened.map { .reading($0) } ?? .empty
            state.generation += 1
            state.time = opened == nil ? nil : time
            return state.waiting
        }
        for one in waiting { one.resume() }
        _ = try readers.get()
    }

    /// A copy in which nothing changed is that of a later time.
    package func note(_ time: Timestamp) {
        let time = notLater(time)
        state.withLock { if $0.time != nil { $0.time = time } }
    }

    /// A time that a clock gave which was ahead: the copy is as old then as it is here.
    private func notLater(_ time: Timestamp) -> Timestamp { min(time, now()) }

    // MARK: The engine

    package var validity: any CacheValidity { Validity(store: self) }

    /// Caches hold as long as the copy is the same, and young enough.
    private struct Validity: CacheValidity {
        let store: StandbyStore

        var epoch: UInt64? {
            let (generation, time) = store.state.withLock { ($0.phase.isReading ? $0.generation : nil, $0.time) }
            return store.isYoung(time) ? generation : nil
        }
    }

    package func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) {}

    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { signals.observeFaults(observer) }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        while true {
            let (readers, generation) = try await readers()
            do throws(DomainError) {
                return try await readers.run(body)
            } catch {
                // Its readers were closed before its turn came: the others read what came meanwhile.
                guard case .storageUnavailable = error, state.withLock({ $0.generation }) != generation else {
                    throw error
                }
            }
        }
    }

    /// Those who may read now; waits while the copy changes.
    private func readers() async throws(DomainError) -> (ReaderPool, UInt64) {
        while true {
            let (phase, generation, time) = state.withLock { ($0.phase, $0.generation, $0.time) }
            guard isYoung(time) else { throw .standby }
            switch phase {
            case .reading(let readers): return (readers, generation)
            case .empty: throw .standby
            case .closed: throw .storageUnavailable
            case .changing: break
            }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard case .changing = state.phase else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
    }

    /// Nothing is written.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        throw .standby
    }

    /// Searches are the primary's: a long one would hold up what follows the replica.
    package func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        Searched(.failure(.standby), time: .zero)
    }

    package func close() async {
        let (readers, waiting) = state.withLock { state in
            defer { (state.phase, state.waiting) = (.closed, []) }
            guard case .reading(let readers) = state.phase else { return (ReaderPool?.none, state.waiting) }
            return (readers, state.waiting)
        }
        for one in waiting { one.resume() }
        await readers?.close()
    }
}
