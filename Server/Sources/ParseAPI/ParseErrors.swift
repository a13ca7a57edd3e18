import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import enum OkaeriWire.JSONValue

/// Errors in Parse's form, whatever layer they come from. There is always a text: the Swift SDK takes a body for an error
/// only when it has one.
struct ParseErrors: ErrorRenderer {
    func response(to error: any Error, requestId: String) -> Response {
        let fault = Self.fault(error)
        var headers = HTTPFields()
        if let span = (error as? DomainError)?.retryAfter {
            headers[.retryAfter] = String(max(1, span.secondsRoundedUp))
        }
        let answer = ParseResponse(Self.body(fault), status: HTTPResponse.Status(code: fault.status), headers: headers)
        // Texts and a whole number always encode.
        return (try? answer.response()) ?? Response(status: .internalServerError)
    }

    static func fault(_ error: any Error) -> ParseFault {
        switch error {
        case let fault as ParseFault: fault
        case let error as DomainError: ParseFault(error)
        case let fault as RequestError: ParseFault(fault)
        default: .internalError
        }
    }

    static func body(_ fault: ParseFault) -> [String: JSONValue] {
        var members: [String: JSONValue] = ["error": .string(fault.message)]
        if let code = fault.code { members["code"] = .integer(Int64(clamping: code)) }
        return members
    }
}

extension ParseFault {
    /// Each rule's response: the word that the protocol has for the code, or else the one for its kind.
    init(_ error: DomainError) {
        if let word = Self.words[error.code] {
            self = word
            return
        }
        // As Cloud Code refused, with its message.
        if error.code == .hookRefused {
            let text: String = if case .message(let said) = error.detail { said } else { "It is not allowed." }
            self = ParseFault(141, text)
            return
        }
        switch error.kind {
        case .invalid: self = error.validationErrors.map { Self.first(of: $0) } ?? .wrongState
        case .unauthenticated: self = .sessionInvalid
        case .forbidden, .notFound: self = .objectNotFound
        case .refused, .gone: self = .wrongState
        case .conflict:
            guard case .identifiers(let kinds) = error.detail else {
                self = .wrongState
                return
            }
            self = kinds.first == .email ? .emailTaken : .usernameTaken
        case .rateLimited: self = .tooManyRequests
        case .unavailable: self = .unavailable
        case .internal: self = .internalError
        }
    }

    private static let wrongState = ParseFault(119, "The user's state does not allow this.")

    private static let words: [DomainError.Code: ParseFault] = DomainError.Code.words(
        [
            .applicationUnknown: .unauthorized, .userDeleted: .sessionInvalid,
            // Not 209, for which apps log out: an anonymous user would be lost.
            .userDisabled: ParseFault(119, "The user is locked."),
            .credentialRefused: .credentialRefused, .emailUnverified: .emailUnverified, .identityTaken: .alreadyLinked,
            .providerAlreadyLinked: .alreadyLinked, .mergeOffered: .alreadyLinked,
            // The name of a sign-up's attempt that belongs to another one tells no more than the user name does.
            .attemptReused: .usernameTaken,
            .codeRefused: ParseFault(-1, "Failed to reset password: username / email / token is invalid"),
            .mailUnavailable: ParseFault(
                1,
                "An appName, publicServerURL, and emailAdapter are required for password reset and email verification."),
            // Not 503, which the Swift SDK would ask four times more.
            .searchTooSlow: ParseFault(124, "The query takes too long."),
            .searchTooLarge: .invalidQuery("The query finds too much for one response: ask for fewer users at a time."),
            .providerNotEnabled: .unsupportedMethod,
            .providerTokenRefused: .authDataRefused, .providerTokenReplayed: .authDataRefused,
            .providerRefused: .authDataRefused, .providerMisconfigured: .authDataRefused,
            // Not 101, which apps read as a wrong password.
            .secondFactorRequired: wrongState, .secondFactorEnrolmentRequired: wrongState,
            .secondFactorNotRecent: wrongState, .transferUnconfirmed: wrongState,
        ], ofAdministration: .objectNotFound)

    /// Each answer to a request that no rule saw.
    init(_ fault: RequestError) {
        switch fault {
        case .headMalformed, .headTooLarge, .headerInvalid: self.init(107, "The request's head cannot be read.")
        case .bodyTooSlow: self.init(124, "The body did not arrive in time.")
        case .pathUnknown: self.init(107, "cannot route this path", status: 404)
        case .methodNotAllowed: self.init(107, "cannot route this method", status: 404)
        case .mediaTypeUnsupported, .membersInvalid: self = .notJSON
        case .bodyTooLarge(let maximum): self.init(116, "The object is too large: more than \(maximum) bytes.")
        case .bodyMalformed(let reason): self.init(107, reason)
        }
    }

    /// Of all that is wrong with a user, what Parse looks at first.
    private static func first(of faults: [ValidationError]) -> ParseFault {
        let order = [200, 201, 105, 119, 121, 111, 116, 123, 142, 125]
        let ranked = faults.map(Self.init(_:)).enumerated().min { left, right in
            let (first, second) = (
                order.firstIndex(of: left.element.code ?? 0) ?? order.count,
                order.firstIndex(of: right.element.code ?? 0) ?? order.count
            )
            return (first, left.offset) < (second, right.offset)
        }
        return ranked?.element ?? .notJSON
    }

    private static func name(_ field: String) -> String {
        MemberFault.printable(field.hasPrefix("fields.") ? String(field.dropFirst(7)) : field)
    }

    private init(_ fault: ValidationError) {
        switch (fault.field, fault.rule) {
        case ("username", _), ("", .noneOf): self = .usernameMissing
        case ("password", .required), ("password", .empty), ("password", .tooShort(minimumCharacters: 1)):
            self = .passwordMissing
        case ("password", _), ("newPassword", _): self = .passwordPolicy
        case ("email", .required): self.init(204, "An email is required.")
        case ("email", _): self = .emailMalformed
        case ("accessList", _): self.init(123, "Invalid ACL.")
        case ("where", .unreadable), ("order", .unreadable):
            self.init(119, "This user is not allowed to query a protected field on class _User.")
        case (let field, .readOnly), (let field, .notDeclared):
            self.init(119, "Permission denied for field \(Self.name(field)) on class _User.")
        case (let field, .notOfKind(let kind)):
            self.init(111, "schema mismatch for _User.\(Self.name(field)); expected \(kind.parseName)")
        case (let field, .required) where field.hasPrefix("fields."):
            self.init(142, "\(Self.name(field)) is required")
        case ("where", .controlCharacter):
            self = .invalidQuery("The query holds U+0000.")
        case ("where", _), ("order", _), ("skip", _):
            self = .invalidQuery("The query is too large: \(fault.field).")
        case ("fields", .tooManyFields(let maximum)):
            self.init(116, "The object is too large: at most \(maximum) fields.")
        case ("fields", .tooManyBytes(let maximum)):
            self.init(116, "The object is too large: at most \(maximum) bytes as JSON.")
        case ("fields", _): self.init(116, "The object is too large.")
        case (let field, .tooManyFields(let maximum)) where field.hasPrefix("fields."):
            self.init(116, "An operation takes at most \(maximum) values: \(Self.name(field)).")
        case (let field, .otherType) where field.hasPrefix("fields."):
            self.init(111, "The operation does not go with the value of \(MemberFault.printable(field)).")
        case (let field, .tooDeep), (let field, .controlCharacter):
            self.init(111, "The value of \(MemberFault.printable(field)) cannot be stored.")
        case (let field, _): self.init(107, "\(MemberFault.printable(field)) is not valid.")
        }
    }
}

extension FieldKind {
    /// The type in a class's schema.
    fileprivate var parseName: String {
        switch self {
        case .any: "Any"
        case .string: "String"
        case .integer, .number: "Number"
        case .boolean: "Boolean"
        case .date: "Date"
        case .object: "Object"
        case .array: "Array"
        }
    }
}
