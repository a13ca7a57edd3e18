/// The body of `POST /v1/password-reset`.
public struct PasswordResetBody: Codable, Hashable, Sendable {
    /// The token from the mail; hyphens and case do not matter.
    public var token: String
    /// The new password.
    public var newPassword: String

    /// Makes a body.
    public init(token: String, newPassword: String) {
        self.token = token
        self.newPassword = newPassword
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case token, newPassword }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        token = try members.decode(String.self, forKey: .token)
        newPassword = try members.decode(String.self, forKey: .newPassword)
    }
}
