import OkaeriWire

extension SessionKeeper {
    /// Gives the anonymous user what it takes to come back from anywhere.
    func upgrade(_ body: UpgradeBody) async throws(OkaeriError) -> User {
        var call = try APICall(
            .post, APIPath.upgrade, body: body, idempotencyKey: randomness.unguessableName())
        // The key proves that the owner is there, so that no session is too old for it.
        call.isProven = true
        do throws(OkaeriError) {
            return try await takeUser(call)
        } catch {
            // The response to an earlier try may have got lost: the app must not go on offering what is done.
            if case .alreadyRegistered = error { _ = try? await reloadUser() }
            throw error
        }
    }

    /// Another password; the number of other sessions that ended.
    func changePassword(from current: String?, to new: String) async throws(OkaeriError) -> Int {
        // Apart, and first: where a response gets lost, the change is sent again, and the password of before is wrong by
        // then.
        if let current { try await reauthenticate(ReauthenticationBody(password: current)) }
        let body = PasswordChangeBody(currentPassword: nil, newPassword: new)
        let received = try await authenticated(APICall(.put, APIPath.password, body: body))
        return try received.response.decoded(EndedSessionsResponse.self).ended
    }

    /// Makes the session fresh, and takes over its new token: one call after the other, as each ends the token of the next.
    /// Cancelling the caller does not stop it: the token of before counts no more.
    func reauthenticate(_ body: ReauthenticationBody) async throws(OkaeriError) {
        let former = reauthentication
        // Awaited at once: it only keeps a cancelled caller from losing the session.
        let task = Task { () async -> Result<Void, OkaeriError> in
            _ = await former?.value
            do throws(OkaeriError) {
                try await self.renewToken(by: body)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        reauthentication = task
        let result = await task.value
        if reauthentication == task { reauthentication = nil }
        try result.get()
    }

    private func renewToken(by body: ReauthenticationBody) async throws(OkaeriError) {
        var call = try APICall(
            .post, APIPath.reauthenticate, body: body, idempotencyKey: randomness.unguessableName())
        call.isProven = body == ReauthenticationBody()
        call.replacesToken = true
        _ = try await authenticated(call)
    }
}
