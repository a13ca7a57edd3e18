import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

/// Errors as Kii wrote them: `errorCode`, `message`, and members by case.
struct KiiErrors: ErrorRenderer {
    func response(to error: any Error, requestId: String) -> Response {
        let fault =
            switch error {
            case let fault as KiiFault: fault
            case let error as DomainError: KiiFault(error)
            case let fault as RequestError: KiiFault(fault)
            default: KiiFault(500, "UNDEFINED_ERROR", "Undefined", "A fault in the server")
            }
        var members: [String: JSONValue] = [
            "errorCode": .string(fault.code), "message": .string(fault.message.filter { $0 != "%" }),
        ]
        for (name, value) in fault.members {
            members[name] =
                name == "minimumLength" ? .integer(Int64(value, radix: 10) ?? 0) : .string(value.filter { $0 != "%" })
        }
        var headers = HTTPFields()
        if let span = fault.retryAfter { headers[.retryAfter] = String(max(1, span.secondsRoundedUp)) }
        let mediaType =
            fault.members.contains { $0.name == "error" }
            ? "application/json" : "application/vnd.kii.\(fault.exception)Exception+json"
        return KiiResponse.response(members, .init(code: fault.status), mediaType, headers)
    }
}

extension KiiFault {
    /// Each rule's answer. A fault that passes is never a wrong token: iOS would log a pseudo user out for good.
    init(_ error: DomainError) {
        switch error {
        case .applicationUnknown:
            self.init(404, "APP_NOT_FOUND", "AppNotFound", "There is no such application")
        case .sessionRequired, .reauthenticationRequired, .proofRequired, .proofRefused, .proofReplayed, .clockSkew,
            .accessRefused, .administration:
            self.init(401, "UNAUTHORIZED", "Unauthorized", "The caller may not do this")
        case .sessionInvalid, .sessionUnknown:
            self.init(403, "WRONG_TOKEN", "WrongToken", "The provided token is not valid")
        case .userUnknown:
            self.init(404, "USER_NOT_FOUND", "UserNotFound", "The user was not found")
        case .userDisabled, .userDeleted:
            self.init(401, "USER_DISABLED", "UserDisabled", "The user is disabled")
        case .credentialRefused, .emailUnverified:
            self.init(401, "WRONG_PASSWORD", "WrongPassword", "The password is wrong")
        case .identifiersTaken, .mergeOffered:
            self.init(409, "USER_ALREADY_EXISTS", "UserAlreadyExists", "Another user has this identifier")
        case .alreadyRegistered, .attemptReused, .mergeTicketRefused, .mergeUnknown, .transferCodeRefused,
            .transferUnknown, .undoTooLate, .audienceNotAllowed, .deviceKeyRemoved:
            self.init(409, "OPERATION_NOT_ALLOWED", "OperationNotAllowed", "The user is in another state")
        case .codeRefused:
            self.init(403, "INVALID_VERIFICATION_CODE", "InvalidVerificationCode", "The code is not valid")
        case .mailUnavailable:
            self.init(501, "OPERATION_NOT_IMPLEMENTED", "OperationNotImplemented", "This server sends no such messages")
        case .fieldsRefused(let faults):
            self.init(faults)
        case .rateLimited(let span):
            self.init(429, "TOO_MANY_REQUESTS", "TooManyRequests", "Too many requests", retryAfter: span)
        case .providerNotEnabled, .providerMisconfigured:
            self.init(400, "ACCOUNT_TYPE_NOT_SUPPORTED", "AccountTypeNotSupported", "There is no such provider here")
        case .providerTokenRefused, .providerTokenReplayed, .providerRefused:
            self = .invalidGrant
        case .identityTaken, .providerAlreadyLinked:
            self.init(409, "USER_ALREADY_LINKED", "UserAlreadyLinked", "The account is linked already")
        case .identityUnknown:
            self.init(409, "USER_NOT_LINKED", "UserNotLinked", "The account is not linked")
        case .lastWayIn:
            self.init(409, "OPERATION_NOT_ALLOWED", "OperationNotAllowed", "Nothing else leads to the user")
        case .secretUnreadable:
            self.init(500, "UNDEFINED_ERROR", "Undefined", "A fault in the server")
        case .busy(let span):
            self = .unavailable(retryAfter: span)
        case .providerUnavailable, .storageUnavailable, .searchTooSlow:
            self = .unavailable(retryAfter: .seconds(2))
        }
    }

    private static func unavailable(retryAfter span: Duration) -> KiiFault {
        KiiFault(
            503, "RESOURCE_TEMPORARILY_UNAVAILABLE", "ResourceTemporarilyUnavailable", "Please try again later",
            retryAfter: span)
    }

    private init(_ faults: [ValidationError]) {
        let passwords = faults.filter { ["password", "newPassword"].contains($0.field) }
        let isShort = passwords.contains { fault in
            if case .tooShort = fault.rule { true } else { fault.rule == .required || fault.rule == .empty }
        }
        if isShort, passwords.count == faults.count {
            self = .passwordTooShort
        } else {
            self = .invalid(faults.map { KiiFault.fieldName($0.field) })
        }
    }

    /// The domain's name of a field as Kii spells it.
    static func fieldName(_ name: String) -> String {
        switch name {
        case "username", "identifier", "": "loginName"
        case "email": "emailAddress"
        case "phone": "phoneNumber"
        case "fields.country": "country"
        default: MemberFault.printable(name.hasPrefix("fields.") ? String(name.dropFirst(7)) : name)
        }
    }

    /// Each answer to a request that no rule saw.
    init(_ fault: RequestError) {
        switch fault {
        case .headMalformed, .headerInvalid:
            self.init(400, "BAD_REQUEST", "BadRequest", "The request cannot be read")
        case .headTooLarge:
            self.init(431, "BAD_REQUEST", "BadRequest", "The headers are too many or too long")
        case .pathUnknown:
            self.init(404, "NOT_FOUND", "NotFound", "There is no such path")
        case .methodNotAllowed:
            self.init(405, "METHOD_NOT_ALLOWED", "MethodNotAllowed", "The path does not know this method")
        case .mediaTypeUnsupported:
            self.init(400, "INVALID_DATA_TYPE", "InvalidDataType", "The body has another media type")
        case .bodyTooLarge:
            self.init(
                413, "INVALID_INPUT_DATA", "InvalidInputData", "There are validation errors: the body is too long")
        case .bodyTooSlow:
            self.init(408, "BAD_REQUEST", "BadRequest", "The body did not arrive in time")
        case .bodyMalformed, .membersInvalid:
            self = .notJSON
        }
    }
}
