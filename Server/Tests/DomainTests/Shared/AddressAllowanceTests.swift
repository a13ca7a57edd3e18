import TestWorld
import Testing

@testable import Domain

/// What an address may do, to the act and to the millisecond.
@Suite("The allowance of an address")
struct AddressAllowanceTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")

    private static func retryAfter(_ limit: RateLimit, count: Int, after span: Duration) -> Duration? {
        do throws(DomainError) {
            try limit.admit((count, now), at: now + span)
            return nil
        } catch {
            return error.retryAfter
        }
    }

    @Test("lets through as many as it says, and refuses others until its window ends", arguments: [1, 2, 30, 6000])
    func admitted(maximum: Int) {
        let limit = RateLimit.hourly(maximum)
        for count in [0, 1, maximum - 1, maximum] where count <= maximum {
            #expect(Self.retryAfter(limit, count: count, after: .zero) == nil, "\(count)")
        }
        for milliseconds in [0, 1, 1_800_000, 3_599_999] {
            let left = Self.retryAfter(limit, count: maximum + 1, after: .milliseconds(milliseconds))
            #expect(left == .milliseconds(3_600_000 - milliseconds))
        }
    }

    private static let limits: [AddressLimit] = [
        AddressLimit(.hourly(1), ofOldApps: .hourly(2)), AddressLimit(nil, ofOldApps: .hourly(2)),
        AddressLimit(.hourly(1), ofOldApps: nil), AddressLimit(nil, ofOldApps: nil), RightPasswordLimits.ofUser,
        AddressLimit(.rightPasswords, ofOldApps: OldAppLimits().rightPasswords),
    ]

    @Test("of apps of old protocols is another one, counted apart", arguments: limits.indices)
    func oldApps(index: Int) {
        let limit = Self.limits[index]
        let address = ClientAddress(text: "2001:db8::7", allowanceGroup: "2001:db8::/64")
        let old = ClientAddress(text: "2001:db8::7", allowanceGroup: "2001:db8::/64", isOldApp: true)
        #expect(limit.limit(for: address) == limit.current)
        #expect(limit.limit(for: old) == limit.ofOldApps)
        let keys = [address, old].map { RateLimitKey(application: Self.application, kind: "test", from: $0) }
        #expect(keys.map(\.kind) == ["test", "test-old-app"])
        #expect(keys.map(\.subject) == ["2001:db8::/64", "2001:db8::/64"])
        #expect(Set(keys).count == 2)
    }

    @Test("is one for all addresses of a network, and for log-ins by password larger than for one user")
    func network() {
        let one = ClientAddress(text: "2001:db8::7", allowanceGroup: "2001:db8::/64")
        let two = ClientAddress(text: "2001:db8::8", allowanceGroup: "2001:db8::/64")
        let keys = [one, two].map { RateLimitKey(application: Self.application, kind: "test", from: $0) }
        #expect(keys[0] == keys[1])
        let user = RightPasswordLimits.ofUser
        let all = AddressLimit(.rightPasswords, ofOldApps: OldAppLimits().rightPasswords)
        for address in [one, ClientAddress(text: "192.0.2.7", allowanceGroup: "192.0.2.7", isOldApp: true)] {
            let (ofUser, ofAll) = (user.limit(for: address)?.maximum ?? 0, all.limit(for: address)?.maximum ?? 0)
            #expect(0 < ofUser && ofUser < ofAll)
        }
    }

    @Test("is of no use to a network that holds too much of the internet to be anybody's own", arguments: 0...32)
    func boundless(bits: Int) throws {
        let network = try #require(IPNetwork("10.0.0.0/\(bits)"))
        #expect(network.isBoundless == (bits < 8))
    }

    @Test("is as boundless in IPv6 with less than four bits, or with all of IPv4 in it", arguments: 0...128)
    func boundlessIPv6(bits: Int) throws {
        let (global, mapped) = (try #require(IPNetwork("2000::/\(bits)")), try #require(IPNetwork("::/\(bits)")))
        #expect(global.isBoundless == (bits < 4))
        // `::ffff:0:0/96` is IPv4: up to 80 bits of zeros it is a part.
        #expect(mapped.isBoundless == (bits <= 80))
    }
}
