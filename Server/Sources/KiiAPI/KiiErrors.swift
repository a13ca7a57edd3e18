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
            "errorCode": .string(fault.code), "message": .string(Self.unformatted(fault.message)),
        ]
        for (name, value) in fault.members {
            members[name] =
                name == "minimumLength" ? .integer(Int64(value, radix: 10) ?? 0) : .string(Self.unformatted(value))
        }
        var headers = HTTPFields()
        if let span = fault.retryAfter { headers[.retryAfter] = String(max(1, span.secondsRoundedUp)) }
        let mediaType =
            fault.members.contains { $0.name == "error" }
            ? "application/json" : "application/vnd.kii.\(fault.exception)Exception+json"
        return KiiResponse.response(members, .init(code: fault.status), mediaType, headers)
    }

    /// Without percent signs, whatever they are joined with.
    private static func unformatted(_ text: String) -> String { text.replacing(signs: ["%": ""]) }
}

extension KiiFault {
    /// Each rule's response: the word that the protocol has for the code, or else the one for its kind. A fault that passes
    /// is never a wrong token: iOS would log a pseudo user out for good.
    init(_ error: DomainError) {
        if let word = Self.words[error.code] {
            self = word
            return
        }
        switch error.kind {
        case .invalid: self = error.validationErrors.map { KiiFault($0) } ?? .wrongState
        case .unauthenticated, .forbidden: self = .unauthorized
        case .refused, .conflict, .gone: self = .wrongState
        case .notFound: self = .userNotFound
        case .rateLimited:
            self.init(429, "TOO_MANY_REQUESTS", "TooManyRequests", "Too many requests", retryAfter: error.retryAfter)
        case .unavailable: self = .unavailable(retryAfter: error.retryAfter ?? .seconds(2))
        case .internal: self.init(500, "UNDEFINED_ERROR", "Undefined", "A fault in the server")
        }
    }

    private static let unauthorized = KiiFault(401, "UNAUTHORIZED", "Unauthorized", "The caller may not do this")
    private static let wrongToken = KiiFault(403, "WRONG_TOKEN", "WrongToken", "The provided token is not valid")
    private static let userNotFound = KiiFault(404, "USER_NOT_FOUND", "UserNotFound", "The user was not found")
    private static let disabled = KiiFault(401, "USER_DISABLED", "UserDisabled", "The user is disabled")
    private static let wrongPassword = KiiFault(401, "WRONG_PASSWORD", "WrongPassword", "The password is wrong")
    private static let wrongState = KiiFault(
        409, "OPERATION_NOT_ALLOWED", "OperationNotAllowed", "The user is in another state")
    private static let alreadyExists = KiiFault(
        409, "USER_ALREADY_EXISTS", "UserAlreadyExists", "Another user has this identifier")
    private static let alreadyLinked = KiiFault(
        409, "USER_ALREADY_LINKED", "UserAlreadyLinked", "The account is linked already")
    private static let noProvider = KiiFault(
        400, "ACCOUNT_TYPE_NOT_SUPPORTED", "AccountTypeNotSupported", "There is no such provider here")

    static let providerRefused = KiiFault.invalidGrant("The provider does not vouch for the user")

    private static let words: [DomainError.Code: KiiFault] = DomainError.Code.words(
        [
            .applicationUnknown: KiiFault(404, "APP_NOT_FOUND", "AppNotFound", "There is no such application"),
            .sessionInvalid: .wrongToken, .sessionUnknown: .wrongToken, .userDisabled: .disabled,
            .userDeleted: .disabled,
            .credentialRefused: .wrongPassword, .emailUnverified: .wrongPassword, .identifiersTaken: .alreadyExists,
            .mergeOffered: .alreadyExists, .mergeUnknown: .wrongState, .transferUnknown: .wrongState,
            .transferUnconfirmed: .wrongState,
            .audienceNotAllowed: .wrongState, .searchTooLarge: .invalid(["bestEffortLimit"]),
            .codeRefused: KiiFault(
                403, "INVALID_VERIFICATION_CODE", "InvalidVerificationCode", "The code is not valid"),
            .mailUnavailable: KiiFault(
                501, "OPERATION_NOT_IMPLEMENTED", "OperationNotImplemented", "This server sends no such messages"),
            .providerNotEnabled: .noProvider, .providerMisconfigured: .noProvider,
            .providerTokenRefused: .providerRefused,
            .providerTokenReplayed: .providerRefused, .providerRefused: .providerRefused,
            .identityTaken: .alreadyLinked,
            .providerAlreadyLinked: .alreadyLinked,
            .identityUnknown: KiiFault(409, "USER_NOT_LINKED", "UserNotLinked", "The account is not linked"),
            // Not 401, by which apps log out.
            .hookRefused: KiiFault(409, "OPERATION_NOT_ALLOWED", "OperationNotAllowed", "The app does not allow this"),
            .lastWayIn: KiiFault(409, "OPERATION_NOT_ALLOWED", "OperationNotAllowed", "Nothing else leads to the user"),
        ], ofAdministration: .unauthorized)

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
        case "password", "newPassword": name
        // iOS takes a message that begins with a password's name for one about passwords.
        case _ where name.hasPrefix("fields."): "field \(MemberFault.printable(String(name.dropFirst(7))))"
        default: MemberFault.printable(name)
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
