import Synchronization

/// Whether a hook may be asked now. One that does not respond is asked now and then, by one request: all others go on
/// without waiting for it.
///
/// Only silence counts as a failure. A response that is no decision costs no time, and requests that provoke such
/// responses must not be able to switch the hook off.
struct HookBreaker: Hashable, Sendable {
    static let failuresBeforeBrake = 5
    /// Calls of one hook that are under way at once, on one node.
    static let maximumUnderWay = 64
    /// How many of them are one client's: an address or /64 network, or a user where there is none. It may have more while most are free.
    static let shareOfClient = 8
    /// How many of them are those of one /48 network of IPv6, whose owner has 65,536 addresses of clients.
    static let shareOfSite = 3 * shareOfClient
    /// Up to so many calls under way, nobody's share counts.
    static let freeForAll = maximumUnderWay / 2
    static let longestBrake: Duration = .seconds(60)

    enum Permit: Hashable, Sendable {
        case asked
        /// The one call that finds out whether the hook is back.
        case probe
        case refused
        /// The hook responds, and as many calls as there may be are under way: somebody has to come again.
        case full
        /// The hook has time, and the client has its share of it: others are not to wait for one.
        case overShare
    }

    enum Result: Hashable, Sendable {
        case responded
        case silent
        /// The client went away meanwhile.
        case unknown
    }

    private(set) var failures = 0
    private(set) var underWay = 0
    /// The calls under way of each client, and of each /48 network.
    private var shares: [String: Int] = [:]
    private var isProbing = false
    private var resumesAt: Timestamp?

    /// Whether it holds nothing that has to be kept.
    var isIdle: Bool { failures == 0 && underWay == 0 }

    /// Whose share a call takes: that of the client, and that of the /48 network of an IPv6 address.
    private static func owners(of client: ClientAddress) -> [(name: String, share: Int)] {
        var owners = [(name: client.allowanceGroup, share: shareOfClient)]
        if let site = client.siteGroup { owners.append((name: site, share: shareOfSite)) }
        return owners
    }

    /// - Parameters:
    ///   - client: Who asks.
    ///   - now: When.
    /// - Returns: whether the hook is asked; then the result has to be noted.
    mutating func admit(_ client: ClientAddress, at now: Timestamp) -> Permit {
        let owners = Self.owners(of: client)
        let hasShare = owners.allSatisfy { shares[$0.name, default: 0] < $0.share }
        // First: a client that fills the hook is over its share also then.
        guard hasShare || underWay < Self.freeForAll else { return .overShare }
        // A clock that was put back must not keep the hook out for long.
        let rests = resumesAt.map { now < $0 && $0 - now <= Self.longestBrake } ?? false
        // One that does not respond is down, also while calls wait for their end.
        guard !rests, resumesAt == nil || !isProbing else { return .refused }
        guard underWay < Self.maximumUnderWay else { return resumesAt == nil ? .full : .refused }
        underWay += 1
        for owner in owners { shares[owner.name, default: 0] += 1 }
        guard resumesAt != nil else { return .asked }
        isProbing = true
        return .probe
    }

    /// - Parameters:
    ///   - result: What became of a call.
    ///   - permit: By which it was made.
    ///   - client: Who asked.
    ///   - now: When.
    mutating func note(_ result: Result, of permit: Permit, _ client: ClientAddress, at now: Timestamp) {
        guard permit == .asked || permit == .probe else { return }
        underWay = max(0, underWay - 1)
        for owner in Self.owners(of: client) {
            let left = (shares[owner.name] ?? 1) - 1
            shares[owner.name] = left > 0 ? left : nil
        }
        if permit == .probe { isProbing = false }
        switch result {
        case .unknown: return
        case .responded: (failures, resumesAt) = (0, nil)
        case .silent:
            // Calls that began before the brake do not lengthen it.
            guard resumesAt == nil || permit == .probe else { return }
            failures = min(failures + 1, 1000)
            let extra = failures - Self.failuresBeforeBrake
            guard extra >= 0 else { return }
            resumesAt = now + min(.seconds(Int64(1) << min(extra, 20)), Self.longestBrake)
        }
    }
}

/// The breakers of all hooks of this process. Those of hooks that respond take no memory.
final class HookBreakers: Sendable {
    /// A hook with another address or another time is another hook.
    struct Key: Hashable, Sendable {
        let application: Identifier<Application>
        let point: HookPoint
        let url: String
        let timeoutMilliseconds: Int64

        init(_ hook: Hook, in application: Identifier<Application>) {
            self.application = application
            point = hook.point
            url = hook.url
            timeoutMilliseconds = hook.timeoutMilliseconds
        }
    }

    /// Beyond it the oldest knowledge goes; hooks that are changed again and again would else fill the memory.
    private static let maximumKept = 1000

    private let breakers = Mutex<[Key: HookBreaker]>([:])

    func admit(_ key: Key, _ client: ClientAddress, at now: Timestamp) -> HookBreaker.Permit {
        breakers.withLock { breakers in
            if breakers.count >= Self.maximumKept { breakers = breakers.filter { $0.value.underWay > 0 } }
            return breakers[key, default: HookBreaker()].admit(client, at: now)
        }
    }

    func note(
        _ result: HookBreaker.Result, of permit: HookBreaker.Permit, _ key: Key, _ client: ClientAddress,
        at now: Timestamp
    ) {
        breakers.withLock { breakers in
            guard var breaker = breakers[key] else { return }
            breaker.note(result, of: permit, client, at: now)
            breakers[key] = breaker.isIdle ? nil : breaker
        }
    }
}
