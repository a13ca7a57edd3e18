import Foundation
import OkaeriWire

extension SessionKeeper {
    /// Asks for the user to be deleted. The server has ended all sessions; this device forgets its own.
    func deleteUser() async throws(OkaeriError) -> Date {
        var call = APICall(.delete, APIPath.user)
        call.isProven = true
        let user = try await read().loggedInUser?.id
        let received: SessionResponse
        do throws(OkaeriError) {
            received = try await authenticated(call)
        } catch {
            // The response to an earlier try got lost: the session has ended by then, and the device's key has said why.
            guard case .userDeleted(let erasedAt?) = error else { throw error }
            deletedUser = user
            return erasedAt
        }
        let erasedAt = Date(try received.response.decoded(DeletionResponse.self).erasedAt)
        deletedUser = user
        handle(.replaced)
        await change(.forgetDeleted(epoch: received.epoch))
        return erasedAt
    }

    /// Logs in with the device's key, and brings the user back. A key that leads to somebody else than the user who was
    /// deleted here brings nobody.
    func restoreUser() async throws(OkaeriError) -> Welcome {
        let turn = nextTurn()
        return try await logIn(in: turn) { () async throws(OkaeriError) in try await self.restoreAlone(turn) }
    }

    private func restoreAlone(_ turn: LogInTurn) async throws(OkaeriError) -> Welcome {
        let record = try await read()
        let stored = try await readVault()
        if let deletedUser, let keyUser = record.keyUser, keyUser != deletedUser { throw .userChanged }
        // Who has logged out comes back by other means.
        guard !record.isKeyLocked else { throw .userChanged }
        var call = try APICall(
            .post, APIPath.logInAutomatically, body: AutomaticLogInBody(device: configuration.device.body),
            idempotencyKey: randomness.unguessableName())
        call.restores = true
        let key = try await deviceKey()
        let response = try await exchange(call, session: nil, key: key, tries: configuration.retry.maximumTries)
        let logIn = try response.decoded(LogInResponse.self)
        try await check(logIn, in: turn)
        if let deletedUser, logIn.user.id != deletedUser {
            await giveUp([Secret(logIn.session.token)])
            throw .userChanged
        }
        let result = try await accept(logIn, after: stored)
        readNoticeCount(response)
        return result.welcome
    }

    /// Everything that is stored about the user.
    func exportUser() async throws(OkaeriError) -> Data {
        var call = APICall(.get, APIPath.export)
        call.isProven = true
        let received = try await authenticated(call)
        try received.check(received.response.decoded(ExportResponse.self).user)
        return received.response.body
    }
}
