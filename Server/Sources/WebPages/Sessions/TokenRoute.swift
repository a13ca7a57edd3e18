import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NativeAPI
import NIOCore
import OkaeriWire
import PageSupport

/// `POST /a/{application}/token`: an app turns its code into a session (RFC 6749 §4.1.3, RFC 7636 §4.5).
struct TokenRoute: Sendable {
    let pages: WebPages

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let hosted = try await pages.request(request, context)
        guard let form = try await OAuthResponse.form(of: hosted) else { return OAuthResponse.error("invalid_request") }
        guard let issuer = hosted.issuer else { return OAuthResponse.error("invalid_request") }
        guard form["grant_type"] == "authorization_code" else { return OAuthResponse.error("unsupported_grant_type") }
        if let refusal = OAuthResponse.refusal(ofClientIn: form, of: hosted.application) { return refusal }
        let proof = pages.gate.presentedProof(of: request, context)
        let redeemed: RedeemAuthorizationCode.Redeemed?
        do {
            redeemed = try await hosted.modules.sessions.redeemAuthorizationCode(
                RedeemAuthorizationCode.Request(
                    application: hosted.application, code: form.text("code"), redirect: form.text("redirect_uri"),
                    verifier: form.text("code_verifier"), proof: proof, device: hosted.device,
                    address: hosted.browser.client, origin: hosted.browser.origin),
                issuer: issuer)
        } catch {
            switch error {
            case .proofRequired, .proofRefused, .proofReplayed, .clockSkew:
                return OAuthResponse.error("invalid_dpop_proof")
            default: throw error
            }
        }
        guard let redeemed else { return OAuthResponse.error("invalid_grant") }
        let session = redeemed.logIn.session
        var members: [String: JSONValue] = [
            "access_token": .string(redeemed.logIn.token.revealed),
            "token_type": .string(proof == nil ? "Bearer" : "DPoP"),
            "expires_in": .integer((session.expiresAt - session.createdAt).components.seconds),
            "scope": .string(redeemed.scopes.joined(separator: " ")),
            // What our own SDK needs beside it.
            "log_in": try NativeAPI.json(of: redeemed.logIn),
        ]
        if let token = redeemed.identityToken { members["id_token"] = .string(token.revealed) }
        return OAuthResponse.json(.object(members))
    }
}

/// `GET, POST /a/{application}/userinfo`: who a session's user is (OpenID Connect Core 1.0 §5.3).
struct UserInfoRoute: Sendable {
    let pages: WebPages

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let hosted = try await pages.request(request, context)
        guard let authorization = request.authorization else { return OAuthResponse.challenge(nil) }
        let who: Authenticated
        do {
            who = try await hosted.modules.sessions.authenticate(
                Authenticate.Request(
                    application: hosted.application, token: authorization.token,
                    proof: pages.gate.presentedProof(of: request, context), protocolName: .native),
                from: { hosted.browser.client })
        } catch {
            // By “invalid_token” apps log out.
            guard error.kind == .unavailable else { return OAuthResponse.challenge("invalid_token") }
            throw error
        }
        var claims: [String: JSONValue] = ["sub": .string(who.user.id.rawValue)]
        if let name = who.user.displayName { claims["name"] = .string(name) }
        if let name = who.user.username { claims["preferred_username"] = .string(name) }
        if let locale = who.user.locale { claims["locale"] = .string(locale) }
        if let email = who.user.email {
            claims["email"] = .string(email)
            claims["email_verified"] = .bool(who.user.emailVerifiedAt != nil)
        }
        return OAuthResponse.json(.object(claims))
    }
}

/// `GET /a/{application}/.well-known/openid-configuration` (OpenID Connect Discovery 1.0 §4, RFC 8414).
struct DiscoveryRoute: Sendable {
    let pages: WebPages

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let hosted = try await pages.request(request, context)
        guard let issuer = hosted.issuer, let server = pages.publicURL else { throw PageFault.unknown }
        func list(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        return OAuthResponse.json(
            .object([
                "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
                "token_endpoint": .string("\(issuer)/token"), "userinfo_endpoint": .string("\(issuer)/userinfo"),
                "introspection_endpoint": .string("\(issuer)/introspect"),
                "introspection_endpoint_auth_methods_supported": list(["client_secret_basic", "Bearer"]),
                "revocation_endpoint": .string("\(issuer)/revoke"),
                "revocation_endpoint_auth_methods_supported": list(["none"]),
                "jwks_uri": .string("\(server)\(APIPath.keySet)"), "scopes_supported": list(HostedPageRequest.scopes),
                "response_types_supported": list(["code"]), "response_modes_supported": list(["query"]),
                "grant_types_supported": list(["authorization_code"]),
                "code_challenge_methods_supported": list(["S256"]),
                "token_endpoint_auth_methods_supported": list(["none"]), "subject_types_supported": list(["public"]),
                "id_token_signing_alg_values_supported": list(["ES256"]),
                "dpop_signing_alg_values_supported": list(["ES256"]),
                "acr_values_supported": list(AuthenticationMethods.Assurance.allCases.map(\.rawValue)),
                "prompt_values_supported": list(["none", "login", "create"]),
                "ui_locales_supported": list(PageLanguage.allCases.map(\.rawValue)),
                "claims_supported": list([
                    "sub", "iss", "aud", "exp", "iat", "auth_time", "amr", "acr", "nonce", "sid", "name",
                    "preferred_username", "email", "email_verified", "locale",
                ]),
                "authorization_response_iss_parameter_supported": .bool(true),
                "claims_parameter_supported": .bool(false),
                "request_parameter_supported": .bool(false), "request_uri_parameter_supported": .bool(false),
            ]), cache: "public, max-age=300")
    }
}

/// Answers to apps: JSON that scripts of any origin may read, since no cookie has a part in it.
enum OAuthResponse {
    static func json(
        _ value: JSONValue, status: HTTPResponse.Status = .ok, cache: String = "no-store"
    ) -> Response {
        // What was built of texts, numbers and truth values always encodes.
        let bytes = (try? JSONBytes.buffer(of: value)) ?? ByteBuffer()
        return Response(
            status: status,
            headers: [.contentType: "application/json", .cacheControl: cache, .accessControlAllowOrigin: "*"],
            body: ResponseBody(byteBuffer: bytes))
    }

    static func error(_ name: String, status: HTTPResponse.Status = .badRequest) -> Response {
        json(.object(["error": .string(name)]), status: status)
    }

    /// The form of a request; `nil` for what is none.
    static func form(of hosted: HostedPageRequest) async throws -> FormValues? {
        do {
            return try await hosted.browser.foreignForm()
        } catch is RequestError {
            return nil
        }
    }

    /// Refuses a form that names another client than the application, or has a secret: an app could keep none (RFC 6749 §2.1).
    static func refusal(ofClientIn form: FormValues, of application: Domain.Application) -> Response? {
        guard form["client_id"] != application.id.rawValue || form["client_secret"] != nil else { return nil }
        return error("invalid_client", status: .unauthorized)
    }

    /// RFC 6750 §3.
    static func challenge(_ error: String?) -> Response {
        var response = json(.object(["error": .string(error ?? "invalid_request")]), status: .unauthorized)
        response.headers[.wwwAuthenticate] = error.map { #"Bearer error="\#($0)""# } ?? "Bearer"
        return response
    }
}

/// Errors of the addresses that apps and backends ask: the words of RFC 6749 §5.2, and of §4.1.2.1 for what the server
/// cannot do now, since §5.2 has none.
struct OAuthErrors: ErrorRenderer {
    func response(to error: any Error, requestId: String) -> Response {
        switch error {
        case PageFault.unknown: OAuthResponse.error("invalid_request", status: .notFound)
        case let fault as RequestError: OAuthResponse.error("invalid_request", status: fault.status)
        case let error as DomainError: response(to: error)
        default: OAuthResponse.error("server_error", status: .internalServerError)
        }
    }

    private func response(to error: DomainError) -> Response {
        switch error.kind {
        case .invalid: OAuthResponse.error("invalid_request")
        case .unauthenticated, .refused, .gone, .notFound, .conflict: OAuthResponse.error("invalid_grant")
        case .forbidden: OAuthResponse.error("access_denied", status: .forbidden)
        case .rateLimited: OAuthResponse.error("temporarily_unavailable", status: .tooManyRequests)
        case .unavailable: OAuthResponse.error("temporarily_unavailable", status: .serviceUnavailable)
        case .internal: OAuthResponse.error("server_error", status: .internalServerError)
        }
    }
}
