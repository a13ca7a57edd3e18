import Foundation
import OkaeriWire

extension SessionKeeper {
    /// Sends a call that belongs to no session.
    func send(_ path: String, _ body: some Encodable) async throws(OkaeriError) {
        _ = try await response(to: path, body)
    }

    /// Orders a code to log in with.
    func requestLogInCode(email: String) async throws(OkaeriError) -> LogInCodeRequest {
        let asked = clock.now
        let raw = try await response(to: APIPath.requestLogInCode, MailOrderBody(email: email))
        let response = try raw.decoded(LogInCodeRequestResponse.self)
        return LogInCodeRequest(
            email: email, expiresAt: asked.addingTimeInterval(TimeInterval(response.expiresInSeconds)),
            ticket: response.ticket)
    }

    /// Orders a verification mail.
    func requestEmailVerification(_ newEmail: String?) async throws(OkaeriError) {
        var call = try mailCall(APIPath.requestEmailVerification, EmailVerificationRequestBody(email: newEmail))
        // The key proves an anonymous user to be there.
        call.isProven = newEmail != nil
        _ = try await authenticated(call)
    }

    /// Verifies the address, and takes over what the user is then.
    func verifyEmail(code: String) async throws(OkaeriError) -> User {
        _ = try await authenticated(
            APICall(
                .post, APIPath.verifyEmail, body: EmailVerificationBody(code: code),
                idempotencyKey: randomness.unguessableName()))
        return try await reloadUser()
    }

    private func response(to path: String, _ body: some Encodable) async throws(OkaeriError) -> TransportResponse {
        try await exchange(mailCall(path, body), session: nil, tries: configuration.retry.maximumTries)
    }

    /// A call whose repetition has no second effect, with the languages that a mail may be written in.
    private func mailCall(_ path: String, _ body: some Encodable) throws(OkaeriError) -> APICall {
        var call = try APICall(.post, path, body: body, idempotencyKey: randomness.unguessableName())
        call.languages = Array(SystemDefaults.preferredLanguages().prefix(5))
        return call
    }
}
