import TestWorld
import Testing

@testable import Domain

/// What searches may take of a minute: six seconds for an address as the standard has it.
@Suite("The time that somebody may search")
struct SearchBudgetTests {
    private static let start = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")
    private static let owner = SearchBudgets.Owner.address(application, "192.0.2.7")

    /// The seconds after which one may ask again; `nil` when one may search now.
    private static func refusal(
        _ budgets: SearchBudgets, of owner: SearchBudgets.Owner = owner, _ limit: Duration, after span: Duration = .zero
    ) -> Int64? {
        do throws(DomainError) {
            try budgets.check(owner, limit, at: start + span)
            return nil
        } catch {
            guard case .retryAfter(let span) = error.detail, error.kind == .rateLimited else { return -1 }
            return span.secondsRoundedUp
        }
    }

    @Test(
        "is a limit that a minute gives back, and the refusal says when there is room",
        arguments: [
            (0.0, 6, 0, nil), (5.999, 6, 0, nil), (6, 6, 0, 1), (6, 6, 1, nil), (12, 6, 0, 60), (12, 6, 30, 30),
            (12, 6, 59, 1), (12, 6, 61, nil), (45, 30, 0, 30), (45, 30, 31, nil), (600, 6, 60, 5880), (0.1, 0.1, 0, 1),
            (7, 6, 0, 10), (7, 6, 5, 5), (7, 6, 9, 1), (7, 6, 11, nil),
        ] as [(Double, Double, Int, Int64?)])
    func level(spent: Double, limit: Double, passed: Int, wait: Int64?) {
        var budgets = SearchBudgets()
        budgets.add(.seconds(spent), to: Self.owner, .seconds(limit), at: Self.start)
        #expect(Self.refusal(budgets, .seconds(limit), after: .seconds(passed)) == wait)
    }

    @Test("is the same whether it was taken at once or in parts", arguments: [1, 2, 5, 100])
    func parts(count: Int) {
        var (whole, parts) = (SearchBudgets(), SearchBudgets())
        whole.add(.seconds(60), to: Self.owner, .seconds(6), at: Self.start)
        for _ in 0..<count {
            parts.add(.milliseconds(60_000 / count), to: Self.owner, .seconds(6), at: Self.start)
        }
        for passed in [0, 100, 300, 539, 541] {
            #expect(
                Self.refusal(parts, .seconds(6), after: .seconds(passed))
                    == Self.refusal(whole, .seconds(6), after: .seconds(passed)), "\(passed)")
        }
        #expect(Self.refusal(whole, .seconds(6), after: .seconds(541)) == nil)
    }

    @Test("is not given back by a clock that was set back")
    func clock() {
        var budgets = SearchBudgets()
        budgets.add(.seconds(6), to: Self.owner, .seconds(6), at: Self.start)
        #expect(Self.refusal(budgets, .seconds(6), after: .seconds(-3600)) == 1)
        budgets.add(.seconds(6), to: Self.owner, .seconds(6), at: Self.start - .seconds(3600))
        #expect(Self.refusal(budgets, .seconds(6), after: .seconds(-3600)) == 60)
    }

    @Test("is each owner's own: an address, the same address in another application, an application")
    func owners() {
        let other = Identifier<Application>(rawValue: "other")
        let owners: [SearchBudgets.Owner] = [
            Self.owner, .address(Self.application, "192.0.2.8"), .address(other, "192.0.2.7"),
            .application(Self.application), .application(other),
        ]
        for (position, owner) in owners.enumerated() {
            var budgets = SearchBudgets()
            budgets.add(.seconds(9), to: owner, .seconds(6), at: Self.start)
            let refused = owners.map { Self.refusal(budgets, of: $0, .seconds(6)) != nil }
            #expect(refused == owners.indices.map { $0 == position })
        }
    }

    @Test("is forgotten a minute after the last search, once more than a thousand owners have searched")
    func sweep() {
        func budgets(_ count: Int, then span: Duration) -> Int {
            var budgets = SearchBudgets()
            for number in 0..<count {
                budgets.add(.seconds(1), to: .address(Self.application, "\(number)"), .seconds(6), at: Self.start)
            }
            budgets.add(.seconds(1), to: Self.owner, .seconds(6), at: Self.start + span)
            return budgets.count
        }
        #expect(budgets(1023, then: .seconds(60)) == 1024)
        #expect(budgets(1024, then: .seconds(60)) == 1)
        #expect(budgets(1024, then: .milliseconds(59_999)) == 1025)
        // What is left after a sweep doubles the number at which the next one comes.
        #expect(budgets(2000, then: .seconds(60)) == 2001)
    }

    @Test(
        "leaves one reader to the other applications, wherever there is more than one",
        arguments: [(-1, 1, 1), (0, 1, 1), (1, 1, 1), (2, 2, 1), (3, 3, 2), (8, 8, 7)])
    func readers(asked: Int, readers: Int, perApplication: Int) {
        let limits = SearchLimits(readers: asked)
        #expect(limits.readers == readers && limits.readersPerApplication == perApplication)
    }
}
