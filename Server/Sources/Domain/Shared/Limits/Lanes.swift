import Synchronization

/// How much of a kind is under way at once, such as calls of apps' backends. An application has half of it at the most: what of
/// its own takes time holds up no other application.
struct Lanes: Sendable {
    let count: Int
    private(set) var taken = 0
    private var shares: [Identifier<Application>: Int] = [:]

    init(_ count: Int) { self.count = count }

    /// How many one application has at the most.
    var ofApplication: Int { count / 2 }

    /// Takes one.
    ///
    /// - Returns: whether there was one; then `leave` has to follow.
    mutating func take(for application: Identifier<Application>) -> Bool {
        let share = shares[application] ?? 0
        guard taken < count, share < ofApplication else { return false }
        taken += 1
        shares[application] = share + 1
        return true
    }

    mutating func leave(_ application: Identifier<Application>) {
        guard let share = shares[application] else { return }
        taken -= 1
        shares[application] = share > 1 ? share - 1 : nil
    }
}

/// Lanes that several tasks take.
package final class SharedLanes: Sendable {
    /// Why a call is not made although nothing is wrong with whom it asks.
    package static let full = "too many calls are under way"

    private let lanes: Mutex<Lanes>

    init(_ count: Int) { lanes = Mutex(Lanes(count)) }

    func take(for application: Identifier<Application>) -> Bool { lanes.withLock { $0.take(for: application) } }

    func leave(_ application: Identifier<Application>) { lanes.withLock { $0.leave(application) } }
}
