/// The body of `POST /v1/email/verify/request`. No body verifies the present address.
public struct EmailVerificationRequestBody: Codable, Hashable, Sendable {
    /// A new address, which replaces the present one once it is verified.
    public var email: String?

    /// Makes a body.
    public init(email: String? = nil) {
        self.email = email
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case email }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        email = try members.decodeIfPresent(String.self, forKey: .email)
    }
}

/// The body of `POST /v1/email/verify`: one of the two members.
public struct EmailVerificationBody: Codable, Hashable, Sendable {
    /// The code from the mail, in the session of the user who asked for it.
    public var code: String?
    /// The token from the mail's link, which needs no session.
    public var token: String?

    /// Makes a body with the code from the mail.
    public init(code: String) {
        self.code = code
    }

    /// Makes a body with the token from the mail's link.
    public init(token: String) {
        self.token = token
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case code, token }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        code = try members.decodeIfPresent(String.self, forKey: .code)
        token = try members.decodeIfPresent(String.self, forKey: .token)
    }
}
