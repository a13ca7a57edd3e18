/// The body of `POST /v1/log-in/{provider}`: what the provider gave. At least one of `idToken`, `authorizationCode`,
/// `accessToken` and `gameCenter` must be there.
public struct ProviderLogInBody: Codable, Hashable, Sendable {
    /// The identity token, a JWT.
    public var idToken: String?
    /// The nonce as the app made it. Apple's token holds its SHA-256 in hexadecimal, others hold it as it is.
    public var nonce: String?
    /// The authorization code, which the server exchanges at once.
    public var authorizationCode: String?
    /// The PKCE verifier (RFC 7636 §4.1) that belongs to the code.
    public var codeVerifier: String?
    /// Where the provider sent the code, one of the addresses that the application lists.
    public var redirectUri: String?
    /// For which of the application's ids the code was made; by default the token's, else the first one.
    public var clientId: String?
    /// An access token, for providers without identity tokens.
    public var accessToken: String?
    /// The second part of an OAuth 1.0a access token.
    public var accessTokenSecret: String?
    /// The `state` that came back with the code, for providers that ask for it again (Naver).
    public var state: String?
    /// What Game Center signed for a player.
    public var gameCenter: PlayerSignatureBody?
    /// The person's name as the provider gave it to the app. It is taken when the user has none.
    public var name: String?
    /// What the session remembers of the device.
    public var device: DeviceBody?
    /// Whether the key of the proof shall lead to the user from now on, unless it leads to somebody else; by default
    /// yes.
    public var joinsDevice: Bool?
    /// Values for the user when this log-in makes one.
    public var user: NewUserBody?

    /// Makes a body of what the provider gave. What the app adds is set afterwards.
    public init(
        idToken: String? = nil, nonce: String? = nil, authorizationCode: String? = nil, codeVerifier: String? = nil,
        redirectUri: String? = nil, accessToken: String? = nil, accessTokenSecret: String? = nil, name: String? = nil
    ) {
        self.idToken = idToken
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.codeVerifier = codeVerifier
        self.redirectUri = redirectUri
        self.accessToken = accessToken
        self.accessTokenSecret = accessTokenSecret
        self.name = name
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case idToken, nonce, authorizationCode, codeVerifier, redirectUri, clientId, accessToken, accessTokenSecret
        case state, gameCenter, name, device, joinsDevice, user
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        idToken = try members.decodeIfPresent(String.self, forKey: .idToken)
        nonce = try members.decodeIfPresent(String.self, forKey: .nonce)
        authorizationCode = try members.decodeIfPresent(String.self, forKey: .authorizationCode)
        codeVerifier = try members.decodeIfPresent(String.self, forKey: .codeVerifier)
        redirectUri = try members.decodeIfPresent(String.self, forKey: .redirectUri)
        clientId = try members.decodeIfPresent(String.self, forKey: .clientId)
        accessToken = try members.decodeIfPresent(String.self, forKey: .accessToken)
        accessTokenSecret = try members.decodeIfPresent(String.self, forKey: .accessTokenSecret)
        state = try members.decodeIfPresent(String.self, forKey: .state)
        gameCenter = try members.decodeIfPresent(PlayerSignatureBody.self, forKey: .gameCenter)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        joinsDevice = try members.decodeIfPresent(Bool.self, forKey: .joinsDevice)
        user = try members.decodeIfPresent(NewUserBody.self, forKey: .user)
    }
}

/// The body of `POST /v1/user/identities/{provider}`: as for a log-in, without what only a session or a new user needs.
public struct ProviderLinkBody: Codable, Hashable, Sendable {
    /// What the provider gave.
    public var logIn: ProviderLogInBody

    /// The person's name as the provider gave it to the app. It is taken when the user has none.
    public var name: String? { logIn.name }

    /// Makes a body. Device and new user of the log-in are left out.
    public init(_ logIn: ProviderLogInBody) {
        self.logIn = logIn
        self.logIn.device = nil
        self.logIn.joinsDevice = nil
        self.logIn.user = nil
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case idToken, nonce, authorizationCode, codeVerifier, redirectUri, clientId, accessToken, accessTokenSecret
        case state, gameCenter, name
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        _ = try decoder.closedContainer(keyedBy: CodingKeys.self)
        logIn = try ProviderLogInBody(from: decoder)
    }

    /// Writes the members of the log-in.
    public func encode(to encoder: any Encoder) throws {
        try logIn.encode(to: encoder)
    }
}

/// What `GKLocalPlayer.fetchItems(forIdentityVerificationSignature:)` gives an app, with the player and the app.
public struct PlayerSignatureBody: Codable, Hashable, Sendable {
    /// Where the certificate of the key is that signed.
    public var publicKeyUrl: String
    /// The signature, in Base64.
    public var signature: String
    /// The salt, in Base64.
    public var salt: String
    /// When it was signed, in milliseconds since 1970.
    public var timestamp: Int64
    /// `teamPlayerID`; in Apple Arcade `gamePlayerID`.
    public var playerId: String
    /// The app's bundle id.
    public var bundleId: String

    /// Makes a body.
    public init(
        publicKeyUrl: String, signature: String, salt: String, timestamp: Int64, playerId: String, bundleId: String
    ) {
        self.publicKeyUrl = publicKeyUrl
        self.signature = signature
        self.salt = salt
        self.timestamp = timestamp
        self.playerId = playerId
        self.bundleId = bundleId
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case publicKeyUrl, signature, salt, timestamp, playerId, bundleId
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        publicKeyUrl = try members.decode(String.self, forKey: .publicKeyUrl)
        signature = try members.decode(String.self, forKey: .signature)
        salt = try members.decode(String.self, forKey: .salt)
        timestamp = try members.decode(Int64.self, forKey: .timestamp)
        playerId = try members.decode(String.self, forKey: .playerId)
        bundleId = try members.decode(String.self, forKey: .bundleId)
    }
}

/// The body of `POST /v1/providers/apple/notifications`, as Apple sends it.
public struct AppleNotificationBody: Codable, Hashable, Sendable {
    /// The notification, a JWS signed by Apple.
    public var payload: String

    /// Makes a body.
    public init(payload: String) {
        self.payload = payload
    }
}
