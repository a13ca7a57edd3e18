/// The body of `POST /v1/token`.
public struct TokenBody: Codable, Hashable, Sendable {
    /// Who shall accept the token, one of the application's audiences. Absent: the application's id.
    public var audience: String?
    /// Whether the token shall count only with a proof of the session's key (`cnf.jkt`, RFC 9449 §6). Absent: it is a bearer token.
    public var isBound: Bool?

    /// Makes a body.
    public init(audience: String? = nil, isBound: Bool? = nil) {
        self.audience = audience
        self.isBound = isBound
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case audience, isBound }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        audience = try members.decodeIfPresent(String.self, forKey: .audience)
        isBound = try members.decodeIfPresent(Bool.self, forKey: .isBound)
    }
}

/// The response to `POST /v1/token`.
public struct TokenResponse: Codable, Hashable, Sendable {
    /// A JWT (RFC 9068, `typ` `at+jwt`, ES256).
    public var accessToken: String
    /// `Bearer`; `DPoP` for one that is bound to a key.
    public var tokenType: String
    /// How long the token is valid, in seconds.
    public var expiresIn: Int64

    /// Makes a response.
    public init(accessToken: String, tokenType: String = "Bearer", expiresIn: Int64) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
    }
}

/// The response to `GET /.well-known/jwks.json`: a JWK Set (RFC 7517 §5).
public struct KeySetResponse: Codable, Hashable, Sendable {
    /// The keys that verify access tokens, the signing one first.
    public var keys: [KeyBody]

    /// Makes a response.
    public init(keys: [KeyBody]) {
        self.keys = keys
    }
}

/// A public P-256 key (RFC 7518 §6.2).
public struct KeyBody: Codable, Hashable, Sendable {
    /// `EC`.
    public var kty: String
    /// `P-256`.
    public var crv: String
    /// The x coordinate, base64url of 32 bytes.
    public var x: String
    /// The y coordinate, base64url of 32 bytes.
    public var y: String
    /// The key's id: its thumbprint (RFC 7638).
    public var kid: String
    /// `sig`.
    public var use: String
    /// `ES256`.
    public var alg: String

    /// Makes a public key's description.
    public init(x: String, y: String, kid: String) {
        kty = "EC"
        crv = "P-256"
        self.x = x
        self.y = y
        self.kid = kid
        use = "sig"
        alg = "ES256"
    }
}
