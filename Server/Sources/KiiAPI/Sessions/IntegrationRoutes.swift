import Domain
import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// `POST /apps/{appID}/integration/{provider}`: log in, or sign up, with an account elsewhere.
struct IntegrationRoute: Sendable {
    let api: KiiAPI
    let provider: KiiProvider

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let credential = try provider.credential(try await api.body(of: request, context))
        let logIn: LogIn
        do {
            logIn = try await api.modules.accounts.logInWithProvider(
                LogInWithProvider.Request(
                    application: enabled.application, provider: provider.provider, credential: credential,
                    joinsDevice: false, address: api.gate.client(of: request, context),
                    origin: api.origin(of: request, context), protocolName: .kii))
        } catch {
            guard case .userDisabled = error else { throw error }
            throw KiiFault.invalidGrant
        }
        var members = api.members(of: logIn, in: enabled)
        members["new_user_created"] = .bool(logIn.isNew)
        return KiiResponse.response(members)
    }
}

/// `POST …/{provider}/link`
struct LinkRoute: Sendable {
    let api: KiiAPI
    let provider: KiiProvider

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let (session, credential) = (
            try await api.ownSession(request, context),
            try provider.credential(try await api.body(of: request, context))
        )
        do {
            _ = try await api.modules.accounts.linkProvider(
                provider.provider, credential, displayName: nil, by: session, isProven: false,
                from: api.origin(of: request, context))
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
}

/// `POST …/{provider}/unlink`
struct UnlinkRoute: Sendable {
    let api: KiiAPI
    let provider: KiiProvider

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let session = try await api.ownSession(request, context)
        do {
            try await api.modules.accounts.editUser(
                UserEdit(unlinking: provider.provider), of: session.user.id, in: session.application,
                by: .owner(session, isProven: false, from: api.origin(of: request, context)))
        } catch {
            guard case .identityUnknown = error else { throw error }
            throw KiiFault(
                409, "USER_NOT_LINKED", "UserNotLinked", "The account is not linked",
                [("userID", session.user.id.rawValue)])
        }
        return KiiResponse.nothing
    }
}

extension KiiAPI {
    /// The session of the user that the path names. Administrators hold no account of a user's.
    fileprivate func ownSession(_ request: Request, _ context: ServerContext) async throws -> Authenticated {
        let enabled = try await enabled(request, context)
        let caller = try await knownCaller(enabled, request, context)
        guard let session = caller.session,
            try UserReference(context, in: enabled.publicKey).names(session.user)
        else { throw KiiFault.unauthorized(in: enabled.publicKey) }
        return session
    }
}

/// Accounts elsewhere, as Kii's paths name them.
enum KiiProvider: String, CaseIterable, Sendable {
    case facebook, twitter, google, qq, renren

    init?(_ provider: Identity.Provider) {
        self.init(rawValue: provider.rawValue)
    }

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
