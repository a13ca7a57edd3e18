import TestWorld
import Testing

@testable import Domain

@Suite("The index by which a list of users is found")
struct UserLeaderTests {
    private static let now = StandingClock().now
    private static let today = StandingClock().now.day

    private static func filter(_ change: (inout BrowseUsers.Filter) -> Void) -> BrowseUsers.Filter {
        var filter = BrowseUsers.Filter()
        change(&filter)
        return filter
    }

    /// The rarest first, with what chooses it.
    private static let ranks: [(leader: UserLeader, set: @Sendable (inout BrowseUsers.Filter) -> Void)] = [
        (.search("hana", isWhole: false), { $0.search = "hana" }), (.leaving, { $0.isLeaving = true }),
        (.disabled, { $0.isDisabled = true }), (.weak, { $0.hasWeakCredential = true }),
        (.provider(.apple), { $0.provider = .apple }), (.protocolName(.single), { $0.protocolName = .single }),
        (.days(Self.today...10_000_000), { $0.seenSince = StandingClock().now }),
        (.registered, { $0.isAnonymous = false }),
    ]

    @Test("is that of the rarest condition, whatever else is asked", arguments: 0..<256)
    func order(bits: Int) {
        var filter = BrowseUsers.Filter()
        for (index, rank) in Self.ranks.enumerated() where bits >> index & 1 == 1 { rank.set(&filter) }
        let first = Self.ranks.indices.first { bits >> $0 & 1 == 1 }
        #expect(UserLeader(filter, searchesParts: true) == (first.map { Self.ranks[$0].leader } ?? .all))
    }

    @Test("is not that of a condition that nearly all users fulfil")
    func common() {
        for change: (inout BrowseUsers.Filter) -> Void in [
            { $0.isLeaving = false }, { $0.isDisabled = false }, { $0.hasWeakCredential = false },
            { $0.provider = .device }, { $0.protocolName = .native },
        ] {
            #expect(UserLeader(Self.filter(change), searchesParts: true) == .all)
        }
        #expect(UserLeader(Self.filter { $0.isAnonymous = true }, searchesParts: true) == .anonymous)
        #expect(
            UserLeader(Self.filter { $0.search = "hana" }, searchesParts: false) == .search("hana", isWhole: true))
    }

    @Test("of days has the first day that is asked for, and not the day from which nobody was seen")
    func days() {
        func leader(since: Int?, notSince: Int?) -> UserLeader {
            UserLeader(
                Self.filter {
                    $0.seenSince = since.map { Self.now + .days($0) }
                    $0.notSeenSince = notSince.map { Self.now + .days($0) }
                }, searchesParts: true)
        }
        let today = Self.today
        #expect(leader(since: 0, notSince: 1) == .days(today...today))
        #expect(leader(since: -7, notSince: 0) == .days(today - 7...today - 1))
        #expect(leader(since: nil, notSince: 0) == .days(0...today - 1))
        // Nobody fits, and no range is the wrong way round.
        #expect(leader(since: 0, notSince: -7) == .days(today...today))
    }
}
