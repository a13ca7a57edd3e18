public import Foundation
public import OkaeriWire

/// Everything that a call of the library can fail with.
///
/// Decide by the case, or by ``code``, which stays the same between versions and languages.
public enum OkaeriError: Error, Hashable, Sendable {
    /// No response from the server: no network, no connection, or no response in time. Nothing is lost; try again later.
    case offline
    /// The server cannot do its work now. It may have said when to come back.
    case serverUnavailable(retryAfter: Duration?)
    /// Too many requests. The server may have said when to come back.
    case rateLimited(retryAfter: Duration?)
    /// The device's storage cannot be read now, for example before its first unlock. That is not "logged out".
    case storageLocked
    /// The device's storage does not take what must be kept, or this process lacks the entitlement to it. The text, for a log,
    /// says why.
    case storageUnavailable(String)
    /// What the device's storage holds can never be used again; see ``OkaeriClient/forgetDevice()``.
    case storageDamaged(String)
    /// Nobody is logged in: log in first.
    case notLoggedIn
    /// The session has ended and the server does not renew it.
    case sessionEnded
    /// Somebody logged out while the call was under way. Its response does not count.
    case loggedOutMeanwhile
    /// Somebody else is logged in by now than the user for whom the call was made, also by a log-in that was asked for later; or
    /// the device's key leads to somebody else. It was not repeated.
    case userChanged
    /// Identifier or password are wrong; whether there is such a user stays secret.
    case credentialRefused
    /// A code or token from a mail is wrong, used, too old, or was tried too often. Ask for a new one.
    case codeRefused
    /// The owner must prove to be there first: ``OkaeriClient/reauthenticate(password:)``, then the same call again.
    case reauthenticationRequired
    /// Somebody else has the user name, mail address or phone number; each is listed.
    case identifierTaken([FieldProblem])
    /// Only an anonymous user can be upgraded.
    case alreadyRegistered
    /// An operator disabled the user.
    case userDisabled
    /// The server knows no application of this id.
    case applicationUnknown
    /// The server does not accept the device's proof.
    case proofRefused(ErrorCode)
    /// The values sent break a rule; each broken rule is listed.
    case invalidValues([FieldProblem])
    /// The user has no such session.
    case sessionUnknown
    /// The application does not list this audience for access tokens.
    case audienceNotAllowed
    /// The server does not believe what the provider gave, or does not have this provider; the code tells more.
    case providerRefused(ErrorCode)
    /// The identity belongs to another user.
    case identityTaken
    /// Nothing else leads to the user.
    case lastWayIn
    /// The device's key was removed from the account: by a new password, a new address, "log out everywhere", or by its
    /// owner or an operator. Nothing is lost: a log-in by other means lets the device in again. Somebody else goes on
    /// with ``OkaeriClient/useNewDeviceKey()``.
    case deviceKeyRemoved(reason: String?, at: Date?)
    /// An identifier is another user's, and the person has proved to be that user too: ``OkaeriClient/resolve(_:by:)``.
    case conflict(MergeConflict)
    /// The merge ticket is over, was used, or one of the users is gone.
    case mergeRefused
    /// The user asked to be deleted, and is erased at this time; see ``OkaeriClient/restoreUser()``, and `restoring`
    /// of the other log-ins.
    case userDeleted(erasedAt: Date?)
    /// The transfer code leads nowhere: mistyped, used, withdrawn or replaced, or older than a day.
    case transferCodeRefused
    /// This device joined a guest by a transfer code, and changes nothing of the account yet that its owner alone may: the person
    /// acknowledges its notice on the old device, by ``OkaeriClient/acknowledge(_:)``, or waits until this time.
    case transferUnconfirmed(until: Date?)
    /// A log-in through the hosted pages came to nothing; see ``OkaeriClient/logIn(through:redirect:options:)``.
    case webLogInRefused(WebLogInRefusal)
    /// A passkey came to nothing; see ``OkaeriClient/logInWithPasskey(_:presentation:restoring:)``.
    case passkeyRefused(PasskeyRefusal)
    /// The log-in needs a second factor too: ``OkaeriClient/logIn(secondFactor:for:)`` finishes it. Without a challenge
    /// this way of log-in cannot ask for one: log in to that account by another.
    case secondFactorRequired(SecondFactorChallenge?)
    /// The user adds an authenticator app first: ``OkaeriClient/requestTOTP(for:)`` goes on with a log-in; without a
    /// challenge, ``OkaeriClient/requestTOTP()`` does.
    case secondFactorEnrolmentRequired(SecondFactorChallenge?)
    /// The owner must show the second factor first: ``OkaeriClient/reauthenticate(secondFactor:)`` with what the
    /// authenticator app shows or a recovery code, then the same call again.
    case secondFactorNotRecent
    /// A second factor came to nothing.
    case secondFactorRefused(SecondFactorRefusal)
    /// The time in which it could be undone is over.
    case undoTooLate
    /// The caller's task was cancelled. What it had begun goes on where stopping would lose a session.
    case cancelled
    /// The server refused for a reason that this version has no case for.
    case refused(code: ErrorCode, status: Int, detail: String?)
    /// The response is not one that an Okaeri server gives, or longer than 1 MiB. Is the address right?
    case unexpectedResponse(status: Int)

    /// A stable word for the kind of error, for logs and decisions.
    public var code: String {
        switch self {
        case .offline: "offline"
        case .serverUnavailable: "server_unavailable"
        case .rateLimited: "rate_limited"
        case .storageLocked: "storage_locked"
        case .storageUnavailable: "storage_unavailable_on_device"
        case .storageDamaged: "storage_damaged"
        case .notLoggedIn: "not_logged_in"
        case .sessionEnded: "session_ended"
        case .loggedOutMeanwhile: "logged_out_meanwhile"
        case .userChanged: "user_changed"
        case .credentialRefused: "credential_refused"
        case .codeRefused: "code_refused"
        case .reauthenticationRequired: "reauthentication_required"
        case .identifierTaken: "identifier_taken"
        case .alreadyRegistered: "already_registered"
        case .userDisabled: "user_disabled"
        case .applicationUnknown: "application_unknown"
        case .proofRefused(let code): code.rawValue
        case .invalidValues: "invalid_values"
        case .sessionUnknown: "session_unknown"
        case .audienceNotAllowed: "audience_not_allowed"
        case .providerRefused(let code): code.rawValue
        case .identityTaken: "identity_taken"
        case .lastWayIn: "last_way_in"
        case .deviceKeyRemoved: "device_key_removed"
        case .conflict: "conflict"
        case .mergeRefused: "merge_ticket_refused"
        case .userDeleted: "user_deleted"
        case .transferCodeRefused: "transfer_code_refused"
        case .transferUnconfirmed: "transfer_unconfirmed"
        case .undoTooLate: "undo_too_late"
        case .webLogInRefused(let reason): reason.rawValue
        case .passkeyRefused(let reason): reason.code
        case .secondFactorRequired: "second_factor_required"
        case .secondFactorEnrolmentRequired: "second_factor_enrolment_required"
        case .secondFactorNotRecent: "second_factor_not_recent"
        case .secondFactorRefused(let reason): reason.rawValue
        case .cancelled: "cancelled"
        case .refused(let code, _, _): code.rawValue
        case .unexpectedResponse: "unexpected_answer"
        }
    }

    /// Whether the same call may succeed later, with nothing changed.
    public var isTemporary: Bool {
        switch self {
        case .offline, .serverUnavailable, .rateLimited, .storageLocked, .cancelled: true
        case .storageUnavailable, .storageDamaged, .notLoggedIn, .sessionEnded, .loggedOutMeanwhile, .userChanged,
            .credentialRefused, .codeRefused, .reauthenticationRequired, .identifierTaken, .alreadyRegistered,
            .userDisabled,
            .applicationUnknown, .proofRefused, .invalidValues, .sessionUnknown, .audienceNotAllowed,
            .providerRefused, .identityTaken, .lastWayIn, .deviceKeyRemoved, .conflict, .mergeRefused, .userDeleted,
            .transferCodeRefused, .undoTooLate, .webLogInRefused, .passkeyRefused, .secondFactorRequired,
            .secondFactorEnrolmentRequired, .secondFactorNotRecent, .secondFactorRefused, .transferUnconfirmed,
            .refused,
            .unexpectedResponse:
            false
        }
    }
}

extension OkaeriError {
    /// What a vault's failure means to the caller.
    init(_ error: VaultError) {
        switch error {
        case .unreadableNow: self = .storageLocked
        case .unwritable(let reason): self = .storageUnavailable(reason)
        case .damaged(let reason): self = .storageDamaged(reason)
        }
    }

    /// What a failed transport means to the caller.
    init(_ error: TransportError) {
        switch error {
        case .offline, .unreachable, .timedOut: self = .offline
        case .cancelled: self = .cancelled
        }
    }

    /// What a refusing response means to the caller.
    init(_ response: TransportResponse, problem: Problem?) {
        let retryAfter = response.retryAfter
        guard let problem else {
            // Proxies respond without a problem document when the server behind them is away, some of them with numbers
            // of their own (521 and its neighbours).
            self = Self.passing(response) ?? .unexpectedResponse(status: response.status)
            return
        }
        if let offer = problem.merge {
            self = .conflict(MergeConflict(offer))
            return
        }
        switch problem.code {
        case .rateLimited: self = .rateLimited(retryAfter: retryAfter)
        case .storageUnavailable, .standby, .requestTimeout, .internalError, .busy, .providerUnavailable,
            .hookUnavailable:
            self = .serverUnavailable(retryAfter: retryAfter)
        case .sessionInvalid, .sessionRequired: self = .sessionEnded
        case .credentialRefused: self = .credentialRefused
        case .codeRefused: self = .codeRefused
        case .reauthenticationRequired: self = .reauthenticationRequired
        case .identifierTaken: self = .identifierTaken(problem.errors ?? [])
        case .alreadyRegistered: self = .alreadyRegistered
        case .userDisabled: self = .userDisabled
        case .applicationUnknown: self = .applicationUnknown
        case .proofInvalid, .proofReplayed, .proofRequired, .clockSkew: self = .proofRefused(problem.code)
        case .invalidMember, .unknownMember: self = .invalidValues(problem.errors ?? [])
        case .sessionUnknown: self = .sessionUnknown
        case .audienceNotAllowed: self = .audienceNotAllowed
        case .providerTokenInvalid, .providerTokenReplayed, .providerRefused, .providerNotEnabled,
            .providerMisconfigured, .providerAlreadyLinked, .identityUnknown:
            self = .providerRefused(problem.code)
        case .identityTaken: self = .identityTaken
        case .lastWayIn: self = .lastWayIn
        case .deviceKeyRemoved:
            self = .deviceKeyRemoved(reason: problem.reason, at: problem.removedAt.map(Date.init(_:)))
        case .mergeTicketRefused: self = .mergeRefused
        case .userDeleted: self = .userDeleted(erasedAt: problem.erasedAt.map(Date.init(_:)))
        case .transferCodeRefused: self = .transferCodeRefused
        case .transferUnconfirmed: self = .transferUnconfirmed(until: problem.undoUntil.map(Date.init(_:)))
        case .undoTooLate: self = .undoTooLate
        case .passkeyUnknown, .passkeyInvalid, .passkeysNotEnabled: self = .passkeyRefused(PasskeyRefusal(problem))
        case .secondFactorRequired:
            self = .secondFactorRequired(problem.secondFactor.map(SecondFactorChallenge.init(_:)))
        case .secondFactorEnrolmentRequired:
            self = .secondFactorEnrolmentRequired(problem.secondFactor.map(SecondFactorChallenge.init(_:)))
        case .secondFactorNotRecent: self = .secondFactorNotRecent
        case .secondFactorInvalid, .secondFactorTicketInvalid, .secondFactorsNotEnabled, .secondFactorUnknown:
            self = .secondFactorRefused(SecondFactorRefusal(rawValue: problem.code.rawValue))
        // A server without a mail server, which lasts.
        case .mailUnavailable:
            self = .refused(code: problem.code, status: response.status, detail: problem.detail)
        default:
            // A newer server may have more words for "not now": then the status says so.
            self =
                Self.passing(response)
                ?? .refused(code: problem.code, status: response.status, detail: problem.detail)
        }
    }

    /// What a status says by itself of a server that cannot do its work now; `nil` for all others.
    private static func passing(_ response: TransportResponse) -> OkaeriError? {
        switch response.status {
        case 429: .rateLimited(retryAfter: response.retryAfter)
        case 408, 500...599: .serverUnavailable(retryAfter: response.retryAfter)
        default: nil
        }
    }
}
