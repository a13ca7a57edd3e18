import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// The own sessions.
struct SessionsController: Sendable {
    let requests: NativeRequests
    let sessions: Sessions

    /// `GET /v1/user/sessions`: the own live sessions, newest first.
    func list(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let sessions = try await sessions.listSessions(of: caller.user.id, in: caller.application)
        let bodies = sessions.map { SessionBody($0, isCurrent: $0.id == caller.session.id) }
        return try JSONResponse(body: SessionListResponse(sessions: bodies)).response()
    }

    /// `DELETE /v1/user/sessions/{id}`: ends one of the own sessions.
    func end(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let id = context.parameters.get("id") else { throw DomainError.sessionUnknown }
        try await sessions.endSession(Identifier(rawValue: id), by: caller, from: requests.origin(of: request, context))
        return Response(status: .noContent)
    }

    /// `DELETE /v1/user/sessions`: “log out everywhere”: every way into the account ends but the session of the request, its
    /// device key, and what the user logs in with.
    func endOthers(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let ended = try await sessions.endOtherSessions(
            by: caller, isProven: requests.isProven(request, context), from: requests.origin(of: request, context))
        return try JSONResponse(body: EndedSessionsResponse(ended: ended.sessions, removedDeviceKeys: ended.deviceKeys))
            .response()
    }

    /// `POST /v1/log-out`: ends the session of the request, for which its token is enough.
    func endCurrent(_ request: Request, _ context: ServerContext) async throws -> Response {
        let gate = requests.gate
        let ended = try await sessions.logOut(
            gate.credentials(of: request, context, applicationHeader: .application),
            from: { gate.client(of: request, context) })
        context.tellNotices(ended.noticeCount)
        return Response(status: .noContent)
    }

    /// `POST /v1/user/reauthenticate`: proves again that the session's owner is there. A named attempt that comes again, with the
    /// token that it has replaced, gets the same response.
    func renew(_ request: Request, _ context: ServerContext) async throws -> Response {
        let caller: Authenticated
        do throws(DomainError) {
            caller = try await requests.caller(of: request, context)
        } catch {
            guard case .sessionInvalid = error, let answer = try await repeated(request, context) else { throw error }
            return try response(answer)
        }
        let shown = try await presence(request, context)
        return try response(
            await sessions.reauthenticate(
                by: shown.credential, from: requests.gate.client(of: request, context), caller,
                origin: requests.origin(of: request, context), attempt: shown.attempt))
    }

    private func repeated(_ request: Request, _ context: ServerContext) async throws -> Reauthenticate.Answer? {
        guard try Attempt.name(of: request) != nil else { return nil }
        let shown = try await presence(request, context)
        guard let attempt = shown.attempt else { return nil }
        return try await sessions.reauthenticate.again(
            attempt, by: shown.credential, from: requests.gate.client(of: request, context),
            requests.gate.credentials(of: request, context, applicationHeader: .application))
    }

    /// What shall prove that the owner is there, and under which name.
    private func presence(
        _ request: Request, _ context: ServerContext
    ) async throws -> (credential: Reauthenticate.Credential, attempt: Attempt?) {
        let name = try Attempt.name(of: request)
        let body = try await requests.readJSON(ReauthenticationBody.self, of: request, context)
        var named = body ?? ReauthenticationBody()
        let credential = try Reauthenticate.Credential(named, isProven: requests.isProven(request, context))
        // Not the password, but that there was one: what asks without it, by the device's key, is another attempt.
        if named.password != nil { named.password = "" }
        return (credential, try Attempt(name: name, body: named))
    }

    private func response(_ answer: Reauthenticate.Answer) throws -> Response {
        try JSONResponse(
            body: ReauthenticationResponse(
                session: NewSessionBody(
                    id: answer.session.id.rawValue, token: answer.token.revealed,
                    expiresAt: answer.session.expiresAt.wire, idleSeconds: answer.idleLifetime.components.seconds),
                freshUntil: answer.freshUntil.wire)
        ).response()
    }
}

extension Reauthenticate.Credential {
    /// What the body proves by: exactly one thing, or the proof in the header alone.
    ///
    /// - Throws: `RequestError.membersInvalid`.
    fileprivate init(_ body: ReauthenticationBody, isProven: Bool) throws(RequestError) {
        let (isByCode, isByProvider) = (
            body.code != nil || body.ticket != nil, body.provider != nil || body.credential != nil
        )
        if let passkey = body.passkey {
            guard body.password == nil, !isByCode, !isByProvider, body.totp == nil, body.recoveryCode == nil else {
                throw .membersInvalid([MemberFault(path: "passkey", rule: .oneProof)])
            }
            self = .passkey(try PasskeyAssertion(passkey))
            return
        }
        if body.totp != nil || body.recoveryCode != nil {
            guard body.password == nil, !isByCode, !isByProvider, body.totp == nil || body.recoveryCode == nil else {
                throw .membersInvalid([MemberFault(path: "totp", rule: .oneProof)])
            }
            self = body.totp.map { .totp($0) } ?? .recoveryCode(body.recoveryCode ?? "")
            return
        }
        switch (body.password, isByCode, isByProvider) {
        case (let password?, false, false):
            self = .password(Secret(password))
        case (nil, true, false):
            guard let code = body.code else { throw .missing("code") }
            guard let ticket = body.ticket else { throw .missing("ticket") }
            self = .code(code, ticket: ticket)
        case (nil, false, true):
            guard let provider = body.provider else { throw .missing("provider") }
            guard let credential = body.credential else { throw .missing("credential") }
            self = .provider(.init(rawValue: provider), try ProviderCredential(credential.logIn))
        case (nil, false, false):
            guard isProven else { throw .missing("password") }
            self = .deviceKey
        default:
            // Which of them should count, nobody could say.
            throw .membersInvalid([MemberFault(path: isByProvider ? "provider" : "code", rule: .oneProof)])
        }
    }
}

extension RequestError {
    fileprivate static func missing(_ member: String) -> RequestError {
        .membersInvalid([MemberFault(path: member, rule: .required)])
    }
}

extension MemberFault.Rule {
    fileprivate static let oneProof = MemberFault.Rule.form(
        "One proof alone: password, code with ticket, provider with credential, totp, recoveryCode, or passkey.")
}
