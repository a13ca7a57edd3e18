import Foundation
import OkaeriWire

extension OkaeriClient {
    // MARK: Codes by mail

    /// Mails a code to log in with to the verified address of a user. Whether there is such a user stays secret.
    ///
    /// - Parameter email: The address.
    /// - Returns: What must come with the code.
    /// - Throws: `OkaeriError`: `.invalidValues` for what is no address, `.rateLimited`, `.refused` with the code
    ///   `mail_unavailable` when the server has no mail server.
    public func requestLogInCode(email: String) async throws(OkaeriError) -> LogInCodeRequest {
        try await keeper.requestLogInCode(email: email)
    }

    /// Logs a user in by a code that was mailed. A user who was logged in before is logged out; of an anonymous one see
    /// ``logIn(identifier:password:rememberMe:restoring:)``.
    ///
    /// - Parameters:
    ///   - code: The code as typed; spaces, hyphens and full-width digits do not matter.
    ///   - request: What asked for it.
    ///   - rememberMe: What the device remembers.
    ///   - restoring: Whether a user who asked to be deleted comes back by this, instead of `.userDeleted`.
    /// - Returns: The user, with the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.codeRefused` when the code is wrong, used, too old or tried too often.
    @discardableResult
    public func logIn(
        code: String, for request: LogInCodeRequest, rememberMe: RememberMe = .automatic, restoring: Bool = false
    ) async throws(OkaeriError) -> Welcome {
        let body = LogInCodeBody(ticket: request.ticket, code: code)
        let response = try await keeper.logIn(.code(body, email: request.email), rememberMe, restoring: restoring)
        return .known(User(response.user), lastLogIn: response.previousLogInAt.map(Date.init(_:)))
    }

    /// Mails what verifies an address of the user.
    ///
    /// - Parameter newEmail: An address that replaces the present one once it is verified, which needs a
    ///   fresh session, and of who has a second factor that one too; `nil` for the present one.
    /// - Throws: `OkaeriError`: `.reauthenticationRequired`, `.secondFactorNotRecent`, `.invalidValues`, `.rateLimited`.
    public func requestEmailVerification(newEmail: String? = nil) async throws(OkaeriError) {
        try await keeper.requestEmailVerification(newEmail)
    }

    /// Verifies the address with the code of the mail.
    ///
    /// - Parameter code: The code as typed.
    /// - Returns: The user afterwards.
    /// - Throws: `OkaeriError`: `.codeRefused`, also when the user has another address by now.
    @discardableResult
    public func verifyEmail(code: String) async throws(OkaeriError) -> User {
        try await keeper.verifyEmail(code: code)
    }

    /// Verifies the address with the token of the mail's link, for applications that have a page for it. Nobody has to
    /// be logged in; call ``reloadUser()`` when somebody is.
    ///
    /// - Parameter token: What stands behind `token=` in the link.
    /// - Throws: `OkaeriError`: `.codeRefused`.
    public func verifyEmail(token: String) async throws(OkaeriError) {
        try await keeper.send(APIPath.verifyEmail, EmailVerificationBody(token: token))
    }

    // MARK: A forgotten password

    /// Mails what allows a new password. Whether there is such a user stays secret.
    ///
    /// - Parameter email: The address.
    /// - Throws: `OkaeriError`: `.invalidValues` for what is no address, `.rateLimited`.
    public func requestPasswordReset(email: String) async throws(OkaeriError) {
        try await keeper.send(APIPath.requestPasswordReset, MailOrderBody(email: email))
    }

    /// Sets a new password with the token of the mail. All of the user's sessions end, also on this device: log in with
    /// the new password afterwards.
    ///
    /// - Parameters:
    ///   - token: The token from the mail or its link; case, spaces and hyphens do not matter.
    ///   - newPassword: The new password.
    /// - Throws: `OkaeriError`: `.codeRefused`; `.invalidValues` for a password that breaks a rule, after which the token
    ///   still works.
    public func resetPassword(token: String, newPassword: String) async throws(OkaeriError) {
        try await keeper.send(APIPath.resetPassword, PasswordResetBody(token: token, newPassword: newPassword))
    }
}
