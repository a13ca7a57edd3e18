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
        if let span = (error as? DomainError)?.retryAfter {
            response.headers[.retryAfter] = String(max(1, span.secondsRoundedUp))
        }
        if case RequestError.methodNotAllowed(let allow) = error { response.headers[.allow] = allow }
        return response
    }
}

extension NCMBFault {
    /// Each rule's response: the word that the protocol has for the code, or else the one for its kind.
    init(_ error: DomainError) {
        if let word = Self.words[error.code] {
            self = word
            return
        }
        switch error.kind {
        case .invalid: self = error.validationErrors?.first.map { NCMBFault($0) } ?? .badRequest
        case .unauthenticated: self = .unauthenticated
        case .refused: self = .badRequest
        case .forbidden: self = .accessRefused
        case .notFound: self = .noData
        case .conflict:
            guard case .identifiers(let kinds) = error.detail else {
                self = .prohibited
                return
            }
            self = .duplicate(kinds.first == .email ? "mailAddress" : "userName")
        case .gone: self = .prohibited
        case .rateLimited: self = .tooManyRequests
        case .unavailable: self = .unavailable
        case .internal: self = .systemError
        }
    }

    private static let words: [DomainError.Code: NCMBFault] = DomainError.Code.words(
        [
            .applicationUnknown: .noApplication, .userDisabled: .forbidden, .userDeleted: .credentialRefused,
            .credentialRefused: .credentialRefused, .emailUnverified: .credentialRefused,
            .hookRefused: .prohibited, .transferUnconfirmed: .prohibited, .mergeOffered: .duplicate("userName"),
            .identityTaken: .duplicate("authData"),
            .providerAlreadyLinked: .duplicate("authData"), .providerNotEnabled: .notToBeEntered("authData"),
            .providerTokenRefused: .notVouchedFor("authData"), .providerTokenReplayed: .notVouchedFor("authData"),
            .providerRefused: .notVouchedFor("authData"), .providerMisconfigured: .notVouchedFor("authData"),
            .searchTooLarge: .notValid("limit"), .busy: .tooManyRequests, .searchTooSlow: .tooManyRequests,
            .mailUnavailable: NCMBFault("E502002", "Mail cannot be sent."),
        ], ofAdministration: .accessRefused)

    /// Each answer to a request that no rule saw.
    init(_ fault: RequestError) {
        switch fault {
        case .headMalformed, .headerInvalid, .bodyTooSlow: self = .badRequest
        // Of all heads those of searches are long, by their address.
        case .headTooLarge: self.init("E414000", "Request URI is too long.")
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
