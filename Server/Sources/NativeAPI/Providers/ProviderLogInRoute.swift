import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// `POST /v1/log-in/{provider}`: log in with Apple or another provider; the first time makes a user.
struct ProviderLogInRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let provider = try context.provider()
        let attemptName = try Attempt.name(of: request)
        let restoringFrom = try api.restoration(of: request, context)
        guard let body = try await api.readJSON(ProviderLogInBody.self, of: request, context) else {
            throw RequestError.nothingPresented
        }
        let attempt = try Attempt(name: attemptName, body: body)
        let newUser = LogInAutomatically.NewUser(
            displayName: body.user?.displayName ?? body.name, locale: body.user?.locale,
            fields: body.user?.fields ?? [:])
        let logIn: LogIn
        do {
            logIn = try await api.useCases.logInWithProvider(
                LogInWithProvider.Request(
                    application: application, provider: provider, credential: try ProviderCredential(body),
                    proof: api.gate.presentedProof(of: request, context), joinsDevice: body.joinsDevice ?? true,
                    device: body.device.map { DeviceDescription($0) } ?? .init(), newUser: newUser,
                    attempt: attempt, address: api.gate.client(of: request, context), restoringFrom: restoringFrom,
                    origin: api.origin(of: request, context)))
        } catch let error as DomainError where error.code == .rateLimited {
            api.metrics.refusedFirstLaunches.add()
            throw error
        }
        context.tellNotices(logIn.noticeCount)
        (logIn.isNew ? api.metrics.newUserLogIns : api.metrics.knownUserLogIns).add()
        return try JSONResponse(body: LogInResponse(logIn), status: logIn.isNew ? .created : .ok).response()
    }
}

extension ServerContext {
    /// The provider that the path names.
    func provider() throws(DomainError) -> Identity.Provider {
        guard let name = parameters.get("provider"), name.utf8.count <= 64 else { throw .providerNotEnabled }
        return Identity.Provider(rawValue: name)
    }
}

extension RequestError {
    /// Neither token nor code.
    static var nothingPresented: RequestError {
        .membersInvalid([MemberFault(path: "idToken", rule: .required)])
    }
}

extension ProviderCredential {
    /// - Throws: `RequestError.membersInvalid` when there is neither token nor code.
    init(_ body: ProviderLogInBody) throws(RequestError) {
        guard body.idToken != nil || body.authorizationCode != nil || body.accessToken != nil else {
            throw .nothingPresented
        }
        self.init(
            identityToken: body.idToken.map { Secret($0) }, nonce: body.nonce.map { Secret($0) },
            accessToken: body.accessToken.map { Secret($0) },
            accessTokenSecret: body.accessTokenSecret.map { Secret($0) },
            code: body.authorizationCode.map {
                AuthorizationCode(
                    code: Secret($0), verifier: body.codeVerifier.map { Secret($0) }, redirectURI: body.redirectUri,
                    audience: body.clientId)
            })
    }
}
