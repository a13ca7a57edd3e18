/// Logs a person in by identifier and password.
///
/// A DPoP proof that comes with it binds the session to the device's key; unless the request says otherwise the key
/// also joins the user.
package struct LogInWithPassword: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let verifyProof: ProofVerifier
    let check: PasswordCheck
    let audit: AuditTrail

    package struct Request: Sendable {
        package var application: Application
        /// A user name, a mail address or a phone number, as typed.
        package var identifier: String
        package var password: Secret
        package var proof: PresentedProof?
        /// Whether the proof's key shall lead to the user from now on.
        package var joinsDevice: Bool
        package var device: DeviceDescription
        package var attempt: Attempt?
        package var address: ClientAddress
        package var protocolName: Session.ProtocolName
        /// Set to bring a user back that asked to be deleted.
        package var restoringFrom: RequestOrigin?
        /// Where the request came from, for the audit log.
        package var origin: RequestOrigin
        /// An earlier end of the session than its protocol's.
        package var expiresAt: Timestamp?
        /// What the identifier may mean, when the protocol says it; else what it looks like.
        package var meanings: [TypedIdentifier]?
        /// Whether the user's mail address must have been verified, as it must where it is typed in place of a name.
        package var needsVerifiedEmail = false

        package init(
            application: Application, identifier: String, password: Secret, proof: PresentedProof? = nil,
            joinsDevice: Bool = true, device: DeviceDescription = DeviceDescription(), attempt: Attempt? = nil,
            address: ClientAddress, protocolName: Session.ProtocolName = .native,
            restoringFrom: RequestOrigin? = nil, expiresAt: Timestamp? = nil, meanings: [TypedIdentifier]? = nil,
            origin: RequestOrigin? = nil
        ) {
            self.application = application
            self.identifier = identifier
            self.password = password
            self.proof = proof
            self.joinsDevice = joinsDevice
            self.device = device
            self.attempt = attempt
            self.address = address
            self.protocolName = protocolName
            self.restoringFrom = restoringFrom
            self.origin = origin ?? RequestOrigin(address: address.text)
            self.expiresAt = expiresAt
            self.meanings = meanings
        }
    }

    /// - Throws: `credentialRefused` for an unknown user and for a wrong password alike, `userDisabled` only with the
    ///   right one; `fieldsRefused`, `proofRefused`, `proofReplayed`, `clockSkew`, `rateLimited`, `busy`,
    ///   `attemptReused`, `userDeleted` with the right password, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        var faults =
            TextRule(maximumCharacters: 320).faults(of: request.identifier, field: "identifier")
            + request.device.faults(field: "device")
        if let end = request.expiresAt, end <= now { faults.append(FieldFault(field: "expiresAt", rule: .inThePast)) }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        var proof: DeviceProof?
        if let presented = request.proof { proof = try verifyProof(presented, at: now) }
        let link = DeviceLink(proof: proof, joins: request.joinsDevice, now: now)
        let application = request.application.id
        let outcome = try await check(
            request.password.revealed, of: request.meanings ?? TypedIdentifier.meanings(of: request.identifier),
            in: application, from: request.address)
        let entry = audit.draft(.loggedIn, by: .unknown, in: application, from: request.origin)
        let opening = SessionOpening(
            application: request.application, deviceKey: proof?.thumbprint, device: request.device,
            address: request.address.text, protocolName: request.protocolName, method: .password,
            attempt: request.attempt, entry: entry,
            restoration: request.restoringFrom.map {
                audit.draft(.userRestored, by: .unknown, in: application, from: $0)
            },
            expiresAt: request.expiresAt, randomness: randomness, now: now)
        let logIn = try await store.write { transaction throws(DomainError) -> LogIn? in
            try link.use(in: transaction, application)
            guard let user = try outcome.settle(in: transaction),
                !request.needsVerifiedEmail || user.emailVerifiedAt != nil
            else {
                try entry.record(
                    on: outcome.user.map { .user($0) }, result: .refused, details: ["method": "password"],
                    in: transaction)
                return nil
            }
            return try opening.open(for: try link.joined(to: user, in: transaction), in: transaction)
        }
        guard let logIn else { throw .credentialRefused }
        // As the tutorials of old had it. Our own protocol lets nobody choose such a password.
        if request.protocolName != .native, request.password == Secret(request.identifier) {
            try await store.writeStatement { transaction throws(DomainError) in
                try transaction.noteWeakCredential(of: logIn.user.id, in: application)
            }
        }
        return logIn
    }
}
