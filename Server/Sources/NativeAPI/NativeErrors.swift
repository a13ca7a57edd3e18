import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// Errors as problem documents (RFC 9457).
struct NativeErrors: ErrorRenderer {
    func response(to error: any Error, requestId: String) -> Response {
        let refusal =
            switch error {
            case let error as DomainError: Refusal(error)
            case let fault as RequestError: Refusal(fault)
            case let member as UnknownMember: Refusal(member)
            default: Refusal(500, .internalError, "A fault in the server.")
            }
        return answer(refusal, requestId: requestId)
    }

    /// A refusal as an answer.
    func answer(_ refusal: Refusal, requestId: String) -> Response {
        var refusal = refusal
        refusal.problem.requestId = requestId.isEmpty ? nil : requestId
        do {
            return try JSONResponse(
                body: refusal.problem, status: .init(code: refusal.problem.status), mediaType: Problem.mediaType,
                headers: refusal.headers
            ).response()
        } catch {
            // A problem holds texts and whole numbers, which always encode.
            return Response(status: .internalServerError)
        }
    }
}

/// A problem and the headers that belong to it.
struct Refusal {
    var problem: Problem
    var headers = HTTPFields()

    init(_ status: Int, _ code: ErrorCode, _ title: String, detail: String? = nil) {
        problem = Problem(title: title, status: status, detail: detail, code: code)
    }

    /// A 401 with the challenge that RFC 9110 §15.5.2 asks for.
    static func challenge(
        _ code: ErrorCode, _ title: String, _ challenge: Challenge, detail: String? = nil
    ) -> Refusal {
        var refusal = Refusal(401, code, title, detail: detail)
        refusal.headers[.wwwAuthenticate] = challenge.rawValue
        return refusal
    }

    /// A refusal that holds for a while only.
    func retry(after span: Duration) -> Refusal {
        var refusal = self
        refusal.headers[.retryAfter] = String(max(1, span.secondsRoundedUp))
        return refusal
    }

    /// What the header `WWW-Authenticate` asks for.
    enum Challenge: String {
        /// RFC 6750 §3: without an error when no token was sent.
        case session = #"Bearer, DPoP algs="ES256""#
        case otherSession = #"Bearer error="invalid_token", DPoP error="invalid_token", algs="ES256""#
        /// RFC 9449 §7.1.
        case proof = #"DPoP algs="ES256""#
        case otherProof = #"DPoP error="invalid_dpop_proof", algs="ES256""#
        case application = "Okaeri-Application"
        case provider = "Okaeri-Provider"
        case passkey = "Okaeri-Passkey"
        case secondFactor = "Okaeri-Second-Factor"
        case admin = #"Bearer realm="admin""#
    }
}

extension Refusal {
    /// The most errors that a response names: a body of a megabyte can have a hundred thousand.
    private static let maximumErrors = 200
    /// How long to wait before asking a storage that failed again.
    private static let storageRetry: Duration = .seconds(2)

    /// Each rule's response: the word of its code, or else of its kind, with what belongs to it. Callers cannot tell from
    /// it whether something exists that they may not see.
    init(_ error: DomainError) {
        self = Self.words[error.code] ?? Refusal(of: error.kind)
        switch error.detail {
        case .none, .permission, .serverPermission: break
        case .identifiers(let kinds):
            problem.errors = kinds.map { FieldProblem(ValidationError(field: $0.rawValue, rule: .notUnique)) }
        case .fields(let errors): problem.errors = errors.prefix(Self.maximumErrors).map { FieldProblem($0) }
        case .retryAfter(let span): self = retry(after: span)
        case .erasedAt(let time): problem.erasedAt = time.wire
        case .undoUntil(let time): problem.undoUntil = time.wire
        case .serverTime(let time): problem.serverTime = time.wire
        case .mergeOffer(let offer): self.init(offer)
        case .proof(let fault): problem.detail = fault.detail
        case .providerToken(let fault): problem.detail = fault.detail
        case .passkey(let fault): problem.errors = [fault.field]
        case .secondFactor(let challenge): problem.secondFactor = SecondFactorChallengeBody(challenge)
        case .firstLaunch(let demand): problem.firstLaunch = FirstLaunchDemandBody(demand)
        case .attestation(let fault): problem.errors = [fault.field]
        case .message(let text): problem.detail = text
        case .removedDeviceKey(let key):
            problem.reason = key.reason.rawValue
            problem.removedAt = key.removedAt.wire
        }
    }

    private init(_ offer: MergeOffer) {
        switch offer.cause {
        case .identifiers(let kinds):
            self.init(
                409, .identifierTaken, "Somebody else has an identifier.",
                detail: "The password is that user's too. Resolve it with the ticket at /v1/user/merge.")
            problem.errors = kinds.map { FieldProblem(ValidationError(field: $0.rawValue, rule: .notUnique)) }
        case .identity:
            self.init(
                409, .identityTaken, "The identity belongs to another user.",
                detail: "The provider vouches for that user too. Resolve it with the ticket at /v1/user/merge.")
        }
        problem.merge = MergeOfferBody(ticket: offer.ticket.revealed, expiresAt: offer.expiresAt.wire)
    }

    /// A code that the table does not have.
    private init(of kind: DomainError.Kind) {
        switch kind {
        case .invalid: self = Self.invalidMember
        case .unauthenticated: self = Self.sessionInvalid
        case .refused: self = Self.credentialRefused
        case .forbidden: self = Self.notAllowed
        case .notFound: self.init(404, .pathUnknown, "There is no such path.")
        case .conflict: self.init(409, .identifierTaken, "Somebody else has an identifier.")
        case .gone: self.init(409, .undoTooLate, "It cannot be undone any more.")
        case .rateLimited: self.init(429, .rateLimited, "Too many requests.")
        case .unavailable: self = Self.storageUnavailable
        case .internal: self = Self.internalError
        }
    }

    private static let invalidMember = Refusal(400, .invalidMember, "Members of the body break their rules.")
    private static let sessionInvalid = challenge(
        .sessionInvalid, "The session token is not valid here.", .otherSession)
    private static let credentialRefused = challenge(
        .credentialRefused, "Identifier or password are wrong.", .session)
    private static let notAllowed = Refusal(403, .notAllowed, "Not allowed.")
    private static let storageUnavailable = Refusal(503, .storageUnavailable, "The storage cannot be reached now.")
        .retry(after: storageRetry)
    private static let internalError = Refusal(500, .internalError, "A fault in the server.")

    private static let words: [DomainError.Code: Refusal] = DomainError.Code.words(
        [
            .applicationUnknown: challenge(
                .applicationUnknown, "The header Okaeri-Application is missing or names no application.", .application),
            .sessionRequired: challenge(
                .sessionRequired, "A session token is required.", .session,
                detail: "Send Authorization: Bearer and the token of a log-in."),
            .sessionInvalid: sessionInvalid, .userUnknown: sessionInvalid, .accessRefused: sessionInvalid,
            .userDisabled: Refusal(403, .userDisabled, "The user was disabled by an operator."),
            .credentialRefused: credentialRefused, .emailUnverified: credentialRefused,
            .reauthenticationRequired: Refusal(
                403, .reauthenticationRequired, "The session is not fresh.",
                detail: "Prove to be there with POST /v1/user/reauthenticate, then repeat within ten minutes."),
            .identifiersTaken: Refusal(409, .identifierTaken, "Somebody else has an identifier."),
            .alreadyRegistered: Refusal(409, .alreadyRegistered, "The user is not anonymous any more."),
            .attemptReused: Refusal(
                409, .idempotencyKeyReused, "The Idempotency-Key was used for a different request.",
                detail: "Repeat the same body, or name the new attempt by a new key."),
            .busy: Refusal(503, .busy, "Too much of this work is waiting."),
            .searchTooSlow: Refusal(
                503, .searchTooSlow, "The search takes too long.",
                detail: "It was stopped at the server's time limit. Ask for less."),
            .codeRefused: Refusal(
                400, .codeRefused, "The code is not valid.",
                detail: "It is wrong, used, too old, or void. Ask for a new one."),
            .mailUnavailable: Refusal(
                503, .mailUnavailable, "This server cannot send mail.", detail: "No mail server is set."),
            .sessionUnknown: Refusal(404, .sessionUnknown, "There is no such session."),
            .proofRequired: challenge(
                .proofRequired, "A proof of possession is required.", .proof,
                detail: "Send the header DPoP with a proof (RFC 9449)."),
            .proofRefused: challenge(.proofInvalid, "The proof of possession is not valid.", .otherProof),
            .proofReplayed: challenge(
                .proofReplayed, "The proof of possession was used before.", .otherProof,
                detail: "Sign a new proof, with a new jti, for each request."),
            .clockSkew: challenge(
                .clockSkew, "The proof's time is too far from the server's.", .otherProof,
                detail: "iat must be within 60 seconds of serverTime."),
            .userDeleted: Refusal(
                403, .userDeleted, "The user asked to be deleted.",
                detail: "The same log-in with the header Okaeri-Restore: true restores the user."),
            .mergeTicketRefused: Refusal(403, .mergeTicketRefused, "The merge ticket is not valid here."),
            .mergeUnknown: Refusal(404, .mergeUnknown, "There is no such merge."),
            .transferCodeRefused: Refusal(
                403, .transferCodeRefused, "The transfer code leads nowhere.",
                detail: "It was mistyped, used, withdrawn or replaced, or is older than a day."),
            .transferUnknown: Refusal(
                404, .transferUnknown, "There is no such transfer that this device could undo."),
            .transferUnconfirmed: Refusal(
                403, .transferUnconfirmed, "No other device has confirmed this one yet.",
                detail: "Acknowledge its notice on a device that was there before, or wait until undoUntil."),
            .undoTooLate: Refusal(409, .undoTooLate, "It cannot be undone any more."), .fieldsRefused: invalidMember,
            .audienceNotAllowed: Refusal(
                400, .audienceNotAllowed, "The application does not list this audience."),
            .rateLimited: Refusal(429, .rateLimited, "Too many requests."),
            .providerNotEnabled: Refusal(404, .providerNotEnabled, "The application has no such provider."),
            .passkeysNotEnabled: Refusal(404, .passkeysNotEnabled, "The application has no passkeys."),
            .passkeyUnknown: Refusal(
                404, .passkeyUnknown, "The passkey leads to nobody here.",
                detail: "It was removed, or never belonged to anybody."),
            .passkeyRefused: challenge(
                .passkeyInvalid, "The passkey does not prove anything.", .passkey,
                detail: "Ask for new options: a challenge counts once, for five minutes."),
            .secondFactorRequired: Refusal(
                403, .secondFactorRequired, "The log-in needs the second factor too.",
                detail: "Finish it with the ticket at /v1/log-in/second-factor. Without a ticket, log in another way."),
            .secondFactorEnrolmentRequired: Refusal(
                403, .secondFactorEnrolmentRequired, "The user must add a second factor first.",
                detail: "With a ticket at /v1/log-in/second-factor/enrolment, else at /v1/user/second-factors/totp."),
            .secondFactorNotRecent: Refusal(
                403, .secondFactorNotRecent, "The session has not shown the second factor lately.",
                detail: "Show it with POST /v1/user/reauthenticate, then repeat within ten minutes."),
            .secondFactorRefused: challenge(
                .secondFactorInvalid, "The second factor is not valid.", .secondFactor,
                detail: "It is wrong, or was used. Each code counts once."),
            .secondFactorTicketRefused: challenge(
                .secondFactorTicketInvalid, "The ticket is not valid here.", .secondFactor, detail: "Begin anew."),
            .secondFactorsNotEnabled: Refusal(
                404, .secondFactorsNotEnabled, "There are no second factors for this user."),
            .secondFactorUnknown: Refusal(404, .secondFactorUnknown, "The user has no such second factor."),
            .attestationRequired: Refusal(
                403, .attestationRequired, "A first launch needs an attestation.",
                detail: "Attest the challenge together with the key's thumbprint, then send the log-in again."),
            .proofOfWorkRequired: Refusal(
                403, .proofOfWorkRequired, "A first launch needs a proof of work.",
                detail: "Solve the challenge, or attest it, then send the log-in again."),
            .attestationRefused: Refusal(
                403, .attestationInvalid, "The attestation does not prove anything.",
                detail: "Send the log-in without it for a new challenge, which counts once, for two minutes."),
            .hookRefused: Refusal(403, .hookRefused, "The app's own service does not allow it."),
            .hookUnavailable: Refusal(503, .hookUnavailable, "The app's own service cannot be asked now.")
                .retry(after: storageRetry),
            .providerTokenRefused: challenge(
                .providerTokenInvalid, "The provider's token is not valid here.", .provider),
            .providerTokenReplayed: challenge(
                .providerTokenReplayed, "The provider's token was used before.", .provider,
                detail: "Ask the provider for a new one."),
            .providerRefused: challenge(
                .providerRefused, "The provider refuses the authorization code.", .provider,
                detail: "A code counts once and for minutes only. Ask the provider for a new one."),
            .providerUnavailable: Refusal(503, .providerUnavailable, "The provider cannot be reached now.")
                .retry(after: storageRetry),
            .providerMisconfigured: Refusal(
                502, .providerMisconfigured, "The provider refuses the application's own key or secret.",
                detail: "The operator can try them with “okaeri application … check”."),
            .identityTaken: Refusal(409, .identityTaken, "The identity belongs to another user."),
            .providerAlreadyLinked: Refusal(
                409, .providerAlreadyLinked, "The user has another identity of this provider."),
            .identityUnknown: Refusal(404, .identityUnknown, "The user has no such identity or device key."),
            .lastWayIn: Refusal(409, .lastWayIn, "Nothing else leads to the user."),
            .deviceKeyRemoved: Refusal(
                403, .deviceKeyRemoved, "The device's key was removed from the account.",
                detail: "Log in by other means with a proof by the same key, and it leads to the account again."),
            .secretUnreadable: internalError, .storageUnavailable: storageUnavailable,
            .standby: Refusal(
                503, .standby, "This server is a standby.",
                detail: "It answers what needs no write, while its copy is young enough. Ask the primary."
            )
            .retry(after: storageRetry),
        ], ofAdministration: notAllowed)

    /// Each answer to a request that no rule saw.
    init(_ fault: RequestError) {
        switch fault {
        case .headMalformed:
            self.init(400, .malformedHead, "The request line or a header cannot be read.")
        case .headTooLarge:
            self.init(431, .headTooLarge, "The headers are too many or too long.")
        case .pathUnknown:
            self.init(404, .pathUnknown, "There is no such path.")
        case .methodNotAllowed(let allow):
            self.init(405, .methodNotAllowed, "The path does not know this method.", detail: "Allowed: \(allow).")
            headers[.allow] = allow
        case .headerInvalid(let name, let rule):
            self.init(400, .invalidHeader, "A header is malformed.", detail: "\(name) must be \(rule).")
        case .mediaTypeUnsupported(let accepted):
            self.init(
                415, .unsupportedMediaType, "The body has another media type.",
                detail: "Content-Type must be \(accepted.joined(separator: " or ")).")
        case .bodyTooLarge(let maximumBytes):
            self.init(
                413, .bodyTooLarge, "The body is too long.", detail: "At most \(maximumBytes) bytes are read.")
        case .bodyTooSlow:
            self.init(408, .requestTimeout, "The body did not arrive in time.")
        case .bodyMalformed(let reason):
            self.init(400, .malformedBody, "The body cannot be read.", detail: reason)
        case .membersInvalid(let faults):
            self.init(400, .invalidMember, "Members of the body break their rules.")
            problem.errors = faults.map { FieldProblem($0) }
        }
    }

    init(_ member: UnknownMember) {
        self.init(
            400, .unknownMember, "The body has a member that the API does not know.",
            detail: "Unknown member: \(MemberFault.printable(member.path)).")
    }
}
