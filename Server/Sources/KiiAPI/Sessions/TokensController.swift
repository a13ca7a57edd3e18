import Domain
import Hummingbird
import enum OkaeriWire.JSONValue

/// Tokens: log-in by password, refresh, and tokens of administrators and anonymous callers.
final class TokensController: Sendable {
    private let logIns: LogIns
    private let sessions: Sessions
    private let protocolTokens: ProtocolTokens
    private let refreshTokens: RefreshTokens

    init(_ modules: Modules) {
        logIns = modules.logIns
        sessions = modules.sessions
        protocolTokens = modules.applications.protocolTokens
        refreshTokens = RefreshTokens(modules.sessions)
    }

    /// `POST /oauth2/token`
    func issue(_ request: KiiRequest) async throws -> Response {
        let body = try await request.body()
        switch try grantType(of: body) {
        case "password": return try await password(body, request)
        case "client_credentials": return try clientCredentials(body, request.enabled)
        case "refresh_token": return try await refresh(body, request)
        default: throw KiiFault.unsupportedGrantType
        }
    }

    /// Often missing; then the other members show it.
    private func grantType(of body: KiiBody) throws(KiiFault) -> String {
        if let named = try body.text("grant_type") { return named }
        if body.members["client_id"] != nil { return "client_credentials" }
        return body.members["refresh_token"] != nil ? "refresh_token" : "password"
    }

    private func password(_ body: KiiBody, _ request: KiiRequest) async throws -> Response {
        guard let username = try body.text("username"), let password = try body.text("password") else {
            throw KiiFault.invalidGrant
        }
        let logIn: LogIn
        do {
            let candidates = LogInIdentifier.candidates(ofKii: username)
            var asked = LogInWithPassword.Request(
                application: request.application, identifier: username, password: Secret(password),
                client: LogInClient(
                    .kii, from: request.client, origin: request.origin), expiresAt: try body.instant("expiresAt"),
                candidates: candidates)
            asked.needsVerifiedEmail = request.options.demandsVerifiedEmail
            asked.needsVerifiedPhone = request.options.demandsVerifiedPhone
            logIn = try await logIns.logInWithPassword(asked)
        } catch let error as DomainError {
            switch error {
            case .credentialRefused, .userDisabled, .userDeleted: throw KiiFault.invalidGrant
            case .fieldsRefused where error.validationErrors?.contains { $0.field == "expiresAt" } == false:
                throw KiiFault.invalidGrant
            default: throw error
            }
        }
        return KiiResponse.response(refreshTokens.members(of: logIn, in: request.enabled))
    }

    private func refresh(_ body: KiiBody, _ request: KiiRequest) async throws -> Response {
        let fresh: RefreshSession.Refreshed
        do {
            fresh = try await sessions.refreshSession(
                Secret(try body.text("refresh_token") ?? ""), in: request.application, of: .kii,
                expiresAt: try body.instant("expiresAt", "expires_at"), from: request.origin)
        } catch let error as DomainError {
            switch error {
            case .sessionInvalid, .userDisabled, .userDeleted:
                throw KiiFault(403, "WRONG_REFRESH_TOKEN", "WrongRefreshToken", "The refresh token is not valid")
            default: throw error
            }
        }
        var members = RefreshTokens.members(id: fresh.user.rawValue, token: fresh.token, seconds: fresh.lifeInSeconds)
        members["refresh_token"] = .string(fresh.refreshToken.revealed)
        return KiiResponse.response(members)
    }

    private func clientCredentials(_ body: KiiBody, _ enabled: EnabledProtocol) throws -> Response {
        let (id, secret) = (try body.text("client_id") ?? "", try body.text("client_secret") ?? "")
        let caller: ProtocolTokens.Caller
        if enabled.accepts(id, as: .clientId), enabled.accepts(secret, as: .clientSecret) {
            caller = .administrator
        } else if id == enabled.publicKey, enabled.accepts(secret, as: .appKey) {
            caller = .anonymous
        } else {
            throw KiiFault.invalidGrant("The client was not found or a wrong secret was provided")
        }
        let token = protocolTokens.issue(caller, for: enabled)
        return KiiResponse.response(
            RefreshTokens.members(id: id, token: token, seconds: ProtocolTokens.lifetime.components.seconds))
    }
}

/// Log-ins as responses say them, with the refresh token beside a token that ends.
struct RefreshTokens: Sendable {
    private let sessions: Sessions

    /// What Kii sent for a token without an end; every SDK digests it.
    private static let endless: Int64 = 2_147_483_647

    init(_ sessions: Sessions) {
        self.sessions = sessions
    }

    fileprivate static func members(id: String, token: Secret, seconds: Int64) -> [String: JSONValue] {
        [
            "id": .string(id), "access_token": .string(token.revealed), "expires_in": .integer(seconds),
            "token_type": "Bearer",
        ]
    }

    /// The members of a response to a log-in.
    func members(of logIn: LogIn, in enabled: EnabledProtocol) -> [String: JSONValue] {
        let end = logIn.tokenExpiresAt ?? logIn.session.expiresAt
        let life = (end - logIn.session.createdAt).components.seconds
        var members = Self.members(
            id: logIn.user.id.rawValue, token: logIn.token, seconds: min(life, Self.endless))
        members["refresh_token"] = token(for: logIn.token, until: logIn.tokenExpiresAt, in: enabled)
        return members
    }

    /// The refresh token beside a token that ends; `nil` beside one that does not.
    func token(for token: Secret?, until end: Timestamp?, in enabled: EnabledProtocol) -> JSONValue? {
        guard let token, end != nil else { return nil }
        return .string(sessions.refreshSession.token(for: token, in: enabled.application.id).revealed)
    }
}
