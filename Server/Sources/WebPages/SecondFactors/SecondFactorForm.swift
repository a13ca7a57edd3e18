import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// The page that asks for a second factor, in a log-in and before changes of the account: a passkey first, then the code
/// of an authenticator app, then a recovery code.
struct SecondFactorForm {
    /// What is typed.
    enum Way: String, CaseIterable {
        case totp
        case recoveryCode = "recovery-code"
        /// Where something recent is needed, and not the second factor.
        case password

        /// The way whose field a form holds; the password has a form of its own.
        init?(sentIn form: FormValues) {
            let found = [Way.totp, .recoveryCode].first { form[$0.field] != nil }
            guard let found else { return nil }
            self = found
        }

        /// The name of its field, and of its texts.
        var field: String {
            switch self {
            case .totp: "totp"
            case .recoveryCode: "recoveryCode"
            case .password: "password"
            }
        }
    }

    /// Comes back with a form where the password is not enough.
    static let neededField = "factor"

    var way: Way
    /// Where the form goes.
    var action: String
    /// It is before a change of the account, and leads back there.
    var isOfAccount: Bool
    /// Values that come back with each form of the page.
    var hidden: [(name: String, value: String)] = []
    /// What can be typed beside it.
    var others: [Way]
    var hasPasskey = false
    var errors: FormErrors?

    init(way: Way, action: String, isOfAccount: Bool) {
        self.way = way
        self.action = action
        self.isOfAccount = isOfAccount
        others = [way == .totp ? .recoveryCode : .totp]
    }

    func response(_ request: HostedPageRequest) throws -> Response {
        let page = isOfAccount ? "confirm" : "second-factor"
        var field = PageField(
            way.field, label: request.text("field.\(way.field)"), kind: .code, error: errors?[way.field],
            autocomplete: way == .totp ? "one-time-code" : "off"
        ).focused()
        if way == .totp { field.inputMode = "numeric" }
        var own: PageTemplates.Model = [
            "lead": request.text("secondFactor.\(way.field)Lead"), "action": request.path(action),
            "hidden": hidden.map { field -> PageTemplates.Model in ["name": field.name, "value": field.value] },
            "fields": [field.model], "button": request.text("\(HostedPageRequest.textName(page)).button"),
            "others": others.map { other -> PageTemplates.Model in
                ["with": other.rawValue, "label": request.text("secondFactor.\(other.field)Instead")]
            },
            "toAccount": isOfAccount,
        ]
        if hasPasskey {
            let passkey = PasskeyForm(
                ceremony: .get, action: isOfAccount ? "account/confirm" : "log-in/passkey",
                label: isOfAccount ? "passkey.confirm" : "passkey.logIn", isPrimary: true)
            own.merge(request.passkeyModel(passkey)) { $1 }
        }
        if let errors { own["summary"] = errors.summary(request) }
        var response = try request.html(
            "second-factor", request.model(page, own), status: errors?.status ?? .ok,
            formTargets: request.formTargets())
        if let wait = errors?.retryAfter { response.headers[.retryAfter] = String(max(1, wait.secondsRoundedUp)) }
        return response
    }
}

extension HostedPageRequest {
    /// What is wrong with what was typed, at its field.
    func errors(of error: DomainError, at way: SecondFactorForm.Way) -> FormErrors {
        var errors = errors(of: error)
        if error == .credentialRefused || error == .secondFactorRefused {
            // No other recovery code comes by itself.
            errors.others = [text(way == .recoveryCode ? "fault.recoveryCodeRefused" : "fault.secondFactorRefused")]
        }
        errors.fields = (errors.others + errors.fields.map(\.text)).map { (way.field, $0) }
        errors.others = []
        errors.retryAfter = error.retryAfter
        return errors
    }

    /// What is said of an empty field: it is no try that counts.
    func missing(_ way: SecondFactorForm.Way) -> FormErrors {
        FormErrors(status: .unprocessableContent, fields: [(way.field, text("rule.required"))])
    }
}
