import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// What an application is, for log-in screens.
struct ApplicationController: Sendable {
    let requests: NativeRequests
    let pagesURL: String?
    let providers: Providers

    /// `GET /v1/application`: what log-in screens must know before anybody is logged in.
    func profile(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let providers = try await providers.listProviders(of: application.id)
        let base = pagesURL.map { "\($0)/a/\(application.id.rawValue)" }
        var profile = ApplicationProfile(
            id: application.id.rawValue, name: application.name, rules: AccountRulesBody(application),
            fields: application.settings.fieldRules.profileFields,
            providers: providers.map { ProfileProvider(name: $0.settings.provider.rawValue) },
            pages: base.map {
                ProfilePages(
                    issuer: $0, logIn: "\($0)/log-in", signUp: "\($0)/sign-up", forgot: "\($0)/forgot",
                    account: "\($0)/account")
            })
        // What an older or newer program stored and this one cannot read is as standard.
        profile.theme = application.settings.theme.flatMap { try? $0.decoded(as: Theme.self) }
        // Without a domain there are none, whatever the settings say.
        profile.passkeys = application.passkeyDomain(orHostOf: pagesURL).map { ProfilePasskeys(domain: $0) }
        return try JSONResponse(body: profile).response()
    }
}

extension AccountRulesBody {
    /// The rules that the server holds everybody to.
    init(_ application: Domain.Application) {
        let signUp = application.settings.signUp
        self.init(
            username: IdentifierRuleBody(
                isOffered: true, isRequired: true, minimumCharacters: signUp.usernameMinimumCharacters,
                maximumCharacters: NewIdentifiers.maximumCharacters),
            email: IdentifierRuleBody(isOffered: true, isRequired: signUp.isEmailRequired),
            phone: IdentifierRuleBody(isOffered: signUp.asksPhone, isRequired: false),
            displayName: IdentifierRuleBody(
                isOffered: signUp.asksDisplayName, isRequired: false,
                maximumCharacters: ProfileRules.displayName.maximumCharacters),
            password: PasswordRuleBody(
                minimumCharacters: application.settings.passwordMinimum(of: nil),
                maximumBytes: Password.maximumBytes))
    }
}

extension FieldRules {
    /// The fields that sign-up forms of apps ask for: what nobody registers without, and what has a label, as far as people
    /// may write them. Lists and objects are left to the app, which knows what stands in them, and to the hosted pages.
    var profileFields: [ProfileField] {
        asked.compactMap { rule in
            let kind: ProfileField.Kind
            switch rule.kind {
            case .any, .string: kind = .text
            case .integer, .number: kind = .number
            case .boolean: kind = .checkbox
            case .date: kind = .date
            case .object, .array: return nil
            }
            return ProfileField(
                name: rule.name, kind: kind,
                label: LocalizedText(rule.labels.isEmpty ? ["en": rule.name] : rule.labels),
                // A box that nobody ticked is an answer: no.
                isRequired: rule.needsAnswer && kind != .checkbox)
        }
    }
}
