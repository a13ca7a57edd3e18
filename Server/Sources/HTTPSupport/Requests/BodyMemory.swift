import Domain
import Synchronization

/// What the long bodies of requests take in memory, of all connections together (requirement 48). A connection without one holds some
/// 64 KiB; a body of a mebibyte is sixteen times as much while it comes, and up to some twenty-five mebibytes as JSON while its
/// request waits for its response.
///
/// Above the bound for those that come, the body that began first is cut: who has sent nearly all of one and waits goes before
/// those that are on their way. Above the bound for whole ones, the next request is refused, and can come again.
package final class BodyMemory: Sendable {
    package struct Limits: Sendable {
        /// Bodies up to this length do not count.
        package static let shortBytes = 64 * 1024

        /// What may have come of bodies that are not whole.
        var comingBytes: Int
        /// How long the whole ones of all requests may be together that have no response yet.
        var wholeBytes: Int

        package init(comingBytes: Int = 64 * 1024 * 1024, wholeBytes: Int = 8 * 1024 * 1024) {
            self.comingBytes = comingBytes
            self.wholeBytes = wholeBytes
        }
    }

    /// What a request means that was refused for want of room.
    private static let retry: Duration = .seconds(1)

    private struct Coming: Sendable {
        var bytes: Int
        let cut: AsyncStream<Void>.Continuation
    }

    private struct State: Sendable {
        /// Long bodies that are not whole, by the order in which they began.
        var coming: [UInt64: Coming] = [:]
        var comingBytes = 0
        var wholeBytes = 0
        var begun: UInt64 = 0

        mutating func forget(_ order: UInt64) -> Coming? {
            let known = coming.removeValue(forKey: order)
            comingBytes -= known?.bytes ?? 0
            return known
        }
    }

    private let limits: Limits
    private let state = Mutex(State())

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// A body that begins to come. `end()` has to follow.
    func begin() -> Arrival {
        let order = state.withLock { state -> UInt64 in
            state.begun += 1
            return state.begun
        }
        return Arrival(in: self, order)
    }

    /// Lets a whole body count until nobody holds what is returned.
    ///
    /// - Parameter bytes: How long it is.
    /// - Returns: `nil` for a short one.
    /// - Throws: `busy` when there is no room.
    func hold(_ bytes: Int) throws(DomainError) -> Whole? {
        guard bytes > Limits.shortBytes else { return nil }
        let hasRoom = state.withLock { state -> Bool in
            guard state.wholeBytes + bytes <= limits.wholeBytes else { return false }
            state.wholeBytes += bytes
            return true
        }
        guard hasRoom else { throw .busy(retryAfter: Self.retry) }
        return Whole(in: self, bytes)
    }

    private func note(_ bytes: Int, of order: UInt64, _ cut: AsyncStream<Void>.Continuation) {
        let cuts = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            _ = state.forget(order)
            state.coming[order] = Coming(bytes: bytes, cut: cut)
            state.comingBytes += bytes
            var cuts: [AsyncStream<Void>.Continuation] = []
            while state.comingBytes > limits.comingBytes, let first = state.coming.keys.min(),
                let coming = state.forget(first)
            {
                cuts.append(coming.cut)
            }
            return cuts
        }
        for cut in cuts { cut.finish() }
    }

    private func end(_ order: UInt64) { state.withLock { _ = $0.forget(order) } }

    private func release(_ bytes: Int) { state.withLock { $0.wholeBytes -= bytes } }

    /// A body on its way.
    final class Arrival: Sendable {
        private let memory: BodyMemory
        private let order: UInt64
        private let cuts: AsyncStream<Void>
        private let cut: AsyncStream<Void>.Continuation

        fileprivate init(in memory: BodyMemory, _ order: UInt64) {
            self.memory = memory
            self.order = order
            (cuts, cut) = AsyncStream<Void>.makeStream()
        }

        /// Says how much of it has come.
        func note(_ bytes: Int) {
            if bytes > Limits.shortBytes { memory.note(bytes, of: order, cut) }
        }

        /// Returns when the body has to give way to others, and when the task is cancelled.
        func waitForCut() async {
            for await _ in cuts {}
        }

        func end() { memory.end(order) }
    }

    /// A whole body that counts.
    final class Whole: Sendable {
        private let memory: BodyMemory
        private let bytes: Int

        fileprivate init(in memory: BodyMemory, _ bytes: Int) {
            self.memory = memory
            self.bytes = bytes
        }

        deinit { memory.release(bytes) }
    }
}
