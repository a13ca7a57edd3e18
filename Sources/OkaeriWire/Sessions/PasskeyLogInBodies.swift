/// The response to `POST /v1/log-in/passkey/request`: what a client asks for a passkey by.
public struct PasskeyRequestResponse: Codable, Hashable, Sendable {
    /// In the form of `PublicKeyCredentialRequestOptionsJSON` (WebAuthn level 3, §5.1.9).
    public var publicKey: PasskeyRequestOptions

    /// Makes a response.
    public init(publicKey: PasskeyRequestOptions) {
        self.publicKey = publicKey
    }
}

/// What a client asks for a passkey by, in the form of `PublicKeyCredentialRequestOptionsJSON`. No credentials are named:
/// the authenticator finds its own by the domain.
public struct PasskeyRequestOptions: Codable, Hashable, Sendable {
    /// Base64url; good for one assertion.
    public var challenge: String
    /// How long the challenge is good, in milliseconds.
    public var timeout: Int64
    /// The application's domain.
    public var rpId: String
    /// `required` or `preferred`.
    public var userVerification: String

    /// Makes options.
    public init(challenge: String, timeout: Int64, rpId: String, userVerification: String) {
        self.challenge = challenge
        self.timeout = timeout
        self.rpId = rpId
        self.userVerification = userVerification
    }
}

/// What shows that a passkey is there, in the form of `AuthenticationResponseJSON` (WebAuthn level 3, §5.1.9). Clients may
/// add members.
public struct PasskeyAuthentication: Codable, Hashable, Sendable {
    /// What the authenticator made.
    public struct Response: Codable, Hashable, Sendable {
        /// Base64url.
        public var clientDataJSON: String
        /// Base64url.
        public var authenticatorData: String
        /// Base64url.
        public var signature: String
        /// Base64url.
        public var userHandle: String

        /// Makes a response of an authenticator.
        public init(clientDataJSON: String, authenticatorData: String, signature: String, userHandle: String) {
            self.clientDataJSON = clientDataJSON
            self.authenticatorData = authenticatorData
            self.signature = signature
            self.userHandle = userHandle
        }
    }

    /// The credential's id, base64url.
    public var id: String
    /// What the authenticator made.
    public var response: Response

    /// Makes an authentication.
    public init(id: String, response: Response) {
        self.id = id
        self.response = response
    }
}

/// The body of `POST /v1/log-in/passkey`.
public struct PasskeyLogInBody: Codable, Hashable, Sendable {
    /// What shows that the passkey is there.
    public var credential: PasskeyAuthentication
    /// What the device says of itself.
    public var device: DeviceBody?
    /// Whether the key of the header `DPoP` leads to the user from now on; it does when this is absent.
    public var joinsDevice: Bool?

    /// Makes a body.
    public init(credential: PasskeyAuthentication, device: DeviceBody? = nil, joinsDevice: Bool? = nil) {
        self.credential = credential
        self.device = device
        self.joinsDevice = joinsDevice
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case credential, device, joinsDevice }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        credential = try members.decode(PasskeyAuthentication.self, forKey: .credential)
        device = try members.decodeIfPresent(DeviceBody.self, forKey: .device)
        joinsDevice = try members.decodeIfPresent(Bool.self, forKey: .joinsDevice)
    }
}

/// The body of `POST /v1/user/merge/passkey`.
public struct PasskeyMergeBody: Codable, Hashable, Sendable {
    /// What shows that the passkey of the other user is there.
    public var credential: PasskeyAuthentication

    /// Makes a body.
    public init(credential: PasskeyAuthentication) {
        self.credential = credential
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case credential }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        credential = try decoder.closedContainer(keyedBy: CodingKeys.self)
            .decode(PasskeyAuthentication.self, forKey: .credential)
    }
}
