package import Okaeri
import OkaeriWire

extension ScreenForm {
    /// Shows a failure: beside the fields that it is about, and above them what is left.
    package mutating func show(_ error: OkaeriError, title: ScreenMessage? = nil) {
        var faults: [FieldID: ValidationError] = [:]
        for problem in error.fieldProblems {
            guard let id = field(named: problem.field), faults[id] == nil else { continue }
            faults[id] = fault(problem, in: id, of: error)
        }
        show(faults)
        if faults.isEmpty { banner = ScreenBanner(.failure, title: title, .error(error)) }
    }

    private func field(named name: String) -> FieldID? {
        let word = name.split(separator: ".").last.map(String.init) ?? ""
        let id: FieldID
        switch word {
        case "identifier", "username": id = .username
        case "email": id = .email
        case "phone": id = .phone
        case "password", "newPassword", "currentPassword": id = .password
        case "displayName": id = .displayName
        case "code": id = self[.transferCode] == nil ? .code : .transferCode
        case "token": id = .token
        default: id = word.hasPrefix("consent_") ? .consent(String(word.dropFirst(8))) : .custom(word)
        }
        if self[id] != nil { return id }
        // With the mail address as user name there is one field for both.
        return id == .email && self[.username]?.kind == .email ? .username : nil
    }

    private func fault(_ problem: FieldProblem, in id: FieldID, of error: OkaeriError) -> ValidationError {
        let number = problem.detail.split { !$0.isNumber || !$0.isASCII }.first.flatMap { Int($0, radix: 10) }
        switch problem.code {
        case "required", "none_of": return .required
        case "too_short": return number.map { .tooShort(minimum: $0) } ?? .refused
        case "too_long", "too_many_bytes": return number.map { .tooLong(maximum: $0) } ?? .refused
        case "not_a_mail_address": return .notAMailAddress
        case "not_a_user_name": return .notAUserName
        case "not_a_phone_number": return .notAPhoneNumber
        case "mixed_scripts": return .mixedScripts
        case "control_character": return .controlCharacter
        case "too_common": return .tooCommon
        case "breached": return .breached
        case "contains_context": return .containsContext
        case "not_a_transfer_code": return .notACode
        case "not_unique": return .taken
        default:
            if case .identifierTaken = error { return .taken }
            return .refused
        }
    }
}

extension OkaeriError {
    /// The fields that the error is about.
    var fieldProblems: [FieldProblem] {
        switch self {
        case .invalidValues(let problems), .identifierTaken(let problems): problems
        default: []
        }
    }
}
