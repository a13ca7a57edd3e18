import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue
import PageSupport

/// `GET /a/{application}/authorize`: an app or a web page sends a person here to log in (OAuth 2.1, OpenID Connect).
struct ShowAuthorize: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        switch request.authorization(request.browser.query) {
        case .refused(let reason): return try request.refuse(reason)
        case .error(let error, let asked, let reason): return request.back(error: error, because: reason, to: asked)
        case .asked(let asked):
            let query = request.browser.request.uri.query ?? ""
            let prompts = asked.prompts
            // Who is logged in may choose another account, and then the request waits too. No page is shown for `none`.
            guard prompts.contains("none") || HostedPageRequest.isContinuation(request.dated(query, asked)) else {
                return request.back(error: "invalid_request", because: "the request is too long", to: asked)
            }
            let who = try await request.session()
            guard let who, !request.needsLogIn(who, for: asked) else {
                if prompts.contains("none") { return request.back(error: "login_required", to: asked) }
                return request.sendToLogIn(for: asked, query, page: prompts.contains("create") ? "sign-up" : "log-in")
            }
            if prompts.contains("none") {
                guard asked.expects(who, of: request.issuer) else {
                    return request.back(error: "login_required", to: asked)
                }
                // Who answers at an https address is known; another app may have taken the others (RFC 8252 §8.6).
                guard asked.request.redirect.hasPrefix("https://") else {
                    return request.back(error: "interaction_required", to: asked)
                }
                return try request.back(with: asked, for: who, isNew: false)
            }
            return try request.ask(asked, who, request.dated(query, asked))
        }
    }
}

/// `POST /a/{application}/authorize`: the person goes on with the account that is logged in, or does not.
struct SendAuthorize: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        switch request.authorization(request.browser.query) {
        case .refused(let reason): return try request.refuse(reason)
        case .error(let error, let asked, let reason): return request.back(error: error, because: reason, to: asked)
        case .asked(let asked):
            guard form["choice"] == "continue" else { return request.back(error: "access_denied", to: asked) }
            guard let who = try await request.session(), !request.needsLogIn(who, for: asked) else {
                return request.sendToLogIn(for: asked, request.browser.request.uri.query ?? "")
            }
            return try request.back(with: asked, for: who, isNew: false)
        }
    }
}

/// A request that can be answered to the app.
struct AuthorizationAsked {
    var request: AuthorizationRequest
    var state: String?
    var prompts: [Substring] = []
    /// How long ago the person may have logged in.
    var maximumAgeSeconds: Int64?
    /// When the request began, as this server sealed it.
    var began: String?
    /// An identity token of whom the app expects (OpenID Connect Core 1.0 §3.1.2.1).
    var hint: String?

    /// Whether somebody is whom the app expects; everybody is where it does not say. The signature is not looked at, nor the end of
    /// the token's time: a hint can only take a code away, and keys of before are forgotten.
    func expects(_ who: Authenticated, of issuer: String?) -> Bool {
        guard let hint else { return true }
        let parts = hint.pieces(at: ".", keepsEmpty: true)
        // What is no JSON is no token of anybody's.
        guard parts.count == 3, let issuer, let bytes = Base64URL.bytes(of: parts[1].utf8),
            case .object(let claims)? = try? JSONValue(parsing: bytes)
        else { return false }
        return claims["iss"] == .string(issuer) && claims["sub"] == .string(who.user.id.rawValue)
    }

    /// Whether a log-in of before may not count.
    var demandsLogIn: Bool { prompts.contains("login") || maximumAgeSeconds != nil }

    func isTooOld(_ who: Authenticated, _ request: HostedPageRequest) -> Bool {
        guard let maximumAgeSeconds else { return false }
        // Who has proved nothing is asked, however long ago that may be.
        guard let provenAt = who.session.authenticatedAt else { return true }
        return provenAt + .seconds(maximumAgeSeconds) <= request.modules.now
    }
}

enum AuthorizationFinding {
    case asked(AuthorizationAsked)
    /// Sent to the app, with the rule that was broken when the name of the error does not say it.
    case error(String, AuthorizationAsked, because: String? = nil)
    /// Shown to the person: no app may get it.
    case refused(String)
}

extension HostedPageRequest {
    static let maximumStateBytes = 1024
    /// Thirty years: what an app says beyond counts as this.
    private static let longestAgeSeconds: Int64 = 1_000_000_000
    static let scopes = ["openid", "profile", "email"]

    /// The issuer of this application; `nil` while the server's address is not set.
    var issuer: String? { pages.publicURL.map { "\($0)/a/\(application.id.rawValue)" } }

    /// Reads what an app asks for. Before client and address are known to belong together, nobody is sent anywhere.
    func authorization(_ query: FormValues) -> AuthorizationFinding {
        guard issuer != nil else { return .refused("server_has_no_public_url") }
        guard query["client_id"] == application.id.rawValue else { return .refused("client_id") }
        guard let redirect = query["redirect_uri"], application.settings.allowsRedirect(to: redirect) else {
            return .refused("redirect_uri")
        }
        let asked = query.text("scope").pieces(at: " ").map(String.init)
        var found = AuthorizationAsked(
            request: AuthorizationRequest(
                redirect: redirect, challenge: query.text("code_challenge"), nonce: query["nonce"],
                scopes: Self.scopes.filter { asked.contains($0) }),
            prompts: query.text("prompt").pieces(at: " "),
            maximumAgeSeconds: query["max_age"].flatMap { Int64($0, radix: 10) }.flatMap {
                $0 < 0 ? nil : min($0, Self.longestAgeSeconds)
            })
        found.began = query[Self.beganParameter]
        found.hint = query["id_token_hint"]
        guard query.text("state").utf8.count <= Self.maximumStateBytes else {
            return .error("invalid_request", found, because: "state has at most \(Self.maximumStateBytes) bytes")
        }
        found.state = query["state"]
        guard query["request"] == nil else { return .error("request_not_supported", found) }
        guard query["request_uri"] == nil else { return .error("request_uri_not_supported", found) }
        guard query["response_type"] == "code" else { return .error("unsupported_response_type", found) }
        if let fault = Self.fault(of: query, found) { return .error("invalid_request", found, because: fault) }
        return .asked(found)
    }

    /// The rule that a request breaks, for those who make the app; `nil` for none.
    private static func fault(of query: FormValues, _ found: AuthorizationAsked) -> String? {
        let challenge = found.request.challenge
        guard query["code_challenge_method"] == "S256" else { return "code_challenge_method must be S256" }
        guard challenge.utf8.count == 43, Base64URL.bytes(of: challenge.utf8) != nil else {
            return "code_challenge must be 43 characters of base64url"
        }
        guard query.text("nonce").utf8.count <= 255 else { return "nonce has at most 255 bytes" }
        guard ["query", ""].contains(query.text("response_mode")) else { return "response_mode must be query" }
        guard !(found.prompts.contains("none") && found.prompts.count > 1) else { return "prompt=none stands alone" }
        // A demand that nobody can read is no request without one.
        guard query.text("max_age").isEmpty || found.maximumAgeSeconds != nil else {
            return "max_age must be a whole number of seconds"
        }
        return nil
    }

    /// Back to the app with a code.
    func back(with asked: AuthorizationAsked, for who: Authenticated, isNew: Bool) throws -> Response {
        let code = try modules.sessions.issueAuthorizationCode(asked.request, for: who, isNew: isNew)
        return leave([("code", code.revealed)], asked)
    }

    /// Back to the app with the name of an error, and with the reason in words (RFC 6749 §4.1.2.1: ASCII without quotation marks
    /// and backslashes).
    func back(error: String, because reason: String? = nil, to asked: AuthorizationAsked) -> Response {
        leave([("error", error)] + (reason.map { [("error_description", $0)] } ?? []), asked)
    }

    /// `iss` tells an app that speaks to several servers whose answer this is (RFC 9207).
    private func leave(_ pairs: [(String, String)], _ asked: AuthorizationAsked) -> Response {
        let all = pairs + (asked.state.map { [("state", $0)] } ?? []) + [("iss", issuer ?? "")]
        let address = asked.request.redirect
        return PageResponse.leave(
            to: "\(address)\(address.contains("?") ? "&" : "?")\(FormValues.query(all))", browser)
    }

    func refuse(_ reason: String) throws -> Response {
        try message("bad-request", status: .badRequest, ["code": reason])
    }

    /// Somebody is logged in already: it is up to them. Another app may have taken an app's address (RFC 8252 §8.6).
    func ask(_ asked: AuthorizationAsked, _ who: Authenticated, _ query: String) throws -> Response {
        let name = shownName(of: who.user)
        let title = who.user.ownName.map { text("consent.title", ["name": $0]) } ?? text("consent.unnamed")
        let action = "/a/\(application.id.rawValue)/authorize?\(query)"
        let other = "/a/\(application.id.rawValue)/log-in?\(FormValues.query([(Self.continuationParameter, query)]))"
        return try html(
            "consent",
            model(
                "consent",
                [
                    "title": title, "who": name, "action": action, "other": other,
                    "initial": name.initial,
                ]),
            formTargets: RedirectAddress.sources(of: asked.request.redirect))
    }

    /// Where a form of this page leads in the end, when an app waits. Only a registered address counts.
    func formTargets() -> [String] {
        waitingRequest.map { RedirectAddress.sources(of: $0.request.redirect) } ?? []
    }

    /// What the app asks for that waits; `nil` where none waits, or for something that is not asked rightly.
    var waitingRequest: AuthorizationAsked? {
        guard let continuation, case .asked(let asked) = authorization(FormValues(query: continuation)) else {
            return nil
        }
        return asked
    }
}
