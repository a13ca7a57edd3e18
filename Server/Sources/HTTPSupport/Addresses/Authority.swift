import Domain

/// What the host and port of an address tell.
package enum Authority {
    /// The host without its port: `id.example.com`, `[::1]`.
    package static func host(of authority: String) -> Substring {
        authority.hasPrefix("[") ? authority.before("]") + "]" : authority.before(":")
    }

    /// Whether it names the machine that the client itself is on.
    package static func isThisMachine(_ authority: String) -> Bool {
        let host = host(of: authority)
        return host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host)?.isLoopback == true
    }
}
