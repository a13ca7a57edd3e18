package import Domain
import Foundation

/// Which servers this one may ask (requirement 44).
///
/// Tenants name addresses: an OpenID Connect issuer, and by its description further ones. From where the server stands,
/// such an address could reach what only its own network reaches: other services, a cloud's metadata. So nothing is asked
/// but public addresses by https, what the operator permits, and the addresses that the operator chose.
///
/// `target(of:)` reads an address as text. The decision is `permits(_:for:)`, about the very address of a connection that
/// is about to be made: how a name was written, what it resolved to earlier, and how a parser reads it make no difference.
package struct EgressPolicy: Sendable {
    private let privateNetworks: [IPNetwork]
    private let operatorURLs: [Address]
    private let isUnlimited: Bool

    /// - Parameters:
    ///   - privateNetworks: What may be asked although it is no public address, also by http.
    ///   - operatorURLs: Addresses of the operator's own settings. They, and paths under them, may be anywhere.
    package init(privateNetworks: [IPNetwork], operatorURLs: [String]) {
        self.privateNetworks = privateNetworks
        self.operatorURLs = operatorURLs.compactMap(Address.init)
        isUnlimited = false
    }

    private init() {
        (privateNetworks, operatorURLs, isUnlimited) = ([], [], true)
    }

    /// Any server, for commands: a person at this machine reaches the address that they type without Okaeri too.
    package static let unlimited = EgressPolicy()

    /// The same for who asks addresses of tenants alone: the operator's own are no more to them than any other.
    package var forTenants: EgressPolicy { EgressPolicy(privateNetworks: privateNetworks, operatorURLs: []) }

    /// An address that may be asked, as far as its text tells.
    package struct Target: Hashable, Sendable {
        package enum Scheme: String, Sendable { case http, https }

        package let scheme: Scheme
        /// Whether the operator chose it.
        let isOperators: Bool
    }

    /// - Returns: `nil` for what may not be asked: other schemes than https, and http but to `privateNetworks`; a name or
    ///   password in it; a path with dot segments; a port that belongs to another protocol; a host that is a refused
    ///   address in any notation.
    package func target(of url: String) -> Target? {
        guard let parsed = Address(url) else { return nil }
        let (scheme, host, port) = (parsed.scheme, parsed.host, parsed.port)
        if isUnlimited || operatorURLs.contains(where: parsed.isUnder) {
            return Target(scheme: scheme, isOperators: true)
        }
        // Below 1024 other protocols listen.
        guard port >= 1024 || port == (scheme == .https ? 443 : 80) else { return nil }
        let target = Target(scheme: scheme, isOperators: false)
        if let address = Self.address(writtenAs: host) { return permits(address, for: target) ? target : nil }
        if host == "localhost" || host.hasSuffix(".localhost") {
            return Self.thisMachine.contains { permits($0, for: target) } ? target : nil
        }
        guard scheme == .http else { return target }
        // A name by http can only lead into a private network.
        return privateNetworks.allSatisfy { IPNetwork.loopback.contains(where: $0.isPart) } ? nil : target
    }

    /// Whether a connection may be made to an address.
    package func permits(_ address: IPAddress, for target: Target) -> Bool {
        if target.isOperators { return true }
        let reached = address.reached
        if privateNetworks.contains(where: { $0.contains(address) || $0.contains(reached) }) { return true }
        return target.scheme == .https && address.isPublic
    }

    /// The host of an address, for the log: paths and queries can hold tokens.
    package static func host(of url: String) -> String { URLComponents(string: url)?.host ?? "an address" }

    /// Whether a server can listen on the port that an address names; one that names none has that of its scheme.
    package static func isPort(_ port: Int?) -> Bool { port.map { (1...65_535).contains($0) } ?? true }

    /// Whether an operator can choose an address: https, or http to this machine.
    package static func isOperatorURL(_ url: String) -> Bool {
        guard let parsed = Address(url) else { return false }
        return parsed.scheme == .https || parsed.host == "localhost"
            || address(writtenAs: parsed.host)?.isLoopback == true
    }

    /// What `localhost` stands for (RFC 6761 §6.3).
    private static let thisMachine = [IPAddress(ipv4: 0x7f00_0001), IPAddress(high: 0, low: 1)]

    /// What of an address decides where a call goes.
    private struct Address: Sendable {
        let scheme: Target.Scheme
        /// In lower case.
        let host: String
        let port: Int
        /// Percent-encoded as they came; none for `/` and for nothing.
        let segments: [Substring]
        /// Whether every parser reads it alike.
        let isPlain: Bool

        /// - Returns: `nil` for other schemes than http and https, without a host, with a name or password, with a port that no
        ///   server has, and for a path with dot segments (RFC 3986 §5.2.4): who resolves them asks something else than what was judged.
        init?(_ url: String) {
            guard let parts = URLComponents(string: url), let host = parts.host?.lowercased(), !host.isEmpty,
                parts.user == nil, parts.password == nil, EgressPolicy.isPort(parts.port),
                let scheme = parts.scheme.flatMap({ Target.Scheme(rawValue: $0.lowercased()) })
            else { return nil }
            (self.scheme, self.host) = (scheme, host)
            isPlain = url.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }
            port = parts.port ?? (scheme == .https ? 443 : 80)
            var segments = parts.percentEncodedPath.pieces(at: "/", keepsEmpty: true).dropFirst()
            if segments.last == "" { segments.removeLast() }
            self.segments = Array(segments)
            guard !self.segments.contains(where: \.isDotSegment) else { return nil }
        }

        /// Whether it is an operator's address or one below it. A server may take an encoded separator for one.
        func isUnder(_ parent: Address) -> Bool {
            isPlain && scheme == parent.scheme && host == parent.host && port == parent.port
                && segments.starts(with: parent.segments)
                && !segments.dropFirst(parent.segments.count).contains(where: Self.hasEncodedSeparator)
        }

        private static func hasEncodedSeparator(_ segment: Substring) -> Bool {
            let text = segment.lowercased().utf8
            return ["%2f", "%5c"].contains { text.firstRange(of: $0.utf8) != nil }
        }
    }

    /// The address that a host is, in brackets, dotted, or in one of the old notations: `2130706433`, `0x7f.1`, `0177.0.0.1`.
    private static func address(writtenAs host: String) -> IPAddress? {
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(exactly: bare) { return address }
        var old = in_addr()
        return inet_aton(bare, &old) == 0 ? nil : IPAddress(ipv4: UInt32(bigEndian: old.s_addr))
    }
}

extension IPAddress {
    /// Whether it is an address of the public internet, and of nothing else (the special-purpose registries of IANA,
    /// RFC 6890, RFC 4291 §2.4).
    package var isPublic: Bool {
        let reached = reached
        if reached != self { return reached.isPublic }
        if isIPv4 { return !Self.specialIPv4.contains { $0.contains(self) } }
        // Global unicast is 2000::/3; everything outside is local, reserved, or a translation.
        return high >> 61 == 1 && !Self.specialIPv6.contains { $0.contains(self) }
    }

    /// The IPv4 address to which a translation of it leads: NAT64 (RFC 6052 §2.1) and 6to4 (RFC 3056 §2).
    package var reached: IPAddress {
        if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return IPAddress(ipv4: UInt32(truncatingIfNeeded: low)) }
        if high >> 48 == 0x2002 { return IPAddress(ipv4: UInt32(truncatingIfNeeded: high >> 16)) }
        return self
    }

    /// Of this network, private, shared by carriers, loopback, link-local with the metadata of clouds, protocols',
    /// documentation, relays, benchmarks, multicast, reserved; and the one public address by which a cloud talks to its
    /// own machines.
    private static let specialIPv4 = networks(
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16")

    /// Of protocols with Teredo among them, and of documentation.
    private static let specialIPv6 = networks("2001::/23", "2001:db8::/32", "3fff::/20")

    private static func networks(_ texts: String...) -> [IPNetwork] {
        texts.map { text in
            guard let network = IPNetwork(text) else { preconditionFailure("\(text) is no network") }
            return network
        }
    }
}
