/// The address that a request came from.
package struct ClientAddress: Hashable, Sendable {
    /// The text form: `192.0.2.7`, `2001:db8::1`.
    package var text: String
    /// Who shares one allowance: the IPv4 address, or the /64 network of an IPv6 address (requirement 11).
    package var allowanceGroup: String
    /// Whether an app of an old protocol asks. Such apps have limits of their own: see `AddressLimit`.
    package var isOldApp: Bool
    /// The /48 network of an IPv6 address; `nil` for one of IPv4, and for a text that is no network address.
    package var siteGroup: String? { IPAddress(exactly: text)?.siteGroup }

    package init(text: String, allowanceGroup: String, isOldApp: Bool = false) {
        self.text = text
        self.allowanceGroup = allowanceGroup
        self.isOldApp = isOldApp
    }

    /// An address as a request's origin has it; a text that is no network address shares its allowance with nobody else.
    init(text: String, isOldApp: Bool = false) {
        self.init(text: text, allowanceGroup: IPAddress(exactly: text)?.allowanceGroup ?? text, isOldApp: isOldApp)
    }
}
