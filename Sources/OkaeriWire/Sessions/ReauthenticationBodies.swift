/// The body of `POST /v1/user/reauthenticate`: a password, a mailed code with its ticket, what a provider gave, a
/// passkey, or a second factor. An anonymous user proves by the header `DPoP` alone, without a body.
public struct ReauthenticationBody: Codable, Hashable, Sendable {
    /// The password.
    public var password: String?
    /// A one-time code to log in with, that was mailed.
    public var code: String?
    /// The ticket of the code's order.
    public var ticket: String?
    /// The name of a provider that is linked.
    public var provider: String?
    /// What that provider gave.
    public var credential: ProviderLinkBody?
    /// What shows that a passkey of the user is there.
    public var passkey: PasskeyAuthentication?
    /// What the user's authenticator app shows.
    public var totp: String?
    /// A recovery code.
    public var recoveryCode: String?

    /// Makes a body.
    public init(
        password: String? = nil, code: String? = nil, ticket: String? = nil, provider: String? = nil,
        credential: ProviderLinkBody? = nil, passkey: PasskeyAuthentication? = nil,
        totp: String? = nil, recoveryCode: String? = nil
    ) {
        self.password = password
        self.code = code
        self.ticket = ticket
        self.provider = provider
        self.credential = credential
        self.passkey = passkey
        self.totp = totp
        self.recoveryCode = recoveryCode
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case password, code, ticket, provider, credential, passkey, totp, recoveryCode
    }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        password = try members.decodeIfPresent(String.self, forKey: .password)
        code = try members.decodeIfPresent(String.self, forKey: .code)
        ticket = try members.decodeIfPresent(String.self, forKey: .ticket)
        provider = try members.decodeIfPresent(String.self, forKey: .provider)
        credential = try members.decodeIfPresent(ProviderLinkBody.self, forKey: .credential)
        passkey = try members.decodeIfPresent(PasskeyAuthentication.self, forKey: .passkey)
        totp = try members.decodeIfPresent(String.self, forKey: .totp)
        recoveryCode = try members.decodeIfPresent(String.self, forKey: .recoveryCode)
    }
}

/// The response to `POST /v1/user/reauthenticate`: the same session with a new token. The one before is not valid any more.
public struct ReauthenticationResponse: Codable, Hashable, Sendable {
    /// The session with its new token.
    public var session: NewSessionBody
    /// Until when what needs a fresh session may be done.
    public var freshUntil: WireTime

    /// Makes a response.
    public init(session: NewSessionBody, freshUntil: WireTime) {
        self.session = session
        self.freshUntil = freshUntil
    }
}
