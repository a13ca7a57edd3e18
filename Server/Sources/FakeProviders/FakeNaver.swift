import enum OkaeriWire.JSONValue

/// Plays Naver: consent, tokens for codes with their state, profiles. Errors of the token endpoint have status 200.
package final class FakeNaver: FakeDialogProvider {
    /// Codes and tokens stand for a user's id.
    package let dialog = FakeDialog<String>()
    /// `nil` to take every client.
    private let client: (id: String, secret: String)?

    package init(client: (id: String, secret: String)? = nil) {
        self.client = client
    }

    /// A code, as Naver sends it back with a person.
    package func code(user: String, state: String) -> String {
        dialog.code(for: user, redirectURI: "", challenge: state)
    }

    package func endpoint(_ request: FakeRequest) -> FakeResponse {
        switch (request.method, request.path) {
        case ("GET", "/oauth2.0/authorize"), ("POST", "/oauth2.0/authorize"): consent.answer(request)
        case ("GET", "/oauth2.0/token"): token(request.query)
        case ("POST", "/oauth2.0/token"): token(request.form)
        case ("GET", "/v1/nid/me"): profile(request)
        default: FakeResponse(404)
        }
    }

    private var consent: FakeConsent {
        FakeConsent(title: "NAVER") { [client] id, _ in
            client == nil || client?.id == id
        } code: { [self] user, asked in
            code(user: user, state: asked["state"] ?? "")
        }
    }

    private func token(_ form: [String: String]) -> FakeResponse {
        if let client, form["client_id"] != client.id || form["client_secret"] != client.secret {
            return Self.fault("invalid_client", "wrong client id / client secret pair")
        }
        guard form["grant_type"] == "authorization_code",
            let user = dialog.redeem(code: form["code"], state: form["state"])
        else { return Self.fault("invalid_request", "no valid data in session") }
        return FakeResponse(
            200,
            [
                "access_token": .string(dialog.token(for: user)), "refresh_token": "unused", "token_type": "bearer",
                "expires_in": "3600",
            ])
    }

    private func profile(_ request: FakeRequest) -> FakeResponse {
        let token = request.headers["authorization"]?.replacing("Bearer ", with: "") ?? ""
        guard let user = dialog.grant(of: token) else {
            return FakeResponse(401, ["resultcode": "024", "message": "Authentication failed"])
        }
        return FakeResponse(
            200,
            [
                "resultcode": "00", "message": "success",
                "response": [
                    "id": .string(user), "nickname": "하나", "email": .string("\(user)@example.com"),
                ],
            ])
    }

    private static func fault(_ word: String, _ description: String) -> FakeResponse {
        FakeResponse(200, ["error": .string(word), "error_description": .string(description)])
    }
}
