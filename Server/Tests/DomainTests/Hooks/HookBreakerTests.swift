import Testing

@testable import Domain

@Suite("The breaker of a hook")
struct HookBreakerTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// A breaker after so many calls in silence, one after the other.
    private func breaker(afterSilent count: Int, at now: Timestamp = start) -> HookBreaker {
        var breaker = HookBreaker()
        for _ in 0..<count {
            let permit = breaker.admit(at: now)
            breaker.note(.silent, of: permit, at: now)
        }
        return breaker
    }

    @Test("lets calls through until five in a row were silent", arguments: [0, 1, 4, 5, 6])
    func failures(count: Int) {
        var breaker = breaker(afterSilent: count)
        #expect(breaker.admit(at: Self.start) == (count < 5 ? .asked : .refused))
    }

    @Test("forgets silence after one response")
    func response() {
        var breaker = breaker(afterSilent: 4)
        breaker.note(.responded, of: breaker.admit(at: Self.start), at: Self.start)
        #expect(breaker == HookBreaker() && breaker.isIdle)
    }

    @Test("lets one call through when the time is over, and all again after its response")
    func probe() {
        var breaker = breaker(afterSilent: 5)
        let later = Self.start + .seconds(1)
        #expect(breaker.admit(at: later - .milliseconds(1)) == .refused)
        #expect(breaker.admit(at: later) == .probe)
        #expect(breaker.admit(at: later) == .refused)
        breaker.note(.responded, of: .probe, at: later)
        #expect(breaker.admit(at: later) == .asked)
    }

    @Test("waits twice as long after each probe in silence, up to a minute")
    func growth() {
        var (breaker, now, waits) = (breaker(afterSilent: 5), Self.start, [Int64]())
        for _ in 0..<9 {
            var wait: Int64 = 0
            while breaker.admit(at: now) != .probe {
                (now, wait) = (now + .seconds(1), wait + 1)
            }
            waits.append(wait)
            breaker.note(.silent, of: .probe, at: now)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test("learns nothing of a call whose client went away")
    func unknown() {
        var breaker = breaker(afterSilent: 4)
        breaker.note(.unknown, of: breaker.admit(at: Self.start), at: Self.start)
        #expect(breaker.failures == 4 && breaker.underWay == 0)
        var probed = self.breaker(afterSilent: 5)
        let later = Self.start + .seconds(1)
        probed.note(.unknown, of: probed.admit(at: later), at: later)
        #expect(probed.admit(at: later) == .probe)
    }

    @Test("is not lengthened by calls that were under way when it began")
    func late() {
        var breaker = HookBreaker()
        let permits = (0..<20).map { _ in breaker.admit(at: Self.start) }
        for permit in permits { breaker.note(.silent, of: permit, at: Self.start) }
        #expect(breaker.failures == 5 && breaker.admit(at: Self.start + .seconds(1)) == .probe)
    }

    @Test("lets so many calls be under way, and no more")
    func many() {
        var breaker = HookBreaker()
        for _ in 0..<HookBreaker.maximumUnderWay { #expect(breaker.admit(at: Self.start) == .asked) }
        #expect(breaker.admit(at: Self.start) == .refused)
        breaker.note(.responded, of: .asked, at: Self.start)
        #expect(breaker.admit(at: Self.start) == .asked)
    }

    @Test("does not keep a hook out when the clock is put back")
    func clock() {
        var breaker = breaker(afterSilent: 5)
        #expect(breaker.admit(at: Self.start - .days(1)) == .probe)
    }
}
