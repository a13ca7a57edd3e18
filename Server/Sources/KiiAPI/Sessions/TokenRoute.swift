import Domain
import HTTPSupport
import Hummingbird
import enum OkaeriWire.JSONValue

/// `POST /oauth2/token`: log-in by password, and tokens of administrators and anonymous callers.
struct TokenRoute: Sendable {
    let api: KiiAPI

    /// What Kii sent for a token without an end; every SDK digests it.
    fileprivate static let endless: Int64 = 2_147_483_647

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await api.enabled(request, context)
        let body = try await api.body(of: request, context)
        switch try grantType(of: body) {
        case "password": return try await password(body, enabled, request, context)
        case "client_credentials": return try clientCredentials(body, enabled)
        case "refresh_token": return try await refresh(body, enabled)
        default: throw KiiFault.unsupportedGrantType
        }
    }

    /// Often missing; then the other members tell.
    private func grantType(of body: KiiBody) throws(KiiFault) -> String {
        if let told = try body.text("grant_type") { return told }
        if body.members["client_id"] != nil { return "client_credentials" }
        return body.members["refresh_token"] != nil ? "refresh_token" : "password"
    }

    private func password(
        _ body: KiiBody, _ enabled: EnabledProtocol, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        guard let username = try body.text("username"), let password = try body.text("password") else {
            throw KiiFault.invalidGrant
        }
        let logIn: LogIn
        do {
            let candidates = LogInIdentifier.candidates(ofKii: username)
            var asked = LogInWithPassword.Request(
                application: enabled.application, identifier: username, password: Secret(password),
                address: api.gate.client(of: request, context), protocolName: .kii,
                expiresAt: try body.instant("expiresAt"), candidates: candidates)
            asked.needsVerifiedEmail = enabled.options.demandsVerifiedEmail
            asked.needsVerifiedPhone = enabled.options.demandsVerifiedPhone
            logIn = try await api.modules.accounts.logInWithPassword(asked)
        } catch let error as DomainError {
            switch error {
            case .credentialRefused, .userDisabled, .userDeleted: throw KiiFault.invalidGrant
            case .fieldsRefused where error.validationErrors?.contains { $0.field == "expiresAt" } == false:
                throw KiiFault.invalidGrant
            default: throw error
            }
        }
        return KiiResponse.response(api.members(of: logIn, in: enabled))
    }

    private func refresh(_ body: KiiBody, _ enabled: EnabledProtocol) async throws -> Response {
        let fresh: RefreshSession.Refreshed
        do {
            fresh = try await api.modules.sessions.refreshSession(
                Secret(try body.text("refresh_token") ?? ""), in: enabled.application, of: .kii,
                expiresAt: try body.instant("expiresAt", "expires_at"))
        } catch let error as DomainError {
            switch error {
            case .sessionInvalid, .userDisabled, .userDeleted:
                throw KiiFault(403, "WRONG_REFRESH_TOKEN", "WrongRefreshToken", "The refresh token is not valid")
            default: throw error
            }
        }
        var members = Self.members(id: fresh.user.rawValue, token: fresh.token, seconds: fresh.lifeInSeconds)
        members["refresh_token"] = .string(fresh.refreshToken.revealed)
        return KiiResponse.response(members)
    }

    fileprivate static func members(id: String, token: Secret, seconds: Int64) -> [String: JSONValue] {
        [
            "id": .string(id), "access_token": .string(token.revealed), "expires_in": .integer(seconds),
            "token_type": "Bearer",
        ]
    }

    private func clientCredentials(_ body: KiiBody, _ enabled: EnabledProtocol) throws -> Response {
        let (id, secret) = (try body.text("client_id") ?? "", try body.text("client_secret") ?? "")
        let caller: ProtocolTokens.Caller
        if enabled.accepts(id, as: .clientId), enabled.accepts(secret, as: .clientSecret) {
            caller = .administrator
        } else if id == enabled.publicKey, enabled.accepts(secret, as: .appKey) {
            caller = .anonymous
        } else {
            throw KiiFault.invalidGrant
        }
        let token = api.modules.applications.protocolTokens.issue(caller, for: enabled)
        return KiiResponse.response(
            Self.members(id: id, token: token, seconds: ProtocolTokens.lifetime.components.seconds))
    }
}

extension KiiAPI {
    /// A log-in as the answer tells it.
    func members(of logIn: LogIn, in enabled: EnabledProtocol) -> [String: JSONValue] {
        let end = logIn.tokenExpiresAt ?? logIn.session.expiresAt
        let life = (end - logIn.session.createdAt).components.seconds
        var members = TokenRoute.members(
            id: logIn.user.id.rawValue, token: logIn.token, seconds: min(life, TokenRoute.endless))
        members["refresh_token"] = refreshToken(for: logIn.token, until: logIn.tokenExpiresAt, in: enabled)
        return members
    }

    /// The refresh token beside a token that ends; `nil` beside one that does not.
    func refreshToken(for token: Secret?, until end: Timestamp?, in enabled: EnabledProtocol) -> JSONValue? {
        guard let token, end != nil else { return nil }
        return .string(modules.sessions.refreshSession.token(for: token, in: enabled.application.id).revealed)
    }
}
