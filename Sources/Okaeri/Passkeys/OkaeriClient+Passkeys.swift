import Foundation
import OkaeriWire

/// Passkeys: log-in by a finger or a face, with no name, no mail address and no password.
extension OkaeriClient {
    /// Adds a passkey to the user, who keeps id, values and session. A guest is registered from then on: the account
    /// comes back on every device that has the passkey.
    ///
    /// - Parameters:
    ///   - name: What the user calls it; the server has a name of its own.
    ///   - authenticator: What makes it, such as `PasskeySheet`.
    /// - Returns: The passkey.
    /// - Throws: `OkaeriError`: `.cancelled` when the person closed the sheet, `.passkeyRefused` with the reason,
    ///   `.reauthenticationRequired` for a registered user whose log-in is older than ten minutes.
    @discardableResult
    public func addPasskey(
        named name: String? = nil, with authenticator: some PasskeyAuthenticator
    ) async throws(OkaeriError) -> Passkey {
        try await keeper.addPasskey(named: name, with: authenticator)
    }

    /// Logs in whom a passkey leads to. A user who was logged in before is logged out; of a guest see
    /// ``logIn(identifier:password:rememberMe:restoring:)``. The next launch is automatic.
    ///
    /// - Parameters:
    ///   - authenticator: What shows it, such as `PasskeySheet`.
    ///   - presentation: How the person is asked.
    ///   - restoring: Whether a user who asked to be deleted comes back by this, instead of `.userDeleted`.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.cancelled` when the person closed the sheet, `.passkeyRefused` with the reason. With
    ///   ``PasskeyRefusal/unknown`` the authenticator has been asked to forget the passkey.
    @discardableResult
    public func logInWithPasskey(
        _ authenticator: some PasskeyAuthenticator, presentation: PasskeyPresentation = .sheet, restoring: Bool = false
    ) async throws(OkaeriError) -> Welcome {
        try await logIn(
            with: try await passkeyProof(from: authenticator, presentation: presentation), restoring: restoring)
    }

    /// Asks the person for a passkey, and nothing more: for ``logIn(with:restoring:)``,
    /// ``reauthenticate(with:)-(PasskeyProof)`` or ``mergeConflict(by:)``.
    ///
    /// With ``PasskeyPresentation/autoFill`` it waits for as long as the caller's task lives, and fetches a new
    /// challenge in time.
    ///
    /// - Parameters:
    ///   - authenticator: What shows it, such as `PasskeySheet`.
    ///   - presentation: How the person is asked.
    /// - Returns: What shows once that the passkey is there.
    /// - Throws: `OkaeriError`: `.cancelled` when the person closed the sheet, `.passkeyRefused` with the reason.
    public func passkeyProof(
        from authenticator: some PasskeyAuthenticator, presentation: PasskeyPresentation = .sheet
    ) async throws(OkaeriError) -> PasskeyProof {
        try await keeper.passkeyProof(from: authenticator, presentation: presentation)
    }

    /// Logs in whom a passkey leads to; see ``logInWithPasskey(_:presentation:restoring:)``.
    ///
    /// - Parameters:
    ///   - proof: What the passkey showed.
    ///   - restoring: Whether a user who asked to be deleted comes back by this, instead of `.userDeleted`.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.passkeyRefused` with the reason.
    @discardableResult
    public func logIn(with proof: PasskeyProof, restoring: Bool = false) async throws(OkaeriError) -> Welcome {
        try await keeper.logIn(with: proof, restoring: restoring)
    }

    /// Proves that the owner is there by one of the user's passkeys.
    ///
    /// - Parameter proof: What the passkey showed just now.
    /// - Throws: `OkaeriError`: `.credentialRefused` for the passkey of another user, `.passkeyRefused`.
    public func reauthenticate(with proof: PasskeyProof) async throws(OkaeriError) {
        try await keeper.reauthenticate(with: proof)
    }

    /// Shows a passkey of another account of the same person, to bring the two together.
    ///
    /// - Parameter proof: What the passkey showed just now.
    /// - Returns: What to resolve by ``resolve(_:by:)``; `nil` when the passkey is the user's own.
    /// - Throws: `OkaeriError`: `.passkeyRefused`, `.identityTaken` when the other user cannot be gone on with,
    ///   `.reauthenticationRequired` for a registered user whose log-in is older than ten minutes.
    public func mergeConflict(by proof: PasskeyProof) async throws(OkaeriError) -> MergeConflict? {
        try await keeper.mergeConflict(by: proof)
    }

    /// The user's passkeys, oldest first.
    ///
    /// - Throws: `OkaeriError`.
    public func passkeys() async throws(OkaeriError) -> [Passkey] {
        try await keeper.passkeys()
    }

    /// Gives a passkey another name.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - name: The new name.
    /// - Returns: The passkey.
    /// - Throws: `OkaeriError`: `.invalidValues`, `.passkeyRefused` with ``PasskeyRefusal/unknown``.
    @discardableResult
    public func renamePasskey(_ id: Passkey.ID, to name: String) async throws(OkaeriError) -> Passkey {
        try await keeper.renamePasskey(id, to: name)
    }

    /// Removes a passkey: it leads to the user no more.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - authenticator: Where it is to be forgotten too; `nil` leaves that to the next log-in with it.
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`, `.lastWayIn`, `.passkeyRefused` with
    ///   ``PasskeyRefusal/unknown``.
    public func removePasskey(
        _ id: Passkey.ID, from authenticator: (any PasskeyAuthenticator)? = nil
    ) async throws(OkaeriError) {
        try await keeper.removePasskey(id, from: authenticator)
    }
}
