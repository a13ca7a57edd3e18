/// An error response: a problem document (RFC 9457), media type `application/problem+json`.
public struct Problem: Codable, Hashable, Sendable {
    /// The media type of an error response.
    public static let mediaType = "application/problem+json"

    /// A URI that names the kind of problem: `urn:okaeri:problem:` and the code.
    public var type: String
    /// A short sentence for a developer, the same for every occurrence.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// What happened this time, for a developer. Never contains a secret.
    public var detail: String?
    /// The stable word to decide by.
    public var code: ErrorCode
    /// The bad fields of a request body, when the code is `invalid_member` or `identifier_taken`.
    public var errors: [FieldProblem]?
    /// The server's clock, when the code is `clock_skew`.
    public var serverTime: WireTime?
    /// When the user is erased, when the code is `user_deleted`.
    public var erasedAt: WireTime?
    /// Until when the transfer can be undone by which the device joined, when the code is `transfer_unconfirmed`.
    public var undoUntil: WireTime?
    /// By what a device's key was removed, when the code is `device_key_removed`: `password_changed`, `password_reset`,
    /// `address_changed`, `other_sessions_ended`, `device_key_removed`, `too_many_device_keys` … An open set.
    public var reason: String?
    /// When that was.
    public var removedAt: WireTime?
    /// How a conflict can be resolved, when the caller has proved to be both users.
    public var merge: MergeOfferBody?
    /// What finishes a log-in that needs a second factor.
    public var secondFactor: SecondFactorChallengeBody?
    /// What a first launch needs, when the code is `attestation_required` or `proof_of_work_required`.
    public var firstLaunch: FirstLaunchDemandBody?
    /// The request's id, as in the header `Request-Id` and the server's log.
    public var requestId: String?

    /// Makes a problem document.
    public init(
        title: String, status: Int, detail: String? = nil, code: ErrorCode, errors: [FieldProblem]? = nil,
        serverTime: WireTime? = nil, requestId: String? = nil
    ) {
        type = "urn:okaeri:problem:\(code.rawValue)"
        self.title = title
        self.status = status
        self.detail = detail
        self.code = code
        self.errors = errors
        self.serverTime = serverTime
        self.requestId = requestId
    }
}

/// One bad field of a request body.
public struct FieldProblem: Codable, Hashable, Sendable {
    /// The path from the body's root: `user.fields.score`. Empty for the body itself.
    public var field: String
    /// The rule that was broken, as a stable word: `too_long`, `wrong_type`, `control_character` …
    public var code: String
    /// The rule in words, with its limit.
    public var detail: String

    /// Makes the report of one bad field.
    public init(field: String, code: String, detail: String) {
        self.field = field
        self.code = code
        self.detail = detail
    }
}

/// A stable word for a kind of error. An open set: a newer server may send words that this version does not list.
public struct ErrorCode: RawRepresentable, Codable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The word as it is sent.
    public var rawValue: String

    /// Makes a code from its word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a code from a literal.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// 400: the request line or a header cannot be read. The connection is closed.
    public static let malformedHead: Self = "malformed_head"
    /// 431: the headers are too many or too long. The connection is closed.
    public static let headTooLarge: Self = "head_too_large"
    /// 400: the body is not JSON, or not UTF-8.
    public static let malformedBody: Self = "malformed_body"
    /// 400: the body has a member that the API does not know.
    public static let unknownMember: Self = "unknown_member"
    /// 400: a member has the wrong type or breaks a limit; see `errors`.
    public static let invalidMember: Self = "invalid_member"
    /// 413: the body is longer than 1 MiB.
    public static let bodyTooLarge: Self = "body_too_large"
    /// 415: the body is not `application/json`.
    public static let unsupportedMediaType: Self = "unsupported_media_type"
    /// 400: a request header is malformed or missing; the detail names it.
    public static let invalidHeader: Self = "invalid_header"
    /// 401: the header `Okaeri-Application` is missing or names no application.
    public static let applicationUnknown: Self = "application_unknown"
    /// 401: no session token was sent.
    public static let sessionRequired: Self = "session_required"
    /// 401: the session token is malformed, unknown, ended, expired, or of another application.
    public static let sessionInvalid: Self = "session_invalid"
    /// 401: the request needs a DPoP proof and has none.
    public static let proofRequired: Self = "proof_required"
    /// 401: the DPoP proof is wrong; the detail says in what.
    public static let proofInvalid: Self = "proof_invalid"
    /// 401: the DPoP proof was used before.
    public static let proofReplayed: Self = "proof_replayed"
    /// 401: the proof's `iat` is too far from the server's clock; `serverTime` tells it.
    public static let clockSkew: Self = "clock_skew"
    /// 403: the user was disabled by an operator.
    public static let userDisabled: Self = "user_disabled"
    /// 401: identifier or password are wrong; whether there is such a user stays secret.
    public static let credentialRefused: Self = "credential_refused"
    /// 403: the session is not fresh; prove to be there with `POST /v1/user/reauthenticate` first.
    public static let reauthenticationRequired: Self = "reauthentication_required"
    /// 409: somebody else has the user name, mail address or phone number; `errors` says which.
    public static let identifierTaken: Self = "identifier_taken"
    /// 409: the user is not anonymous any more.
    public static let alreadyRegistered: Self = "already_registered"
    /// 503: too much of this work is waiting; see the header `Retry-After`.
    public static let busy: Self = "busy"
    /// 503: the search was stopped at the server's time limit.
    public static let searchTooSlow: Self = "search_too_slow"
    /// 400: a mailed code is wrong, used, too old, or void; which one stays secret.
    public static let codeRefused: Self = "code_refused"
    /// 503: the server has no mail server, so nothing that needs a mail can be done.
    public static let mailUnavailable: Self = "mail_unavailable"
    /// 404: no such path.
    public static let pathUnknown: Self = "path_unknown"
    /// 405: the path does not know this method; see the header `Allow`.
    public static let methodNotAllowed: Self = "method_not_allowed"
    /// 404: the user has no such session.
    public static let sessionUnknown: Self = "session_unknown"
    /// 400: the application does not list this audience for access tokens.
    public static let audienceNotAllowed: Self = "audience_not_allowed"
    /// 409: the `Idempotency-Key` was used for a different request.
    public static let idempotencyKeyReused: Self = "idempotency_key_reused"
    /// 404: the application has no passkeys.
    public static let passkeysNotEnabled: Self = "passkeys_not_enabled"
    /// 404: the passkey leads to nobody here; the client can forget it.
    public static let passkeyUnknown: Self = "passkey_unknown"
    /// 401: the registration or the assertion does not hold; `errors` names the member and the rule.
    public static let passkeyInvalid: Self = "passkey_invalid"
    /// 403: the log-in needs the second factor too; `secondFactor` has what finishes it, unless this way of log-in cannot.
    public static let secondFactorRequired: Self = "second_factor_required"
    /// 403: the user must add a second factor first; `secondFactor` has what goes on with a log-in.
    public static let secondFactorEnrolmentRequired: Self = "second_factor_enrolment_required"
    /// 403: the session has not shown the second factor lately; show it with `POST /v1/user/reauthenticate` first.
    public static let secondFactorNotRecent: Self = "second_factor_not_recent"
    /// 401: the code or the recovery code is wrong, or was used.
    public static let secondFactorInvalid: Self = "second_factor_invalid"
    /// 401: the ticket of a log-in or of an enrolment is wrong, too old or void; begin anew.
    public static let secondFactorTicketInvalid: Self = "second_factor_ticket_invalid"
    /// 404: the application has no second factors, or the user is anonymous.
    public static let secondFactorsNotEnabled: Self = "second_factors_not_enabled"
    /// 404: the user has no such second factor.
    public static let secondFactorUnknown: Self = "second_factor_unknown"
    /// 403: a first launch makes a user only with an attestation; `firstLaunch` has the challenge.
    public static let attestationRequired: Self = "attestation_required"
    /// 403: a first launch makes a user only with a proof of work or an attestation; `firstLaunch` has the challenges.
    public static let proofOfWorkRequired: Self = "proof_of_work_required"
    /// 403: the attestation proves nothing; `errors` names the member and the rule.
    public static let attestationInvalid: Self = "attestation_invalid"
    /// 403: the app's own backend does not allow it; the detail is what it says to the person, if it says anything.
    public static let hookRefused: Self = "hook_refused"
    /// 503: the app's own backend would have to be asked, and does not respond; see the header `Retry-After`. Nothing was
    /// changed.
    public static let hookUnavailable: Self = "hook_unavailable"
    /// 404: the application has no such provider.
    public static let providerNotEnabled: Self = "provider_not_enabled"
    /// 401: the provider's token is wrong; the detail says in what.
    public static let providerTokenInvalid: Self = "provider_token_invalid"
    /// 401: the provider's token was used before.
    public static let providerTokenReplayed: Self = "provider_token_replayed"
    /// 401: the provider does not take the authorization code.
    public static let providerRefused: Self = "provider_refused"
    /// 503: the provider cannot be reached now; see the header `Retry-After`. Nothing was changed.
    public static let providerUnavailable: Self = "provider_unavailable"
    /// 502: the provider does not take the application's own key or secret, which the operator must mend.
    public static let providerMisconfigured: Self = "provider_misconfigured"
    /// 409: the identity belongs to another user.
    public static let identityTaken: Self = "identity_taken"
    /// 409: the user has another identity of this provider.
    public static let providerAlreadyLinked: Self = "provider_already_linked"
    /// 404: the user has no identity of this provider.
    public static let identityUnknown: Self = "identity_unknown"
    /// 409: nothing else leads to the user.
    public static let lastWayIn: Self = "last_way_in"
    /// 403: the device's key was removed from the account; `reason` and `removedAt` tell more. A log-in by other means with
    /// a proof by the same key lets the device in again.
    public static let deviceKeyRemoved: Self = "device_key_removed"
    /// 429: too many requests; see the header `Retry-After`.
    public static let rateLimited: Self = "rate_limited"
    /// 408: the client sent its request too slowly.
    public static let requestTimeout: Self = "request_timeout"
    /// 503: the database cannot be read or written now; see the header `Retry-After`.
    public static let storageUnavailable: Self = "storage_unavailable"
    /// 503: the server is a standby, which answers what needs no write; the header `Okaeri-Primary` may name the other one.
    public static let standby: Self = "standby"
    /// 403: the user asked to be deleted; `erasedAt` tells when that happens, and the header `Okaeri-Restore` prevents it.
    public static let userDeleted: Self = "user_deleted"
    /// 403: the merge ticket is not valid here, for whatever reason.
    public static let mergeTicketRefused: Self = "merge_ticket_refused"
    /// 404: there is no such merge.
    public static let mergeUnknown: Self = "merge_unknown"
    /// 403: the transfer code leads nowhere, for whatever reason.
    public static let transferCodeRefused: Self = "transfer_code_refused"
    /// 404: there is no such transfer that this device could undo.
    public static let transferUnknown: Self = "transfer_unknown"
    /// 403: the guest's device joined by a transfer code, and proves nothing of the owner before a device of before acknowledges the
    /// notice of that, or it cannot be undone any more; `undoUntil` tells when that is.
    public static let transferUnconfirmed: Self = "transfer_unconfirmed"
    /// 409: the time in which it could be undone is over.
    public static let undoTooLate: Self = "undo_too_late"
    /// 500: a fault in the server; the log has more under the request's id.
    public static let internalError: Self = "internal_error"
}
