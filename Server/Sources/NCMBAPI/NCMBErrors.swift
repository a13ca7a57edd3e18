import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import enum OkaeriWire.JSONValue

/// Errors in NCMB's form, whatever layer they come from: the SDKs of Unity and Android fail hard on anything else.
///
/// They carry no signature: Android writes the slash of `ID/PASS` differently before it checks one.
struct NCMBErrors: ErrorRenderer {
    func response(to error: any Error, requestId: String) -> Response {
        let fault =
            switch error {
            case let fault as NCMBFault: fault
            case let error as DomainError: NCMBFault(error)
            case let fault as RequestError: NCMBFault(fault)
            default: NCMBFault.systemError
            }
        var response = NCMBResponse.unsigned(
            NCMBObject([("code", .string(fault.code)), ("error", .string(fault.message))]),
            status: HTTPResponse.Status(code: fault.status))
        switch error {
        case DomainError.rateLimited(let span), DomainError.busy(let span):
            response.headers[.retryAfter] = String(max(1, span.secondsRoundedUp))
        case RequestError.methodNotAllowed(let allow): response.headers[.allow] = allow
        default: break
        }
        return response
    }
}

extension NCMBFault {
    /// Each rule's answer.
    init(_ error: DomainError) {
        switch error {
        case .applicationUnknown: self = .noApplication
        case .sessionRequired, .sessionInvalid, .userDisabled, .reauthenticationRequired, .proofRequired,
            .proofRefused, .proofReplayed, .clockSkew:
            self = .unauthenticated
        case .sessionUnknown, .userUnknown, .mergeUnknown, .transferUnknown, .identityUnknown: self = .noData
        case .credentialRefused, .emailUnverified, .userDeleted: self = .credentialRefused
        case .identifiersTaken(let kinds): self = .duplicate(kinds.first == .email ? "mailAddress" : "userName")
        case .mergeOffered: self = .duplicate("userName")
        case .alreadyRegistered, .attemptReused, .lastWayIn, .deviceKeyRemoved, .undoTooLate: self = .prohibited
        case .mergeTicketRefused, .transferCodeRefused, .codeRefused, .audienceNotAllowed: self = .badRequest
        case .busy, .rateLimited, .searchTooSlow: self = .tooManyRequests
        case .mailUnavailable: self.init("E502002", "Mail cannot be sent.")
        case .fieldsRefused(let faults): self = faults.first.map { NCMBFault($0) } ?? .badRequest
        case .providerNotEnabled: self = .notToBeEntered("authData")
        case .providerTokenRefused, .providerTokenReplayed, .providerRefused, .providerMisconfigured:
            self = .notVouchedFor("authData")
        case .providerUnavailable: self = .unavailable
        case .identityTaken, .providerAlreadyLinked: self = .duplicate("authData")
        case .accessRefused, .administration: self = .accessRefused
        case .secretUnreadable: self = .systemError
        case .storageUnavailable: self = .unavailable
        }
    }

    /// Each answer to a request that no rule saw.
    init(_ fault: RequestError) {
        switch fault {
        case .headMalformed, .headTooLarge, .headerInvalid, .bodyTooSlow: self = .badRequest
        case .pathUnknown: self = .noService
        case .methodNotAllowed: self.init("E405001", "Method not allowed.")
        case .mediaTypeUnsupported: self.init("E415001", "Unsupported media type.")
        case .bodyTooLarge: self.init("E413002", "Object size Limit error.")
        case .bodyMalformed: self = .notJSON
        case .membersInvalid(let faults): self = faults.first.map { .wrongType($0.path) } ?? .badRequest
        }
    }

    /// A value that breaks a rule, by the name that the client knows.
    private init(_ fault: ValidationError) {
        let name = Self.name(of: fault.field)
        switch fault.rule {
        case .empty, .required, .noneOf: self = .empty(name)
        case .otherType, .notOfKind: self = .wrongType(name)
        case .readOnly, .notDeclared: self = .notToBeEntered(name)
        case .unreadable: self = .prohibited
        case .tooLong(let maximum), .tooManyFields(let maximum), .tooManyBytes(let maximum), .tooDeep(let maximum):
            self = .size(name, 0, maximum)
        case .tooShort(let minimum): self = .size(name, minimum, Password.maximumBytes)
        case .notUnique: self = .duplicate(name)
        case .notAMailAddress, .notAPhoneNumber, .controlCharacter, .notAUserName, .mixedScripts:
            self = .malformed(name)
        default: self = .notValid(name)
        }
    }

    private static func name(of field: String) -> String {
        switch field {
        case "username": "userName"
        case "email": "mailAddress"
        case "accessList": "acl"
        default: MemberFault.printable(field.hasPrefix("fields.") ? String(field.dropFirst(7)) : field)
        }
    }
}
