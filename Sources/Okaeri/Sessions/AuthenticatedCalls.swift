import Foundation
import OkaeriWire

extension SessionKeeper {
    /// A response, with the epoch in which its call was made: it may change nothing in another.
    struct SessionResponse {
        let response: TransportResponse
        let epoch: Int64
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
        readNoticeCount(response)
        return SessionResponse(response: response, epoch: record.epoch)
    }

    private func repeating(
        _ call: APICall, in session: VaultRecord.StoredSession, began: VaultRecord
    ) async throws(OkaeriError) -> TransportResponse {
        do throws(OkaeriError) {
            return try await exchange(call, session: session, tries: configuration.retry.maximumTries)
        } catch {
            switch error {
            case .sessionEnded:
                // A proof of presence may have replaced the token, and its response be on the way.
                if !call.replacesToken { _ = await reauthentication?.value }
                try check(began)
                let renewed = try await renew(session.token)
                try check(began)
                return try await exchange(call, session: renewed, tries: configuration.retry.maximumTries)
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
