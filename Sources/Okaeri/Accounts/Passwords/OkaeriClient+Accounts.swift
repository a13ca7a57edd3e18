import Foundation
import OkaeriWire

extension OkaeriClient {
    // MARK: Accounts with a password

    /// Makes a new user with identifiers and a password, and logs them in. One of `username`, `email` and `phone` must
    /// be there.
    ///
    /// A user who was logged in before is logged out. For the anonymous user of this device, ``upgrade(username:email:phone:password:changes:)``
    /// keeps everything.
    ///
    /// - Parameters:
    ///   - username: A user name.
    ///   - email: A mail address.
    ///   - phone: A phone number in international form.
    ///   - password: A password of at least 8 characters, or what the application asks for.
    ///   - user: First values.
    ///   - rememberMe: What the device remembers.
    /// - Returns: The new user.
    /// - Throws: `OkaeriError`: `.identifierTaken`, `.invalidValues`.
    @discardableResult
    public func signUp(
        username: String? = nil, email: String? = nil, phone: String? = nil, password: String, user: NewUser? = nil,
        rememberMe: RememberMe = .automatic
    ) async throws(OkaeriError) -> User {
        let body = SignUpBody(
            username: username, email: email, phone: phone, password: password, displayName: user?.displayName,
            locale: user?.locale, fields: user?.body.fields)
        return User(try await keeper.logIn(.signUp(body), rememberMe).user)
    }

    /// Logs a user in. A user who was logged in before is logged out. An anonymous one keeps the account at the server, but
    /// after a log-in that is remembered nothing on this device leads there any more: where there is something to keep,
    /// ``upgrade(username:email:phone:password:changes:)``, ``link(_:)`` or ``issueTransferCode()`` comes first.
    ///
    /// - Parameters:
    ///   - identifier: A user name, a mail address or a phone number.
    ///   - password: The password.
    ///   - rememberMe: What the device remembers.
    ///   - restoring: Whether a user who asked to be deleted comes back by this, instead of `.userDeleted`.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.credentialRefused`, `.rateLimited` after several wrong passwords, `.loggedOutMeanwhile`
    ///   when ``logOut()`` was called before the response came.
    @discardableResult
    public func logIn(
        identifier: String, password: String, rememberMe: RememberMe = .automatic, restoring: Bool = false
    ) async throws(OkaeriError) -> Welcome {
        let body = PasswordLogInBody(identifier: identifier, password: password)
        let response = try await keeper.logIn(.password(body), rememberMe, restoring: restoring)
        return .known(User(response.user), lastLogIn: response.previousLogInAt.map(Date.init(_:)))
    }

    /// Gives the anonymous user identifiers and a password, so that they can come back from any device. Id, session and
    /// everything stored stay.
    ///
    /// - Parameters:
    ///   - username: A user name.
    ///   - email: A mail address.
    ///   - phone: A phone number in international form.
    ///   - password: A password of at least 8 characters, or what the application asks for.
    ///   - changes: What else shall be different. Its identifiers are not looked at.
    /// - Returns: The user afterwards.
    /// - Throws: `OkaeriError`: `.identifierTaken`, `.alreadyRegistered`, `.invalidValues`.
    @discardableResult
    public func upgrade(
        username: String? = nil, email: String? = nil, phone: String? = nil, password: String,
        changes: UserChanges = UserChanges()
    ) async throws(OkaeriError) -> User {
        let patch = changes.body
        return try await keeper.upgrade(
            UpgradeBody(
                username: username, email: email, phone: phone, password: password, displayName: patch.displayName,
                locale: patch.locale, fields: patch.fields))
    }

    /// Gives the user another password. Every other way into the account ends: other devices log in anew.
    ///
    /// - Parameters:
    ///   - current: The present password; `nil` when the session is fresh.
    ///   - new: The new one.
    /// - Returns: How many other sessions ended.
    /// - Throws: `OkaeriError`: `.credentialRefused`, `.reauthenticationRequired`, `.invalidValues`.
    @discardableResult
    public func changePassword(from current: String? = nil, to new: String) async throws(OkaeriError) -> Int {
        try await keeper.changePassword(from: current, to: new)
    }

    /// Proves that the owner is there. For ten minutes, what needs a fresh session can then be done. Cancelling the caller's
    /// task stops this no more than the other ways to prove it.
    ///
    /// - Parameter password: The password; `nil` for an anonymous user, whom the device's key proves.
    /// - Throws: `OkaeriError`: `.credentialRefused`.
    public func reauthenticate(password: String? = nil) async throws(OkaeriError) {
        try await keeper.reauthenticate(ReauthenticationBody(password: password))
    }

    /// Proves that the owner is there by a provider that is linked.
    ///
    /// - Parameter credential: What the provider gave just now; Apple's sheet, for example.
    /// - Throws: `OkaeriError`: `.credentialRefused` for somebody else there, `.providerRefused`.
    public func reauthenticate(with credential: ProviderCredential) async throws(OkaeriError) {
        try await keeper.reauthenticate(
            ReauthenticationBody(
                provider: credential.provider.rawValue, credential: ProviderLinkBody(credential.body)))
    }

    /// Proves that the owner is there by a code that was mailed to the user's address.
    ///
    /// - Parameters:
    ///   - code: The code as typed.
    ///   - request: What asked for it; see ``requestLogInCode(email:)``.
    /// - Throws: `OkaeriError`: `.codeRefused`, `.credentialRefused` for the code of another user.
    public func reauthenticate(code: String, for request: LogInCodeRequest) async throws(OkaeriError) {
        try await keeper.reauthenticate(ReauthenticationBody(code: code, ticket: request.ticket))
    }
}
