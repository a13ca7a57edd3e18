import Foundation
import OkaeriTesting
import OkaeriWire

@testable import Okaeri

/// Firebase, Supabase and Cognito beside an Okaeri server. Each looks at what its documents say it looks at: method, content type,
/// key or client, the refresh token with its rotation and reuse.
///
/// Sources: Google Cloud, "Exchange a refresh token for an ID token"; Supabase, "User sessions" (refresh token reuse detection) and
/// "Auth error codes"; Amazon Cognito, `GetTokensFromRefreshToken` and "Refresh tokens".
final class OldServiceHosts: Transport {
    enum Behaviour: Sendable {
        case answers
        /// 503, and nothing has happened.
        case isDown
        /// 503, after the token was exchanged.
        case isDownAfter
        /// The token was exchanged, but the response is lost.
        case losesAnswers
        /// The connection breaks before the service has read the request.
        case isUnreachable
        /// The device has no network.
        case isOffline
        case isBusy
        case talksNonsense
        /// The network shows a page of its own instead of the service.
        case isBlocked
    }

    /// One log-in at a service.
    struct Session {
        /// All refresh tokens that there were, the one that counts last.
        var tokens = ["refresh-0"]
        var isEnded = false
        var rotatedAt = Date.distantPast
    }

    private struct State {
        var sessions: [String: Session] = [:]
        var requests: [TransportRequest] = []
        var behaviour = Behaviour.answers
        var issued = 0
    }

    private let server: InMemoryServer
    private let clock: TestClock
    private let token: @Sendable () -> String
    private let state = Protected(State())
    /// Called with each request to a service, before it is read.
    let onArrival = Protected<(@Sendable () -> Void)?>(nil)
    /// Whether Cognito's client rotates its refresh tokens; the former one counts for 60 seconds then.
    let cognitoRotates = Protected(false)

    init(_ server: InMemoryServer, clock: TestClock, token: @escaping @Sendable () -> String) {
        self.server = server
        self.clock = clock
        self.token = token
    }

    /// What went to the services.
    var requests: [TransportRequest] { state.withValue { $0.requests } }

    func behave(_ behaviour: Behaviour) { state.withValue { $0.behaviour = behaviour } }

    func session(_ kind: OldServiceDevice.Kind) -> Session {
        state.withValue { $0.sessions[kind.rawValue] ?? Session() }
    }

    /// Ends the session at the service, as a log-out there does.
    func end(_ kind: OldServiceDevice.Kind) {
        state.withValue { $0.sessions[kind.rawValue, default: Session()].isEnded = true }
    }

    /// The refresh tokens that were sent, in their order.
    var sent: [String] {
        requests.compactMap { request in
            let body = String(decoding: request.body ?? Data(), as: UTF8.self)
            return body.firstMatch(of: /refresh-[0-9]+/).map { String($0.output) }
        }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.url.host != server.url.host else { return try await server.send(request) }
        let behaviour = state.withValue { $0.behaviour }
        if behaviour == .isOffline { throw .offline }
        onArrival.withValue { $0 }?()
        state.withValue { $0.requests.append(request) }
        switch behaviour {
        case .isUnreachable: throw .unreachable("the connection broke")
        case .isDown: return TransportResponse(status: 503)
        case .isBusy: return Self.json(429, #"{"error_code":"over_request_rate_limit"}"#)
        case .talksNonsense: return TransportResponse(status: 200, body: Data("<html>".utf8))
        case .isBlocked: return TransportResponse(status: 403, body: Data("<html>".utf8))
        case .answers, .isDownAfter, .losesAnswers, .isOffline: break
        }
        let response =
            switch request.url.host ?? "" {
            case "securetoken.googleapis.com": firebase(request)
            case "abc.supabase.co": supabase(request)
            case "cognito-idp.eu-west-1.amazonaws.com": cognito(request)
            default: TransportResponse(status: 404)
            }
        if behaviour == .losesAnswers { throw .timedOut }
        return behaviour == .isDownAfter ? TransportResponse(status: 503) : response
    }

    private static func json(_ status: Int, _ text: String) -> TransportResponse {
        TransportResponse(status: status, body: Data(text.utf8))
    }

    private static func members(_ request: TransportRequest) -> [String: JSONValue] {
        OldForms.object(request.body ?? Data()) ?? [:]
    }

    /// Does something with a service's session.
    private func change<Value>(_ kind: OldServiceDevice.Kind, _ work: (inout Session) -> Value) -> Value {
        state.withValue { work(&$0.sessions[kind.rawValue, default: Session()]) }
    }

    private func newToken() -> String {
        state.withValue { state in
            state.issued += 1
            return "refresh-\(state.issued)"
        }
    }
}

extension OldServiceHosts {
    /// Refresh tokens do not rotate: the response has the one that was sent.
    private func firebase(_ request: TransportRequest) -> TransportResponse {
        func refuse(_ status: Int, _ message: String) -> TransportResponse {
            Self.json(status, #"{"error":{"code":\#(status),"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#)
        }
        guard request.url.path == "/v1/token" else { return TransportResponse(status: 404) }
        guard request.url.query == "key=AIza%2Fkey" else {
            return refuse(400, "API key not valid. Please pass a valid API key.")
        }
        guard request.headers["X-Ios-Bundle-Identifier"] == "com.example.game" else {
            return refuse(403, "Requests from this iOS client application <empty> are blocked.")
        }
        let form = String(decoding: request.body ?? Data(), as: UTF8.self).split(separator: "&").map(String.init)
        guard request.method == "POST", request.headers["Content-Type"] == "application/x-www-form-urlencoded",
            form.contains("grant_type=refresh_token")
        else { return refuse(400, "INVALID_GRANT_TYPE") }
        guard let sent = form.first(where: { $0.hasPrefix("refresh_token=") })?.dropFirst(14) else {
            return refuse(400, "MISSING_REFRESH_TOKEN")
        }
        let (known, isEnded) = change(.firebase) { ($0.tokens.contains(String(sent)), $0.isEnded) }
        guard known else { return refuse(400, "INVALID_REFRESH_TOKEN") }
        guard !isEnded else { return refuse(400, "TOKEN_EXPIRED") }
        let fresh = token()
        return Self.json(
            200,
            #"{"id_token":"\#(fresh)","access_token":"\#(fresh)","refresh_token":"\#(sent)","expires_in":"3600"}"#)
    }

    /// A refresh token counts once. Its successor is given again for the parent of the one that counts, and for a former
    /// one within ten seconds; any other reuse ends the session.
    private func supabase(_ request: TransportRequest) -> TransportResponse {
        func refuse(_ code: String, _ message: String) -> TransportResponse {
            Self.json(400, #"{"code":400,"error_code":"\#(code)","msg":"\#(message)"}"#)
        }
        guard request.url.path == "/auth/v1/token" else { return TransportResponse(status: 404) }
        guard request.headers["apikey"] == "anon" else { return Self.json(401, #"{"message":"Invalid API key"}"#) }
        guard request.method == "POST", request.headers["Content-Type"] == "application/json",
            case let members = Self.members(request), let sent = OldForms.text(members["refresh_token"])
        else { return refuse("bad_json", "Could not parse request body as JSON") }
        guard request.url.query == "grant_type=refresh_token" else {
            return refuse("invalid_credentials", "unsupported_grant_type")
        }
        let (now, next) = (clock.now, newToken())
        let outcome = change(.supabase) { session -> Result<String, ServiceRefusal> in
            guard let index = session.tokens.firstIndex(of: sent) else { return .failure(.unknown) }
            guard !session.isEnded else { return .failure(.used) }
            if index == session.tokens.count - 1 {
                session.tokens.append(next)
                session.rotatedAt = now
            } else if index < session.tokens.count - 2, now.timeIntervalSince(session.rotatedAt) > 10 {
                session.isEnded = true
                return .failure(.used)
            }
            return .success(session.tokens[session.tokens.count - 1])
        }
        switch outcome {
        case .success(let active):
            return Self.json(
                200,
                #"{"access_token":"\#(token())","token_type":"bearer","expires_in":3600,"refresh_token":"\#(active)"}"#)
        case .failure(.unknown):
            return refuse("refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
        case .failure(.used):
            return refuse("refresh_token_already_used", "Invalid Refresh Token: Already Used")
        }
    }

    private enum ServiceRefusal: Error { case unknown, used }

    /// Without rotation the refresh token stays. With it the former one counts for the grace period. The pool remembers devices.
    private func cognito(_ request: TransportRequest) -> TransportResponse {
        func refuse(_ type: String, _ message: String) -> TransportResponse {
            Self.json(400, #"{"__type":"\#(type)","message":"\#(message)"}"#)
        }
        guard request.method == "POST", request.headers["Content-Type"] == "application/x-amz-json-1.1",
            request.headers["X-Amz-Target"] == "AWSCognitoIdentityProviderService.GetTokensFromRefreshToken"
        else { return refuse("UnknownOperationException", "") }
        let members = Self.members(request)
        guard OldForms.text(members["ClientId"]) == "client" else {
            return refuse("ResourceNotFoundException", "User pool client does not exist.")
        }
        guard let sent = OldForms.text(members["RefreshToken"]) else {
            return refuse("InvalidParameterException", "Missing required parameter RefreshToken")
        }
        guard OldForms.text(members["DeviceKey"]) == "device-1" else {
            return refuse("NotAuthorizedException", "Invalid Refresh Token.")
        }
        let (now, rotates, next) = (clock.now, cognitoRotates.withValue { $0 }, newToken())
        let given = change(.cognito) { session -> (refusal: TransportResponse?, next: String?) in
            guard session.tokens.contains(sent) else {
                return (refuse("NotAuthorizedException", "Invalid Refresh Token."), nil)
            }
            guard !session.isEnded else {
                return (refuse("NotAuthorizedException", "Refresh Token has been revoked"), nil)
            }
            guard rotates else { return (nil, nil) }
            guard sent == session.tokens.last || now.timeIntervalSince(session.rotatedAt) <= 60 else {
                return (refuse("RefreshTokenReuseException", "Refresh token has been invalidated"), nil)
            }
            session.tokens.append(next)
            session.rotatedAt = now
            return (nil, next)
        }
        if let refusal = given.refusal { return refusal }
        let rotated = given.next.map { #","RefreshToken":"\#($0)""# } ?? ""
        return Self.json(
            200,
            #"{"AuthenticationResult":{"IdToken":"\#(token())","AccessToken":"x","ExpiresIn":3600,"TokenType":"Bearer"\#(rotated)}}"#
        )
    }
}
