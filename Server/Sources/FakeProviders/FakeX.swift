import Foundation
import enum OkaeriWire.JSONValue

/// Plays X's OAuth 2.0: `/2/oauth2/token` with PKCE, and `/2/users/me`.
package final class FakeX: FakeDialogProvider {
    /// What X answers when it is down.
    package static let outage = FakeResponse(503, ["title": "Service Unavailable"])

    /// Codes and tokens stand for a user's id.
    package let dialog = FakeDialog<String>()
    private let client: String
    /// `nil` for a public client.
    private let secret: String?

    package init(client: String, secret: String?) {
        self.client = client
        self.secret = secret
    }

    /// A code, as X sends it back with a person.
    package func code(user: String, redirectURI: String, challenge: String) -> String {
        dialog.code(for: user, redirectURI: redirectURI, challenge: challenge)
    }

    package func endpoint(_ request: FakeRequest) -> FakeResponse {
        switch (request.method, request.path) {
        case ("POST", "/2/oauth2/token"): return token(request)
        case ("GET", "/2/users/me"):
            let token = request.headers["authorization"]?.replacing("Bearer ", with: "") ?? ""
            guard let user = dialog.grant(of: token) else { return FakeResponse(401, ["title": "Unauthorized"]) }
            return FakeResponse(
                200, ["data": ["id": .string(user), "name": "花", "username": .string("hana_\(user)")]])
        default: return FakeResponse(404)
        }
    }

    private func token(_ request: FakeRequest) -> FakeResponse {
        let form = request.form
        let isKnown =
            if let secret {
                request.headers["authorization"] == "Basic \(Data("\(client):\(secret)".utf8).base64EncodedString())"
            } else {
                form["client_id"] == client
            }
        guard isKnown else { return .refusal("unauthorized_client", status: 401) }
        guard let user = dialog.redeem(form) else { return .refusal("invalid_request") }
        return FakeResponse(
            200,
            [
                "token_type": "bearer", "expires_in": 7200, "access_token": .string(dialog.token(for: user)),
                "scope": "users.read tweet.read",
            ])
    }
}
