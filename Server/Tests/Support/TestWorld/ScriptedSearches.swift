package import Domain
package import Storage
import Synchronization

/// An engine whose searches take and end as a test wants, so that no test waits for a real one to take long.
package final class ScriptedSearches: Engine {
    /// What becomes of a search.
    package enum Script: Sendable {
        /// What the engine makes of it.
        case asItIs
        /// It succeeds, and is said to have taken so long.
        case takes(Duration)
        /// It is stopped at its time limit.
        case tooSlow
        /// It keeps its reader until it is let go.
        case held
    }

    private let engine: any Engine
    private let state: Mutex<State>

    private struct State: Sendable {
        var script: Script
        var limits: [Duration] = []
        var held: [CheckedContinuation<Void, Never>] = []
        var underWay = 0
    }

    package init(_ engine: any Engine, _ script: Script = .asItIs) {
        self.engine = engine
        state = Mutex(State(script: script))
    }

    /// What becomes of searches from now on.
    package func play(_ script: Script) { state.withLock { $0.script = script } }

    /// The time limits of all searches so far.
    package var limits: [Duration] { state.withLock { $0.limits } }

    /// How many searches have begun and have not ended.
    package var underWay: Int { state.withLock { $0.underWay } }

    /// How many searches keep their readers.
    package var heldCount: Int { state.withLock { $0.held.count } }

    /// Waits until so many searches keep their readers.
    package func untilHeld(_ count: Int) async {
        while heldCount != count { await Task.yield() }
    }

    /// Lets the search go that has been held for longest.
    package func letGo() {
        let held = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
        held?.resume()
    }

    /// Lets all go, and holds none any more.
    package func letAllGo() {
        let held = state.withLock { state in
            state.script = .asItIs
            defer { state.held = [] }
            return state.held
        }
        for search in held { search.resume() }
    }

    package func search<Value: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async -> Searched<Value> {
        let script = state.withLock { state in
            state.limits.append(limit)
            state.underWay += 1
            return state.script
        }
        defer { state.withLock { $0.underWay -= 1 } }
        switch script {
        case .asItIs: break
        case .takes(let time):
            var searched = await engine.search(within: .seconds(600), body)
            searched.time = time
            return searched
        case .tooSlow: return Searched(.failure(.searchTooSlow), time: limit)
        case .held:
            await withCheckedContinuation { continuation in state.withLock { $0.held.append(continuation) } }
        }
        return await engine.search(within: .seconds(600), body)
    }

    package var validity: any CacheValidity { engine.validity }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await engine.read(body)
    }

    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await engine.write(body)
    }

    package func writeStatement<Value: Sendable>(
        _ body: @escaping @Sendable (any Transaction) throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        try await engine.writeStatement(body)
    }

    package func observeChanges(_ observer: @escaping @Sendable (Change) -> Void) { engine.observeChanges(observer) }
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { engine.observeFaults(observer) }
    package func close() async { await engine.close() }
}
