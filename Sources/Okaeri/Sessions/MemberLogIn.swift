import OkaeriWire

/// The response to a log-in of somebody who is no guest, and why it does not count, if it does not.
struct MemberLogIn: Sendable {
    let response: LogInResponse
    var refusal: OkaeriError?
}

/// A log-in of somebody who is no guest, by what counts once.
struct MemberLogInRequest: Sendable {
    let call: APICall
    /// How many times it is sent at most when the server is away.
    let tries: Int
    /// The key that signs it, if that one is usable.
    let keySlot: Int
    /// What the call says of the device.
    let device: DeviceBody?
    /// The provider that proved the user, if one did.
    let provider: String?
}

/// When a log-in by other means than the key was asked for. It gives way to a log-out after that, and to a log-in that was
/// asked for later.
struct LogInTurn: Sendable {
    let number: Int
    let departures: Int
}

extension VaultRecord {
    /// Whether a registered user is logged in whose key the server knew no more: it has made this guest for it, now or at an earlier
    /// try whose response got lost. A guest who was there before the device last heard of the user is one to whom the key leads
    /// again, as when a merge is taken apart.
    func isMember(displacedBy response: LogInResponse) -> Bool {
        let guest = response.user
        guard let member = loggedInUser, isMember(otherThan: guest.id) else { return false }
        if response.isNew { return true }
        let lastHeard = max(member.updatedAt, member.lastLogInAt ?? member.updatedAt)
        // Whom another device has made, and this one joined, has another key or got this one later.
        let isOfThisKey = guest.identities.map { $0.provider == "device" && $0.linkedAt == guest.createdAt } == [true]
        return guest.isAnonymous && isOfThisKey && guest.createdAt > lastHeard
    }
}

extension SessionKeeper {
    /// The turn of a log-in that is asked for now.
    func nextTurn() -> LogInTurn {
        askedLogIns += 1
        return LogInTurn(number: askedLogIns, departures: departures)
    }

    /// Does a log-in to its end, alone among all processes. One that counts no more when its turn comes is not begun: what
    /// proves the user may be good once.
    ///
    /// - Throws: `.loggedOutMeanwhile` when somebody logged out since it was asked for, `.userChanged` when one that was asked
    ///   for later was faster.
    func logIn<Value: Sendable>(
        in turn: LogInTurn, _ work: @escaping @Sendable () async throws(OkaeriError) -> Value
    ) async throws(OkaeriError) -> Value {
        try await toTheEnd { () async throws(OkaeriError) -> Value in
            let lock = try await self.logInLock()
            defer { lock.release() }
            if let refusal = await self.refusal(of: turn) { throw refusal }
            let value = try await work()
            await self.finish(turn)
            return value
        }
    }

    private func finish(_ turn: LogInTurn) {
        doneLogIn = max(doneLogIn, turn.number)
    }

    /// Why a log-in does not count any more; `nil` while it does.
    private func refusal(of turn: LogInTurn) -> OkaeriError? {
        if turn.departures != departures { return .loggedOutMeanwhile }
        return turn.number < doneLogIn ? .userChanged : nil
    }

    /// Gives up what a log-in opened that counts no more.
    ///
    /// - Parameters:
    ///   - response: What it opened.
    ///   - turn: When it was asked for.
    ///   - abandoned: What its earlier tries opened.
    /// - Throws: Why it does not count.
    func check(
        _ response: LogInResponse, in turn: LogInTurn, _ abandoned: [Secret] = []
    ) async throws(OkaeriError) {
        guard let refusal = refusal(of: turn) else { return }
        await giveUp(abandoned + [Secret(response.session.token)])
        throw refusal
    }

    /// Ends sessions at the server, now or later.
    func giveUp(_ tokens: [Secret]) async {
        for token in tokens { await change(.revoke(token)) }
        workInBackground()
    }

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
    ///   - isSignUp: Whether the person asked for a new account.
    ///   - read: Takes the response.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`; `.loggedOutMeanwhile` when somebody logged out, `.userChanged` when another process went on with
    ///   another user.
    func logInAsMember(
        _ call: APICall, tries: Int, keySlot: Int? = nil, provider: String? = nil, passkey: String? = nil,
        isSignUp: Bool = false, read: @escaping @Sendable (TransportResponse) throws(OkaeriError) -> MemberLogIn
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        let turn = nextTurn()
        return try await logIn(in: turn) { () async throws(OkaeriError) -> SecondFactorLogIn in
            // A log-in that is not remembered ends with the one that takes its place, not with a try.
            let before = try await self.readVault()
            let request = MemberLogInRequest(
                call: call, tries: tries,
                keySlot: keySlot ?? before.keySlotOfMember(passkey: passkey, isSignUp: isSignUp),
                device: self.configuration.device.body, provider: provider)
            return try await self.logInAlone(request, after: before, in: turn, read: read)
        }
    }

    /// Sends a log-in of somebody who is no guest, and takes over the session that it opened.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - before: What the vault held when the log-in's turn came.
    ///   - turn: When it was asked for.
    ///   - read: Takes the response.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`, as `logInAsMember`.
    func logInAlone(
        _ request: MemberLogInRequest, after before: VaultRecord, in turn: LogInTurn,
        read: @Sendable (TransportResponse) throws(OkaeriError) -> MemberLogIn
    ) async throws(OkaeriError) -> SecondFactorLogIn {
        let slot = try await usableSlot(from: request.keySlot)
        let key = try await triedKey(slot)
        let raw: TransportResponse
        do throws(OkaeriError) {
            raw = try await exchange(request.call, session: nil, key: key, tries: request.tries)
        } catch {
            throw error.began(
                .init(
                    keySlot: slot, device: request.device, provider: request.provider,
                    restores: request.call.restores))
        }
        let logIn = try read(raw)
        let token = Secret(logIn.response.session.token)
        try await check(logIn.response, in: turn)
        if let refusal = logIn.refusal {
            await giveUp([token])
            throw refusal
        }
        // An automatic log-in that waits would bring the key's own user back.
        handle(.replaced)
        let leadsHere = logIn.response.user.hasDeviceKey(key.publicKey.thumbprint)
        let result = try await accept(
            logIn.response, after: before,
            key: RecordChange.KeyAssignment(
                token: token, provider: request.provider, keySlot: slot, leadsHere: leadsHere,
                otherUser: before.user(ofKey: slot), formerToken: before.session?.token))
        return SecondFactorLogIn(
            welcome: result.welcome, recoveryCodes: logIn.response.recoveryCodes.map(RecoveryCodes.init(_:)))
    }
}
