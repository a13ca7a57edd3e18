import WebAuthn

/// Verifies assertions: who has a passkey. Signatures are checked before the transaction, what counts once within it.
struct VerifyPasskey: Sendable {
    let store: any Store
    let clock: any WallClock
    let challenges: PasskeyChallenges
    let pages: ProofTarget?
    let findDomain: FindPasskeyDomain

    /// - Parameters:
    ///   - assertion: What the client presents.
    ///   - application: Where.
    /// - Returns: what is to be settled in the transaction that goes by it.
    /// - Throws: `passkeysNotEnabled`, `passkeyUnknown`, by which clients let authenticators forget it; `passkeyRefused`, also
    ///   for a passkey that somebody else under the same domain may have; `storageUnavailable`.
    func callAsFunction(
        _ assertion: PasskeyAssertion, in application: Application
    ) async throws(DomainError) -> VerifiedPasskey {
        let party = try PasskeyParty(of: application, pages: pages)
        guard assertion.id.utf8.count <= Passkey.maximumIdCharacters else {
            throw .passkeyRefused(.credentialId)
        }
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.passkey(assertion.id, in: application.id)
        }
        guard let known else {
            let domain = try await findDomain.domain(ofUnknown: assertion.id, in: application)
            throw domain == nil ? .passkeyRefused(.userHandle) : .passkeyUnknown
        }
        return try verify(assertion, by: known, for: party)
    }

    /// The same with a passkey that was read, for who takes it.
    ///
    /// - Throws: `passkeyRefused`.
    func verify(
        _ assertion: PasskeyAssertion, by known: Passkey, for party: PasskeyParty
    ) throws(DomainError) -> VerifiedPasskey {
        guard assertion.userHandle == known.userHandle else { throw .passkeyRefused(.userHandle) }
        let now = clock.now
        var used: UsedProof?
        do throws(WebAuthnFault) {
            let read = try Assertion(
                clientData: assertion.clientData, authenticatorData: assertion.authenticatorData,
                signature: assertion.signature)
            let state = try party.relyingParty.verify(read, by: try CredentialPublicKey(cose: known.publicKey)) {
                used = challenges.use($0, for: .assertion, in: known.application, at: now)
                return used != nil
            }
            guard let used else { throw WebAuthnFault.challenge }
            return VerifiedPasskey(
                application: known.application, id: known.id, state: state, challenge: used, now: now)
        } catch {
            throw .passkeyRefused(error)
        }
    }
}

/// What a client presents to show that a passkey is there, as bytes.
package struct PasskeyAssertion: Sendable {
    /// Base64url.
    package var id: String
    package var clientData: [UInt8]
    package var authenticatorData: [UInt8]
    package var signature: [UInt8]
    /// Base64url.
    package var userHandle: String

    package init(
        id: String, clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: String
    ) {
        self.id = id
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }
}

/// An assertion whose signature fits.
struct VerifiedPasskey: Sendable {
    let application: Identifier<Application>
    let id: String
    fileprivate let state: CredentialState
    fileprivate let challenge: UsedProof
    fileprivate let now: Timestamp

    fileprivate init(
        application: Identifier<Application>, id: String, state: CredentialState, challenge: UsedProof, now: Timestamp
    ) {
        self.application = application
        self.id = id
        self.state = state
        self.challenge = challenge
        self.now = now
    }

    /// What it proves of its owner.
    var methods: AuthenticationMethods { state.isUserVerified ? [.passkey, .userVerification] : .passkey }

    /// What became of an assertion.
    enum Outcome {
        case proven(User)
        /// The assertion was used before, or the authenticator may be a copy.
        case refused(User, WebAuthnFault)
    }

    /// Whom the passkey leads to.
    ///
    /// - Throws: `passkeyUnknown` when it was removed meanwhile, `storageUnavailable`.
    func owner(in transaction: any Transaction) throws(DomainError) -> User {
        guard let user = try transaction.user(provider: .passkey, subject: id, in: application) else {
            throw .passkeyUnknown
        }
        return user
    }

    /// Lets the assertion count, once, for the user whom `owner(in:)` returned in the same transaction. After a refusal the
    /// transaction changes nothing more, and has to return.
    ///
    /// - Throws: `passkeyUnknown`, `storageUnavailable`.
    func use(of user: User, in transaction: any Transaction) throws(DomainError) -> Outcome {
        if let fault = try count(in: transaction) { return .refused(user, fault) }
        return .proven(user)
    }

    /// Whether a client has let this passkey count with the same challenge before, and may not have got the response.
    ///
    /// - Throws: `storageUnavailable`.
    func wasUsed(by client: String, in transaction: any Transaction) throws(DomainError) -> Bool {
        try transaction.wasUsed(retry(by: client), in: application)
    }

    /// Keeps who has let it count, for `wasUsed(by:in:)`.
    ///
    /// - Throws: `storageUnavailable`.
    func keepUse(by client: String, in transaction: any Transaction) throws(DomainError) {
        _ = try transaction.markUsed(retry(by: client), in: application)
    }

    private func retry(by client: String) -> UsedProof { challenge.retry(by: "\(client) \(id)") }

    /// The same for any owner.
    ///
    /// - Returns: why it is refused; `nil` when it counted.
    /// - Throws: `passkeyUnknown`, `storageUnavailable`.
    func count(in transaction: any Transaction) throws(DomainError) -> WebAuthnFault? {
        guard try transaction.markUsed(challenge, in: application) else { return .challenge }
        let use = Passkey.Use(
            signCount: state.signCount, isBackupEligible: state.isBackupEligible, isBackedUp: state.isBackedUp, at: now)
        // One statement for nearly all log-ins; what is known is read only to say why not.
        if try transaction.note(use, of: id, in: application) { return nil }
        guard let passkey = try transaction.passkey(id, in: application) else { throw .passkeyUnknown }
        let known = CredentialState(
            signCount: passkey.signCount, isBackupEligible: passkey.isBackupEligible, isBackedUp: passkey.isBackedUp,
            isUserVerified: state.isUserVerified)
        return state.fault(after: known) ?? .signatureCounter
    }
}
