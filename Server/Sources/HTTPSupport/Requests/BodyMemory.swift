import Domain
import Synchronization

/// What the bodies of requests take in memory, of all connections together (requirement 48). A connection without one holds some
/// 64 KiB; a body of a mebibyte is sixteen times as much while it comes, and up to some twenty-five times its length as JSON while its
/// request waits for its response.
///
/// Above the bound for those that come, one is cut: the one that began first of the network that has the most, when that is more than
/// its share, and else the one that began first of all. Who has sent nearly all of one and waits goes before those that are on their
/// way. Above the bound for whole ones, a network's half of it, or an application's three quarters, the next request is refused, and
/// can come again.
package final class BodyMemory: Sendable {
    package struct Limits: Sendable {
        /// Bodies up to this length never count: what apps send by themselves, first launches with attestations too.
        static let freeBytes = 16 * 1024
        /// Bodies up to this length do not count while they come, and have a room of their own when they are whole.
        package static let shortBytes = 64 * 1024

        /// What may have come of long bodies that are not whole.
        var comingBytes: Int
        /// How long the whole ones of all requests may be together that have no response yet: the short ones, and the long ones.
        var wholeBytes: Int
        /// What one network may have of those that come before its own are cut first.
        var comingShare: Int { comingBytes / 8 }
        /// What one owner may have of a room for whole ones: a network half, and an application three quarters, so that no network
        /// alone takes what its application has.
        func wholeShare(of owner: Owner) -> Int {
            switch owner {
            case .network: wholeBytes / 2
            case .application: wholeBytes / 4 * 3
            }
        }

        package init(comingBytes: Int = 64 * 1024 * 1024, wholeBytes: Int = 8 * 1024 * 1024) {
            self.comingBytes = comingBytes
            self.wholeBytes = wholeBytes
        }
    }

    /// Who has a share.
    enum Owner: Hashable, Sendable {
        /// An IPv4 address, or a /48 network of IPv6.
        case network(String)
        /// For what waits for one application: its hooks, its own Parse Server, the providers that it names.
        case application(Identifier<Application>)
    }

    /// What a request means that was refused for want of room.
    static let retry: Duration = .seconds(1)

    private struct Coming: Sendable {
        var bytes: Int
        let network: String?
        let cut: AsyncStream<Void>.Continuation
    }

    /// A sum, and what each owner has of it.
    private struct Sum: Sendable {
        var bytes = 0
        var shares: [Owner: Int] = [:]

        /// Counts up or down; an owner that has nothing has no entry.
        mutating func add(_ more: Int, of owner: Owner) {
            let own = shares[owner, default: 0] + more
            shares[owner] = own > 0 ? own : nil
        }

        mutating func add(_ more: Int, of network: String?) {
            bytes += more
            if let network { add(more, of: .network(network)) }
        }

        /// Whether an owner has room for so many more.
        func hasRoom(for more: Int, of owner: Owner, _ limits: Limits) -> Bool {
            shares[owner, default: 0] + more <= limits.wholeShare(of: owner)
        }
    }

    private struct State: Sendable {
        /// Long bodies that are not whole, by the order in which they began.
        var coming: [UInt64: Coming] = [:]
        var comingSum = Sum()
        var short = Sum()
        var long = Sum()
        var begun: UInt64 = 0

        mutating func forget(_ order: UInt64) -> Coming? {
            let known = coming.removeValue(forKey: order)
            if let known { comingSum.add(-known.bytes, of: known.network) }
            return known
        }

        /// The body that gives way to the others.
        func next(share: Int) -> UInt64? {
            guard let most = comingSum.shares.max(by: { $0.value < $1.value }), most.value > share else {
                return coming.keys.min()
            }
            return coming.lazy.filter { $0.value.network.map(Owner.network) == most.key }.map { $0.key }.min()
        }
    }

    private let limits: Limits
    private let state = Mutex(State())

    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// A body that begins to come. `end()` has to follow.
    ///
    /// - Parameter network: Whose it is; `nil` counts for no network.
    /// - Returns: the body, to say of it how much has come.
    func begin(of network: String?) -> Arrival {
        let order = state.withLock { state -> UInt64 in
            state.begun += 1
            return state.begun
        }
        return Arrival(in: self, order, of: network)
    }

    /// Lets a whole body count until nobody holds what is returned.
    ///
    /// - Parameters:
    ///   - bytes: How long it is.
    ///   - network: Whose it is; `nil` counts for no network.
    /// - Returns: `nil` for one that never counts.
    /// - Throws: `busy` when there is no room.
    func hold(_ bytes: Int, of network: String?) throws(DomainError) -> Whole? {
        guard bytes > Limits.freeBytes else { return nil }
        let room = Self.room(of: bytes)
        let hasRoom = state.withLock { state -> Bool in
            let sum = state[keyPath: room]
            let isOverShare = network.map { !sum.hasRoom(for: bytes, of: .network($0), limits) } ?? false
            guard sum.bytes + bytes <= limits.wholeBytes, !isOverShare else { return false }
            state[keyPath: room].add(bytes, of: network)
            return true
        }
        guard hasRoom else { throw .busy(retryAfter: Self.retry) }
        return Whole(in: self, bytes, of: network)
    }

    private static func room(of bytes: Int) -> WritableKeyPath<State, Sum> {
        bytes > Limits.shortBytes ? \.long : \.short
    }

    private func note(_ bytes: Int, of order: UInt64, _ network: String?, _ cut: AsyncStream<Void>.Continuation) {
        let cuts = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            _ = state.forget(order)
            state.coming[order] = Coming(bytes: bytes, network: network, cut: cut)
            state.comingSum.add(bytes, of: network)
            var cuts: [AsyncStream<Void>.Continuation] = []
            while state.comingSum.bytes > limits.comingBytes, let first = state.next(share: limits.comingShare),
                let coming = state.forget(first)
            {
                cuts.append(coming.cut)
            }
            return cuts
        }
        for cut in cuts { cut.finish() }
    }

    private func end(_ order: UInt64) { state.withLock { _ = $0.forget(order) } }

    /// Lets a whole body count for an application too.
    ///
    /// - Returns: whether there was room.
    private func take(_ bytes: Int, for application: Owner) -> Bool {
        let room = Self.room(of: bytes)
        return state.withLock { state -> Bool in
            guard state[keyPath: room].hasRoom(for: bytes, of: application, limits) else { return false }
            state[keyPath: room].add(bytes, of: application)
            return true
        }
    }

    private func release(_ bytes: Int, of network: String?, _ application: Owner?) {
        let room = Self.room(of: bytes)
        state.withLock { state in
            state[keyPath: room].add(-bytes, of: network)
            if let application { state[keyPath: room].add(-bytes, of: application) }
        }
    }

    /// A body on its way.
    final class Arrival: Sendable {
        private let memory: BodyMemory
        private let order: UInt64
        private let network: String?
        private let cuts: AsyncStream<Void>
        private let cut: AsyncStream<Void>.Continuation

        fileprivate init(in memory: BodyMemory, _ order: UInt64, of network: String?) {
            self.memory = memory
            self.order = order
            self.network = network
            (cuts, cut) = AsyncStream<Void>.makeStream()
        }

        /// Says how much of it has come.
        func note(_ bytes: Int) {
            if bytes > Limits.shortBytes { memory.note(bytes, of: order, network, cut) }
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
        private let network: String?
        private let application = Mutex<Owner?>(nil)

        fileprivate init(in memory: BodyMemory, _ bytes: Int, of network: String?) {
            self.memory = memory
            self.bytes = bytes
            self.network = network
        }

        /// Lets it count for an application; the first one that is named stays it.
        ///
        /// - Returns: whether that has room for it.
        func count(for application: Identifier<Application>) -> Bool {
            self.application.withLock { counted -> Bool in
                guard counted == nil else { return true }
                guard memory.take(bytes, for: .application(application)) else { return false }
                counted = .application(application)
                return true
            }
        }

        deinit { memory.release(bytes, of: network, application.withLock { $0 }) }
    }
}
