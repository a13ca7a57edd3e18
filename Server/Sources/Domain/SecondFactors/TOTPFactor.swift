/// An authenticator app of a user, which makes one-time codes by time (RFC 6238); see `TOTP`.
package struct TOTPFactor: Hashable, Sendable {
    /// How many a user can have.
    package static let maximumPerUser = 5
    package static let maximumNameCharacters = 100

    package let application: Identifier<Application>
    package let id: Identifier<TOTPFactor>
    package let user: Identifier<User>
    /// What the user calls it.
    package internal(set) var name: String
    /// The shared key, sealed (requirement 40).
    package let sealedKey: [UInt8]
    /// The last step of time whose code was used: each counts once.
    package var lastStep: Int64
    package let createdAt: Timestamp
    package var lastUsedAt: Timestamp?

    package init(
        id: Identifier<TOTPFactor>, of user: Identifier<User>, in application: Identifier<Application>, name: String,
        sealedKey: [UInt8], lastStep: Int64, createdAt: Timestamp, lastUsedAt: Timestamp? = nil
    ) {
        self.application = application
        self.id = id
        self.user = user
        self.name = name
        self.sealedKey = sealedKey
        self.lastStep = lastStep
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// What second factors need of storage. Whether a user has one stands in the user's row, which every log-in reads anyway.
package protocol SecondFactorQueries {
    func insert(_ factor: TOTPFactor) throws(DomainError)
    /// A user's authenticator apps, oldest first.
    func totpFactors(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [TOTPFactor]
    /// Writes the last step and the last use.
    func update(_ factor: TOTPFactor) throws(DomainError)
    func remove(_ factor: TOTPFactor) throws(DomainError)
    /// Writes whether the user has a second factor. Without one no device and no session has passed it.
    func updateSecondFactor(of user: User) throws(DomainError)
    /// Notes that a device whose key leads to the user has passed the second factor.
    func noteSecondFactor(
        ofDevice thumbprint: String, of user: Identifier<User>, in application: Identifier<Application>,
        at now: Timestamp
    ) throws(DomainError)
    /// Writes when a session last showed the second factor.
    func noteSecondFactor(of session: Session) throws(DomainError)
    /// Stores digests of recovery codes in place of those that the user had.
    func replaceRecoveryCodes(
        of user: Identifier<User>, in application: Identifier<Application>, with digests: [SecretDigest]
    ) throws(DomainError)
    /// Takes a recovery code away; `false` when the user has no such code.
    func removeRecoveryCode(
        _ digest: SecretDigest, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    func recoveryCodes(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [SecretDigest]
}

extension DomainError {
    /// The log-in needs the second factor too; with what finishes it, unless this way of log-in cannot ask.
    package static func secondFactorRequired(_ challenge: SecondFactorChallenge?) -> Self {
        Self(.forbidden, .secondFactorRequired, challenge.map { .secondFactor($0) } ?? .none)
    }
    /// The user has no second factor, and must add one first; with what goes on with the log-in.
    package static func secondFactorEnrolmentRequired(_ challenge: SecondFactorChallenge?) -> Self {
        Self(.forbidden, .secondFactorEnrolmentRequired, challenge.map { .secondFactor($0) } ?? .none)
    }
    /// The session has not shown the second factor within ten minutes.
    package static var secondFactorNotRecent: Self { Self(.forbidden, .secondFactorNotRecent) }
    /// The code, or the recovery code, is wrong or was used.
    package static var secondFactorRefused: Self { Self(.refused, .secondFactorRefused) }
    /// The ticket of a log-in or of an enrolment is wrong, too old or void; callers cannot tell which.
    package static var secondFactorTicketRefused: Self { Self(.refused, .secondFactorTicketRefused) }
    /// The application has no second factors.
    package static var secondFactorsNotEnabled: Self { Self(.notFound, .secondFactorsNotEnabled) }
    /// The user has no such second factor.
    package static var secondFactorUnknown: Self { Self(.notFound, .secondFactorUnknown) }
}

extension DomainError.Code {
    package static var secondFactorRequired: Self { Self(rawValue: "secondFactorRequired") }
    package static var secondFactorEnrolmentRequired: Self { Self(rawValue: "secondFactorEnrolmentRequired") }
    package static var secondFactorNotRecent: Self { Self(rawValue: "secondFactorNotRecent") }
    package static var secondFactorRefused: Self { Self(rawValue: "secondFactorRefused") }
    package static var secondFactorTicketRefused: Self { Self(rawValue: "secondFactorTicketRefused") }
    package static var secondFactorsNotEnabled: Self { Self(rawValue: "secondFactorsNotEnabled") }
    package static var secondFactorUnknown: Self { Self(rawValue: "secondFactorUnknown") }
}
