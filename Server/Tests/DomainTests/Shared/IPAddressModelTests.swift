import Domain
import TestWorld
import Testing

/// Addresses and networks against a model that knows bits alone.
@Suite("Addresses as bits")
struct IPAddressModelTests {
    private static func bits(_ address: IPAddress) -> [Bool] {
        [address.high, address.low].flatMap { half in (0..<64).map { half >> (63 - $0) & 1 == 1 } }
    }

    /// An address with long runs of equal bits, as real ones have.
    private static func address(_ draw: inout SeededGenerator) -> IPAddress {
        if draw.isOne(in: 3) { return IPAddress(ipv4: UInt32(truncatingIfNeeded: draw.next())) }
        let groups = draw.list(of: 8) { draw in
            draw.isOne(in: 2) ? 0 : UInt64(draw.number(below: draw.isOne(in: 2) ? 16 : 65_536))
        }
        func half(_ groups: ArraySlice<UInt64>) -> UInt64 { groups.reduce(0) { $0 << 16 | $1 } }
        return IPAddress(high: half(groups[0..<4]), low: half(groups[4..<8]))
    }

    @Test(
        "are written in the form of RFC 5952, and read back from it with and without port", arguments: UInt64(0)..<300)
    func text(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let address = Self.address(&draw)
        let text = address.text
        #expect(IPAddress(exactly: text) == address, "\(text)")
        for form in [text, " \(text) ", "[\(text)]", "[\(text)]:443"] { #expect(IPAddress(form) == address, "\(form)") }
        #expect(text == text.lowercased() && !text.contains(":::"))
        guard !address.isIPv4 else {
            #expect(IPAddress("\(text):443") == address)
            #expect(text.split(separator: ".").allSatisfy { $0 == "0" || !$0.hasPrefix("0") })
            return
        }
        // §4.1, §4.2: no group begins with 0, `::` stands once, for two groups at least, and for the longest run.
        let groups = text.split(separator: ":", omittingEmptySubsequences: true)
        #expect(groups.allSatisfy { $0 == "0" || !$0.hasPrefix("0") }, "\(text)")
        #expect(text.split(separator: "::", omittingEmptySubsequences: false).count <= 2, "\(text)")
        if text.contains("::") { #expect(groups.count <= 6, "\(text)") }
        var (longest, run) = (0, 0)
        for half in [address.high, address.low] {
            for shift in [48, 32, 16, 0] as [UInt64] {
                run = half >> shift & 0xffff == 0 ? run + 1 : 0
                longest = max(longest, run)
            }
        }
        #expect((8 - groups.count) == (longest > 1 ? longest : 0), "\(text)")
    }

    @Test("are in a network when its first bits are the same", arguments: UInt64(0)..<300)
    func networks(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let base = Self.address(&draw)
        let width = base.isIPv4 ? 32 : 128
        let length = draw.number(below: width + 1)
        let network = try #require(IPNetwork("\(base.text)/\(length)"))
        // Some of the base's bits are kept, so that some addresses are inside.
        let kept = draw.number(below: 129)
        let other = Self.address(&draw)
        func mixed(_ base: UInt64, _ other: UInt64, _ bits: Int) -> UInt64 {
            let mask = bits <= 0 ? 0 : bits >= 64 ? UInt64.max : UInt64.max << UInt64(64 - bits)
            return base & mask | other & ~mask
        }
        for address in [
            other, base,
            IPAddress(high: mixed(base.high, other.high, kept), low: mixed(base.low, other.low, kept - 64)),
        ] {
            let prefix = length + 128 - width
            let isInside = Self.bits(address).prefix(prefix) == Self.bits(base).prefix(prefix)
            #expect(network.contains(address) == isInside, "\(address.text) in \(base.text)/\(length)")
        }
        let alone = try #require(IPNetwork(base.text))
        #expect(alone.contains(base) && alone.isPart(of: network))
        for shorter in 0...length {
            let wider = try #require(IPNetwork("\(base.text)/\(shorter)"))
            #expect(network.isPart(of: wider), "\(shorter)")
            #expect(wider.isPart(of: network) == (shorter == length), "\(shorter)")
        }
    }

    @Test("share an allowance within a /64 network, and as IPv4 addresses not at all", arguments: UInt64(0)..<100)
    func groups(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let address = Self.address(&draw)
        guard !address.isIPv4 else {
            #expect(address.allowanceGroup == address.text && address.limitGroup == address)
            #expect(address.siteLimitGroup == nil)
            return
        }
        let neighbour = IPAddress(high: address.high, low: address.low ^ 1 << UInt64(draw.number(below: 64)))
        let stranger = IPAddress(high: address.high ^ 1 << UInt64(draw.number(below: 64)), low: address.low)
        #expect(address.limitGroup == IPAddress(high: address.high, low: 0))
        #expect(address.siteLimitGroup.map { "\($0.text)/48" } == address.siteGroup)
        #expect(neighbour.isIPv4 || neighbour.allowanceGroup == address.allowanceGroup)
        #expect(stranger.isIPv4 || stranger.allowanceGroup != address.allowanceGroup)
    }

    @Test(
        "are this machine's own in 127.0.0.0/8 and as ::1",
        arguments: [
            ("127.0.0.1", true), ("127.255.255.255", true), ("126.255.255.255", false), ("128.0.0.0", false),
            ("::1", true), ("::", false), ("::2", false), ("1::1", false), ("::ffff:127.0.0.1", true),
        ])
    func loopback(text: String, isOwn: Bool) throws {
        let address = try #require(IPAddress(text))
        #expect(address.isLoopback == isOwn)
        #expect(IPNetwork.loopback.contains { $0.contains(address) } == isOwn)
    }

    @Test(
        "have no other form",
        arguments: [
            "192.0.2.7\0", "\0", "0:0:0:0:0:0:0:0:1", "12345::", "192.0.2.7.", "1.2.3.4:5:6", "[192.0.2.7", "[]",
            "::1%eth0", "１92.0.2.7", String(repeating: " ", count: 100),
            "\t::1", "0x7f.1", "127.1",
        ])
    func other(text: String) { #expect(IPAddress(text) == nil) }
}
