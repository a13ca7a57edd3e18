import Foundation
import OkaeriWire

extension SessionKeeper {
    /// What would become of two users.
    func preview(_ conflict: MergeConflict) async throws(OkaeriError) -> MergePreview {
        let body = MergePreviewBody(ticket: conflict.ticket.revealed)
        let answered = try await authenticated(APICall(.post, APIPath.mergePreview, body: body))
        let answer = try answered.response.decoded(MergePreviewResponse.self)
        return MergePreview(current: User(answer.current), other: User(answer.other), merged: User(answer.merged))
    }

    /// Resolves a conflict, and goes on as whoever was chosen.
    func resolve(_ conflict: MergeConflict, by choice: MergeChoice) async throws(OkaeriError) -> MergeResult {
        let body = MergeBody(ticket: conflict.ticket.revealed, choice: choice.rawValue)
        let answered = try await authenticated(APICall(.post, APIPath.merge, body: body))
        let answer = try answered.response.decoded(MergeResponse.self)
        if let session = answer.session {
            handle(.confirmed(session: session.id))
            let logIn = LogInResponse(
                isNew: false, user: answer.user, previousLogInAt: answer.user.previousLogInAt, session: session)
            let thumbprint = try await deviceKey().publicKey.thumbprint
            let leadsHere = answer.user.identities.contains { $0.provider == "device" && $0.subject == thumbprint }
            await change(.merge(logIn, leadsHere: leadsHere, epoch: answered.epoch))
        }
        return MergeResult(
            user: User(answer.user), merge: answer.merge, leftUser: answer.leftUser.map(LeftUser.init(_:)))
    }

    /// Takes a merge apart again.
    func undoMerge(_ merge: String) async throws(OkaeriError) {
        var call = try APICall(.post, APIPath.undoMerge, body: UndoMergeBody(merge: merge))
        call.isProven = true
        _ = try await authenticated(call)
    }
}
