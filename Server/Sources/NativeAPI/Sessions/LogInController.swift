import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Log-ins by the device key, by password, and by a session of another protocol.
struct LogInController: Sendable {
    let requests: NativeRequests
    let metrics: ServerMetrics
    let logIns: LogIns
    let sessions: Sessions

    /// `POST /v1/log-in/automatic`: log in with the device's key; the first time makes a user.
    func automatically(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let proof = try requiredProof(of: request, context)
        let attemptName = try Attempt.name(of: request)
        let restoringFrom = try requests.restoration(of: request, context)
        let body = try await requests.readJSON(AutomaticLogInBody.self, of: request, context) ?? AutomaticLogInBody()
        // The same attempt, before and after what a first launch needed more.
        var named = body
        (named.attestation, named.proofOfWork) = (nil, nil)
        let attempt = try Attempt(name: attemptName, body: named)
        let logIn: LogIn
        do {
            logIn = try await logIns.logInAutomatically(
                LogInAutomatically.Request(
                    application: application, proof: proof,
                    device: body.device.map { DeviceDescription($0) } ?? .init(),
                    newUser: .init(body.user), attempt: attempt, address: requests.gate.client(of: request, context),
                    restoringFrom: restoringFrom, evidence: FirstLaunchEvidence(body)))
        } catch {
            switch error.code {
            case .rateLimited, .attestationRequired, .attestationRefused, .proofOfWorkRequired:
                metrics.refusedFirstLaunches.add()
            default: break
            }
            throw error
        }
        context.tellNotices(logIn.noticeCount)
        (logIn.isNew ? metrics.newUserLogIns : metrics.knownUserLogIns).add()
        return try JSONResponse(body: LogInResponse(logIn), status: logIn.isNew ? .created : .ok).response()
    }

    /// `POST /v1/log-in/password`: log in with identifier and password.
    func withPassword(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let attemptName = try Attempt.name(of: request)
        let restoringFrom = try requests.restoration(of: request, context)
        guard let body = try await requests.readJSON(PasswordLogInBody.self, of: request, context) else {
            throw RequestError.membersInvalid(
                ["identifier", "password"].map { MemberFault(path: $0, rule: .required) })
        }
        var named = body
        named.password = ""
        let attempt = try Attempt(name: attemptName, body: named)
        let logIn = try await metrics.logIn { () async throws(DomainError) in
            try await logIns.logInWithPassword(
                LogInWithPassword.Request(
                    application: application, identifier: body.identifier, password: Secret(body.password),
                    client: requests.logInClient(body.device, body.joinsDevice, request, context),
                    attempt: attempt, restoringFrom: restoringFrom))
        }
        context.tellNotices(logIn.noticeCount)
        return try JSONResponse(body: LogInResponse(logIn)).response()
    }

    /// `POST /v1/log-in/adopt`: takes a user over from a session of a foreign protocol.
    func adopt(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        _ = try requiredProof(of: request, context)
        let attemptName = try Attempt.name(of: request)
        guard let body = try await requests.readJSON(AdoptionBody.self, of: request, context) else {
            throw RequestError.membersInvalid(["protocol", "token"].map { MemberFault(path: $0, rule: .required) })
        }
        var named = body
        named.token = ""
        let logIn = try await sessions.adoptSession(
            AdoptSession.Request(
                application: application, protocolName: .init(rawValue: body.protocolName), token: Secret(body.token),
                client: requests.logInClient(body.device, body.joinsDevice, request, context),
                attempt: try Attempt(name: attemptName, body: named)))
        metrics.knownUserLogIns.add()
        context.tellNotices(logIn.noticeCount)
        return try JSONResponse(body: LogInResponse(logIn)).response()
    }

    /// The proof without which there is no log-in. Before a long body is read, it is checked: strangers make the server read
    /// as much as they like otherwise.
    private func requiredProof(
        of request: Request, _ context: ServerContext
    ) throws(DomainError) -> PresentedProof {
        guard let proof = requests.gate.presentedProof(of: request, context) else { throw .proofRequired }
        if request.hasLongBody { try logIns.logInAutomatically.verify(proof) }
        return proof
    }
}

extension UserRegistration.Profile {
    fileprivate init(_ body: NewUserBody?) {
        self.init(displayName: body?.displayName, locale: body?.locale, fields: body?.fields ?? [:])
    }
}
