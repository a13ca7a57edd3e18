import OkaeriWire

/// A log-in by something that a person types.
enum TypedLogIn: Sendable {
    case signUp(SignUpBody)
    case password(PasswordLogInBody)
    case code(LogInCodeBody, email: String)
    case adoption(AdoptionBody)
    /// The end of a log-in that is not to be remembered, signed by the key with which it began.
    case secondFactor(APICall, keySlot: Int?)

    /// The call for a try, with what it says of the device.
    func call(device: DeviceBody?, joinsDevice: Bool, name: String) throws(OkaeriError) -> APICall {
        func call(_ path: String, _ body: some LogInBody) throws(OkaeriError) -> APICall {
            var body = body
            body.device = device
            body.joinsDevice = joinsDevice
            return try APICall(.post, path, body: body, idempotencyKey: name)
        }
        switch self {
        case .signUp(let body): return try call(APIPath.signUp, body)
        case .password(let body): return try call(APIPath.logInWithPassword, body)
        case .code(let body, _): return try call(APIPath.logInWithCode, body)
        case .adoption(let body): return try call(APIPath.adopt, body)
        case .secondFactor(let call, _): return call
        }
    }

    /// Whether the log-in cannot be that of the user to whom the device's key leads.
    func leadsAway(from record: VaultRecord) -> Bool {
        let isOfStranger = again == nil && record.isKeyOfStranger
        guard let keyUser = record.keyUser, !isOfStranger else { return isOfStranger }
        switch self {
        case .signUp: return true
        // A second call does no harm to the old session; the token of a service counts once.
        case .adoption(let body): return OldProtocol(rawValue: body.protocolName) == nil
        case .secondFactor: return false
        // An anonymous user has no password.
        case .password: return record.isKeyOfGuest
        // A code works once, so there is no trying the key first: only who is known to have the address keeps it.
        case .code(_, let email):
            let isOwner = record.user?.id == keyUser && record.user?.email?.lowercased() == email.lowercased()
            return !isOwner && !record.isKeyLocked(of: email)
        }
    }

    /// The key that signs the first try: that of a user who has left this device before and types the same now, or else the one in
    /// use, where that may be this user's.
    func firstKeySlot(in record: VaultRecord) -> Int {
        let isAway = leadsAway(from: record)
        let known: Int? =
            switch self {
            case .password(let body): record.formerKeySlot(of: body.identifier)
            case .code(_, let email) where isAway: record.formerKeySlot(of: email)
            case .signUp, .code, .adoption, .secondFactor: nil
            }
        return known ?? (isAway ? record.nextKeySlot : record.keySlot)
    }

    /// The same log-in once more, with another key; `nil` for what counts once, and so keeps the session that it has.
    var again: TypedLogIn? {
        switch self {
        case .password: self
        // The user is there by now.
        case .signUp(let body): body.logIn.map(TypedLogIn.password)
        case .adoption(let body): OldProtocol(rawValue: body.protocolName) == nil ? nil : self
        case .code, .secondFactor: nil
        }
    }
}

extension SessionKeeper {
    /// Logs in, whatever user was logged in before. Cancelling the caller does not stop it. Where no turn is given, it is asked
    /// for now.
    func logIn(
        _ typed: TypedLogIn, _ rememberMe: RememberMe, restoring: Bool = false, in turn: LogInTurn? = nil
    ) async throws(OkaeriError) -> LogInResponse {
        let turn = turn ?? nextTurn()
        return try await logIn(in: turn) { () async throws(OkaeriError) in
            try await self.logInAlone(typed, rememberMe, restoring, turn)
        }
    }

    private func logInAlone(
        _ typed: TypedLogIn, _ rememberMe: RememberMe, _ restoring: Bool, _ turn: LogInTurn
    ) async throws(OkaeriError) -> LogInResponse {
        let before = try await read()
        let response: LogInResponse
        switch rememberMe {
        case .automatic: response = try await logInToStay(typed, restoring, before, turn)
        case .untilQuit, .never:
            response = try await logInTemporarily(typed, rememberMe, restoring, before, turn)
        }
        handle(.replaced)
        handle(.confirmed(session: response.session.id))
        publishState()
        if record?.pendingRevocations.isEmpty == false { workInBackground() }
        return response
    }

    private func logInToStay(
        _ typed: TypedLogIn, _ restoring: Bool, _ before: VaultRecord, _ turn: LogInTurn
    ) async throws(OkaeriError) -> LogInResponse {
        // A log-in that is not remembered knows nothing of log-outs in other processes.
        let stored = try await readVault()
        let device = configuration.device.body
        let first = try await usableSlot(from: typed.firstKeySlot(in: before))
        var (response, slot) = try await askToStay(typed, device: device, slot: first, restoring)
        try await check(response, in: turn)
        var leadsHere = try await joined(response, slot)
        var abandoned: [Secret] = []
        // A key that leads to somebody else stays with them, and this log-in gets one of its own: the next one, which may
        // be that of an earlier try, and where that is somebody else's too, one with which nobody has tried.
        for isUntried in [false, true] where !leadsHere {
            guard let again = typed.again else { break }
            let next: Int
            let other: LogInResponse
            do throws(OkaeriError) {
                next = try await nextSlot(after: slot, isUntried: isUntried)
                other = try await ask(again, device: device, joinsDevice: true, slot: next, restoring)
            } catch {
                // The user who signed up is there, and logged in.
                if case .signUp = typed { break }
                await giveUp(abandoned + [Secret(response.session.token)])
                throw error
            }
            abandoned.append(Secret(response.session.token))
            (response, slot) = (other, next)
            try await check(response, in: turn, abandoned)
            leadsHere = try await joined(response, slot)
        }
        await endTemporary()
        try await check(response, in: turn, abandoned)
        let after = await change(
            .replace(response, after: stored.counts, keySlot: slot, abandoned: abandoned, leadsHere: leadsHere))
        guard after.session?.id == response.session.id else {
            workInBackground()
            throw after.loggedInUser == nil ? .loggedOutMeanwhile : .userChanged
        }
        return response
    }

    /// Asks for a log-in that is to stay. One that lacks the second factor has no response that says to whom the key leads, and ends
    /// with the key with which it began: where the server says that this one is somebody else's, it begins again with the next,
    /// before the person is asked for anything. Where that fails, the challenge from before holds: its session is alone.
    private func askToStay(
        _ typed: TypedLogIn, device: DeviceBody?, slot: Int, _ restoring: Bool, untried: [Bool] = [false, true]
    ) async throws(OkaeriError) -> (LogInResponse, Int) {
        let challenged: OkaeriError
        do throws(OkaeriError) {
            return (try await ask(typed, device: device, joinsDevice: true, slot: slot, restoring), slot)
        } catch {
            challenged = error
        }
        guard challenged.secondFactorChallenge?.joinsDevice == false, let again = typed.again,
            let isUntried = untried.first
        else { throw challenged }
        do throws(OkaeriError) {
            let next = try await nextSlot(after: slot, isUntried: isUntried)
            return try await askToStay(
                again, device: device, slot: next, restoring, untried: Array(untried.dropFirst()))
        } catch {
            throw error.secondFactorChallenge == nil ? challenged : error
        }
    }

    /// The key after one that is somebody else's: the next one, which may be that of an earlier try, or one with which nobody has
    /// tried.
    private func nextSlot(after slot: Int, isUntried: Bool) async throws(OkaeriError) -> Int {
        let used = record.map { isUntried ? $0.lastKeySlot : $0.nextKeySlot - 1 } ?? 0
        return try await usableSlot(from: max(slot, used) + 1)
    }

    private func logInTemporarily(
        _ typed: TypedLogIn, _ rememberMe: RememberMe, _ restoring: Bool, _ before: VaultRecord, _ turn: LogInTurn
    ) async throws(OkaeriError) -> LogInResponse {
        let isKnown = rememberMe == .untilQuit
        var slot: Int?
        if isKnown || before.proofRequired { slot = try await usableSlot(from: before.keySlot) }
        if case .secondFactor(_, let keySlot) = typed { slot = keySlot }
        let response = try await ask(
            typed, device: isKnown ? configuration.device.body : nil, joinsDevice: false, slot: slot, restoring,
            rememberMe)
        // One that gives way logs nobody out.
        try await check(response, in: turn)
        await endTemporary()
        let stored = await change(.logOut(epoch: nil))
        try await check(response, in: turn)
        // What the device knows of its keys counts for this log-in too.
        var present = stored
        if let slot { present.keySlot = slot }
        present.logIn(response)
        temporary = present
        // Where every request needs a proof, the log-in had one.
        isTemporaryKeyless = slot == nil && !stored.proofRequired
        self.present(present)
        return response
    }

    private func ask(
        _ typed: TypedLogIn, device: DeviceBody?, joinsDevice: Bool, slot: Int?, _ restoring: Bool,
        _ rememberMe: RememberMe = .automatic
    ) async throws(OkaeriError) -> LogInResponse {
        var call = try typed.call(
            device: device, joinsDevice: joinsDevice, name: randomness.unguessableName())
        call.restores = call.restores || restoring
        var key: (any DeviceKey)?
        if let slot { key = try await joinsDevice ? triedKey(slot) : deviceKey(slot) }
        do throws(OkaeriError) {
            let response = try await exchange(call, session: nil, key: key, tries: configuration.retry.maximumTries)
            return try response.decoded(LogInResponse.self)
        } catch {
            throw error.began(
                .init(keySlot: slot, rememberMe: rememberMe, device: device, restores: call.restores))
        }
    }

    private func joined(_ response: LogInResponse, _ slot: Int) async throws(OkaeriError) -> Bool {
        response.user.hasDeviceKey(try await deviceKey(slot).publicKey.thumbprint)
    }

    /// Ends a log-in that was not to be remembered; the vault's record counts again.
    ///
    /// - Parameter reason: Why, when it was not the person who wanted it.
    func endTemporary(because reason: OkaeriState.LogOutReason? = nil) async {
        guard let leaving = temporary else { return }
        temporary = nil
        await change(.endTemporary(leaving, reason))
        workInBackground()
    }
}

extension SignUpBody {
    /// What the new user logs in with; `nil` without a password.
    fileprivate var logIn: PasswordLogInBody? {
        guard let identifier = username ?? email ?? phone, let password else { return nil }
        return PasswordLogInBody(identifier: identifier, password: password)
    }
}

/// The body of a log-in that says of which device it is.
private protocol LogInBody: Encodable {
    var device: DeviceBody? { get set }
    var joinsDevice: Bool? { get set }
}

extension SignUpBody: LogInBody {}
extension PasswordLogInBody: LogInBody {}
extension LogInCodeBody: LogInBody {}
extension AdoptionBody: LogInBody {}
