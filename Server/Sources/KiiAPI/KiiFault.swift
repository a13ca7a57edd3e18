import Domain

/// A refusal in Kii's own words.
struct KiiFault: Error {
    var status: Int
    /// Capitals and underscores only: JavaScript picks it out of a text by that.
    var code: String
    /// The exception in the media type; clients do not depend on it.
    var exception: String
    /// Never with a percent sign, which JavaScript 2.x would decode.
    var message: String
    /// Further members, by name.
    var members: [(name: String, value: String)] = []
    var retryAfter: Duration?

    init(
        _ status: Int, _ code: String, _ exception: String, _ message: String,
        _ members: [(name: String, value: String)] = [], retryAfter: Duration? = nil
    ) {
        self.status = status
        self.code = code
        self.exception = exception
        self.message = message
        self.members = members
        self.retryAfter = retryAfter
    }

    /// Values that break their format; the names of the fields are those of Kii.
    static func invalid(_ fields: [String]) -> KiiFault {
        KiiFault(
            400, "INVALID_INPUT_DATA", "InvalidInputData",
            "There are validation errors: \(fields.map { "\($0) has an invalid value" }.joined(separator: ", "))")
    }

    static let notJSON = KiiFault(400, "INVALID_JSON", "InvalidJson", "The body is not a JSON object")

    static let passwordTooShort = KiiFault(
        400, "PASSWORD_TOO_SHORT", "PasswordTooShort", "The password is too short", [("minimumLength", "4")])

    /// The one response to a failed log-in by password, whatever was wrong.
    static let invalidGrant = invalidGrant("The user was not found or a wrong password was provided")

    /// A log-in by something else that failed. Apps look for "password" in messages, and show what it stands for.
    static func invalidGrant(_ message: String) -> KiiFault {
        KiiFault(
            400, "invalid_grant", "InvalidGrant", message, [("error", "invalid_grant"), ("error_description", message)])
    }

    static let unsupportedGrantType = KiiFault(
        400, "unsupported_grant_type", "UnsupportedGrantType", "This grant type is not served",
        [("error", "unsupported_grant_type"), ("error_description", "This grant type is not served")])

    /// No token, or one of the wrong kind for this resource.
    static func unauthorized(in application: String) -> KiiFault {
        KiiFault(
            401, "UNAUTHORIZED", "Unauthorized", "The caller may not do this", [("authenticatedAppID", application)])
    }

    static func wrongToken(in application: String) -> KiiFault {
        KiiFault(403, "WRONG_TOKEN", "WrongToken", "The provided token is not valid", [("appID", application)])
    }

    static func userNotFound(_ field: String, _ value: String, in application: String) -> KiiFault {
        KiiFault(
            404, "USER_NOT_FOUND", "UserNotFound", "The user was not found",
            [("field", field), ("value", value), ("appID", application)])
    }

    static func notAllowed(_ message: String) -> KiiFault {
        KiiFault(409, "OPERATION_NOT_ALLOWED", "OperationNotAllowed", message)
    }
}
