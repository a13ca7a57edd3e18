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

extension LogInCodeRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the code goes, never what must come with it.
    public var description: String { "log-in code for \(email)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Where the code goes and until when it is good, never what must come with it.
    public var customMirror: Mirror { Mirror(self, children: ["email": email, "expiresAt": expiresAt]) }
}
