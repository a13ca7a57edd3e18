package import Domain

/// The addresses by which people, apps and this machine know the server.
extension ServerSettings {
    /// The server's own address in access tokens.
    var issuer: String { publicURL ?? url(port: port) }

    /// Where a one-time link for admins leads.
    package func adminLink(_ token: Secret, port: Int) -> String {
        var base = publicURL ?? url(port: port)
        while base.hasSuffix("/") { base.removeLast() }
        return "\(base)/dashboard/set-up?token=\(token.revealed)"
    }

    /// The server's own address for people; `nil` while it is not set.
    var pagesURL: String? { publicURL ?? (isLoopback && port != 0 ? url(port: port) : nil) }

    /// The address by which this machine reaches the server.
    package func url(port: Int) -> String { Self.url(host: host, port: port) }

    /// The address of a host and port.
    package static func url(host: String, port: Int) -> String {
        host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }
}

/// By which somebody becomes an admin of a server that has none who can log in.
package struct FirstAdminLink: Sendable {
    package var url: String
    /// Who came in without an authenticator app while the server was for development; `nil` for a new owner.
    package var owner: String?
}
