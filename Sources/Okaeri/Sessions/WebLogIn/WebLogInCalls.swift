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

    /// Exchanges the code. Cancelling the caller does not stop it: a code is good once.
    func finish(_ request: WebLogInRequest, with callback: URL) async throws(OkaeriError) -> Welcome {
        let code = try request.code(in: callback)
        // Awaited at once: it only keeps a cancelled caller from losing a session.
        let task = Task { () async -> Result<Welcome, OkaeriError> in
            do throws(OkaeriError) {
                return .success(try await self.redeem(code, of: request))
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    private func redeem(_ code: Secret, of request: WebLogInRequest) async throws(OkaeriError) -> Welcome {
        let lock = try await logInLock()
        defer { lock.release() }
        await endTemporary()
        let before = try await read()
        // A guest cannot log in on the pages: this is somebody else, who gets a key of their own.
        let isGuest = before.keyUser != nil && before.user?.id == before.keyUser && before.user?.isAnonymous == true
        let slot = before.keySlot + (isGuest ? 1 : 0)
        let key = try await deviceKey(slot)
        let era = machine.era
        let call = APICall(
            .post, "/a/\(application)/token",
            form: [
                ("grant_type", "authorization_code"), ("client_id", application), ("code", code.revealed),
                ("redirect_uri", request.redirect.absoluteString), ("code_verifier", request.verifier.revealed),
            ])
        // Once: a code that comes twice counts as stolen, and ends what it opened.
        let raw = try await exchange(call, session: nil, key: key, tries: 1)
        let response = try raw.decoded(WebLogInResponse.self)
        let token = Secret(response.logIn.session.token)
        guard request.fits(response.identityToken), era == machine.era else {
            await change(.revoke(token))
            workInBackground()
            throw era == machine.era ? .webLogInRefused(.identityTokenMismatch) : .loggedOutMeanwhile
        }
        handle(.replaced)
        let leadsHere = response.logIn.user.identities.contains {
            $0.provider == "device" && $0.subject == key.publicKey.thumbprint
        }
        let result = try await accept(response.logIn, after: before)
        let after = await change(
            .assignKey(
                RecordChange.KeyAssignment(
                    token: token, keySlot: slot, leadsHere: leadsHere,
                    otherUser: slot == before.keySlot ? before.keyUser : nil, formerToken: before.session?.token)))
        if !after.pendingRevocations.isEmpty { workInBackground() }
        return result.welcome
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
