import Foundation

/// An IPv4 or IPv6 address. An IPv4 address that IPv6 carries (`::ffff:192.0.2.7`) is that IPv4 address.
package struct IPAddress: Hashable, Sendable {
    /// The IPv6 form; IPv4 is mapped into `::ffff:0:0/96` (RFC 4291 §2.5.5.2).
    package let high: UInt64
    package let low: UInt64

    /// The two halves of an IPv6 address, or of the mapped form of an IPv4 address.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(ipv4: UInt32) {
        self.init(high: 0, low: 0xffff_0000_0000 | UInt64(truncatingIfNeeded: ipv4))
    }

    /// Reads an address and nothing else: `192.0.2.7`, `2001:db8::1`.
    package init?(exactly text: String) {
        // `inet_pton` stops at a zero byte.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var (ipv4, ipv6) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(ipv4: UInt32(bigEndian: ipv4.s_addr))
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            let halves = withUnsafeBytes(of: ipv6) { bytes in
                (
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
                )
            }
            self.init(high: halves.0, low: halves.1)
        } else {
            return nil
        }
    }

    /// Reads `192.0.2.7`, `2001:db8::1`, `192.0.2.7:4711`, `[2001:db8::1]`, `[2001:db8::1]:4711`.
    package init?(_ text: String) {
        self.init(text[...])
    }

    /// Reads `192.0.2.7`, `2001:db8::1`, `192.0.2.7:4711`, `[2001:db8::1]`, `[2001:db8::1]:4711`.
    package init?(_ text: Substring) {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }
        let colon = UInt8(ascii: ":")
        var host = text.utf8.drop(while: isSpace)
        while let last = host.last, isSpace(last) { host.removeLast() }
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = host[host.index(after: host.startIndex)..<end]
        } else if host.contains(UInt8(ascii: ".")), let first = host.firstIndex(of: colon),
            host.lastIndex(of: colon) == first
        {
            host = host[..<first]
        }
        guard host.count <= 45, let address = String(host) else { return nil }
        self.init(exactly: address)
    }

    /// Whether it is an IPv4 address.
    package var isIPv4: Bool { high == 0 && low >> 32 == 0xffff }

    /// Whether it is this machine's own: `127.0.0.0/8`, `::1`.
    package var isLoopback: Bool {
        isIPv4 ? (low >> 24) & 0xff == 127 : high == 0 && low == 1
    }

    /// The usual text form.
    package var text: String {
        isIPv4 ? dottedText : Self.text(high: high, low: low)
    }

    /// Who shares one allowance: an IPv4 address, or the /64 network of an IPv6 address (requirement 11).
    package var allowanceGroup: String {
        isIPv4 ? text : Self.text(high: high, low: 0) + "/64"
    }

    /// The /48 network of an IPv6 address, which a customer of a network has at the most (RFC 6177 §2); `nil` for IPv4.
    package var siteGroup: String? {
        isIPv4 ? nil : Self.text(high: high & ~0xffff, low: 0) + "/48"
    }

    /// Who shares one limit on connections: the same as `allowanceGroup`, as an address.
    package var limitGroup: IPAddress { isIPv4 ? self : IPAddress(high: high, low: 0) }

    /// The same as `siteGroup`, as an address.
    package var siteLimitGroup: IPAddress? { isIPv4 ? nil : IPAddress(high: high & ~0xffff, low: 0) }

    /// `192.0.2.7`, written digit by digit, because it is needed at each request.
    private var dottedText: String {
        String(unsafeUninitializedCapacity: 15) { buffer in
            var count = 0
            func write(_ character: UInt8) {
                buffer[count] = character
                count += 1
            }
            for shift: UInt64 in [24, 16, 8, 0] {
                let part = UInt8(truncatingIfNeeded: low >> shift)
                let zero = UInt8(ascii: "0")
                if part >= 100 { write(zero + part / 100) }
                if part >= 10 { write(zero + part / 10 % 10) }
                write(zero + part % 10)
                if shift > 0 { write(UInt8(ascii: ".")) }
            }
            return count
        }
    }

    /// The form of RFC 5952: the longest run of zeros as `::`.
    private static func text(high: UInt64, low: UInt64) -> String {
        var groups: [UInt64] = []
        for half in [high, low] {
            for shift: UInt64 in [48, 32, 16, 0] { groups.append((half >> shift) & 0xffff) }
        }
        var (longest, start): (Range<Int>, Int?) = (0..<0, nil)
        for position in 0...8 {
            if position < 8, groups[position] == 0 {
                start = start ?? position
            } else if let begin = start {
                if position - begin > longest.count { longest = begin..<position }
                start = nil
            }
        }
        func hex(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard longest.count > 1 else { return hex(0..<8) }
        return hex(0..<longest.lowerBound) + "::" + hex(longest.upperBound..<8)
    }
}

/// A range of addresses in CIDR form: `10.0.0.0/8`, `2001:db8::/32`, or a single address.
package struct IPNetwork: Hashable, Sendable {
    private let base: IPAddress
    private let prefixBits: Int

    /// `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.pieces(at: "/", keepsEmpty: true)
        guard (1...2).contains(parts.count), let base = IPAddress(exactly: String(parts[0])) else { return nil }
        let width = base.isIPv4 ? 32 : 128
        var bits = width
        if parts.count == 2 {
            // Digits alone: a sign would be read too.
            guard parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let sent = Int(parts[1], radix: 10),
                (0...width).contains(sent)
            else { return nil }
            bits = sent
        }
        self.init(base: base, prefixBits: bits + 128 - width)
    }

    /// The networks of this machine alone.
    package static let loopback: [IPNetwork] = [
        IPNetwork(base: IPAddress(ipv4: 0x7f00_0000), prefixBits: 104),
        IPNetwork(base: IPAddress(high: 0, low: 1), prefixBits: 128),
    ]

    private init(base: IPAddress, prefixBits: Int) {
        // What stands behind the prefix says nothing: `10.0.0.7/8` is `10.0.0.0/8`.
        self.base = IPAddress(
            high: base.high & Self.mask(bits: min(prefixBits, 64)),
            low: base.low & Self.mask(bits: max(prefixBits - 64, 0)))
        self.prefixBits = prefixBits
    }

    /// The usual text form, by which it is read again: `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7/32`.
    package var text: String { "\(base.text)/\(prefixBits - (base.isIPv4 ? 96 : 0))" }

    /// Whether the address is in the range.
    package func contains(_ address: IPAddress) -> Bool {
        let highMask = Self.mask(bits: min(prefixBits, 64))
        let lowMask = Self.mask(bits: max(prefixBits - 64, 0))
        return (address.high ^ base.high) & highMask == 0 && (address.low ^ base.low) & lowMask == 0
    }

    /// Whether one of the ranges has nothing that the other has not.
    package func isPart(of other: IPNetwork) -> Bool { prefixBits >= other.prefixBits && other.contains(base) }

    /// Whether it holds so much of the internet that nobody can mean it as a network of their own: more than a /8 of IPv4, or
    /// more than a /4 of IPv6.
    package var isBoundless: Bool {
        base.isIPv4 ? prefixBits < 104 : prefixBits < 4 || contains(IPAddress(ipv4: 0))
    }

    private static func mask(bits: Int) -> UInt64 {
        bits == 0 ? 0 : UInt64.max << (64 - bits)
    }
}
