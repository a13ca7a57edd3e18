import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
package import OkaeriWire

/// The admin API's words for errors: those of the native protocol, but for what admins may know.
struct AdminErrors: ErrorRenderer {
    func response(to error: any Error, requestId: String) -> Response {
        let native = NativeErrors()
        guard let error = error as? DomainError, let refusal = Refusal(forAdmin: error) else {
            return native.response(to: error, requestId: requestId)
        }
        return native.answer(refusal, requestId: requestId)
    }
}

extension Refusal {
    /// `nil` for what admins get as everybody does.
    fileprivate init?(forAdmin error: DomainError) {
        guard let word = Self.adminWords[error.code] else { return nil }
        self = word
        if case .permission(let permission) = error.detail { problem.detail = "Needed: \(permission.rawValue)." }
        if case .serverPermission(let permission) = error.detail {
            problem.detail = "Needed: \(permission.rawValue), for all applications."
        }
    }

    private static let adminWords: [DomainError.Code: Refusal] = [
        .userUnknown: Refusal(404, .userUnknown, "There is no such user."),
        .sessionInvalid: Refusal(409, .userUnavailable, "The user is disabled or on the way out."),
        .credentialRefused: challenge(.credentialRefused, "Name, password or code are wrong.", .admin),
        .reauthenticationRequired: Refusal(
            403, .reauthenticationRequired, "The admin's session is not fresh.",
            detail: "POST /v1/admin/reauthenticate with password and code, or …/passkey, then again with the new token."
        ),
        .adminRequired: challenge(
            .adminRequired, "An admin's session or key is required.", .admin,
            detail: "Send Authorization: Bearer and the token of an admin's log-in, or an admin key."),
        .adminNotAllowed: Refusal(403, .notAllowed, "The role, or the scope of the key, does not allow this."),
        .adminResourceUnknown: Refusal(404, .notFound, "There is no such thing here."),
        .changedMeanwhile: Refusal(
            412, .changedMeanwhile, "Somebody changed it since it was read.",
            detail: "Read it again, and send its ETag as If-Match."),
        .versionRequired: Refusal(
            428, .versionRequired, "The header If-Match is required.", detail: "Send the ETag of what was read."),
        .adminLinkRefused: Refusal(
            403, .linkRefused, "The link leads nowhere.",
            detail: "It was used or replaced, or is older than a day. “okaeri admin link” makes a new one."),
        .attemptReused: Refusal(
            409, .idempotencyKeyReused, "The Idempotency-Key was used already.",
            detail: "For a day it makes one of a kind, and rotates each secret once. What it made is in the list, and "
                + "the secret is not shown again. Name a new attempt by another Idempotency-Key."),
        .adminNameTaken: Refusal(409, .nameTaken, "Another admin has this name."),
        .lastOwner: Refusal(409, .lastOwner, "One owner must stay."),
        .mailExpired: Refusal(
            409, .mailExpired, "The mail is of no use any more.",
            detail: "Its code has expired, or what it says is not kept any more. People ask for another."),
        .passkeysNotEnabled: Refusal(
            404, .passkeysNotEnabled, "The server has no address that passkeys of admins can belong to.",
            detail: "Its public address needs a domain."),
    ]
}

extension ErrorCode {
    package static let adminRequired: Self = "admin_required"
    package static let notAllowed: Self = "not_allowed"
    package static let notFound: Self = "not_found"
    package static let changedMeanwhile: Self = "changed_meanwhile"
    package static let versionRequired: Self = "version_required"
    package static let linkRefused: Self = "link_refused"
    package static let nameTaken: Self = "name_taken"
    package static let lastOwner: Self = "last_owner"
    package static let mailExpired: Self = "mail_expired"
    package static let userUnknown: Self = "user_unknown"
    package static let userUnavailable: Self = "user_unavailable"
}
