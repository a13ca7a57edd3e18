public import Foundation

/// A code to log in with that is on its way by mail, if there is such a user. The code is good only together with this:
/// keep it, also over a restart of the app, until the person has typed the code.
public struct LogInCodeRequest: Codable, Hashable, Sendable {
    /// The address that the person typed.
    public let email: String
    /// When the code is no use any more.
    public let expiresAt: Date
    let ticket: String
}
