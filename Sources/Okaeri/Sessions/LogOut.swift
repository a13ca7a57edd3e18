import Foundation
import OkaeriWire

extension SessionKeeper {
    /// Logs out on this device, whatever network and storage do, and tells the server as soon as possible.
    func logOut() async {
        departures += 1
        handle(.loggedOut)
        await endTemporary()
        let after = await change(.logOut(epoch: nil))
        guard !after.pendingRevocations.isEmpty else { return }
        // Ends with its one round; what then still waits goes on in the background.
        Task { await self.deliverLogOuts() }
    }

    /// Tells the server of log-outs that it does not know of yet, or waits for those who are doing so.
    ///
    /// - Returns: Whether none is left.
    @discardableResult
    func deliverLogOuts() async -> Bool {
        if let delivery { return await delivery.value }
        let new = Task { await self.deliverEach() }
        delivery = new
        return await new.value
    }

    private func deliverEach() async -> Bool {
        defer { delivery = nil }
        while let token = record?.pendingRevocations.first {
            do throws(OkaeriError) {
                try await end(token)
            } catch {
                // A refusal that time does not change means that the session is gone as it is. A vault that gives no key
                // for the proof now says nothing about it, nor does a page that a network shows in place of the server.
                let isTriedAgain =
                    switch error {
                    case .storageUnavailable, .unexpectedResponse: true
                    default: error.isTemporary
                    }
                if isTriedAgain {
                    workInBackground()
                    return false
                }
            }
            await change(.revoked(token))
        }
        return true
    }

    /// Ends the session of a token, which may have another one since a proof of presence whose response got lost.
    private func end(_ token: Secret) async throws(OkaeriError) {
        do throws(OkaeriError) {
            try await deliver(token)
        } catch {
            guard error == .sessionEnded, let lost = lostPresence, lost.token == token, clock.now < lost.until else {
                throw error
            }
            let session = VaultRecord.StoredSession(id: "", token: token)
            let response = try await exchange(lost.call, session: session, tries: 1)
            let renewed = try response.decoded(ReauthenticationResponse.self).session
            lostPresence = nil
            await change(.revoke(Secret(renewed.token)))
        }
    }

    /// Tells the server of one log-out. Where it wants a proof, that must be by the key that opened the session: when the
    /// one in use is refused, the few before it are tried.
    private func deliver(_ token: Secret) async throws(OkaeriError) {
        let session = VaultRecord.StoredSession(id: "", token: token)
        var newest = record.map { $0.nextKeySlot - 1 } ?? 0
        // Where that key is lost, a log-in that was not remembered had the next one.
        if record?.proofRequired == true { newest = try await usableSlot(from: newest) }
        var slot = newest
        while true {
            do throws(OkaeriError) {
                var key: (any DeviceKey)?
                if record?.proofRequired == true { key = try await deviceKey(slot) }
                _ = try await exchange(APICall(.post, APIPath.logOut), session: session, key: key, tries: 1)
                return
            } catch {
                guard error == .proofRefused(.proofInvalid), slot > 0, newest - slot < 8 else { throw error }
                slot -= 1
            }
        }
    }
}
