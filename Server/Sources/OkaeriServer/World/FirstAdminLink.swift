/// By which somebody becomes an admin of a server that has none who can log in.
package struct FirstAdminLink: Sendable {
    package var url: String
    /// Who came in without an authenticator app while the server was for development; `nil` for a new owner.
    package var owner: String?
}
