public import Foundation
import OkaeriWire

/// The way to an Okaeri server for one application: who is logged in, and everything that they can do.
///
/// Make one and keep it. All calls may be made from anywhere at any time; several clients on one vault, also in several
/// processes, share one account and one session.
///
/// ```swift
/// let okaeri = OkaeriClient(server: serverURL, application: "your application's id")
/// switch try await okaeri.logInAutomatically() {
/// case .firstVisit: greet("はじめまして！")
/// case .returning(_, let lastLogIn): greet("おかえりなさい", lastLogIn)
/// }
/// ```
public final class OkaeriClient: Sendable {
    let keeper: SessionKeeper

    /// Makes a client with the system's storage, network, clock and randomness. Nothing happens until the first call.
    ///
    /// - Parameters:
    ///   - server: The server's address, for example `https://login.example.com`.
    ///   - application: The application's id at that server.
    public convenience init(server: URL, application: String) {
        self.init(server: server, application: application, vault: SystemDefaults.vault())
    }

    /// Makes a client with chosen parts. Nothing happens until the first call.
    ///
    /// - Parameters:
    ///   - server: The server's address.
    ///   - application: The application's id at that server.
    ///   - vault: Where the device's key and the session are kept.
    ///   - transport: What carries requests.
    ///   - configuration: Waiting times and what sessions remember of the device.
    ///   - clock: What tells the time, and what to wait by.
    ///   - randomness: Where unpredictable bytes come from.
    public init(
        server: URL, application: String, vault: any CredentialVault, transport: any Transport = URLSessionTransport(),
        configuration: OkaeriConfiguration = OkaeriConfiguration(), clock: any WallClock = SystemClock(),
        randomness: any Randomness = SystemRandomness()
    ) {
        keeper = SessionKeeper(
            server: server, application: application, vault: vault, transport: transport, configuration: configuration,
            clock: clock, randomness: randomness)
    }

    // MARK: Who is logged in

    /// The user, fresh or from the copy on this device; `nil` when nobody is logged in or the vault is locked.
    ///
    /// It looks into the vault, so it also knows what another process has done.
    public var currentUser: User? {
        get async {
            // A locked vault shows in the states; whoever asks for the user alone is told of none.
            (try? await keeper.read())?.loggedInUser.map(User.init(_:))
        }
    }

    /// Whether somebody is logged in: the present state at once, then every change.
    public var states: OkaeriStates {
        // The task ends as soon as the vault was looked into.
        OkaeriStates(broadcaster: keeper.broadcaster) { [keeper] in Task { await keeper.start() } }
    }

    // MARK: Logging in and out

    /// Logs the device's user in; on the first visit the server makes the user.
    ///
    /// Each call is one log-in at the server. Calls that are made while one is under way, also in other processes on the
    /// same vault, share it. Without a network a known user is greeted from the copy on the device
    /// (``OkaeriState/Freshness/offlineCopy``), and the log-in follows in the background. Cancelling the caller's task
    /// does not stop the log-in.
    ///
    /// - Parameters:
    ///   - device: What the session remembers of the device; by default what the configuration says.
    ///   - user: First values, in case that this is the first visit.
    /// - Returns: Whether this is the first visit, the user, and the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.offline` only when nobody is known on this device.
    @discardableResult
    public func logInAutomatically(
        device: DeviceInfo? = nil, user: NewUser? = nil
    ) async throws(OkaeriError) -> Welcome {
        try await keeper.logIn(device: device, user: user)
    }

    /// Logs out on this device. It always succeeds; a server that cannot be reached learns of it later, even after a
    /// restart of the app.
    ///
    /// The device's key stays: ``logInAutomatically(device:user:)`` leads to the same user again. Until then nothing is
    /// renewed silently.
    public func logOut() async {
        await keeper.logOut()
    }

    /// Tells the server of log-outs that it does not know of yet, for programs that are about to end.
    ///
    /// - Returns: Whether the server knows of all.
    @discardableResult
    public func deliverPendingLogOuts() async -> Bool {
        // With a locked vault nothing can be delivered, which the answer says.
        guard (try? await keeper.read()) != nil else { return false }
        return await keeper.deliverLogOuts()
    }

    /// Removes the device's key and everything else from the vault, for a button "erase this device".
    ///
    /// An anonymous user whose only way in was this key is lost.
    ///
    /// - Throws: `OkaeriError.storageUnavailable`.
    public func forgetDevice() async throws(OkaeriError) {
        try await keeper.erase()
    }

    // MARK: The user

    /// Changes the user's values.
    ///
    /// - Parameter changes: What shall be different.
    /// - Returns: The user afterwards.
    /// - Throws: `OkaeriError`: `.invalidValues` tells each broken rule.
    @discardableResult
    public func update(_ changes: UserChanges) async throws(OkaeriError) -> User {
        try await keeper.update(changes)
    }

    /// Asks the server for the user's values.
    ///
    /// - Throws: `OkaeriError`.
    @discardableResult
    public func reloadUser() async throws(OkaeriError) -> User {
        try await keeper.reloadUser()
    }

    /// Asks for the user to be deleted, and logs out on this device. The person can come back until the time that is
    /// told: ``restoreUser()``.
    ///
    /// - Returns: When everything about the user is erased.
    /// - Throws: `OkaeriError`.
    public func deleteUser() async throws(OkaeriError) -> Date {
        try await keeper.deleteUser()
    }

    /// Logs in with the device's key as ``logInAutomatically(device:user:)`` does, and brings the user back when the
    /// deletion was asked for, which a log-in tells as `OkaeriError.userDeleted`.
    ///
    /// - Throws: `OkaeriError`.
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

    // MARK: Two users of one person

    /// What would become of two users. Nothing is changed.
    ///
    /// - Parameter conflict: What `OkaeriError.conflict` told.
    /// - Returns: Both users, and the other one after a merge.
    /// - Throws: `OkaeriError`: `.mergeRefused` when the ten minutes for it are over.
    public func preview(_ conflict: MergeConflict) async throws(OkaeriError) -> MergePreview {
        try await keeper.preview(conflict)
    }

    /// Resolves a conflict, once.
    ///
    /// - Parameters:
    ///   - conflict: What `OkaeriError.conflict` told.
    ///   - choice: What the person has chosen.
    /// - Returns: The user to go on with, who is logged in now.
    /// - Throws: `OkaeriError`.
    @discardableResult
    public func resolve(
        _ conflict: MergeConflict, by choice: MergeChoice
    ) async throws(OkaeriError) -> MergeResult {
        try await keeper.resolve(conflict, by: choice)
    }

    /// Takes a merge apart again, within seven days.
    ///
    /// - Parameter merge: What ``MergeResult/merge`` told.
    /// - Throws: `OkaeriError`: `.undoTooLate`.
    public func undoMerge(_ merge: String) async throws(OkaeriError) {
        try await keeper.undoMerge(merge)
    }

    // MARK: Another device

    /// A code that carries the user to another device, in place of the one that there was.
    ///
    /// - Returns: The code, for a day and for one device. It is told this once.
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
    /// This device's key leads to that user from now on. The user that it led to before is told as
    /// ``TransferResult/leftUser``.
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
    /// of it with any answer.
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

    /// Tells the server that the person took note.
    ///
    /// - Parameter notice: The notice's id.
    /// - Throws: `OkaeriError`.
    public func acknowledge(_ notice: Notice.ID) async throws(OkaeriError) {
        try await keeper.acknowledge(notice)
    }

    /// Takes a device out again that joined the user by a transfer code. This must happen within a day.
    ///
    /// - Parameter notice: The id of the notice that told of it.
    /// - Throws: `OkaeriError`: `.undoTooLate`.
    public func undoTransfer(_ notice: Notice.ID) async throws(OkaeriError) {
        try await keeper.undoTransfer(notice)
    }

    // MARK: Sessions

    /// The user's log-ins on all devices, newest first.
    ///
    /// - Throws: `OkaeriError`.
    public func sessions() async throws(OkaeriError) -> [DeviceSession] {
        try await keeper.sessions()
    }

    /// Ends one of the user's log-ins. For the own one this is ``logOut()``.
    ///
    /// - Parameter id: The session's id.
    /// - Throws: `OkaeriError`: `.sessionUnknown` when there is no such session.
    public func endSession(_ id: DeviceSession.ID) async throws(OkaeriError) {
        try await keeper.endSession(id)
    }

    /// Ends all of the user's log-ins but this one.
    ///
    /// - Returns: How many there were.
    /// - Throws: `OkaeriError`.
    @discardableResult
    public func endOtherSessions() async throws(OkaeriError) -> Int {
        try await keeper.endOtherSessions()
    }

    /// A token for the app's own backends.
    ///
    /// - Parameter audience: Who shall accept it, one of the application's audiences; by default the application's id.
    /// - Returns: A token that lives for at least a minute. It is kept and handed out again until then.
    /// - Throws: `OkaeriError`: `.audienceNotAllowed`.
    public func accessToken(for audience: String? = nil) async throws(OkaeriError) -> AccessToken {
        try await keeper.accessToken(for: audience)
    }

    // MARK: Storage

    /// Tries whether the vault can be read and written, for a diagnosis screen.
    ///
    /// - Throws: `OkaeriError`: `.storageLocked`, `.storageUnavailable` or `.storageDamaged`.
    public func checkStorage() async throws(OkaeriError) {
        try await keeper.checkStorage()
    }
}
