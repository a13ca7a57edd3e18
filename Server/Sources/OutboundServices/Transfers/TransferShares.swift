package import Domain

/// A part of all transfers that a call counts for: others are not to wait for what one tenant, or one client of its, does.
package struct TransferShare: Hashable, Sendable {
    private enum Owner: Hashable, Sendable {
        case application(Identifier<Application>)
        case held(Identifier<Application>)
        case address(Identifier<Application>, group: String)
    }

    private let owner: Owner
    /// How many transfers may be under way for it.
    fileprivate let maximum: Int

    package static func application(_ application: Identifier<Application>, maximum: Int) -> TransferShare {
        TransferShare(owner: .application(application), maximum: maximum)
    }

    /// The share of an application's transfers whose responses are held whole, beside its share of all.
    package static func held(of application: Identifier<Application>, maximum: Int) -> TransferShare {
        TransferShare(owner: .held(application), maximum: maximum)
    }

    /// The share of all clients of one address, or of one network, in an application.
    package static func address(
        _ address: ClientAddress, in application: Identifier<Application>, maximum: Int
    ) -> TransferShare {
        TransferShare(owner: .address(application, group: address.allowanceGroup), maximum: maximum)
    }

    /// The share of all clients of one /48 network of IPv6 in an application; `nil` where the address is none of IPv6.
    package static func site(
        of address: ClientAddress, in application: Identifier<Application>, maximum: Int
    ) -> TransferShare? {
        address.siteGroup.map { group in
            TransferShare(owner: .address(application, group: group), maximum: maximum)
        }
    }
}

/// What is under way, in all and for each share.
struct TransferCounts: Sendable {
    private var all = 0
    private var shares: [TransferShare: Int] = [:]

    /// Takes one in all and one of each share, or nothing.
    ///
    /// - Returns: whether there was room; then `leave` has to follow.
    mutating func take(_ taken: [TransferShare], of maximum: Int) -> Bool {
        guard all < maximum, taken.allSatisfy({ shares[$0, default: 0] < $0.maximum }) else { return false }
        all += 1
        for share in taken { shares[share, default: 0] += 1 }
        return true
    }

    mutating func leave(_ left: [TransferShare]) {
        all -= 1
        for share in left {
            guard let count = shares[share] else { continue }
            shares[share] = count > 1 ? count - 1 : nil
        }
    }
}

/// Which thread serves a transfer: all of one application have one, and another application's come to it only while each thread has
/// some. What keeps a thread at work, as a server can, holds up nobody else then.
struct LaneChoice: Sendable {
    /// By lanes.
    private var underWay: [Int]
    private var lanes: [Identifier<Application>?: (lane: Int, underWay: Int)] = [:]

    init(lanes: Int) {
        underWay = Array(repeating: 0, count: lanes)
    }

    /// - Returns: the lane of a transfer; then `leave` has to follow.
    mutating func take(for application: Identifier<Application>?) -> Int {
        let known = lanes[application]
        let lane = known?.lane ?? underWay.indices.min { underWay[$0] < underWay[$1] } ?? 0
        underWay[lane] += 1
        lanes[application] = (lane: lane, underWay: (known?.underWay ?? 0) + 1)
        return lane
    }

    mutating func leave(_ application: Identifier<Application>?) {
        guard let known = lanes[application] else { return }
        underWay[known.lane] -= 1
        lanes[application] = known.underWay > 1 ? (lane: known.lane, underWay: known.underWay - 1) : nil
    }

    /// The lane of an application's transfers; `nil` while none is under way.
    func lane(of application: Identifier<Application>?) -> Int? { lanes[application]?.lane }
}

/// Transfers that ended while their name was looked up. libcurl leaves the thread that asks a silent name server to itself, so
/// each of them counts as under way until that thread has surely ended: otherwise who calls and leaves, again and again, would
/// fill the process with threads.
struct AbandonedLookups<Transfer> {
    /// The longest that the system's resolver takes: two tries of five seconds at each of three name servers.
    static var longest: Duration { .seconds(30) }

    private var entries: [(transfer: Transfer, end: ContinuousClock.Instant)] = []

    mutating func add(_ transfer: Transfer, at now: ContinuousClock.Instant) {
        entries.append((transfer, now + Self.longest))
    }

    /// Takes those out whose look-up is over.
    mutating func takeEnded(at now: ContinuousClock.Instant) -> [Transfer] {
        guard let first = entries.first, first.end <= now else { return [] }
        let count = entries.firstIndex { $0.end > now } ?? entries.count
        defer { entries.removeFirst(count) }
        return entries.prefix(count).map(\.transfer)
    }
}
