import OkaeriWire

extension SessionKeeper {
    /// Logs out on this device, whatever network and storage do, and tells the server as soon as possible.
    func logOut() async {
        flight = nil
        wanted = nil
        unanswered = nil
        confirmedSession = nil
        let after = await change { $0.logOut() }
        guard !after.pendingRevocations.isEmpty else { return }
        // Ends with its one round; what then still waits goes on in the background.
        Task { await self.deliverLogOuts() }
    }

    /// Tells the server of log-outs that it does not know of yet.
    ///
    /// - Returns: Whether none is left.
    @discardableResult
    func deliverLogOuts() async -> Bool {
        guard !isDelivering else { return false }
        isDelivering = true
        defer { isDelivering = false }
        for token in record?.pendingRevocations ?? [] {
            let session = VaultRecord.StoredSession(id: "", token: token)
            do throws(OkaeriError) {
                _ = try await exchange(APICall(.post, APIPath.logOut), session: session, tries: 1)
            } catch {
                // A refusal that time does not change means that the session is gone as it is.
                if error.isTemporary {
                    workInBackground()
                    return false
                }
            }
            await change { $0.pendingRevocations.removeAll { $0 == token } }
        }
        guard record?.pendingRevocations.isEmpty ?? true else {
            workInBackground()
            return false
        }
        return true
    }
}
