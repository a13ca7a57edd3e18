public import Foundation

/// A token for the app's own backends: a JWT that they verify with the server's public keys. Printed, it hides itself.
public struct AccessToken: Hashable, Sendable {
    /// The token, to be sent as `Authorization: Bearer`. Not for logs.
    public let value: String
    /// When it ends, by this device's clock.
    public let expiresAt: Date

    init(value: String, expiresAt: Date) {
        self.value = value
        self.expiresAt = expiresAt
    }
}

extension AccessToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the token.
    public var description: String { "AccessToken(<secret>)" }
    /// Never the token.
    public var debugDescription: String { description }
    /// The end of the token's life, never the token.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}
