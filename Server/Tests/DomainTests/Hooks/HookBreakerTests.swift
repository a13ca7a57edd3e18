import Testing

@testable import Domain

@Suite("The breaker of a hook")
struct HookBreakerTests {
    /// The one that asks.
    private static let client = ClientAddress(text: "192.0.2.7")
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    /// A breaker after so many calls in silence, one after the other.
    private func breaker(afterSilent count: Int, at now: Timestamp = start) -> HookBreaker {
        var breaker = HookBreaker()
        for _ in 0..<count {
            let permit = breaker.admit(Self.client, at: now)
            breaker.note(.silent, of: permit, Self.client, at: now)
        }
        return breaker
    }

    @Test("lets calls through until five in a row were silent", arguments: [0, 1, 4, 5, 6])
    func failures(count: Int) {
        var breaker = breaker(afterSilent: count)
        #expect(breaker.admit(Self.client, at: Self.start) == (count < 5 ? .asked : .refused))
    }

    @Test("forgets silence after one response")
    func response() {
        var breaker = breaker(afterSilent: 4)
        breaker.note(.responded, of: breaker.admit(Self.client, at: Self.start), Self.client, at: Self.start)
        #expect(breaker == HookBreaker() && breaker.isIdle)
    }

    @Test("lets one call through when the time is over, and all again after its response")
    func probe() {
        var breaker = breaker(afterSilent: 5)
        let later = Self.start + .seconds(1)
        #expect(breaker.admit(Self.client, at: later - .milliseconds(1)) == .refused)
        #expect(breaker.admit(Self.client, at: later) == .probe)
        #expect(breaker.admit(Self.client, at: later) == .refused)
        breaker.note(.responded, of: .probe, Self.client, at: later)
        #expect(breaker.admit(Self.client, at: later) == .asked)
    }

    @Test("waits twice as long after each probe in silence, up to a minute")
    func growth() {
        var (breaker, now, waits) = (breaker(afterSilent: 5), Self.start, [Int64]())
        for _ in 0..<9 {
            var wait: Int64 = 0
            while breaker.admit(Self.client, at: now) != .probe {
                (now, wait) = (now + .seconds(1), wait + 1)
            }
            waits.append(wait)
            breaker.note(.silent, of: .probe, Self.client, at: now)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test("learns nothing of a call whose client went away")
    func unknown() {
        var breaker = breaker(afterSilent: 4)
        breaker.note(.unknown, of: breaker.admit(Self.client, at: Self.start), Self.client, at: Self.start)
        #expect(breaker.failures == 4 && breaker.underWay == 0)
        var probed = self.breaker(afterSilent: 5)
        let later = Self.start + .seconds(1)
        probed.note(.unknown, of: probed.admit(Self.client, at: later), Self.client, at: later)
        #expect(probed.admit(Self.client, at: later) == .probe)
    }

    @Test("is not lengthened by calls that were under way when it began")
    func late() {
        var breaker = HookBreaker()
        let permits = (0..<20).map { _ in breaker.admit(Self.client, at: Self.start) }
        for permit in permits { breaker.note(.silent, of: permit, Self.client, at: Self.start) }
        #expect(breaker.failures == 5 && breaker.admit(Self.client, at: Self.start + .seconds(1)) == .probe)
    }

    @Test("lets so many calls be under way, and no more")
    func many() {
        var breaker = HookBreaker()
        for number in 0..<HookBreaker.maximumUnderWay {
            #expect(breaker.admit(ClientAddress(text: "192.0.2.\(number)"), at: Self.start) == .asked)
        }
        #expect(breaker.admit(ClientAddress(text: "192.0.2.70"), at: Self.start) == .full)
        breaker.note(.responded, of: .asked, Self.client, at: Self.start)
        #expect(breaker.admit(Self.client, at: Self.start) == .asked)
    }

    @Test("is down, and not full, when all that fills it is silent")
    func fullAndDown() {
        var breaker = HookBreaker()
        let clients = (0..<HookBreaker.maximumUnderWay).map { ClientAddress(text: "192.0.2.\($0)") }
        for client in clients { _ = breaker.admit(client, at: Self.start) }
        for client in clients.prefix(5) { breaker.note(.silent, of: .asked, client, at: Self.start) }
        for _ in 0..<5 { #expect(breaker.admit(ClientAddress(text: "192.0.2.70"), at: Self.start) == .refused) }
        #expect(breaker.admit(ClientAddress(text: "192.0.2.70"), at: Self.start + .seconds(1)) == .probe)
    }

    @Test("keeps half of its calls for others than the one client that asks for all")
    func shares() {
        var breaker = HookBreaker()
        let own = (0..<1000).map { _ in breaker.admit(Self.client, at: Self.start) }
        #expect(own.count { $0 == .asked } == HookBreaker.freeForAll)
        #expect(own.dropFirst(HookBreaker.freeForAll).allSatisfy { $0 == .overShare })
        // Everybody else has a share, also the last one.
        let others = (1...4).flatMap { number -> [HookBreaker.Permit] in
            let client = ClientAddress(text: "198.51.100.\(number)")
            return (0..<HookBreaker.shareOfClient).map { _ in breaker.admit(client, at: Self.start) }
        }
        #expect(others.allSatisfy { $0 == .asked })
        #expect(breaker.underWay == HookBreaker.maximumUnderWay)
        #expect(breaker.admit(ClientAddress(text: "203.0.113.1"), at: Self.start) == .full)
        // Whose calls end, has its share again, and no more while the others wait.
        for _ in 0..<HookBreaker.freeForAll { breaker.note(.responded, of: .asked, Self.client, at: Self.start) }
        #expect((0..<9).map { _ in breaker.admit(Self.client, at: Self.start) }.count { $0 == .asked } == 8)
    }

    @Test("keeps half of its calls for others than the one IPv6 site whose many networks ask for all")
    func shareOfSite() {
        var breaker = HookBreaker()
        let networks = (0..<1000).map { ClientAddress(text: "2001:db8:1:\($0)::1") }
        let own = networks.map { breaker.admit($0, at: Self.start) }
        #expect(own.count { $0 == .asked } == HookBreaker.freeForAll)
        #expect(own.dropFirst(HookBreaker.freeForAll).allSatisfy { $0 == .overShare })
        let others = ["2001:db8:2:1::1", "198.51.100.1"].map { ClientAddress(text: $0) }
        for client in others { #expect(breaker.admit(client, at: Self.start) == .asked) }
        for client in networks.prefix(HookBreaker.freeForAll) + others {
            breaker.note(.responded, of: .asked, client, at: Self.start)
        }
        #expect(breaker == HookBreaker())
    }

    @Test("forgets a client with its last call, and is nothing for a call that was not made")
    func forgotten() {
        var breaker = HookBreaker()
        for client in ["a", "b"].map({ ClientAddress(text: $0) }) {
            _ = breaker.admit(client, at: Self.start)
            breaker.note(.responded, of: .overShare, client, at: Self.start)
            breaker.note(.responded, of: .refused, client, at: Self.start)
            #expect(breaker.underWay == 1)
            breaker.note(.responded, of: .asked, client, at: Self.start)
        }
        #expect(breaker == HookBreaker())
    }

    @Test("does not keep a hook out when the clock is put back")
    func clock() {
        var breaker = breaker(afterSilent: 5)
        #expect(breaker.admit(Self.client, at: Self.start - .days(1)) == .probe)
    }
}

@Suite("The breakers of all hooks")
struct HookBreakersTests {
    private static let client = ClientAddress(text: "192.0.2.7")
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private let breakers = HookBreakers()

    private static func key(
        _ number: Int = 0, _ point: HookPoint = .signUp, timeout: Int64 = 500, in application: String = "app"
    ) -> HookBreakers.Key {
        HookBreakers.Key(
            Hook(
                point, url: "https://a.example/\(number)", timeoutMilliseconds: timeout, whenDown: .refuse,
                createdAt: start, sealedSecret: []),
            in: Identifier(rawValue: application))
    }

    private func admit(_ key: HookBreakers.Key, _ client: ClientAddress = client) -> HookBreaker.Permit {
        breakers.admit(key, client, at: Self.start)
    }

    /// Has a hook not respond so often, one call after the other.
    private func silence(_ key: HookBreakers.Key, times: Int = 1) {
        for _ in 0..<times { breakers.note(.silent, of: admit(key), key, Self.client, at: Self.start) }
    }

    @Test("are apart for every application, point, address and time of a response")
    func apart() {
        silence(Self.key(), times: 5)
        #expect(admit(Self.key()) == .refused)
        for other in [
            Self.key(1), Self.key(0, .upgrade), Self.key(timeout: 501), Self.key(in: "other"),
        ] { #expect(admit(other) == .asked, "\(other)") }
    }

    @Test(
        "know a thousand hooks that do not respond: of more, what was known goes",
        arguments: [(998, true), (999, false), (1500, false)])
    func bound(others: Int, isKnown: Bool) {
        silence(Self.key(), times: 5)
        for number in 0..<others { silence(Self.key(number + 1)) }
        #expect(admit(Self.key()) == (isKnown ? .refused : .asked))
    }

    @Test("know the calls that are under way, however many other hooks do not respond")
    func underWay() {
        let clients = (0..<HookBreaker.maximumUnderWay).map { ClientAddress(text: "198.51.100.\($0)") }
        for client in clients { #expect(admit(Self.key(), client) == .asked) }
        for number in 1...1100 { silence(Self.key(number)) }
        #expect(admit(Self.key()) == .full)
        for client in clients { breakers.note(.responded, of: .asked, Self.key(), client, at: Self.start) }
        #expect(admit(Self.key()) == .asked)
    }
}
