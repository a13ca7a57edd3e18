package import Domain

/// The addresses by which people, apps and this machine know the server.
extension ServerSettings {
    /// The server's own address in access tokens: without a public one where it listens, word by word, because tokens live on
    /// over an upgrade.
    var issuer: String { publicURL ?? Self.plainURL(host: host, port: port) }

    /// Where a one-time link for admins leads.
    package func adminLink(_ token: Secret, port: Int) -> String {
        Self.adminLink(token, at: adminURL(port: port))
    }

    /// Where a one-time link leads that a command makes: to the server that runs on the data folder, whose address and settings
    /// the command need not have. A public address among its own settings counts all the same.
    package func adminLinkBesideServer(_ token: Secret) -> String {
        let running = publicURL == nil && database == nil ? ServerInfoFile.read(in: dataFolder) : nil
        return Self.adminLink(token, at: running?.adminURL ?? adminURL(port: port))
    }

    /// The address by which admins reach the server. On this machine it is `localhost`, which has passkeys, as numbers
    /// have not. With single sign-on it is the address that the provider sends browsers back to: no other has their cookie.
    func adminURL(port: Int) -> String {
        let isNamed = publicURL == nil && adminSignOn == nil && (host == "127.0.0.1" || host == "::1")
        return isNamed ? Self.plainURL(host: "localhost", port: port) : browserURL(port: port)
    }

    private static func adminLink(_ token: Secret, at address: String) -> String {
        "\(address)/dashboard/set-up?token=\(token.revealed)"
    }

    /// The address by which browsers and apps reach the server, as far as it is known; without a slash at the end.
    func browserURL(port: Int) -> String {
        var base = publicURL ?? url(port: port)
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    /// The server's own address for people, without a slash at the end; `nil` while it is not set.
    var pagesURL: String? { publicURL != nil || isLoopback && port != 0 ? browserURL(port: port) : nil }

    /// Whether the public address has a path, which a proxy cuts off. Pages link to paths of the host all the same.
    package var hasPublicPath: Bool { publicURL.flatMap { ProofTarget($0) }.map { $0.path != "/" } ?? false }

    /// The address by which this machine reaches the server.
    package func url(port: Int) -> String { Self.url(host: host, port: port) }

    /// The address by which this machine reaches a host and port that are listened on. `0.0.0.0` and `::` are all addresses of
    /// the machine, and none that a browser should open: a loopback one stands for them.
    package static func url(host: String, port: Int) -> String {
        plainURL(host: ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host, port: port)
    }

    private static func plainURL(host: String, port: Int) -> String { "http://" + address(host: host, port: port) }

    /// What is listened on, as a setting names it.
    static func address(host: String, port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

/// By which somebody becomes an admin of a server that has none who can log in.
package struct FirstAdminLink: Sendable {
    package var url: String
    /// Who came in without an authenticator app while the server was for development; `nil` for a new owner.
    package var owner: String?
}
