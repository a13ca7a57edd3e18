import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire
import PageSupport

/// `POST /a/{application}/introspect`: what a token is worth now, for the application's own backends (RFC 7662).
///
/// A backend shows an admin key that may see users, as a bearer token or as the password of HTTP Basic with the application's id for
/// the name. Everything that is not worth anything is `{"active": false}` and no more (§2.2).
struct IntrospectionRoute: Sendable {
    let pages: WebPages

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let hosted = try await pages.request(request, context)
        let rules = hosted.modules.administration
        do {
            let key = Self.key(in: request.headers.value(of: .authorization), of: hosted.application)
            let access = try await rules.logIns.findAdmin(
                key, at: pages.gate.attestedClient(of: request, context), from: hosted.browser.origin)
            return try await rules.perform(
                .introspectToken, by: .admin(access, hosted.browser.origin), in: hosted.application.id,
                on: nil, refusal: { $0 }
            ) { _ in try await introspect(hosted) }
        } catch let error as DomainError {
            switch error {
            case .adminRequired, .adminResourceUnknown: return Self.clientRefused
            case .adminNotAllowed: return OAuthResponse.error("access_denied", status: .forbidden)
            default: throw error
            }
        }
    }

    private func introspect(_ hosted: HostedPageRequest) async throws -> Response {
        guard let token = try await OAuthResponse.form(of: hosted)?["token"] else {
            return OAuthResponse.error("invalid_request")
        }
        let found = try await hosted.modules.sessions.introspectToken(token, in: hosted.application)
        return OAuthResponse.json(.object(Self.members(found, issuer: hosted.issuer)))
    }

    private static func members(_ found: IntrospectToken.Found?, issuer: String?) -> [String: JSONValue] {
        switch found {
        case nil: return ["active": false]
        case .accessToken(let claims):
            return claims.merging(["active": true, "token_type": claims["cnf"] == nil ? "Bearer" : "DPoP"]) { $1 }
        case .session(let who):
            let session = who.session
            var members: [String: JSONValue] = [
                "active": true, "token_type": "Bearer", "sub": .string(who.user.id.rawValue),
                "client_id": .string(who.application.id.rawValue), "sid": .string(session.id.rawValue),
                "iat": .integer(session.createdAt.milliseconds / 1000),
                "exp": .integer(session.expiresAt.milliseconds / 1000),
                "amr": .array(session.methods.amr.map { .string($0) }),
                "acr": .string(session.methods.assurance.rawValue), "is_anonymous": .bool(who.user.isAnonymous),
            ]
            members["auth_time"] = session.authenticatedAt.map { JSONValue.integer($0.milliseconds / 1000) }
            if let issuer { members["iss"] = .string(issuer) }
            if who.application.settings.proofRequired, let key = session.deviceKey {
                members["token_type"] = "DPoP"
                members["cnf"] = ["jkt": .string(key)]
            }
            let access = who.user.access(in: who.application)
            if let version = access.version { members["claims_version"] = .string(version) }
            return access.claims.merging(members) { $1 }
        }
    }

    /// The admin key of a header: `Bearer KEY`, or HTTP Basic with the application's id and the key (RFC 6749 §2.3.1).
    private static func key(in header: String?, of application: Domain.Application) -> Secret? {
        guard let parts = header?.cut(at: " ") else { return nil }
        switch parts.before.lowercased() {
        case "bearer": return Secret(String(parts.after))
        case "basic":
            guard let data = Data(base64Encoded: String(parts.after)), let text = StreamSafeText.text(of: data),
                let pair = text.cut(at: ":"), pair.before.utf8.elementsEqual(application.id.rawValue.utf8)
            else { return nil }
            return Secret(String(pair.after))
        default: return nil
        }
    }

    /// RFC 6749 §5.2, RFC 7662 §2.3. A key of another application's is as unknown as any other text.
    private static var clientRefused: Response {
        var response = OAuthResponse.error("invalid_client", status: .unauthorized)
        response.headers[.wwwAuthenticate] = #"Basic realm="introspection", Bearer"#
        return response
    }
}

/// `POST /a/{application}/revoke`: ends the session of a token (RFC 7009). Who holds the token is who may end it, so the response
/// is the same for every text; only an access token, which ends by itself within ten minutes, is said to be of a kind that
/// cannot be revoked (§2.2.1).
struct RevocationRoute: Sendable {
    let pages: WebPages

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let hosted = try await pages.request(request, context)
        guard let form = try await OAuthResponse.form(of: hosted) else { return OAuthResponse.error("invalid_request") }
        if let refusal = OAuthResponse.refusal(ofClientIn: form, of: hosted.application) { return refusal }
        guard let token = form["token"] else { return OAuthResponse.error("invalid_request") }
        // The form of a JWT is looked at and nothing else: whether it is a right one is not said here.
        guard token.utf8.count(where: { $0 == UInt8(ascii: ".") }) != 2 else {
            return OAuthResponse.error("unsupported_token_type")
        }
        try await hosted.modules.sessions.revokeToken(token, in: hosted.application)
        return OAuthResponse.json([:])
    }
}
