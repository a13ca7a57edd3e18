import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Identities of providers: log-in, linking, and what Apple reports of them.
struct IdentitiesController: Sendable {
    let requests: NativeRequests
    let metrics: ServerMetrics
    let logIns: LogIns
    let accounts: Accounts
    let providers: Providers

    /// `POST /v1/log-in/{provider}`: log in with Apple or another provider; the first time makes a user.
    func logIn(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let provider = try context.provider()
        let attemptName = try Attempt.name(of: request)
        let restoringFrom = try requests.restoration(of: request, context)
        guard let body = try await requests.readJSON(ProviderLogInBody.self, of: request, context) else {
            throw RequestError.nothingPresented
        }
        let attempt = try Attempt(name: attemptName, body: body)
        let newUser = UserRegistration.Profile(
            displayName: body.user?.displayName ?? body.name, locale: body.user?.locale,
            fields: body.user?.fields ?? [:])
        let logIn: LogIn
        do {
            logIn = try await logIns.logInWithProvider(
                LogInWithProvider.Request(
                    application: application, provider: provider, credential: try ProviderCredential(body),
                    newUser: newUser,
                    client: requests.logInClient(body.device, body.joinsDevice, request, context),
                    attempt: attempt, restoringFrom: restoringFrom))
        } catch let error as DomainError where error.code == .rateLimited {
            metrics.refusedFirstLaunches.add()
            throw error
        }
        context.tellNotices(logIn.noticeCount)
        (logIn.isNew ? metrics.newUserLogIns : metrics.knownUserLogIns).add()
        return try JSONResponse(body: LogInResponse(logIn), status: logIn.isNew ? .created : .ok).response()
    }

    /// `POST /v1/user/identities/{provider}`: link a provider's identity to the own user.
    func link(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let provider = try context.provider()
        guard let body = try await requests.readJSON(ProviderLinkBody.self, of: request, context) else {
            throw RequestError.nothingPresented
        }
        let credential = try ProviderCredential(body.logIn)
        try await accounts.rememberAttempt(
            try Attempt(name: try Attempt.name(of: request), body: body), by: caller,
            from: requests.gate.client(of: request, context))
        let user = try await accounts.linkProvider(
            provider, credential, displayName: body.name, by: caller, isProven: requests.isProven(request, context),
            from: requests.origin(of: request, context))
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }

    /// `DELETE /v1/user/identities/{provider}`: unlink a provider's identity from the own user.
    func unlink(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let user = try await accounts.editUser(
            UserEdit(unlinking: try context.provider()), of: caller.user.id, in: caller.application,
            by: requests.author(caller, request, context)
        ).user
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }

    /// `POST /v1/providers/apple/notifications`: Apple's server-to-server notifications (requirement 35). Apple names no
    /// application; the signed message does.
    func receiveAppleNotification(_ request: Request, _ context: ServerContext) async throws -> Response {
        guard let body = try await requests.readJSON(AppleNotificationBody.self, of: request, context) else {
            throw RequestError.membersInvalid([MemberFault(path: "payload", rule: .required)])
        }
        try await providers.takeAppleNotification(
            body.payload, from: requests.origin(of: request, context))
        return Response(status: .ok)
    }
}
