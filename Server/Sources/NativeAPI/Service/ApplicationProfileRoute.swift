import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `GET /v1/application`: what log-in screens must know before anybody is logged in.
struct ApplicationProfileRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let application = try await api.application(of: request)
        let providers = try await api.useCases.listProviders(of: application.id)
        let base = api.useCases.pagesURL.map { "\($0)/a/\(application.id.rawValue)" }
        let profile = ApplicationProfile(
            id: application.id.rawValue, name: application.name, rules: AccountRulesBody(application),
            fields: application.settings.fieldRules.profileFields,
            providers: providers.map { ProfileProvider(name: $0.settings.provider.rawValue) },
            // What an older or newer program stored and this one cannot read is as standard.
            theme: application.settings.theme.flatMap { try? $0.decoded(as: Theme.self) },
            pages: base.map {
                ProfilePages(
                    issuer: $0, logIn: "\($0)/log-in", signUp: "\($0)/sign-up", forgot: "\($0)/forgot",
                    account: "\($0)/account")
            })
        return try JSONResponse(body: profile).response()
    }
}

extension AccountRulesBody {
    /// The rules that the server holds everybody to.
    init(_ application: Domain.Application) {
        self.init(
            username: IdentifierRuleBody(
                isOffered: true, isRequired: true, minimumCharacters: 1,
                maximumCharacters: NewIdentifiers.maximumCharacters),
            password: PasswordRuleBody(
                minimumCharacters: max(
                    PasswordRules.lowestMinimum, application.settings.passwordMinimumCharacters),
                maximumBytes: Password.maximumBytes))
    }
}
