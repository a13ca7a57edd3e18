/// The response to `POST /v1/user/second-factors/totp/request` and to `POST /v1/log-in/second-factor/enrolment`: a key for
/// an authenticator app. Nothing is added until a code confirms it.
public struct TOTPOfferResponse: Codable, Hashable, Sendable {
    /// Confirms the key together with a code.
    public var ticket: String
    /// The key as people type it into an app: base32 without padding.
    public var secret: String
    /// The key as an address of the scheme `otpauth`, which apps open and read as a QR code.
    public var link: String
    /// A QR code of the address, as an SVG document.
    public var qrSVG: String?
    /// Until when it can be confirmed.
    public var expiresAt: WireTime

    /// Makes a response.
    public init(ticket: String, secret: String, link: String, qrSVG: String? = nil, expiresAt: WireTime) {
        self.ticket = ticket
        self.secret = secret
        self.link = link
        self.qrSVG = qrSVG
        self.expiresAt = expiresAt
    }
}

/// The body of `POST /v1/user/second-factors/totp`.
public struct NewTOTPBody: Codable, Hashable, Sendable {
    /// What the request for a key returned.
    public var ticket: String
    /// What the authenticator app shows.
    public var code: String
    /// What the user calls the app.
    public var name: String?

    /// Makes a body.
    public init(ticket: String, code: String, name: String? = nil) {
        self.ticket = ticket
        self.code = code
        self.name = name
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case ticket, code, name }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        ticket = try members.decode(String.self, forKey: .ticket)
        code = try members.decode(String.self, forKey: .code)
        name = try members.decodeIfPresent(String.self, forKey: .name)
    }
}

/// A second factor of the user.
public struct SecondFactorBody: Codable, Hashable, Sendable {
    /// The factor's id.
    public var id: String
    /// `totp`. An open set.
    public var type: String
    /// What the user calls it.
    public var name: String
    /// When it was added.
    public var createdAt: WireTime
    /// When one of its codes was last used.
    public var lastUsedAt: WireTime?

    /// Makes a factor.
    public init(id: String, type: String = "totp", name: String, createdAt: WireTime, lastUsedAt: WireTime?) {
        self.id = id
        self.type = type
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// The response to `POST /v1/user/second-factors/totp`.
public struct NewSecondFactorResponse: Codable, Hashable, Sendable {
    /// What was added.
    public var factor: SecondFactorBody
    /// With the first factor: ten codes for when the phone is gone. They are shown this once.
    public var recoveryCodes: [String]?

    /// Makes a response.
    public init(factor: SecondFactorBody, recoveryCodes: [String]?) {
        self.factor = factor
        self.recoveryCodes = recoveryCodes
    }
}

/// The response to `GET /v1/user/second-factors`.
public struct SecondFactorListResponse: Codable, Hashable, Sendable {
    /// Oldest first.
    public var factors: [SecondFactorBody]
    /// How many recovery codes were not used yet.
    public var recoveryCodesLeft: Int

    /// Makes a response.
    public init(factors: [SecondFactorBody], recoveryCodesLeft: Int) {
        self.factors = factors
        self.recoveryCodesLeft = recoveryCodesLeft
    }
}

/// The response to `POST /v1/user/second-factors/recovery-codes`.
public struct RecoveryCodesResponse: Codable, Hashable, Sendable {
    /// Ten codes, in place of all former ones. They are shown this once.
    public var recoveryCodes: [String]

    /// Makes a response.
    public init(recoveryCodes: [String]) {
        self.recoveryCodes = recoveryCodes
    }
}
