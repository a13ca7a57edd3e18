import Foundation
import OkaeriWire

extension SessionKeeper {
    /// One log-in from beginning to end: alone among all processes, and without effect when it comes too late.
    func logIn(for reason: LogInReason) async throws(OkaeriError) -> LogInResult {
        if case .asked(let order) = reason { wanted = order }
        let before = try await read()
        try await refuseOtherUser(before, for: reason)
        if let known = try standing(before, for: reason) { return known }
        do throws(OkaeriError) {
            return try await logInAlone(for: reason, since: before)
        } catch {
            return try await answer(error, for: reason, with: before)
        }
    }

    private func logInAlone(
        for reason: LogInReason, since before: VaultRecord
    ) async throws(OkaeriError) -> LogInResult {
        let lock = try await logInLock()
        defer { lock.release() }
        let record = try await read()
        if record.generation != before.generation {
            // Another process was faster: its session is as good as one of our own.
            if let result = LogInResult(record) {
                wanted = nil
                return result
            }
            if case .renewal = reason { throw .loggedOutMeanwhile }
        }
        return try await ask(for: reason, after: record)
    }

    /// What needs no server: a renewal for which there is nobody, or which has happened already.
    private func standing(_ record: VaultRecord, for reason: LogInReason) throws(OkaeriError) -> LogInResult? {
        guard case .renewal(let dead) = reason else { return nil }
        guard record.loggedInUser != nil else { throw .notLoggedIn }
        guard let session = record.session, session.token != dead else { return nil }
        return LogInResult(record)
    }

    func logInLock() async throws(OkaeriError) -> VaultLock {
        do throws(VaultError) {
            return try await vault.lock(.logIn, for: application)
        } catch {
            throw OkaeriError(error)
        }
    }

    private func ask(for reason: LogInReason, after record: VaultRecord) async throws(OkaeriError) -> LogInResult {
        var order = LogInOrder(
            body: AutomaticLogInBody(device: configuration.device.body), idempotencyKey: randomness.unguessableName())
        var tries = configuration.retry.maximumTries
        if case .asked(let wanted) = reason {
            order = wanted
            unanswered = wanted
            // With a copy at hand nobody waits: the other tries happen in the background.
            if record.loggedInUser != nil { tries = 1 }
        }
        let call = try APICall(
            .post, APIPath.logInAutomatically, body: order.body, idempotencyKey: order.idempotencyKey)
        // The key comes first: an account whose key could not be kept would be lost.
        let key = try await deviceKey()
        let era = era
        let response = try await exchange(call, session: nil, key: key, tries: tries)
        let answer = try response.decoded(LogInResponse.self)
        unanswered = nil
        guard era == self.era else {
            await change { $0.revokeLater(Secret(answer.session.token)) }
            workInBackground()
            throw .loggedOutMeanwhile
        }
        let result = try await accept(answer, after: record)
        hear(response)
        return result
    }

    /// Takes the answer over, unless somebody logged in or out since the log-in began.
    func accept(_ answer: LogInResponse, after record: VaultRecord) async throws(OkaeriError) -> LogInResult {
        let generation = record.generation
        let token = Secret(answer.session.token)
        let confirmedBefore = confirmedSession
        confirmedSession = answer.session.id
        let after = await change { record in
            if record.generation == generation {
                record.logIn(answer)
                record.keyUser = answer.user.id
            } else if record.session?.token != token {
                record.revokeLater(token)
            }
        }
        guard after.session?.token == token else {
            confirmedSession = confirmedBefore
            workInBackground()
            tellState()
            guard let result = LogInResult(after) else { throw .loggedOutMeanwhile }
            return result
        }
        wanted = nil
        if !after.pendingRevocations.isEmpty { workInBackground() }
        guard let result = LogInResult(after) else { throw .loggedOutMeanwhile }
        return result
    }

    /// What a failed log-in means: a server out of reach is answered from the copy, a refusal is final.
    private func answer(
        _ error: OkaeriError, for reason: LogInReason, with record: VaultRecord
    ) async throws(OkaeriError) -> LogInResult {
        switch error {
        case .offline, .serverUnavailable, .rateLimited:
            guard case .asked = reason, let user = record.loggedInUser, self.record?.epoch == record.epoch else {
                settle(reason, isAnswered: false)
                throw error
            }
            workInBackground()
            return LogInResult(
                welcome: .known(User(user), lastLogIn: user.lastLogInAt.map(Date.init(_:))), session: nil)
        case .userDisabled, .userDeleted, .deviceKeyRemoved:
            let epoch = record.epoch
            await change { if $0.epoch == epoch { $0.logOut() } }
        case .storageLocked:
            workInBackground()
            throw error
        default:
            break
        }
        settle(reason, isAnswered: true)
        throw error
    }

    /// Stops waiting for a log-in that failed, unless a newer one is wanted by now.
    private func settle(_ reason: LogInReason, isAnswered: Bool) {
        guard case .asked(let order) = reason else { return }
        if wanted?.idempotencyKey == order.idempotencyKey { wanted = nil }
        if isAnswered, unanswered?.idempotencyKey == order.idempotencyKey { unanswered = nil }
    }
}

extension LogInResult {
    /// The log-in that a record holds; `nil` when nobody is logged in.
    init?(_ record: VaultRecord) {
        guard let session = record.session, let body = record.loggedInUser else { return nil }
        let user = User(body)
        let previous = record.welcome?.previousLogInAt.map(Date.init(_:))
        self.init(
            welcome: record.welcome?.isNew == true ? .firstVisit(user) : .known(user, lastLogIn: previous),
            session: session)
    }
}
