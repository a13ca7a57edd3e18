import enum OkaeriWire.JSONValue

/// Plays Facebook's Graph API for codes of its dialog: `/oauth/access_token` and `/debug_token`.
package final class FakeFacebook: FakeDialogProvider {
    /// A person, and for which app.
    package struct Grant: Sendable {
        var user: String
        var app: String
    }

    package let dialog = FakeDialog<Grant>()
    private let app: String
    private let secret: String

    package init(app: String, secret: String) {
        self.app = app
        self.secret = secret
    }

    /// A code, as the dialog sends it back with a person.
    package func code(
        user: String, redirectURI: String, challenge: String, app: String? = nil
    ) -> String {
        dialog.code(for: Grant(user: user, app: app ?? self.app), redirectURI: redirectURI, challenge: challenge)
    }

    package func endpoint(_ request: FakeRequest) -> FakeResponse {
        switch (request.method, request.path) {
        case ("POST", "/oauth/access_token"): token(request.form)
        case ("GET", "/debug_token"): debug(request)
        default: FakeResponse(404)
        }
    }

    private func token(_ form: [String: String]) -> FakeResponse {
        guard form["client_id"] == app else { return Self.fault(101, "Error validating application.") }
        guard form["client_secret"] == secret else { return Self.fault(1, "Error validating client secret.") }
        guard let grant = dialog.redeem(form) else {
            return Self.fault(100, "This authorization code has been used.")
        }
        return FakeResponse(
            200,
            [
                "access_token": .string(dialog.token(for: grant)), "token_type": "bearer", "expires_in": 5_183_944,
            ])
    }

    private func debug(_ request: FakeRequest) -> FakeResponse {
        guard request.headers["authorization"] == "OAuth \(app)|\(secret)" else {
            return Self.fault(190, "Invalid OAuth access token.")
        }
        guard let found = dialog.grant(of: request.query["input_token"] ?? "") else {
            return FakeResponse(200, ["data": ["is_valid": false]])
        }
        return FakeResponse(
            200, ["data": ["is_valid": true, "app_id": .string(found.app), "user_id": .string(found.user)]])
    }

    private static func fault(_ code: Int64, _ message: String) -> FakeResponse {
        FakeResponse(
            400,
            ["error": ["message": .string(message), "type": "OAuthException", "code": .integer(code)]])
    }
}
