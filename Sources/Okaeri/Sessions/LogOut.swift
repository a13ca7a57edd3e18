import OkaeriWire

extension SessionKeeper {
    /// Logs out on this device, whatever network and storage do, and tells the server as soon as possible.
    func logOut() async {
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
            await change(.revoked(token))
        }
        return true
    }
}
