import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire
import QRCodes

/// The own second factors, and the end of log-ins that need one.
struct SecondFactorsController: Sendable {
    let requests: NativeRequests
    let metrics: ServerMetrics
    let secondFactors: SecondFactors

    /// `POST /v1/user/second-factors/totp/request`: a key for an authenticator app.
    func requestTOTP(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let offer = try secondFactors.enrolTOTP.offer(for: caller, by: requests.author(caller, request, context))
        return try JSONResponse(body: TOTPOfferResponse(offer)).response()
    }

    /// `POST /v1/user/second-factors/totp`: adds the app whose key a code confirms.
    func addTOTP(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await requests.requiredJSON(NewTOTPBody.self, of: request, context)
        let addition = try await secondFactors.enrolTOTP(
            EnrolTOTP.Confirmation(ticket: body.ticket, code: body.code, name: body.name), for: caller,
            by: requests.author(caller, request, context))
        return try JSONResponse(
            body: NewSecondFactorResponse(
                factor: SecondFactorBody(addition.factor),
                recoveryCodes: addition.recoveryCodes?.map(\.revealed)), status: .created
        ).response()
    }

    /// `GET /v1/user/second-factors`: the own second factors.
    func list(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let found = try await secondFactors.manageSecondFactors.list(of: caller.user.id, in: caller.application.id)
        return try JSONResponse(
            body: SecondFactorListResponse(
                factors: found.factors.map { SecondFactorBody($0) }, recoveryCodesLeft: found.recoveryCodesLeft)
        ).response()
    }

    /// `DELETE /v1/user/second-factors/{id}`: removes one.
    func remove(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let id = context.parameters.get("id") else { throw DomainError.secondFactorUnknown }
        try await secondFactors.manageSecondFactors.remove(
            Identifier(rawValue: id), of: caller, by: requests.author(caller, request, context))
        return Response(status: .noContent)
    }

    /// `POST /v1/user/second-factors/recovery-codes`: ten new recovery codes.
    func replaceRecoveryCodes(
        _ caller: Authenticated, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let codes = try await secondFactors.manageSecondFactors.replaceRecoveryCodes(
            of: caller, by: requests.author(caller, request, context))
        return try JSONResponse(
            body: RecoveryCodesResponse(recoveryCodes: codes.map(\.revealed)), status: .created
        ).response()
    }

    /// `POST /v1/log-in/second-factor/enrolment`: a key for a user who must have one before the log-in ends.
    func requestEnrolment(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let body = try await requests.requiredJSON(SecondFactorTicketBody.self, of: request, context)
        let offer = try await secondFactors.logInWithSecondFactor.offer(body.ticket, in: application)
        return try JSONResponse(body: TOTPOfferResponse(offer)).response()
    }

    /// `POST /v1/log-in/second-factor`: finishes a log-in.
    func logIn(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let restoringFrom = try requests.restoration(of: request, context)
        let body = try await requests.requiredJSON(SecondFactorLogInBody.self, of: request, context)
        let asked = LogInWithSecondFactor.Request(
            application: application, ticket: body.ticket, shown: try LogInWithSecondFactor.Shown(body),
            client: requests.logInClient(body.device, body.joinsDevice, request, context),
            restoringFrom: restoringFrom)
        var addition: TOTPAddition?
        let logIn = try await metrics.logIn { () async throws(DomainError) in
            let finished = try await secondFactors.logInWithSecondFactor(asked)
            addition = finished.addition
            return finished.logIn
        }
        context.tellNotices(logIn.noticeCount)
        var response = LogInResponse(logIn)
        response.recoveryCodes = addition?.recoveryCodes?.map(\.revealed)
        return try JSONResponse(body: response).response()
    }
}

extension LogInWithSecondFactor.Shown {
    /// - Throws: `RequestError.membersInvalid` unless there is one factor.
    fileprivate init(_ body: SecondFactorLogInBody) throws(RequestError) {
        switch (body.code, body.recoveryCode, body.enrolment) {
        case (let code?, nil, nil): self = .totp(code)
        case (nil, let code?, nil): self = .recoveryCode(code)
        case (let code?, nil, let ticket?):
            self = .enrolment(EnrolTOTP.Confirmation(ticket: ticket, code: code, name: body.name))
        default:
            throw .membersInvalid([
                MemberFault(path: "code", rule: .form("Either code or recoveryCode; with enrolment code alone."))
            ])
        }
    }
}

extension TOTPOfferResponse {
    fileprivate init(_ offer: TOTPOffer) {
        self.init(
            ticket: offer.ticket.revealed, secret: offer.key.revealed, link: offer.link.revealed,
            qrSVG: QRPicture(offer.link.revealed)?.svg, expiresAt: offer.expiresAt.wire)
    }
}

extension SecondFactorBody {
    fileprivate init(_ factor: TOTPFactor) {
        self.init(
            id: factor.id.rawValue, name: factor.name, createdAt: factor.createdAt.wire,
            lastUsedAt: factor.lastUsedAt?.wire)
    }
}

extension SecondFactorChallengeBody {
    init(_ challenge: SecondFactorChallenge) {
        self.init(
            ticket: challenge.ticket.revealed, factors: challenge.factors.map(\.rawValue),
            expiresAt: challenge.expiresAt.wire, hasPasskey: challenge.hasPasskey,
            joinsDevice: challenge.isKeyTaken ? false : nil)
    }
}
