/// An error of the Secure Enclave, which tells "never" from "not now".
///
/// A key that came with a backup to another phone, or from before the phone was erased, is wrapped for an enclave that is
/// gone. Everything that is not known to mean so counts as "not now": above all `errSecInteractionNotAllowed` (-25308)
/// before the first unlock, and an enclave that does not respond (`TKError.communicationError`). What is taken for "never"
/// by mistake loses nothing: the key stays stored and is tried again at each log-in, until the person begins anew.
struct EnclaveFailure: Hashable, Sendable {
    let domain: String
    let code: Int

    /// Whether the key works never again.
    var isFinal: Bool {
        switch (domain, code) {
        // TKErrorDomain: corruptedData, objectNotFound.
        case ("CryptoTokenKit", -3), ("CryptoTokenKit", -6): true
        // errSecItemNotFound, errSecDecode.
        case ("NSOSStatusErrorDomain", -25_300), ("NSOSStatusErrorDomain", -26_275): true
        default: false
        }
    }

    /// The error for a vault.
    ///
    /// - Parameter action: What the enclave did not do.
    /// - Returns: `.damaged` when that is for good.
    func vaultError(_ action: String) -> VaultError {
        let reason = "the Secure Enclave does not \(action) (\(domain) \(code))"
        return isFinal ? .damaged(reason) : .unreadableNow(reason)
    }
}
