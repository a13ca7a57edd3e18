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
        let began = record.epoch
        let session: VaultRecord.StoredSession
        if let stored = record.session {
            session = stored
        } else {
            session = try await renew(nil)
            try check(began)
        }
        let response = try await repeating(call, in: session, began: began)
        try check(began)
        if self.record?.session != nil, machine.confirmedSession != self.record?.session?.id {
            handle(.confirmed(session: self.record?.session?.id))
            publishState()
        }
        readNoticeCount(response)
        return SessionResponse(response: response, epoch: began)
    }

    private func repeating(
        _ call: APICall, in session: VaultRecord.StoredSession, began: Int64
    ) async throws(OkaeriError) -> TransportResponse {
        do throws(OkaeriError) {
            return try await exchange(call, session: session, tries: configuration.retry.maximumTries)
        } catch {
            switch error {
            case .sessionEnded:
                try check(began)
                let renewed = try await renew(session.token)
                try check(began)
                return try await exchange(call, session: renewed, tries: configuration.retry.maximumTries)
            case .userDisabled:
                await endTemporary()
                await change(.logOut(epoch: began))
                throw error
            default:
                throw error
            }
        }
    }

    /// Sees to it that the same user is still logged in.
    private func check(_ began: Int64) throws(OkaeriError) {
        guard let record, record.epoch != began else { return }
        throw record.loggedInUser == nil ? .loggedOutMeanwhile : .userChanged
    }
}
