/// The response to `POST /v1/user/passkeys/request`: what a client makes a passkey by.
public struct PasskeyCreationResponse: Codable, Hashable, Sendable {
    /// In the form of `PublicKeyCredentialCreationOptionsJSON` (WebAuthn level 3, §5.1.8).
    public var publicKey: PasskeyCreationOptions

    /// Makes a response.
    public init(publicKey: PasskeyCreationOptions) {
        self.publicKey = publicKey
    }
}

/// What a client makes a passkey by, in the form of `PublicKeyCredentialCreationOptionsJSON`.
public struct PasskeyCreationOptions: Codable, Hashable, Sendable {
    /// Whom the passkey is for: an application's domain, or a user.
    public struct Entity: Codable, Hashable, Sendable {
        /// The domain, or the user's handle as base64url.
        public var id: String
        /// What people see.
        public var name: String
        /// What people see of a user.
        public var displayName: String?

        /// Makes an entity.
        public init(id: String, name: String, displayName: String? = nil) {
            self.id = id
            self.name = name
            self.displayName = displayName
        }
    }

    /// A kind of key.
    public struct Parameter: Codable, Hashable, Sendable {
        /// `public-key`.
        public var type = "public-key"
        /// An algorithm of COSE.
        public var alg: Int64

        /// Makes a kind of key.
        public init(alg: Int64) {
            self.alg = alg
        }
    }

    /// A credential that the user has already.
    public struct Descriptor: Codable, Hashable, Sendable {
        /// `public-key`.
        public var type = "public-key"
        /// The credential's id, base64url.
        public var id: String
        /// By which ways its authenticator is reached.
        public var transports: [String]

        /// Makes a descriptor.
        public init(id: String, transports: [String]) {
            self.id = id
            self.transports = transports
        }
    }

    /// What the authenticator must be able to.
    public struct Selection: Codable, Hashable, Sendable {
        /// `required`: the authenticator finds the passkey by the domain alone.
        public var residentKey = "required"
        /// The same for older clients.
        public var requireResidentKey = true
        /// `required` or `preferred`.
        public var userVerification: String

        /// Makes a selection.
        public init(userVerification: String) {
            self.userVerification = userVerification
        }
    }

    /// The application's domain and name.
    public var rp: Entity
    /// The user.
    public var user: Entity
    /// Base64url; good for one registration.
    public var challenge: String
    /// The best first.
    public var pubKeyCredParams: [Parameter]
    /// How long the challenge is good, in milliseconds.
    public var timeout: Int64
    /// What the user has already.
    public var excludeCredentials: [Descriptor]
    /// What the authenticator must be able to.
    public var authenticatorSelection: Selection
    /// `none`, or `direct` where the application demands authenticators of makers that it knows.
    public var attestation = "none"

    /// Makes options.
    public init(
        rp: Entity, user: Entity, challenge: String, pubKeyCredParams: [Parameter], timeout: Int64,
        excludeCredentials: [Descriptor], authenticatorSelection: Selection
    ) {
        self.rp = rp
        self.user = user
        self.challenge = challenge
        self.pubKeyCredParams = pubKeyCredParams
        self.timeout = timeout
        self.excludeCredentials = excludeCredentials
        self.authenticatorSelection = authenticatorSelection
    }
}

/// The body of `POST /v1/user/passkeys`.
public struct NewPasskeyBody: Codable, Hashable, Sendable {
    /// What the user calls it.
    public var name: String?
    /// What the client made, in the form of `RegistrationResponseJSON`.
    public var credential: PasskeyRegistration

    /// Makes a body.
    public init(name: String? = nil, credential: PasskeyRegistration) {
        self.name = name
        self.credential = credential
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, credential }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        credential = try members.decode(PasskeyRegistration.self, forKey: .credential)
    }
}

/// What a client made, in the form of `RegistrationResponseJSON` (WebAuthn level 3, §5.1.8). Clients may add members.
public struct PasskeyRegistration: Codable, Hashable, Sendable {
    /// What the authenticator made.
    public struct Response: Codable, Hashable, Sendable {
        /// Base64url.
        public var clientDataJSON: String
        /// Base64url.
        public var attestationObject: String
        /// By which ways the authenticator is reached.
        public var transports: [String]?

        /// Makes a response of an authenticator.
        public init(clientDataJSON: String, attestationObject: String, transports: [String]? = nil) {
            self.clientDataJSON = clientDataJSON
            self.attestationObject = attestationObject
            self.transports = transports
        }
    }

    /// The credential's id, base64url.
    public var id: String
    /// What the authenticator made.
    public var response: Response

    /// Makes a registration.
    public init(id: String, response: Response) {
        self.id = id
        self.response = response
    }
}

/// The body of `PATCH /v1/user/passkeys/{id}`.
public struct PasskeyNameBody: Codable, Hashable, Sendable {
    /// What the user calls it.
    public var name: String

    /// Makes a body.
    public init(name: String) {
        self.name = name
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case name }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        name = try decoder.closedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }
}

/// A passkey of the user.
public struct PasskeyBody: Codable, Hashable, Sendable {
    /// The credential's id, base64url.
    public var id: String
    /// What the user calls it.
    public var name: String
    /// The kind of the authenticator, as it says itself: a UUID, all zero when it does not say.
    public var aaguid: String
    /// By which ways the authenticator is reached.
    public var transports: [String]
    /// Whether it can be on several devices.
    public var isBackupEligible: Bool
    /// Whether it is backed up.
    public var isBackedUp: Bool
    /// When it was added.
    public var createdAt: WireTime
    /// When it was last used to log in.
    public var lastUsedAt: WireTime?

    /// Makes a description.
    public init(
        id: String, name: String, aaguid: String, transports: [String], isBackupEligible: Bool, isBackedUp: Bool,
        createdAt: WireTime, lastUsedAt: WireTime?
    ) {
        self.id = id
        self.name = name
        self.aaguid = aaguid
        self.transports = transports
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// The response to `GET /v1/user/passkeys`.
public struct PasskeyListResponse: Codable, Hashable, Sendable {
    /// Oldest first.
    public var passkeys: [PasskeyBody]

    /// Makes a response.
    public init(passkeys: [PasskeyBody]) {
        self.passkeys = passkeys
    }
}
