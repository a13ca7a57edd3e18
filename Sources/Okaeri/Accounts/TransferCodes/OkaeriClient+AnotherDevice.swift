/// The same user on another device.
extension OkaeriClient {
    /// A code that carries the user to another device, instead of the earlier one.
    ///
    /// - Returns: The code, for a day and for one device. It is shown this once.
    /// - Throws: `OkaeriError`.
    public func issueTransferCode() async throws(OkaeriError) -> TransferCode {
        try await keeper.issueTransferCode()
    }

    /// Makes the code that ``issueTransferCode()`` gave worthless.
    ///
    /// - Throws: `OkaeriError`.
    public func withdrawTransferCode() async throws(OkaeriError) {
        try await keeper.withdrawTransferCode()
    }

    /// Lets this device join the user that issued a code on another one.
    ///
    /// This device's key leads to that user from now on. The user that it led to before is named by
    /// ``TransferResult/leftUser``. Cancelling the caller's task does not stop it. Where the user is a guest, what the owner
    /// alone may do throws ``OkaeriError/transferUnconfirmed(until:)`` here, until an old device acknowledges the notice or for a
    /// day.
    ///
    /// - Parameters:
    ///   - code: What the person typed or scanned: case, spaces, hyphens and full-width forms make no difference.
    ///   - device: What the session and the notice on the other device tell of this one.
    /// - Returns: The user, and whom the device has left.
    /// - Throws: `OkaeriError`: `.transferCodeRefused`, or `.invalidValues` when the text cannot be a code.
    @discardableResult
    public func redeemTransferCode(
        _ code: String, device: DeviceInfo? = nil
    ) async throws(OkaeriError) -> TransferResult {
        try await keeper.redeemTransferCode(code, device: device)
    }

    /// What happened to the user that this device should tell the person: each notice once, as soon as the server speaks
    /// of it with any response.
    public var notices: OkaeriNotices {
        // The task ends as soon as what waits was fetched.
        OkaeriNotices(broadcaster: keeper.notices) { [keeper] in Task { await keeper.fetchNoticesIfWanted() } }
    }

    /// Asks the server for what nobody has taken note of yet.
    ///
    /// - Throws: `OkaeriError`.
    public func pendingNotices() async throws(OkaeriError) -> [Notice] {
        try await keeper.pendingNotices()
    }

    /// Acknowledges a notice at the server, as the person who has seen it. A device that joined a guest may do everything from
    /// then on.
    ///
    /// - Parameter notice: The notice's id.
    /// - Throws: `OkaeriError`: `.transferUnconfirmed` on a guest's device that waits itself.
    public func acknowledge(_ notice: Notice.ID) async throws(OkaeriError) {
        try await keeper.acknowledge(notice)
    }

    /// Takes a device out again that joined the user by a transfer code. This must happen within a day.
    ///
    /// - Parameter notice: The id of its notice.
    /// - Throws: `OkaeriError`: `.undoTooLate`, `.transferUnconfirmed` on a guest's device that waits itself.
    public func undoTransfer(_ notice: Notice.ID) async throws(OkaeriError) {
        try await keeper.undoTransfer(notice)
    }
}
