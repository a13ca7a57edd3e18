import Foundation
import OkaeriWire

extension SessionKeeper {
    /// The server says where its pages are: over a connection that the app trusts anyway, and so the pages' word for
    /// themselves (`iss`) can be held against it.
    func beginWebLogIn(redirect: URL, options: WebLogInOptions) async throws(OkaeriError) -> WebLogInRequest {
        guard let pages = try await applicationProfile().pages else { throw .webLogInRefused(.pagesUnavailable) }
        return try WebLogInRequest(
            issuer: pages.issuer, application: application, redirect: redirect, options: options,
            randomness: randomness)
    }

    /// Exchanges the code, once: one that comes twice counts as stolen, and ends what it opened. Links that open an app may come
    /// twice, to each of its windows for example.
    func finish(_ request: WebLogInRequest, with callback: URL) async throws(OkaeriError) -> Welcome {
        let code = try request.code(in: callback)
        guard !sentWebLogIns.contains(request.state) else { throw .webLogInRefused(.codeRefused) }
        sentWebLogIns = Array(sentWebLogIns.suffix(15)) + [request.state]
        do throws(OkaeriError) {
            return try await redeem(code, for: request)
        } catch {
            // Without the device's key, or the lock, nothing was sent.
            switch error {
            case .storageLocked, .storageUnavailable: sentWebLogIns.removeAll { $0 == request.state }
            default: break
            }
            throw error
        }
    }

    private func redeem(_ code: Secret, for request: WebLogInRequest) async throws(OkaeriError) -> Welcome {
        let call = APICall(
            .post, "/a/\(application)/token",
            form: [
                ("grant_type", "authorization_code"), ("client_id", application), ("code", code.revealed),
                ("redirect_uri", request.redirect.absoluteString), ("code_verifier", request.verifier.revealed),
            ])
        // A guest cannot log in on the pages.
        return try await logInAsMember(call, tries: 1, isSignUp: request.isSignUp) { raw throws(OkaeriError) in
            let response = try raw.decoded(WebLogInResponse.self)
            return MemberLogIn(
                response: response.logIn,
                refusal: request.fits(response.identityToken) ? nil : .webLogInRefused(.identityTokenMismatch))
        }.welcome
    }
}

extension APICall {
    /// A call with a form, which is answered as OAuth has it (RFC 6749 §5).
    init(_ method: Method, _ path: String, form: [(String, String)]) {
        self.init(method, path)
        body = Data(WebForm.text(of: form).utf8)
        mediaType = WebForm.mediaType
    }

    /// What a response to a form refuses; `nil` for other calls and responses.
    func refusal(_ response: TransportResponse) -> OkaeriError? {
        // Whatever is no such refusal did not come from the endpoint: the status alone counts then.
        guard mediaType == WebForm.mediaType, (400..<500).contains(response.status), response.status != 429,
            let refused = try? UntrustedJSON.decode(WebLogInRefusalResponse.self, from: response.body)
        else { return nil }
        return .webLogInRefused(WebLogInRefusal(rawValue: String(refused.error.prefix(64))))
    }
}
