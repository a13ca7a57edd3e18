import OkaeriWire

/// The response to a log-in of somebody who is no guest, and why it does not count, if it does not.
struct MemberLogIn: Sendable {
    let response: LogInResponse
    var refusal: OkaeriError?
}

extension SessionKeeper {
    /// Does to its end what a cancelled caller would lose a session by.
    func toTheEnd<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(OkaeriError) -> Value
    ) async throws(OkaeriError) -> Value {
        // Awaited at once: it only keeps a cancelled caller from losing the session.
        let task = Task { () async -> Result<Value, OkaeriError> in
            do throws(OkaeriError) {
                return .success(try await work())
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    /// Logs in somebody who is no guest: by the hosted pages, by a passkey or with a second factor. It is alone among all processes, as every
    /// log-in. Cancelling the caller does not stop it: what proves the user is good once.
    ///
    /// - Parameters:
    ///   - call: What to send.
    ///   - tries: How many times at most when the server is away.
    ///   - keySlot: The key that signs it; `nil` for the one that fits.
    ///   - provider: The provider that proved the user, if one did.
    ///   - passkey: The passkey that did.
    ///   - read: Takes the response.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`; `.loggedOutMeanwhile` when somebody logged out, `.userChanged` when another process went on with
    ///   another user.
    func logInAsMember(
        _ call: APICall, tries: Int, keySlot: Int? = nil, provider: String? = nil, passkey: String? = nil,
        read: @escaping @Sendable (TransportResponse) throws(OkaeriError) -> MemberLogIn
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        try await toTheEnd { () async throws(OkaeriError) in
            try await self.logInAlone(call, tries, keySlot, provider, passkey, read)
        }
    }

    private func logInAlone(
        _ call: APICall, _ tries: Int, _ keySlot: Int?, _ provider: String?, _ passkey: String?,
        _ read: @Sendable (TransportResponse) throws(OkaeriError) -> MemberLogIn
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        let lock = try await logInLock()
        defer { lock.release() }
        // A log-in that is not remembered ends with the one that takes its place, not with a try.
        let before = try await readVault()
        // The guest of this device keeps the key, and so does a registered user who has logged out; somebody else gets one of
        // their own. Of whom the pages logged in that cannot be known before: as a rule somebody who comes back.
        let isGuest = before.keyUser != nil && before.user?.id == before.keyUser && before.user?.isAnonymous == true
        let isSomebodyElse = isGuest || passkey.map { before.isKeyLocked(against: $0) } ?? false
        let slot = try await usableSlot(from: keySlot ?? before.keySlot + (isSomebodyElse ? 1 : 0))
        let key = try await triedKey(slot)
        let era = machine.era
        let raw: TransportResponse
        do throws(OkaeriError) {
            raw = try await exchange(call, session: nil, key: key, tries: tries)
        } catch {
            throw error.began(
                .init(keySlot: slot, device: configuration.device.body, provider: provider, restores: call.restores))
        }
        let logIn = try read(raw)
        let token = Secret(logIn.response.session.token)
        let refusal = era == machine.era ? logIn.refusal : .loggedOutMeanwhile
        if let refusal {
            await change(.revoke(token))
            workInBackground()
            throw refusal
        }
        handle(.replaced)
        let leadsHere = logIn.response.user.identities.contains {
            $0.provider == "device" && $0.subject == key.publicKey.thumbprint
        }
        let result = try await accept(
            logIn.response, after: before,
            key: RecordChange.KeyAssignment(
                token: token, provider: provider, keySlot: slot, leadsHere: leadsHere,
                otherUser: slot == before.keySlot ? before.keyUser : nil, formerToken: before.session?.token))
        return SecondFactorLogIn(
            welcome: result.welcome, recoveryCodes: logIn.response.recoveryCodes.map(RecoveryCodes.init(_:)))
    }
}
