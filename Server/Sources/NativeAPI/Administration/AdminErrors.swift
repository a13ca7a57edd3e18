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
    /// `nil` for what is told to admins as to everybody.
    fileprivate init?(forAdmin error: DomainError) {
        switch error {
        case .administration(let fault): self.init(fault)
        case .userUnknown: self.init(404, .userUnknown, "There is no such user.")
        case .sessionInvalid: self.init(409, .userUnavailable, "The user is disabled or on the way out.")
        case .credentialRefused:
            self = .challenge(.credentialRefused, "Name, password or code are wrong.", .admin)
        case .reauthenticationRequired:
            self.init(
                403, .reauthenticationRequired, "The admin's session is not fresh.",
                detail: "POST /v1/admin/reauthenticate with password and code, then again with the new token.")
        default: return nil
        }
    }

    private init(_ fault: AdministrationFault) {
        switch fault {
        case .adminRequired:
            self = .challenge(
                .adminRequired, "An admin's session or key is required.", .admin,
                detail: "Send Authorization: Bearer and the token of an admin's log-in, or an admin key.")
        case .notAllowed(let permission):
            self.init(
                403, .notAllowed, "The role, or the scope of the key, does not allow this.",
                detail: "Needed: \(permission.rawValue).")
        case .notFound: self.init(404, .notFound, "There is no such thing here.")
        case .changedMeanwhile:
            self.init(
                412, .changedMeanwhile, "Somebody changed it since it was read.",
                detail: "Read it again, and send its ETag as If-Match.")
        case .versionRequired:
            self.init(
                428, .versionRequired, "The header If-Match is required.", detail: "Send the ETag of what was read.")
        case .linkRefused:
            self.init(
                403, .linkRefused, "The link leads nowhere.",
                detail: "It was used or replaced, or is older than a day. “okaeri admin link” makes a new one.")
        case .nameTaken: self.init(409, .nameTaken, "Another admin has this name.")
        case .lastOwner: self.init(409, .lastOwner, "One owner must stay.")
        }
    }
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
    package static let userUnknown: Self = "user_unknown"
    package static let userUnavailable: Self = "user_unavailable"
}
