import Domain
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

/// Accounts at one provider: log-in by them, and links to users.
final class ProvidersController: Sendable {
    private let logIns: LogIns
    private let accounts: Accounts
    private let refreshTokens: RefreshTokens
    private let provider: KiiProvider

    init(_ modules: Modules, provider: KiiProvider) {
        logIns = modules.logIns
        accounts = modules.accounts
        refreshTokens = RefreshTokens(modules.sessions)
        self.provider = provider
    }

    /// `POST /apps/{appID}/integration/{provider}`: log in, or sign up, with an account elsewhere.
    func logIn(_ request: KiiRequest) async throws -> Response {
        let body = try await request.body()
        var asked = LogInWithProvider.Request(
            application: request.application, provider: provider.provider, credential: try provider.credential(body),
            client: LogInClient(.kii, joinsDevice: false, from: request.client, origin: request.origin))
        asked.expiresAt = try body.instant("expiresAt")
        let logIn: LogIn
        do {
            logIn = try await logIns.logInWithProvider(asked)
        } catch {
            guard case .userDisabled = error else { throw error }
            throw KiiFault.providerRefused
        }
        var members = refreshTokens.members(of: logIn, in: request.enabled)
        members["new_user_created"] = .bool(logIn.isNew)
        return KiiResponse.response(members)
    }

    /// `GET /apps/{appID}/integration/webauth/connect`, which SDKs open in a web view of theirs: it is not served, and the view
    /// closes only at the address of a result (decision 0260). Relative to the request's own, the address is the one that the SDK knows.
    static func refuseWebLogIn(_ request: KiiRequest) -> Response {
        let result = "result?kii_succeeded=false&kii_error_code=OPERATION_NOT_IMPLEMENTED"
        return Response(status: .found, headers: [.location: result])
    }

    /// `POST …/{provider}/link`
    func link(_ request: KiiRequest) async throws -> Response {
        let session = try ownSession(request)
        let credential = try provider.credential(try await request.body())
        do {
            _ = try await accounts.linkProvider(
                provider.provider, credential, displayName: nil, by: session, isProven: false, from: request.origin)
        } catch {
            switch error {
            // Kii knew no merging of users.
            case .identityTaken, .mergeOffered: break
            default: throw error
            }
            throw KiiFault(
                409, "\(provider.rawValue.uppercased())_USER_ALREADY_LINKED", "UserAlreadyLinked",
                "The account belongs to another user")
        }
        return KiiResponse.nothing
    }

    /// `POST …/{provider}/unlink`. A user whom nothing else leads to keeps the token of the request, as a pseudo user does.
    func unlink(_ request: KiiRequest) async throws -> Response {
        let session = try ownSession(request)
        guard session.user.identities.contains(where: { $0.provider == provider.provider }) else {
            throw KiiFault(
                409, "USER_NOT_LINKED", "UserNotLinked", "The account is not linked",
                [("userID", session.user.id.rawValue)])
        }
        var edit = UserEdit(compatible: .unchanged, identifiers: NewIdentifiers(rules: .kii))
        edit.unlinked = [provider.provider]
        try await accounts.editUser(
            edit, of: session.user.id, in: session.application,
            by: .owner(session, isProven: false, from: request.origin))
        return KiiResponse.nothing
    }

    /// The session of the user that the path names. Administrators hold no account of a user's.
    private func ownSession(_ request: KiiRequest) throws -> Authenticated {
        guard let session = request.caller.session, try request.reference().names(session.user) else {
            throw request.unauthorized
        }
        return session
    }
}

/// Accounts elsewhere, as Kii's paths name them.
enum KiiProvider: String, CaseIterable, Sendable {
    case facebook, twitter, google, qq, renren

    init?(_ provider: Identity.Provider) {
        self.init(rawValue: provider.rawValue)
    }

    /// What its accounts are called in a user's object, where SDKs look for them: Google's otherwise than in paths.
    var accountName: String { self == .google ? "googleplus" : rawValue }

    /// The provider in the domain; for those that this server does not have it is unknown there, too.
    var provider: Identity.Provider { Identity.Provider(rawValue: rawValue) }

    /// What a body presents. Google's apps sent access tokens to Kii; an identity token is taken as well.
    func credential(_ body: KiiBody) throws(KiiFault) -> ProviderCredential {
        let token = Secret(try body.requiredText("accessToken"))
        if self == .google { return ProviderCredential(google: token) }
        return ProviderCredential(
            accessToken: token, accessTokenSecret: try body.text("accessTokenSecret").map(Secret.init(_:)))
    }
}
