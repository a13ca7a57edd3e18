/// The answer of `POST /v1/user/page`.
public struct PageAddressAnswer: Codable, Hashable, Sendable {
    /// The address to open in a browser, once.
    public var url: String
    /// Until when it is good.
    public var expiresAt: WireTime

    /// Makes an answer.
    public init(url: String, expiresAt: WireTime) {
        self.url = url
        self.expiresAt = expiresAt
    }
}

/// The answer of the token endpoint (RFC 6749 §5.1) with what the SDK needs beside it.
public struct WebLogInResponse: Decodable, Hashable, Sendable {
    /// The log-in as every other way of log-in answers it.
    public var logIn: LogInResponse
    /// Who logged in, for whom, and in answer to which request (OpenID Connect Core 1.0 §2).
    public var identityToken: String?

    private enum CodingKeys: String, CodingKey {
        case logIn = "log_in"
        case identityToken = "id_token"
    }
}

/// What the token endpoint answers when it refuses (RFC 6749 §5.2).
public struct WebLogInRefusalAnswer: Decodable, Hashable, Sendable {
    /// Why, in a word of the standard.
    public var error: String
}
