/// The response of `POST /v1/user/page`.
public struct PageAddressResponse: Codable, Hashable, Sendable {
    /// The address to open in a browser, once.
    public var url: String
    /// Until when it is good.
    public var expiresAt: WireTime

    /// Makes a response.
    public init(url: String, expiresAt: WireTime) {
        self.url = url
        self.expiresAt = expiresAt
    }
}

/// The response of the token endpoint (RFC 6749 §5.1) with what the SDK needs beside it.
public struct WebLogInResponse: Decodable, Hashable, Sendable {
    /// The log-in, as in the response to every other way of log-in.
    public var logIn: LogInResponse
    /// Who logged in, for whom, and in response to which request (OpenID Connect Core 1.0 §2).
    public var identityToken: String?

    private enum CodingKeys: String, CodingKey {
        case logIn = "log_in"
        case identityToken = "id_token"
    }
}

/// The token endpoint's refusal (RFC 6749 §5.2).
public struct WebLogInRefusalResponse: Decodable, Hashable, Sendable {
    /// Why, in a word of the standard.
    public var error: String
}
