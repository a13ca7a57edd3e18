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
        server: URL, application: String, vault: any CredentialVault, transport: any Transport,
        configuration: OkaeriConfiguration = OkaeriConfiguration(), clock: any WallClock = SystemClock(),
        randomness: any Randomness = SystemRandomness()
    ) {
        keeper = SessionKeeper(
            server: server, application: application, vault: vault, transport: transport,
            configuration: configuration, clock: clock, randomness: randomness)
    }

    #if !OKAERI_ESSENTIALS
        /// Makes a client with the system's network, and its storage, clock and randomness where no others are chosen.
        /// Nothing happens until the first call.
        ///
        /// - Parameters:
        ///   - server: The server's address, for example `https://login.example.com`.
        ///   - application: The application's id at that server.
        ///   - vault: Where the device's key and the session are kept; by default the Keychain where there is one.
        ///   - configuration: Waiting times and what sessions remember of the device.
        ///   - clock: What tells the time, and what to wait by.
        ///   - randomness: Where unpredictable bytes come from.
        public convenience init(
            server: URL, application: String, vault: (any CredentialVault)? = nil,
            configuration: OkaeriConfiguration = OkaeriConfiguration(), clock: any WallClock = SystemClock(),
            randomness: any Randomness = SystemRandomness()
        ) {
            self.init(
                server: server, application: application, vault: vault ?? SystemDefaults.vault(),
                transport: URLSessionTransport(), configuration: configuration, clock: clock, randomness: randomness)
        }
    #endif

    // MARK: Who is logged in

    /// The user, fresh or from the copy on this device; `nil` when nobody is logged in or the vault is locked.
    ///
    /// It looks into the vault, so it also knows what another process has done.
    public var currentUser: User? {
        get async {
            // A locked vault shows in the states; a caller who asks for the user alone gets none.
            (try? await keeper.read())?.loggedInUser.map(User.init(_:))
        }
    }

    /// Whether nobody has been logged in on this device yet (``OkaeriState/LogOutReason/firstLaunch``): the moment to take over whom
    /// another SDK has left here. After a log-out that would bring back who has left.
    ///
    /// - Throws: `OkaeriError`: `.storageLocked` when the vault cannot be read now, `.storageUnavailable`. Ask for no automatic
    ///   log-in then: it is made up for later, and makes a new user in the place of the one who was left here.
    public var isFirstLaunch: Bool {
        get async throws(OkaeriError) {
            let record = try await keeper.read()
            return record.loggedInUser == nil && record.reasonLoggedOut == .firstLaunch
        }
    }

    /// Whether the next automatic log-in leads to nobody who has been logged in here: the device's key is that of a
    /// registered user who has logged out, can never be used again, or was not known to the server when it was to renew a
    /// registered user's log-in. For the title of a button "continue as guest".
    public var automaticLogInBeginsAnew: Bool {
        get async {
            // A locked vault says nothing; nor does an automatic log-in then.
            guard let record = try? await keeper.read() else { return false }
            return record.isKeyLocked || record.isKeyLost || record.isKeyOfUnwantedGuest
        }
    }

    /// Begins anew where the device's key can never be used again; otherwise it does nothing. For a person who has seen that
    /// error and wants to go on as a guest.
    package func replaceLostKey() async {
        guard let record = try? await keeper.read(), record.isKeyLost else { return }
        await keeper.useNewDeviceKey()
    }

    /// Whether somebody is logged in: the present state at once, then every change.
    public var states: OkaeriStates {
        // The task ends as soon as the vault was looked into.
        OkaeriStates(broadcaster: keeper.broadcaster) { [keeper] in Task { await keeper.start() } }
    }

    // MARK: Logging in and out

    /// Logs the device's user in; the first time the server makes the user.
    ///
    /// Each call is one log-in at the server. Calls that are made while one is under way, also in other processes on the
    /// same vault, share it. Without a network, or in one that shows its own page instead of the server's response, or while
    /// the device's key cannot be used, a known user is greeted from the copy on the device
    /// (``OkaeriState/Freshness/offlineCopy``), and the log-in follows in the background. Cancelling the caller's task does
    /// not stop the log-in. Who is logged in until the app quits (``RememberMe/untilQuit``) stays so, as long as that session
    /// holds.
    ///
    /// - Parameters:
    ///   - device: What the session remembers of the device; by default what the configuration says.
    ///   - user: First values, in case that the server makes the user now.
    /// - Returns: Whether the user is new, the user, and the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.offline` only when nobody is known on this device; `.sessionEnded` when a registered user was logged
    ///   in to whom this device's key does not lead, or leads no more, and that log-in has ended: the person logs in again, or the
    ///   next call begins as a guest.
    @discardableResult
    public func logInAutomatically(
        device: DeviceInfo? = nil, user: NewUser? = nil
    ) async throws(OkaeriError) -> Welcome {
        try await keeper.logIn(device: device, user: user)
    }

    /// Logs out on this device. It always succeeds; a server that cannot be reached learns of it later, even after a
    /// restart of the app.
    ///
    /// The device's key stays, and until the next log-in nothing is renewed silently. A guest, who has no other way in,
    /// comes back by ``logInAutomatically(device:user:)``. A registered user comes back by a password, a provider or another
    /// way in: an automatic log-in begins as a new guest then, with a key of its own.
    public func logOut() async {
        await keeper.logOut()
    }

    /// Tells the server of log-outs that it does not know of yet, for programs that are about to end.
    ///
    /// - Returns: Whether the server knows of all.
    @discardableResult
    public func deliverPendingLogOuts() async -> Bool {
        // With a locked vault nothing can be delivered, which the result says.
        guard (try? await keeper.read()) != nil else { return false }
        return await keeper.deliverLogOuts()
    }

    /// Removes the device's key and everything else from the vault, for a button "erase this device".
    ///
    /// An anonymous user whose only way in was this key is lost.
    ///
    /// - Throws: `OkaeriError`: `.storageUnavailable`, or `.storageLocked` when the vault cannot be read now.
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

    /// Logs out everywhere else: ends every way into the account but this log-in and this device's key, among them the keys
    /// of other devices, codes and transfer codes. Keys stay when nothing else leads to the user.
    ///
    /// - Returns: How many log-ins ended.
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`.
    @discardableResult
    public func endOtherSessions() async throws(OkaeriError) -> Int {
        try await keeper.endOtherSessions()
    }

    /// The keys by which the user's devices log in automatically, oldest first.
    ///
    /// - Throws: `OkaeriError`.
    public func deviceKeys() async throws(OkaeriError) -> [RegisteredDeviceKey] {
        try await keeper.deviceKeys()
    }

    /// Removes a device's key: that device logs in automatically no more, and learns why.
    ///
    /// - Parameter thumbprint: Which key.
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`, `.lastWayIn`.
    public func removeDeviceKey(_ thumbprint: RegisteredDeviceKey.ID) async throws(OkaeriError) {
        try await keeper.removeDeviceKey(thumbprint)
    }

    /// Removes the keys of all other devices, and ends their log-ins.
    ///
    /// - Returns: How many were removed. Keys stay when nothing else leads to the user.
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`.
    @discardableResult
    public func removeOtherDeviceKeys() async throws(OkaeriError) -> Int {
        try await keeper.removeOtherDeviceKeys()
    }

    /// Logs out, and gives this device another key: the next ``logInAutomatically(device:user:)`` makes a new user. For
    /// a person who does not go on with an account whose key was removed (``OkaeriError/deviceKeyRemoved(reason:at:)``).
    public func useNewDeviceKey() async {
        await keeper.useNewDeviceKey()
    }

    /// A token for the app's own backends.
    ///
    /// - Parameters:
    ///   - audience: Who shall accept it, one of the application's audiences; by default the application's id.
    ///   - forcingRefresh: Whether the one that is kept is of no use: a backend has refused it, or knows that what it says of the
    ///     user has changed. Ask so once, and not before every request.
    /// - Returns: A token that lives for at least a minute. It is kept and handed out again until then.
    /// - Throws: `OkaeriError`: `.audienceNotAllowed`.
    public func accessToken(
        for audience: String? = nil, forcingRefresh: Bool = false
    ) async throws(OkaeriError) -> AccessToken {
        try await keeper.accessToken(for: audience, isBound: false, isForced: forcingRefresh)
    }

    /// A token for the app's own backends that is worth nothing without this device's key: it goes into `Authorization` with
    /// the scheme `DPoP`, and each request has a proof of its own beside it.
    ///
    /// - Parameters:
    ///   - audience: Who shall accept it, one of the application's audiences; by default the application's id.
    ///   - forcingRefresh: Whether the one that is kept is of no use: a backend has refused it, or knows that what it says of the
    ///     user has changed. Ask so once, and not before every request.
    /// - Returns: A token that lives for at least a minute. It is kept and handed out again until then.
    /// - Throws: `OkaeriError`: `.audienceNotAllowed`.
    public func boundAccessToken(
        for audience: String? = nil, forcingRefresh: Bool = false
    ) async throws(OkaeriError) -> AccessToken {
        try await keeper.accessToken(for: audience, isBound: true, isForced: forcingRefresh)
    }

    /// The header `DPoP` of one request with a bound token.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - url: Where it goes.
    ///   - token: The token in its `Authorization`.
    /// - Returns: A proof, good once and for a minute.
    /// - Throws: `OkaeriError`: `.notLoggedIn`.
    public func proof(
        of method: String, _ url: URL, with token: AccessToken
    ) async throws(OkaeriError) -> String {
        try await keeper.proof(method, url, with: token)
    }

    // MARK: Storage

    /// Tries whether the vault can be read and written, for a diagnosis screen.
    ///
    /// - Throws: `OkaeriError`: `.storageLocked`, `.storageUnavailable` or `.storageDamaged`.
    public func checkStorage() async throws(OkaeriError) {
        try await keeper.checkStorage()
    }
}
