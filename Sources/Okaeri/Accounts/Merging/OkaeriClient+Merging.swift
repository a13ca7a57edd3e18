/// Two users of one person.
extension OkaeriClient {
    /// What would become of two users. Nothing is changed.
    ///
    /// - Parameter conflict: The conflict of `OkaeriError.conflict`.
    /// - Returns: Both users, and the other one after a merge.
    /// - Throws: `OkaeriError`: `.mergeRefused` when the ten minutes for it are over.
    public func preview(_ conflict: MergeConflict) async throws(OkaeriError) -> MergePreview {
        try await keeper.preview(conflict)
    }

    /// Resolves a conflict, once. Cancelling the caller's task does not stop it. When no response came, the same call again
    /// finds out whether the server has done it.
    ///
    /// - Parameters:
    ///   - conflict: The conflict of `OkaeriError.conflict`.
    ///   - choice: What the person has chosen.
    /// - Returns: The user to go on with, who is logged in now.
    /// - Throws: `OkaeriError`.
    @discardableResult
    public func resolve(
        _ conflict: MergeConflict, by choice: MergeChoice
    ) async throws(OkaeriError) -> MergeResult {
        try await keeper.resolve(conflict, by: choice)
    }

    /// Takes a merge apart again, within seven days. Where the merge brought this device's key along, the device goes on
    /// as the user that went, and ``currentUser`` and ``states`` say so.
    ///
    /// - Parameter merge: The id in ``MergeResult/merge``.
    /// - Throws: `OkaeriError`: `.undoTooLate`.
    public func undoMerge(_ merge: String) async throws(OkaeriError) {
        try await keeper.undoMerge(merge)
    }
}
