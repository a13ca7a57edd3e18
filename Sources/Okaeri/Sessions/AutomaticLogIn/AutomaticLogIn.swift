import Foundation
import OkaeriWire

extension SessionKeeper {
    /// Logs in with what the caller says of device and user.
    func logIn(device: DeviceInfo?, user: NewUser?) async throws(OkaeriError) -> Welcome {
        if temporary != nil {
            // The device's key would bring somebody else.
            if let known = try await greetBySession() { return known }
            await endTemporary()
        }
        deletedUser = nil
        if let known = try await greetBySession() { return known }
        let device = device ?? configuration.device
        do throws(OkaeriError) {
            return try await logIn(AutomaticLogInBody(device: device.body, user: user?.body))
        } catch {
            guard case .storageDamaged = error else { throw error }
            return try await greetWithoutKey(error)
        }
    }

    /// Greets the user whose key is lost, as long as the session holds; afterwards nobody is logged in.
    private func greetWithoutKey(_ failure: OkaeriError) async throws(OkaeriError) -> Welcome {
        let began = record?.epoch
        do throws(OkaeriError) {
            if let known = try await greetBySession(isKeyLost: true) { return known }
        } catch {
            guard case .storageDamaged = error else { throw error }
        }
        if let began, record?.loggedInUser != nil { await change(.logOut(epoch: began, .keyLost)) }
        throw failure
    }

    /// Logs in at the server, or joins the log-in that is under way.
    func logIn(_ body: AutomaticLogInBody) async throws(OkaeriError) -> Welcome {
        let name = randomness.unguessableName()
        return try await outcome { .asked(caller: $0, body: body, name: name) }.welcome
    }

    /// A session instead of a dead one, without the person's noticing.
    func renew(_ dead: Secret?) async throws(OkaeriError) -> VaultRecord.StoredSession {
        if let temporary {
            // Another call has renewed its token meanwhile.
            if let session = temporary.session, session.token != dead { return session }
            // The device's key leads to somebody else.
            await endTemporary(because: .ended)
            throw .sessionEnded
        }
        guard let session = try await outcome(of: { .renewalAsked(caller: $0, dead: dead) }).session else {
            throw .offline
        }
        return session
    }

    /// Sends an event for a caller, and waits for the outcome. A cancelled caller stops waiting; the log-in goes on.
    func outcome(of event: (Int) -> LogInMachine.Event) async throws(OkaeriError) -> LogInResult {
        nextCaller += 1
        let caller = nextCaller
        let (outcomes, continuation) = AsyncStream<LogInMachine.Outcome>.makeStream()
        waitingCallers[caller] = continuation
        handle(event(caller))
        for await outcome in outcomes { return try outcome.get() }
        waitingCallers[caller] = nil
        handle(.left(caller: caller))
        throw .cancelled
    }

    /// Sends an event that is no log-in's own step.
    func handle(_ event: LogInMachine.Event) {
        for action in machine.handle(event) { perform(action) }
    }

    private func perform(_ action: LogInMachine.Action) {
        switch action {
        case .start(let number):
            // It does not depend on the caller's task, and ends with its log-in.
            Task { await self.run(number) }
        case .resume(let caller, let outcome):
            guard let continuation = waitingCallers.removeValue(forKey: caller) else { return }
            continuation.yield(outcome)
            continuation.finish()
        case .workInBackground: workInBackground()
        case .publishState: publishState()
        // These belong to a step, and `run` performs them.
        case .perform, .unlock, .readNoticeCount: return
        }
    }

    /// What one log-in holds while it runs.
    private struct Attempt {
        var lock: VaultLock?
        var call: APICall?
        /// How a log-in that needs a second factor goes on.
        var start = SecondFactorChallenge.LogInStart()
        var key: (any DeviceKey)?
        var response: TransportResponse?
    }

    /// One log-in from start to finish: the machine decides, this performs.
    private func run(_ number: Int64) async {
        var attempt = Attempt()
        var next: LogInMachine.Work? = .read
        while let work = next {
            let step = await perform(work, &attempt)
            next = nil
            for action in machine.handle(.step(logIn: number, step)) {
                switch action {
                case .perform(let work): next = work
                case .unlock:
                    attempt.lock?.release()
                    attempt.lock = nil
                case .readNoticeCount:
                    if let response = attempt.response { readNoticeCount(response) }
                default: perform(action)
                }
            }
        }
    }

    private func perform(_ work: LogInMachine.Work, _ attempt: inout Attempt) async -> LogInMachine.Step {
        do throws(OkaeriError) {
            switch work {
            case .read:
                return .read(try await read())
            case .lock:
                attempt.lock = try await logInLock()
                return .locked
            case .prepare(let order, let keySlot):
                let order =
                    order
                    ?? LogInOrder(
                        body: AutomaticLogInBody(device: configuration.device.body),
                        idempotencyKey: randomness.unguessableName())
                attempt.call = try APICall(
                    .post, APIPath.logInAutomatically, body: order.body, idempotencyKey: order.idempotencyKey)
                attempt.call?.firstLaunch = FirstLaunch(order.body)
                // The key comes first: an account whose key could not be kept would be lost.
                let slot = keySlot ?? record?.keySlot ?? 0
                attempt.key = try await deviceKey(slot)
                attempt.start = .init(keySlot: slot, device: order.body.device)
                return .prepared
            case .send(let once):
                guard let call = attempt.call else { return .failed(.unexpectedResponse(status: 0), epoch: nil) }
                let response = try await exchange(
                    call, session: nil, key: attempt.key, tries: once ? 1 : configuration.retry.maximumTries)
                attempt.response = response
                return .responded(try response.decoded(LogInResponse.self))
            case .change(let change):
                return .changed(await self.change(change))
            }
        } catch {
            if error == .userDisabled, let user = record?.loggedInUser { disabledUser = user.id }
            return .failed(error.began(attempt.start), epoch: record?.epoch)
        }
    }

    func logInLock() async throws(OkaeriError) -> VaultLock {
        do throws(VaultError) {
            return try await vault.lock(.logIn, for: application)
        } catch {
            throw OkaeriError(error)
        }
    }

    /// Takes over the response to a log-in by other means, unless a log-in or log-out came before it.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - record: The vault's record before it.
    ///   - keySlot: The key that leads to the user from now on, if it is another one than before.
    ///   - key: The key that signed it, where that may lead to somebody else. An app that ends in between must not take it for
    ///     the user's own.
    /// - Returns: Who is logged in now, and in which session.
    /// - Throws: `OkaeriError.loggedOutMeanwhile`; `.userChanged` when somebody else is logged in by now.
    func accept(
        _ response: LogInResponse, after record: VaultRecord, keySlot: Int? = nil,
        key: RecordChange.KeyAssignment? = nil
    ) async throws(OkaeriError) -> LogInResult {
        let token = Secret(response.session.token)
        let confirmedBefore = machine.confirmedSession
        handle(.confirmed(session: response.session.id))
        var changes = [
            RecordChange.logIn(
                response, generation: record.generation, keySlot: keySlot, over: record.loggedInUser?.updatedAt)
        ]
        if let key { changes.append(.assignKey(key)) }
        if let leaving = temporary {
            // This log-in is remembered, and ends one that is not. Its end counts the generation on, and would hide that somebody
            // logged out in another process since the log-in began: it comes after it, in one step.
            temporary = nil
            changes.append(.endTemporary(leaving))
        }
        let after = await change(.each(changes))
        if after.session?.token == token {
            handle(.replaced)
            if !after.pendingRevocations.isEmpty { workInBackground() }
        } else {
            handle(.confirmed(session: confirmedBefore))
            workInBackground()
            publishState()
        }
        guard let result = LogInResult(after) else { throw .loggedOutMeanwhile }
        // A merge in another process waits for no log-in. The greeting of its user is none for the person of this one.
        guard result.welcome.user.id == response.user.id else { throw .userChanged }
        return result
    }
}
