import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("A limit on how often something happens")
struct RateLimiterTests {
    private let world: TestWorld
    private let rateLimiter: RateLimiter
    private let application = Identifier<Application>(rawValue: "app")

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
        rateLimiter = RateLimiter(store: world.engine, clock: world.clock)
    }

    static let limits: [RateLimit] = [
        .firstLaunches, .transferCodeAttempts, .exports, .transferCodesIssued, .passwordFailures, .hourly(1),
        TryCode.triesForCode, TryCode.triesForUser, TryCode.triesForClient, EnqueueMessage.ordersForClient,
        EnqueueMessage.ordersForAddress, RenderMessage.noticesForOwner, ReadyNotice.limitOfUnverified,
        LookUpUser.lookUps,
        LogInWithProvider.bareCodes, OpenAdminLink.tries, SendTestMail.limit,
    ]

    private func refusal(_ key: RateLimitKey, _ limit: RateLimit) async -> Duration? {
        await world.refusal { try await rateLimiter(key, limit: limit) }?.retryAfter
    }

    @Test("lets so many through, refuses one more, and begins anew when its window is over", arguments: limits)
    func window(limit: RateLimit) async {
        let key = RateLimitKey(application: application, kind: "test", subject: "somebody")
        for round in 0..<2 {
            for number in 1...limit.maximum { #expect(await refusal(key, limit) == nil, "\(round) \(number)") }
            #expect(await refusal(key, limit) == limit.window)
            world.clock.advance(by: limit.window - .milliseconds(1))
            #expect(await refusal(key, limit) == .milliseconds(1), "a window begins with the first of it")
            world.clock.advance(by: .milliseconds(1))
        }
    }

    @Test("counts each application, kind and subject apart")
    func apart() async {
        let limit = RateLimit.hourly(1)
        for (application, kind, subject) in [
            ("app", "test", "one"), ("other", "test", "one"), ("app", "another", "one"), ("app", "test", "two"),
        ] {
            let key = RateLimitKey(application: Identifier(rawValue: application), kind: kind, subject: subject)
            #expect(await refusal(key, limit) == nil, "\(application) \(kind) \(subject)")
            #expect(await refusal(key, limit) == limit.window)
        }
    }

    private static let addresses: [(ClientAddress, subject: String, kind: String, maximum: Int)] = [
        (ClientAddress(text: "192.0.2.7", allowanceGroup: "192.0.2.7"), "192.0.2.7", "kind", 2),
        (ClientAddress(text: "2001:db8::7", allowanceGroup: "2001:db8::/64"), "2001:db8::/64", "kind", 2),
        (
            ClientAddress(text: "192.0.2.7", allowanceGroup: "192.0.2.7", isOldApp: true), "192.0.2.7", "kind-old-app",
            5
        ),
    ]

    @Test(
        "of an address is that of its network, and another one for apps of old protocols", arguments: addresses.indices)
    func address(index: Int) async {
        let (address, subject, kind, maximum) = Self.addresses[index]
        let key = RateLimitKey(application: application, kind: "kind", from: address)
        #expect(key == RateLimitKey(application: application, kind: kind, subject: subject))
        let limit = AddressLimit(.hourly(2), ofOldApps: .hourly(5))
        #expect(limit.limit(for: address) == .hourly(maximum))
        for number in 1...(maximum + 1) {
            let refused = await world.refusal {
                try await rateLimiter(kind: "kind", in: application, from: address, limit: limit)
            }
            #expect((refused != nil) == (number > maximum), "\(number)")
        }
    }

    @Test("may be none, for either kind of app", arguments: [true, false])
    func none(isOldApp: Bool) async {
        let address = ClientAddress(text: "192.0.2.7", allowanceGroup: "192.0.2.7", isOldApp: isOldApp)
        let limit = isOldApp ? AddressLimit(.hourly(1), ofOldApps: nil) : AddressLimit(nil, ofOldApps: .hourly(1))
        for _ in 0..<5 {
            let refused = await world.refusal {
                try await rateLimiter(kind: "kind", in: application, from: address, limit: limit)
            }
            #expect(refused == nil)
        }
    }

    @Test(
        "counts the /64 networks of one /48 network together too, a hundred times as many, for either kind of app",
        arguments: [true, false])
    func site(isOldApp: Bool) async throws {
        let limit = AddressLimit(.hourly(2), ofOldApps: .hourly(2))
        func refusal(_ text: String) async throws -> DomainError? {
            let group = try #require(IPAddress(exactly: text)).allowanceGroup
            let address = ClientAddress(text: text, allowanceGroup: group, isOldApp: isOldApp)
            return await world.refusal {
                try await rateLimiter(kind: "kind", in: application, from: address, limit: limit)
            }
        }
        for network in 1...100 {
            for host in 1...2 { #expect(try await refusal("2001:db8:1:\(network)::\(host)") == nil, "\(network)") }
        }
        // What its own /64 network refuses counts for no other.
        #expect(try await refusal("2001:db8:1:1::3")?.code == .rateLimited)
        #expect(try await refusal("2001:db8:1:101::1")?.code == .rateLimited)
        #expect(try await refusal("2001:db8:2:1::1") == nil)
        #expect(try await refusal("192.0.2.1") == nil)
    }

    @Test("is given back one by one where an act was none")
    func uncounted() async throws {
        let (key, limit, now) = (
            RateLimitKey(application: application, kind: "test", subject: "one"), RateLimit.hourly(3), world.clock.now
        )
        for _ in 0..<3 { #expect(await refusal(key, limit) == nil) }
        try await world.engine.write { transaction throws(DomainError) in try transaction.uncount(key) }
        let counted = try await world.engine.read { transaction throws(DomainError) in
            try transaction.counted(key, window: limit.window, at: now)?.count
        }
        #expect(counted == 2)
        #expect(await refusal(key, limit) == nil)
        #expect(await refusal(key, limit) == limit.window)
    }
}

@Suite("The limit on first launches")
struct FirstLaunchLimitTests {
    @Test("counts an IPv6 address by its /64 network, and the /48 network that it is of by a hundred times as many")
    func sites() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server), firstLaunches: .hourly(1))
        let application = try await world.makeApplication()
        func refusal(_ text: String) async throws -> DomainError? {
            let group = try #require(IPAddress(exactly: text)).allowanceGroup
            return await world.refusal {
                _ = try await world.logIn(
                    TestDevice(), to: application, from: ClientAddress(text: text, allowanceGroup: group))
            }
        }
        for network in 1...100 {
            #expect(try await refusal("2001:db8:1:\(network)::1") == nil, "\(network)")
        }
        // What its own /64 network refuses counts for no other.
        #expect(try await refusal("2001:db8:1:1::2")?.code == .rateLimited)
        #expect(try await refusal("2001:db8:1:101::1")?.code == .rateLimited)
        #expect(try await refusal("2001:db8:2:1::1") == nil)
        #expect(try await refusal("192.0.2.1") == nil)
        world.clock.advance(by: .seconds(3600))
        #expect(try await refusal("2001:db8:1:102::1") == nil)
    }
}
