import Foundation
import OkaeriWire

extension SessionKeeper {
    /// A response, with the epoch in which its call was made: it may change nothing in another.
    struct SessionResponse {
        let response: TransportResponse
        let epoch: Int64
        /// The user whose call it was.
        let user: User.ID?
        /// Of a call that changes something: from when the copy of the user was that the device had before it. While it has that
        /// copy, the response is newer, whatever has become of the server's clock. A call that only reads may be answered by a standby.
        let copy: WireTime?
        /// Whether it says only that what the call removes is gone already, by an earlier try whose response got lost.
        var isRefusal: Bool { !(200..<300).contains(response.status) }

        /// Sees to it that the user whom the response describes is the one who asked, and not one whose response something on
        /// the way has kept.
        ///
        /// - Throws: `OkaeriError.unexpectedResponse`.
        func check(_ body: UserBody) throws(OkaeriError) {
            guard body.id == user else { throw .unexpectedResponse(status: response.status) }
        }
    }

    /// Sends a call in the user's session. A dead session is renewed with the device's key, and the call repeated once.
    func authenticated(_ call: APICall) async throws(OkaeriError) -> SessionResponse {
        let record = try await read()
        guard record.loggedInUser != nil else { throw .notLoggedIn }
        let session: VaultRecord.StoredSession
        if let stored = record.session {
            session = stored
        } else {
            session = try await renew(nil)
            try check(record)
        }
        let response = try await repeating(call, in: session, began: record)
        try check(record)
        if self.record?.session != nil, machine.confirmedSession != self.record?.session?.id {
            handle(.confirmed(session: self.record?.session?.id))
            publishState()
        }
        let received = SessionResponse(
            response: response, epoch: record.epoch, user: record.loggedInUser?.id,
            copy: call.method == .get ? nil : record.loggedInUser?.updatedAt)
        if !received.isRefusal { readNoticeCount(response) }
        return received
    }

    private func repeating(
        _ call: APICall, in session: VaultRecord.StoredSession, began: VaultRecord
    ) async throws(OkaeriError) -> TransportResponse {
        do throws(OkaeriError) {
            return try await send(call, in: session, began: began)
        } catch {
            switch error {
            case .sessionEnded:
                // A proof of presence may have replaced the token, and its response be on the way.
                if !call.replacesToken { _ = await reauthentication?.value }
                try check(began)
                try await lookForToken(after: session.token, began: began)
                let renewed = try await renew(session.token)
                try check(began)
                return try await send(call, in: renewed, began: began)
            case .userDisabled:
                try check(began)
                disabledUser = began.loggedInUser?.id
                await endTemporary(because: .ended)
                await change(.logOut(epoch: began.epoch))
                throw error
            default:
                throw error
            }
        }
    }

    /// Sends a call in a session. One that brings the session another token is alone among all processes, so that none of them gives
    /// the token of before up for dead until the other is stored.
    private func send(
        _ call: APICall, in session: VaultRecord.StoredSession, began: VaultRecord
    ) async throws(OkaeriError) -> TransportResponse {
        guard call.replacesToken else {
            return try await exchange(call, session: session, tries: configuration.retry.maximumTries)
        }
        let lock = try await logInLock()
        defer { lock.release() }
        let known = try await read().session
        try check(began)
        let stored = known?.id == session.id ? known ?? session : session
        let current = try await settleLostPresence(in: stored, began: began)
        return try await replaceToken(by: call, in: current, began: began)
    }

    private func replaceToken(
        by call: APICall, in session: VaultRecord.StoredSession, began: VaultRecord
    ) async throws(OkaeriError) -> TransportResponse {
        do throws(OkaeriError) {
            let response = try await exchange(call, session: session, tries: configuration.retry.maximumTries)
            let renewed = try response.decoded(ReauthenticationResponse.self).session
            let after = await change(
                .renewToken(session: renewed.id, Secret(renewed.token), epoch: began.epoch))
            // After a log-out on the way the server knows the session by this token alone.
            if !after.pendingRevocations.isEmpty { workInBackground() }
            lostPresence = nil
            return response
        } catch {
            switch error {
            case .offline, .serverUnavailable, .cancelled, .unexpectedResponse: noteLost(call, in: session)
            // Nobody looked at it this time. What is known of an earlier one is known still.
            case .rateLimited, .storageLocked, .storageUnavailable: break
            default: lostPresence = nil
            }
            forgetLostPresenceInTime()
            throw error
        }
    }

    /// Keeps a proof of presence without a response: the server may have taken it.
    func noteLost(_ call: APICall, in session: VaultRecord.StoredSession?) {
        guard call.replacesToken, let session else { return }
        lostPresence = (call, session.token, clock.now.addingTimeInterval(600))
    }

    /// Keeps a proof of presence, which may hold a password, no longer than it is of use.
    private func forgetLostPresenceInTime() {
        lostPresenceEnd?.cancel()
        guard let until = lostPresence?.until else { return }
        // Nobody awaits this task: it holds the keeper only at its end, and the keeper's end cancels it.
        lostPresenceEnd = Task { [weak self, clock] in
            // Cancelled means that there is a newer one, or no keeper any more.
            guard (try? await clock.sleep(for: .seconds(600))) != nil else { return }
            await self?.forgetLostPresence(until)
        }
    }

    private func forgetLostPresence(_ until: Date) {
        if lostPresence?.until == until { lostPresence = nil }
    }

    /// Looks for the token that may have taken another's turn, where the device's key cannot bring one: another process may be
    /// about to store it, and a proof of presence whose response got lost gets it again.
    private func lookForToken(after dead: Secret, began: VaultRecord) async throws(OkaeriError) {
        let isLost = lostPresence?.token == dead
        guard isLost || temporary != nil || record?.keyLeadsElsewhere == true else { return }
        let lock = try await logInLock()
        defer { lock.release() }
        let known = try await read()
        try check(began)
        if let session = known.session { _ = try await settleLostPresence(in: session, began: began) }
    }

    /// Sends a proof of presence again whose response got lost, before anything else is done with a token that it may have replaced.
    ///
    /// - Returns: The session with the token that it has now.
    private func settleLostPresence(
        in session: VaultRecord.StoredSession, began: VaultRecord
    ) async throws(OkaeriError) -> VaultRecord.StoredSession {
        guard let lost = lostPresence, lost.token == session.token, clock.now < lost.until else { return session }
        do throws(OkaeriError) {
            _ = try await replaceToken(by: lost.call, in: session, began: began)
        } catch {
            // Whether it was replaced is not known yet: nobody is logged out for that.
            if lostPresence != nil { throw error }
        }
        try check(began)
        return record?.session ?? session
    }

    /// Sees to it that the same user is still logged in. A device that was forgotten counts its epochs from the beginning.
    private func check(_ began: VaultRecord) throws(OkaeriError) {
        guard let record else { return }
        let isSame = record.epoch == began.epoch && record.loggedInUser?.id == began.loggedInUser?.id
        guard !isSame else { return }
        guard record.loggedInUser == nil else { throw .userChanged }
        // Of several calls at once one learns it first. It is the same for the others.
        let isDisabled = disabledUser == began.loggedInUser?.id && record.reasonLoggedOut == .ended
        throw isDisabled ? .userDisabled : .loggedOutMeanwhile
    }
}
