import Foundation
@_spi(Base64URL) import OkaeriWire

extension SessionKeeper {
    /// Adds a passkey. Once the authenticator has made it, cancelling the caller does not stop it: the device keeps the
    /// passkey, and the server should know of it.
    func addPasskey(
        named name: String?, with authenticator: any PasskeyAuthenticator
    ) async throws(OkaeriError) -> Passkey {
        var call = APICall(.post, APIPath.requestPasskey)
        // The key proves a guest, so that no session is too old for it.
        call.isProven = true
        let began = try await authenticated(call)
        let options = try began.response.decoded(PasskeyCreationResponse.self).publicKey
        let request = try PasskeyOptions.creation(options)
        let created = try await authenticator.create(request)
        let task = Task { () async -> Result<Passkey, OkaeriError> in
            do throws(OkaeriError) {
                return .success(try await self.store(created, named: name, epoch: began.epoch))
            } catch {
                if error.isAboutThisPasskey { await authenticator.forget(created.id, of: request.domain) }
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    private func store(
        _ created: CreatedPasskey, named name: String?, epoch: Int64
    ) async throws(OkaeriError) -> Passkey {
        // The options were for the user of then.
        guard let record, record.epoch == epoch else { throw .userChanged }
        let body = created.body
        var call = try APICall(.post, APIPath.passkeys, body: NewPasskeyBody(name: name, credential: body))
        call.isProven = true
        let added: Passkey
        do throws(OkaeriError) {
            added = Passkey(try await authenticated(call).response.decoded(PasskeyBody.self))
        } catch {
            // The first try may have arrived: then the guest is registered, and the device's key proves nobody any more.
            guard case .reauthenticationRequired = error,
                let known = try await passkeys().first(where: { $0.id == body.id })
            else { throw error }
            added = known
        }
        // The passkey is added, whatever becomes of this: the next call brings the user's values.
        _ = try? await reloadUser()
        return added
    }

    func passkeys() async throws(OkaeriError) -> [Passkey] {
        let received = try await authenticated(APICall(.get, APIPath.passkeys))
        return try received.response.decoded(PasskeyListResponse.self).passkeys.map(Passkey.init(_:))
    }

    func renamePasskey(_ id: String, to name: String) async throws(OkaeriError) -> Passkey {
        // Without a name the path would be that of all.
        guard !id.isEmpty else { throw .passkeyRefused(.unknown) }
        let call = try APICall(.patch, APIPath.passkey(id.pathSegment), body: PasskeyNameBody(name: name))
        return Passkey(try await authenticated(call).response.decoded(PasskeyBody.self))
    }

    func removePasskey(_ id: String, from authenticator: (any PasskeyAuthenticator)?) async throws(OkaeriError) {
        guard !id.isEmpty else { throw .passkeyRefused(.unknown) }
        _ = try await authenticated(APICall(.delete, APIPath.passkey(id.pathSegment)))
        // The passkey is removed, whatever becomes of this.
        _ = try? await reloadUser()
        guard let authenticator, let credential = Base64URL.bytes(of: id.utf8),
            let domain = (try? await applicationProfile())?.passkeys?.domain
        else { return }
        await authenticator.forget(Data(credential), of: domain)
    }

    // MARK: What a passkey shows

    func passkeyProof(
        from authenticator: any PasskeyAuthenticator, presentation: PasskeyPresentation
    ) async throws(OkaeriError) -> PasskeyProof {
        while true {
            let raw = try await exchange(
                APICall(.post, APIPath.requestPasskeyLogIn), session: nil, tries: configuration.retry.maximumTries)
            let options = try raw.decoded(PasskeyRequestResponse.self).publicKey
            let request = try PasskeyOptions.request(options, presentation)
            let assertion: PasskeyAssertion?
            switch presentation {
            case .sheet, .ifAvailable: assertion = try await authenticator.assert(request)
            case .autoFill: assertion = try await waiting(for: request, from: authenticator)
            }
            if let assertion {
                return PasskeyProof(assertion: assertion, domain: request.domain, authenticator: authenticator)
            }
        }
    }

    /// - Returns: `nil` when the challenge is about to end.
    private func waiting(
        for request: PasskeyRequest, from authenticator: any PasskeyAuthenticator
    ) async throws(OkaeriError) -> PasskeyAssertion? {
        let clock = clock
        let results = await withTaskGroup(of: Result<PasskeyAssertion, OkaeriError>?.self) { group in
            group.addTask {
                do throws(OkaeriError) {
                    return .success(try await authenticator.assert(request))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // The last fifteen seconds are for the person who has begun.
                do throws(CancellationError) {
                    try await clock.sleep(for: request.lifetime - .seconds(15))
                } catch {
                    return .failure(.cancelled)
                }
                return nil
            }
            var results: [Result<PasskeyAssertion, OkaeriError>?] = []
            while let result = await group.next() {
                results.append(result)
                group.cancelAll()
            }
            return results
        }
        if Task.isCancelled { throw .cancelled }
        // A passkey that came in the moment in which the time was over counts all the same.
        for case .success(let assertion)? in results { return assertion }
        guard case .some(let first) = results.first, let first else { return nil }
        return try first.get()
    }

    func logIn(with proof: PasskeyProof, restoring: Bool) async throws(OkaeriError) -> Welcome {
        try await telling(proof) { () async throws(OkaeriError) in
            var call = try APICall(
                .post, APIPath.logInWithPasskey,
                body: PasskeyLogInBody(credential: proof.body, device: self.configuration.device.body),
                idempotencyKey: self.randomness.unguessableName())
            call.restores = restoring
            return try await self.logInAsMember(
                call, tries: self.configuration.retry.maximumTries, passkey: proof.body.id
            ) { raw throws(OkaeriError) in
                MemberLogIn(response: try raw.decoded(LogInResponse.self))
            }.welcome
        }
    }

    func reauthenticate(with proof: PasskeyProof) async throws(OkaeriError) {
        try await telling(proof) { () async throws(OkaeriError) in
            try await self.reauthenticate(ReauthenticationBody(passkey: proof.body))
        }
    }

    func mergeConflict(by proof: PasskeyProof) async throws(OkaeriError) -> MergeConflict? {
        do throws(OkaeriError) {
            try await telling(proof) { () async throws(OkaeriError) in
                var call = try APICall(.post, APIPath.mergeByPasskey, body: PasskeyMergeBody(credential: proof.body))
                call.isProven = true
                _ = try await self.authenticated(call)
            }
            return nil
        } catch {
            guard case .conflict(let conflict) = error else { throw error }
            return conflict
        }
    }

    /// Tells the authenticator of a passkey that leads to nobody.
    private func telling<Value: Sendable>(
        _ proof: PasskeyProof, _ call: () async throws(OkaeriError) -> Value
    ) async throws(OkaeriError) -> Value {
        do throws(OkaeriError) {
            return try await call()
        } catch {
            if case .passkeyRefused(.unknown) = error {
                await proof.authenticator.forget(proof.assertion.id, of: proof.domain)
            }
            throw error
        }
    }
}

extension OkaeriError {
    /// Whether the server has certainly not taken a passkey that it was sent: one whose response got lost may be there.
    fileprivate var isAboutThisPasskey: Bool {
        switch self {
        case .passkeyRefused, .invalidValues: true
        default: false
        }
    }
}
