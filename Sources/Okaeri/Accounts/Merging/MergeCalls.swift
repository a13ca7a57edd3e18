import Foundation
import OkaeriWire

extension SessionKeeper {
    /// What would become of two users.
    func preview(_ conflict: MergeConflict) async throws(OkaeriError) -> MergePreview {
        let body = MergePreviewBody(ticket: conflict.ticket.revealed)
        let received = try await authenticated(APICall(.post, APIPath.mergePreview, body: body))
        let response = try received.response.decoded(MergePreviewResponse.self)
        return MergePreview(current: User(response.current), other: User(response.other), merged: User(response.merged))
    }

    /// Resolves a conflict, and goes on as the user who was chosen. Cancelling the caller does not stop it: a ticket counts
    /// once.
    func resolve(_ conflict: MergeConflict, by choice: MergeChoice) async throws(OkaeriError) -> MergeResult {
        try await toTheEnd { () async throws(OkaeriError) in
            try await self.resolveOnce(conflict, by: choice)
        }
    }

    private func resolveOnce(
        _ conflict: MergeConflict, by choice: MergeChoice
    ) async throws(OkaeriError) -> MergeResult {
        let body = MergeBody(ticket: conflict.ticket.revealed, choice: choice.rawValue)
        // The key comes first: once the server has merged, nothing may stand in the way of the new session.
        let thumbprint = try await thumbprintOfKey()
        let before = try await read()
        let received: SessionResponse
        do throws(OkaeriError) {
            received = try await authenticated(APICall(.post, APIPath.merge, body: body))
        } catch {
            guard error == .userChanged, choice != .keep, let user = userOfMovedKey(since: before) else { throw error }
            return MergeResult(user: User(user), merge: nil, leftUser: nil)
        }
        let response = try received.response.decoded(MergeResponse.self)
        if let session = response.session {
            handle(.confirmed(session: session.id))
            let logIn = LogInResponse(
                isNew: false, user: response.user, previousLogInAt: response.user.previousLogInAt, session: session)
            await change(
                .merge(logIn, leadsHere: response.user.hasDeviceKey(thumbprint), epoch: received.epoch))
        }
        return MergeResult(
            user: User(response.user), merge: response.merge, leftUser: response.leftUser.map(LeftUser.init(_:)))
    }

    /// To whom the device's key leads, if it led to another user before: the server has done what it was asked, and its
    /// response got lost. Nothing else takes a key from its user and gives it to another one.
    private func userOfMovedKey(since before: VaultRecord) -> UserBody? {
        guard let record, let user = record.loggedInUser, record.keySlot == before.keySlot,
            !before.keyLeadsElsewhere, before.keyUser == before.loggedInUser?.id,
            !record.keyLeadsElsewhere, record.keyUser == user.id
        else { return nil }
        return user
    }

    /// The name of the device's key; `nil` for one that can never be used again, which leads nowhere.
    private func thumbprintOfKey() async throws(OkaeriError) -> String? {
        try await read()
        do throws(OkaeriError) {
            return try await deviceKey().publicKey.thumbprint
        } catch {
            guard case .storageDamaged = error else { throw error }
            return nil
        }
    }

    /// Takes a merge apart again, and goes on as the user to whom the device's key leads then.
    func undoMerge(_ merge: String) async throws(OkaeriError) {
        var call = try APICall(.post, APIPath.undoMerge, body: UndoMergeBody(merge: merge))
        call.isProven = true
        _ = try await authenticated(call)
        // Where the key has gone back, its session has ended, and this is `.userChanged`. Whatever comes of it, the merge
        // is undone, and the next call finds out what this one did not.
        _ = try? await reloadUser()
    }
}
