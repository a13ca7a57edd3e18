import Synchronization

/// How much of a kind is under way at once, such as calls of apps' backends. What takes time of one application holds up no other.
struct Lanes: Sendable {
    /// How many of the lanes one application may have.
    enum Share: Sendable {
        /// Half of all, whatever others have: what it may do depends on no other (decision 0156).
        case half
        /// Fewer than a third of those that are free before it takes one, and the first while one is free: for what waits and is
        /// not refused. Of eight lanes an application has two at the most, and five that take what they may leave one to a sixth.
        case thirdOfFree
    }

    let count: Int
    private let share: Share
    private(set) var taken = 0
    /// How many each application has that has any.
    private var shares: [Identifier<Application>: Int] = [:]

    init(_ count: Int, share: Share = .half) {
        self.count = count
        self.share = share
    }

    /// The applications that have some, and those among them that may have no more now; `nil` when nobody may have one.
    var underWay: (busy: Set<Identifier<Application>>, full: Set<Identifier<Application>>)? {
        guard taken < count else { return nil }
        return (Set(shares.keys), Set(shares.filter { !hasRoom(beside: $0.value) }.keys))
    }

    /// Takes one.
    ///
    /// - Returns: whether there was one; then `leave` has to follow.
    mutating func take(for application: Identifier<Application>) -> Bool {
        let own = shares[application] ?? 0
        guard hasRoom(beside: own) else { return false }
        taken += 1
        shares[application] = own + 1
        return true
    }

    mutating func leave(_ application: Identifier<Application>) {
        guard let own = shares[application] else { return }
        taken -= 1
        shares[application] = own > 1 ? own - 1 : nil
    }

    /// Whether an application that has so many may have one more.
    private func hasRoom(beside own: Int) -> Bool {
        switch share {
        case .half: taken < count && own < count / 2
        case .thirdOfFree: own * 3 < count - taken
        }
    }
}

/// Lanes that several tasks take.
package final class SharedLanes: Sendable {
    /// Why a call is not made although nothing is wrong with whom it asks.
    package static let full = DeliveryFault.text(.tooManyCalls)

    private let lanes: Mutex<Lanes>

    init(_ count: Int, share: Lanes.Share = .half) { lanes = Mutex(Lanes(count, share: share)) }

    var underWay: (busy: Set<Identifier<Application>>, full: Set<Identifier<Application>>)? {
        lanes.withLock { $0.underWay }
    }

    func take(for application: Identifier<Application>) -> Bool { lanes.withLock { $0.take(for: application) } }

    func leave(_ application: Identifier<Application>) { lanes.withLock { $0.leave(application) } }
}
