import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// The own passkeys, and log-in by them.
struct PasskeysController: Sendable {
    let requests: NativeRequests
    let metrics: ServerMetrics
    let passkeys: Passkeys

    /// `POST /v1/user/passkeys/request`: what a client makes a passkey by.
    func requestRegistration(
        _ caller: Authenticated, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let options = try await passkeys.addPasskey.options(
            for: caller, by: requests.author(caller, request, context))
        return try JSONResponse(body: PasskeyCreationResponse(publicKey: PasskeyCreationOptions(options))).response()
    }

    /// `POST /v1/user/passkeys`: adds the passkey that the client made.
    func add(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await requests.requiredJSON(NewPasskeyBody.self, of: request, context)
        let passkey = try await passkeys.addPasskey(
            try AddPasskey.Registration(body), for: caller, by: requests.author(caller, request, context))
        return try JSONResponse(body: PasskeyBody(passkey), status: .created).response()
    }

    /// `GET /v1/user/passkeys`: the own passkeys, oldest first.
    func list(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let found = try await passkeys.managePasskeys.list(of: caller.user.id, in: caller.application.id)
        return try JSONResponse(body: PasskeyListResponse(passkeys: found.map { PasskeyBody($0) })).response()
    }

    /// `PATCH /v1/user/passkeys/{id}`: gives a passkey another name.
    func rename(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let id = context.parameters.get("id") else { throw DomainError.passkeyUnknown }
        let body = try await requests.requiredJSON(PasskeyNameBody.self, of: request, context)
        let passkey = try await passkeys.managePasskeys.rename(
            id, of: caller.user.id, in: caller.application, to: body.name,
            by: requests.author(caller, request, context))
        return try JSONResponse(body: PasskeyBody(passkey)).response()
    }

    /// `DELETE /v1/user/passkeys/{id}`: the passkey leads to the user no more.
    func remove(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let id = context.parameters.get("id") else { throw DomainError.passkeyUnknown }
        try await passkeys.managePasskeys.remove(
            id, of: caller.user.id, in: caller.application, by: requests.author(caller, request, context))
        return Response(status: .noContent)
    }

    /// `POST /v1/log-in/passkey/request`: what a client asks for a passkey by.
    func requestLogIn(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let options = try passkeys.requestPasskey(in: application)
        return try JSONResponse(body: PasskeyRequestResponse(publicKey: OkaeriWire.PasskeyRequestOptions(options)))
            .response()
    }

    /// `POST /v1/log-in/passkey`: log in with a passkey.
    func logIn(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let attemptName = try Attempt.name(of: request)
        let restoringFrom = try requests.restoration(of: request, context)
        let body = try await requests.requiredJSON(PasskeyLogInBody.self, of: request, context)
        let asked = LogInWithPasskey.Request(
            application: application, assertion: try PasskeyAssertion(body.credential),
            client: requests.logInClient(body.device, body.joinsDevice, request, context),
            attempt: try Attempt(name: attemptName, body: body), restoringFrom: restoringFrom)
        let logIn = try await metrics.logIn { () async throws(DomainError) in
            try await passkeys.logInWithPasskey(asked)
        }
        context.tellNotices(logIn.noticeCount)
        return try JSONResponse(body: LogInResponse(logIn)).response()
    }

    /// `POST /v1/user/merge/passkey`: shows a passkey of another user, and gets the ticket to resolve the conflict.
    func offerMerge(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await requests.requiredJSON(PasskeyMergeBody.self, of: request, context)
        try await passkeys.offerPasskeyMerge(
            try PasskeyAssertion(body.credential), by: caller, requests.author(caller, request, context),
            from: requests.origin(of: request, context))
        return Response(status: .noContent)
    }
}
