/// The address that a request came from.
package struct ClientAddress: Hashable, Sendable {
    /// The text form: `192.0.2.7`, `2001:db8::1`.
    package let text: String
    /// Who shares one allowance: the IPv4 address, or the /64 network of an IPv6 address (requirement 11).
    package let allowanceGroup: String
    /// Whether an app of an old protocol asks. Such apps have limits of their own: see `AddressLimit`.
    package var isOldApp: Bool
    /// `nil` for a text that is no network address.
    private let address: IPAddress?

    /// The /48 network of an IPv6 address; `nil` for one of IPv4, and for a text that is no network address.
    package var siteGroup: String? { address?.siteGroup }
    /// Who counts as one where the clients of one user or one key are counted apart: the IPv4 address, or the /48 network of an IPv6
    /// address. Who has that has 65,536 networks of /64, and with a share for each would have all that there is.
    package var ownerGroup: String { siteGroup ?? allowanceGroup }
    /// The same for what nobody may have alone. `nil` on this machine, where a proxy that is not listed may be, and for a text that is
    /// no network address.
    package var network: String? {
        guard let address, !address.isLoopback else { return nil }
        return ownerGroup
    }

    package init(_ address: IPAddress) {
        text = address.text
        allowanceGroup = address.allowanceGroup
        isOldApp = false
        self.address = address
    }

    package init(text: String, allowanceGroup: String, isOldApp: Bool = false) {
        self.text = text
        self.allowanceGroup = allowanceGroup
        self.isOldApp = isOldApp
        address = IPAddress(exactly: text)
    }

    /// An address as a request's origin has it; a text that is no network address shares its allowance with nobody else.
    init(text: String, isOldApp: Bool = false) {
        self.text = text
        self.isOldApp = isOldApp
        address = IPAddress(exactly: text)
        allowanceGroup = address?.allowanceGroup ?? text
    }
}
