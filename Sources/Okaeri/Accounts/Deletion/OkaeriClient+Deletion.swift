public import Foundation

/// The end of an account.
extension OkaeriClient {
    /// Asks for the user to be deleted, and logs out on this device. The person can come back until the
    /// time that is returned: ``restoreUser()``.
    ///
    /// - Returns: When everything about the user is erased.
    /// - Throws: `OkaeriError`.
    public func deleteUser() async throws(OkaeriError) -> Date {
        try await keeper.deleteUser()
    }

    /// Logs in with the device's key as ``logInAutomatically(device:user:)`` does, and brings the user back when the
    /// deletion was asked for, which a log-in tells as `OkaeriError.userDeleted`.
    ///
    /// A user to whom this device's key does not lead comes back by `restoring` of the log-in that led here.
    ///
    /// - Throws: `OkaeriError`: `.userChanged` when the key leads to another user than the one who was deleted here.
    @discardableResult
    public func restoreUser() async throws(OkaeriError) -> Welcome {
        try await keeper.restoreUser()
    }

    /// Everything that the server has stored about the user.
    ///
    /// - Returns: One JSON document.
    /// - Throws: `OkaeriError`.
    public func exportUser() async throws(OkaeriError) -> Data {
        try await keeper.exportUser()
    }
}
