public import Foundation
import OkaeriWire

/// A service that the app has left, and how the app is known there: see ``OkaeriClient/adopt(from:in:)``.
public struct OldService: Hashable, Sendable {
    /// What the server calls it.
    let name: String
    let location: OldCredentialLocation
    private let renewal: Renewal

    /// How the service renews tokens.
    private enum Renewal: Hashable, Sendable {
        case firebase(apiKey: String)
        case supabase(URL, apiKey: String)
        case cognito(region: String, client: String)
    }

    /// Firebase Authentication. Id and key are `GOOGLE_APP_ID` and `API_KEY` of the app's `GoogleService-Info.plist`.
    ///
    /// - Parameters:
    ///   - googleAppID: The app's id.
    ///   - apiKey: The app's key.
    ///   - appName: The name of the `FirebaseApp`, when it is not the default one.
    /// - Returns: The service.
    public static func firebase(
        googleAppID: String, apiKey: String, appName: String = "__FIRAPP_DEFAULT"
    ) -> OldService {
        OldService(
            name: "firebase", location: .firebase(googleAppID: googleAppID, appName: appName),
            renewal: .firebase(apiKey: apiKey))
    }

    /// Supabase Auth.
    ///
    /// - Parameters:
    ///   - url: The project's address, as in `https://abc.supabase.co`.
    ///   - apiKey: The project's anonymous or publishable key.
    /// - Returns: The service.
    public static func supabase(url: URL, apiKey: String) -> OldService {
        let project = (url.host ?? "").split(separator: ".").first.map(String.init) ?? ""
        return OldService(
            name: "supabase", location: .supabase(project: project), renewal: .supabase(url, apiKey: apiKey))
    }

    /// A user pool of Amazon Cognito, by Amplify. The values are those of the app's `amplify_outputs.json`.
    ///
    /// - Parameters:
    ///   - userPool: The user pool's id, as in `ap-northeast-1_a1B2c3D4e`.
    ///   - client: The app client's id, of a client without a secret.
    ///   - identityPool: The identity pool's id, if the app has one.
    /// - Returns: The service.
    public static func cognito(userPool: String, client: String, identityPool: String? = nil) -> OldService {
        OldService(
            name: "cognito", location: .cognito(userPool: userPool, identityPool: identityPool),
            renewal: .cognito(region: String(userPool.prefix { $0 != "_" }), client: client))
    }

    /// What asks the service for a new token; `nil` when the app's values make no address.
    func renewal(of credential: OldCredential, refreshToken: String, bundleIdentifier: String?) -> TransportRequest? {
        switch renewal {
        // Google Cloud, "Exchange a refresh token for an ID token".
        case .firebase(let apiKey):
            let key = apiKey.percentEncoded
            guard let url = URL(string: "https://securetoken.googleapis.com/v1/token?key=\(key)") else { return nil }
            var headers: HeaderFields = ["Content-Type": "application/x-www-form-urlencoded"]
            // Keys can be restricted to apps.
            headers["X-Ios-Bundle-Identifier"] = bundleIdentifier
            let form = "grant_type=refresh_token&refresh_token=\(refreshToken.percentEncoded)"
            return TransportRequest(method: "POST", url: url, headers: headers, body: Data(form.utf8))
        // supabase/auth, `POST /token?grant_type=refresh_token`.
        case .supabase(let project, let apiKey):
            var base = project.absoluteString
            while base.hasSuffix("/") { base.removeLast() }
            guard let url = URL(string: "\(base)/auth/v1/token?grant_type=refresh_token") else { return nil }
            return Self.json(["refresh_token": .string(refreshToken)], to: url, ["apikey": apiKey])
        // Amazon Cognito, `GetTokensFromRefreshToken`, which clients take whether they rotate refresh tokens or not.
        case .cognito(let region, let client):
            let isRegion = region.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d
            }
            guard isRegion, let url = URL(string: "https://cognito-idp.\(region).amazonaws.com/") else { return nil }
            var body: [String: JSONValue] = ["ClientId": .string(client), "RefreshToken": .string(refreshToken)]
            body["DeviceKey"] = credential.deviceKey.map { .string($0) }
            return Self.json(
                body, to: url, ["X-Amz-Target": "AWSCognitoIdentityProviderService.GetTokensFromRefreshToken"],
                type: "application/x-amz-json-1.1")
        }
    }

    /// What a service says of a refresh token.
    enum Outcome: Equatable {
        /// A new token, and the refresh token that counts next; `nil` when the same one goes on counting.
        case renewed(token: String, refreshToken: String?)
        /// It takes the refresh token no more: the session has ended there, or the user.
        case refused
        /// Nothing of the refresh token: the service is down or busy, or refuses the app.
        case unclear
    }

    func outcome(of response: TransportResponse) -> Outcome {
        guard let members = OldForms.object(response.body) else { return .unclear }
        guard response.status == 200 else {
            guard (400...404).contains(response.status) else { return .unclear }
            return refuses(members) ? .refused : .unclear
        }
        let token: String?
        var refreshToken = OldForms.text(members["refresh_token"])
        switch renewal {
        case .firebase: token = OldForms.text(members["id_token"])
        case .supabase: token = OldForms.text(members["access_token"])
        case .cognito:
            let result = OldForms.object(members["AuthenticationResult"])
            token = OldForms.text(result?["IdToken"])
            refreshToken = OldForms.text(result?["RefreshToken"])
        }
        return token.map { .renewed(token: $0, refreshToken: refreshToken) } ?? .unclear
    }

    /// Whether an error is about the refresh token or its user, by the services' own words; everything else may be the app's fault.
    private func refuses(_ members: [String: JSONValue]) -> Bool {
        switch renewal {
        // Google Cloud, "Exchange a refresh token for an ID token", common error codes.
        case .firebase:
            let message = OldForms.text(OldForms.object(members["error"])?["message"]) ?? ""
            return ["TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN"]
                .contains(message.prefix { $0 != " " })
        // Supabase, "Auth error codes"; before them there was RFC 6749's.
        case .supabase:
            let codes = ["error_code", "code", "error"].compactMap { OldForms.text(members[$0]) }
            return !Set(codes).isDisjoint(with: [
                "refresh_token_already_used", "refresh_token_not_found", "session_expired", "session_not_found",
                "user_banned", "user_not_found", "invalid_grant",
            ])
        // Amazon Cognito, `GetTokensFromRefreshToken`, errors. That of a client with a secret has the name of a refused token.
        case .cognito:
            let name = (OldForms.text(members["__type"]) ?? "").split(separator: "#").last ?? ""
            let message = OldForms.text(members["message"]) ?? OldForms.text(members["Message"]) ?? ""
            guard message.lowercased().firstRange(of: "secret") == nil else { return false }
            return ["NotAuthorizedException", "RefreshTokenReuseException", "UserNotFoundException"].contains(name)
        }
    }

    private static func json(
        _ body: [String: JSONValue], to url: URL, _ headers: [String: String], type: String = "application/json"
    ) -> TransportRequest? {
        var fields = HeaderFields(headers)
        fields["Content-Type"] = type
        // Texts always encode.
        guard let data = try? JSONEncoder().encode(body) else { return nil }
        return TransportRequest(method: "POST", url: url, headers: fields, body: data)
    }
}
