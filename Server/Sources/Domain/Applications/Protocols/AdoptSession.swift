/// Takes a user over from what an old app left on the device: a session of a foreign protocol, or a token of a service
/// whose users were taken in. The device's key leads to the user from then on, so that the next launch is automatic. A session
/// stays as it is; a token counts once, for the device that presents it first.
package struct AdoptSession: Sendable {
    let store: any Store
    let clock: any WallClock
    let protocols: ProtocolRegistry
    let issuers: SessionIssuers
    let audit: AuditTrail
    let verifyProof: ProofVerifier
    let authenticate: Authenticate
    let verifyOldToken: VerifyOldToken

    package struct Request: Sendable {
        package var application: Application
        /// The protocol of the session, one that the application has switched on, or the name of a service that it trusts.
        package var protocolName: Session.ProtocolName
        package var token: Secret
        package var client: LogInClient
        package var attempt: Attempt?

        package init(
            application: Application, protocolName: Session.ProtocolName, token: Secret, client: LogInClient,
            attempt: Attempt? = nil
        ) {
            self.application = application
            self.protocolName = protocolName
            self.token = token
            self.client = client
            self.attempt = attempt
        }
    }

    /// Whom the old app's token is about.
    fileprivate struct Owner: Sendable {
        let user: Identifier<User>
        /// The session of a protocol; `nil` for a service's token.
        var session: Authenticated?
        /// The person of a service's token, which is to be marked as used; `nil` for a session of a protocol.
        let person: ExternalIdentity?
        /// What leads to the user in the place of the user's id.
        let deviceId: OldDeviceId?
    }

    private enum Finding: Sendable {
        case found(Result<LogIn, DomainError>)
        case refused
        /// Another device has presented the token.
        case replayed
    }

    /// - Throws: `proofRequired`; `credentialRefused` for a token that is nobody's here, or of a protocol that is not switched
    ///   on; `providerTokenRefused`, `providerTokenReplayed`, `providerUnavailable`, `hookRefused` and `hookUnavailable` for
    ///   tokens of services; `userDisabled`, `fieldsRefused`, `proofRefused`, `proofReplayed`, `clockSkew`, `attemptReused`,
    ///   `rateLimited`, `secondFactorRequired`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> LogIn {
        let now = clock.now
        guard let presented = request.client.proof else { throw .proofRequired }
        let proof = try verifyProof(presented, at: now)
        let faults = request.client.device.faults(field: "device")
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let application = request.application.id
        let issuer = issuers.issuer(
            for: .init(
                request.application, .native, by: .adoption,
                on: request.client.holder(key: proof),
                attempt: request.attempt, record: .logIn(from: request.client.origin)),
            at: now)
        let (owner, name) = (try await owner(request, key: proof.thumbprint), request.protocolName)
        // Who takes that way away, such as the account at a provider, takes the key along (decision 0229).
        let link = DeviceLink(
            proof: proof, joins: request.client.joinsDevice, by: owner.session?.session.wayOfKeys ?? .adoption,
            in: application, now: now, audit: issuers.audit)
        // The app's own backend may name any user by the hook, other services those who came from there.
        let knowsService = OldService.Name(rawValue: name.rawValue) != nil
        let retires = request.application.settings.retiresWeakPasswords
        let ready = audit.ready(atLogIn: .weakPasswordRetired, in: application, from: request.client.origin, at: now)
        let finding = try await store.write { transaction throws(DomainError) -> Finding in
            try link.use(in: transaction)
            let found = try transaction.user(of: owner, in: application)
            if let found { try issuer.refuseBlocked(found) }
            if let person = owner.person {
                // What the owner ended here, such as by another password, an old token does not open again. A device id
                // is an identity, which goes by the table of changes unless nothing else leads to the user.
                guard let found,
                    owner.deviceId != nil
                        || found.credentialsVersion == 0 && (!knowsService || !found.wasMadeHere)
                else {
                    try issuer.refuse(found?.id, by: .adoption, in: transaction)
                    return .refused
                }
                guard try transaction.takes(person, in: application) else {
                    try issuer.refuse(found.id, by: .adoption, in: transaction)
                    return .replayed
                }
            } else if try !transaction.protocolKeys(of: application).contains(where: { $0.protocolName == name }) {
                return .refused
            }
            if let session = owner.session, try !session.hasSession(in: transaction) { return .refused }
            guard let found else { return .refused }
            // The old session may have begun without the second factor; the key that joins counts as one.
            return .found(
                try issuer.issue(to: found, joining: link, in: transaction) { joined throws(DomainError) in
                    guard retires else { return }
                    try transaction.retireWeakPassword(of: &joined, key: proof.thumbprint, with: ready)
                })
        }
        switch finding {
        case .found(let result): return try result.get()
        case .refused: throw .credentialRefused
        case .replayed: throw .providerTokenReplayed
        }
    }

    private func owner(_ request: Request, key: String) async throws(DomainError) -> Owner {
        if protocols.foreign.contains(where: { $0.name == request.protocolName }) {
            let session = try await session(request)
            return Owner(user: session.user.id, session: session, person: nil, deviceId: nil)
        }
        let name = request.protocolName.rawValue
        guard
            var person = try await verifyOldToken(
                request.token, of: name, in: request.application, from: request.client.address)
        else { throw .fieldsRefused([ValidationError(field: "protocol", rule: .notListed)]) }
        // The response may get lost: the same device presents the token again.
        person.retry = person.replay?.retry(by: key)
        return Owner(
            user: Identifier(rawValue: person.subject), person: person,
            deviceId: name == OldService.Name.nakama.rawValue ? OldDeviceId(request.token.revealed) : nil)
    }

    private func session(_ request: Request) async throws(DomainError) -> Authenticated {
        do {
            return try await authenticate(
                Authenticate.Request(
                    application: request.application, token: request.token.revealed[...], proof: nil,
                    protocolName: request.protocolName),
                from: { request.client.address })
        } catch {
            throw error == .sessionInvalid ? .credentialRefused : error
        }
    }
}

extension Session {
    /// By what a key joins that an app brings along with this session. An id that a client made ends by itself, as when its user
    /// registers, and takes no key along.
    fileprivate var wayOfKeys: LogInMethod { method == .anonymous ? .adoption : method }
}

extension Transaction {
    /// The user whom the token is about. A device id may have ended since it was looked up.
    fileprivate func user(
        of owner: AdoptSession.Owner, in application: Identifier<Application>
    ) throws(DomainError) -> User? {
        if let id = owner.deviceId { return try id.owner(in: application, of: self) }
        return try user(owner.user, in: application)
    }

    /// Marks a token as used.
    ///
    /// - Returns: `false` when another device has presented it.
    fileprivate func takes(
        _ person: ExternalIdentity, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        do throws(DomainError) {
            try markUsed(person, in: application)
            return true
        } catch {
            guard error == .providerTokenReplayed else { throw error }
            return false
        }
    }
}
