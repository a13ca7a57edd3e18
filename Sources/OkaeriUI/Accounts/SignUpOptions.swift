import Foundation
import Okaeri
public import OkaeriWire

/// What can be set about the screens that make an account: sign-up and "save your data".
public struct SignUpOptions: Hashable, Sendable {
    /// The parts of the screen.
    public var fields: SignUpFields
    /// Whether people name themselves by their mail address alone. There is one field for both then.
    public var emailAsUsername: Bool
    /// What names and passwords must keep to.
    public var rules: FormRules
    /// The application's own fields, shown with ``SignUpFields/additional``; ParseUI's one when there are none.
    public var additionalFields: [ProfileField]
    /// What people are asked to agree to.
    public var consents: [ProfileConsent]
    /// Providers that replace name and password.
    public var providers: [ProviderOption]
    /// Whether the screen stands in a navigation stack, which has its own way back.
    public var isInNavigation: Bool
    /// Whether "save your data" offers a passkey, by which nothing has to be typed. It needs
    /// ``ScreenSurroundings/passkeys``.
    public var offersPasskeys: Bool

    /// Makes options.
    public init(
        fields: SignUpFields = .default, emailAsUsername: Bool = false, rules: FormRules = FormRules(),
        additionalFields: [ProfileField] = [], consents: [ProfileConsent] = [], providers: [ProviderOption] = [],
        isInNavigation: Bool = false, offersPasskeys: Bool = false
    ) {
        self.fields = fields
        self.emailAsUsername = emailAsUsername
        self.rules = rules
        self.additionalFields = additionalFields
        self.consents = consents
        self.providers = providers
        self.isInNavigation = isInNavigation
        self.offersPasskeys = offersPasskeys
    }

    /// The options that the server publishes for the application.
    public init(_ profile: ApplicationProfile) {
        var fields: SignUpFields = [.signUpButton, .dismissButton]
        if profile.rules.email.isOffered || profile.rules.email.isRequired { fields.insert(.email) }
        if profile.rules.phone.isOffered { fields.insert(.phone) }
        if profile.rules.displayName.isOffered { fields.insert(.displayName) }
        if !profile.fields.isEmpty { fields.insert(.additional) }
        self.init(
            fields: fields, emailAsUsername: !profile.rules.username.isOffered && profile.rules.email.isOffered,
            rules: FormRules(profile), additionalFields: profile.fields, consents: profile.consents,
            providers: LogInOptions(profile).allProviders, offersPasskeys: profile.passkeys != nil)
    }

    /// Whether the dismiss button is shown.
    public var showsDismissButton: Bool { fields.contains(.dismissButton) && !isInNavigation }

    /// The fields in ParseUI's order: name, password, mail address, what is additional; then consents.
    func form(identifier: String) -> ScreenForm {
        let isAddress = MailForm.fits(identifier)
        var rows: [FormField] = []
        if emailAsUsername {
            var rule = rules.email
            rule.isRequired = true
            rows.append(
                FormField(.username, .email, label: .key(.email), rule: rule, text: isAddress ? identifier : ""))
        } else {
            let name = isAddress ? "" : String(identifier.prefix(FormField.maximumCharacters))
            rows.append(FormField(.username, .username, label: .key(.username), rule: rules.username, text: name))
        }
        rows.append(FormField(.password, .newPassword, label: .key(.password), rule: rules.password))
        if fields.contains(.email), !emailAsUsername {
            rows.append(
                FormField(.email, .email, label: .key(.email), rule: rules.email, text: isAddress ? identifier : ""))
        }
        if fields.contains(.phone) {
            rows.append(FormField(.phone, .phone, label: .key(.phone), rule: rules.phone))
        }
        if fields.contains(.displayName) {
            let rule = FieldRule(isRequired: false, [.maximumCharacters(200), .noControlCharacters])
            rows.append(FormField(.displayName, .name, label: .key(.displayName), rule: rule))
        }
        if fields.contains(.additional) { rows += additionalRows }
        rows += consents.map { consent in
            FormField(
                .consent(consent.name), .consent(page: consent.page), label: .localized(consent.label.texts),
                rule: FieldRule(isRequired: consent.isRequired))
        }
        return ScreenForm(rows)
    }

    private var additionalRows: [FormField] {
        guard additionalFields.isEmpty else { return additionalFields.map(FormField.init(_:)) }
        let rule = FieldRule(isRequired: false, [.noControlCharacters])
        return [FormField(.custom("additional"), .text, label: .key(.additional), rule: rule)]
    }

    /// What the form comes to.
    func values(of form: ScreenForm, at instant: Date) -> AccountValues {
        func text(_ id: FieldID) -> String? {
            let text = form.text(of: id).trimmingCharacters(in: .whitespacesAndNewlines)
            return text.isEmpty ? nil : text
        }
        var fields: [String: JSONValue] = [:]
        for field in form.fields {
            if case .custom(let name) = field.id, let value = field.storedValue { fields[name] = value }
        }
        for consent in consents where form[.consent(consent.name)]?.isOn == true {
            fields[consent.fieldName] = .string(WireTime(instant).description)
        }
        return AccountValues(
            username: emailAsUsername ? nil : text(.username), email: emailAsUsername ? text(.username) : text(.email),
            phone: text(.phone), password: Secret(form.text(of: .password)), displayName: text(.displayName),
            fields: fields)
    }
}

extension ProfileConsent {
    /// The page to read before; only over https.
    var page: URL? { url.flatMap { $0.hasPrefix("https://") ? URL(string: $0) : nil } }
}

extension FormField {
    /// One of the application's own fields.
    init(_ field: ProfileField) {
        var checks: [FieldRule.Check] = []
        if let minimum = field.minimumCharacters { checks.append(.minimumCharacters(minimum)) }
        if let maximum = field.maximumCharacters { checks.append(.maximumCharacters(maximum)) }
        let (kind, check) = Self.kind(of: field)
        if let check { checks.append(check) }
        self.init(
            .custom(field.name), kind, label: .localized(field.label.texts),
            hint: field.hint.map { .localized($0.texts) }, rule: FieldRule(isRequired: field.isRequired, checks))
    }

    private static func kind(of field: ProfileField) -> (FieldKind, FieldRule.Check?) {
        switch field.kind {
        case .multiline: return (.multiline, nil)
        case .number: return (.number, .numberForm)
        case .date: return (.date, .dateForm)
        case .email: return (.email, .mailForm)
        case .phone: return (.phone, .phoneForm)
        case .address: return (.address, .addressForm)
        case .checkbox: return (.checkbox, nil)
        case .choice:
            let choices = field.choices ?? []
            let labels = choices.map { FieldChoice(value: $0.value, label: .localized($0.label.texts)) }
            return (.choice(labels), .oneOf(choices.map(\.value)))
        default: return (.text, .noControlCharacters)
        }
    }

    /// What is stored of one of the application's own fields; `nil` for nothing.
    var storedValue: JSONValue? {
        switch kind {
        case .checkbox: return .bool(isOn)
        case .number:
            return NumberForm.value(of: text.trimmingCharacters(in: .whitespaces)).map { number in
                Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
            }
        default: return text.isEmpty ? nil : .string(text)
        }
    }
}
