/// Header names of the API, as documented; HTTP compares them without regard to case.
public enum HeaderName {
    /// The application's id, required on every `/v1` path but the description.
    public static let application = "Okaeri-Application"
    /// The DPoP proof (RFC 9449 §4).
    public static let proof = "DPoP"
    /// Names one attempt of a creating request, so that its repetition has no second effect.
    public static let idempotencyKey = "Idempotency-Key"
    /// The id under which the server logged the request.
    public static let requestId = "Request-Id"
}

/// Paths of the API.
public enum APIPath {
    /// POST: log in with the device's key.
    public static let logInAutomatically = "/v1/log-in/automatic"
    /// POST: make a user with identifiers and a password.
    public static let signUp = "/v1/sign-up"
    /// POST: log in with identifier and password.
    public static let logInWithPassword = "/v1/log-in/password"
    /// POST: give an anonymous user identifiers and a password.
    public static let upgrade = "/v1/user/upgrade"
    /// PUT: another password.
    public static let password = "/v1/user/password"
    /// POST: prove again to be there.
    public static let reauthenticate = "/v1/user/reauthenticate"
    /// POST: end this session.
    public static let logOut = "/v1/log-out"
    /// GET, PATCH: the own user.
    public static let user = "/v1/user"
    /// GET: the own sessions. DELETE: end all others.
    public static let sessions = "/v1/user/sessions"
    /// POST: an access token for the app's own backends.
    public static let token = "/v1/token"
    /// GET: the public keys that verify access tokens.
    public static let keySet = "/.well-known/jwks.json"
    /// GET: the API's description.
    public static let description = "/v1/openapi.yaml"

    /// DELETE: end one of the own sessions.
    public static func session(_ id: String) -> String {
        "\(sessions)/\(id)"
    }

    /// POST: log in with Apple or another provider.
    public static func logIn(with provider: String) -> String {
        "/v1/log-in/\(provider)"
    }

    /// POST: link a provider's identity. DELETE: unlink it.
    public static func identity(_ provider: String) -> String {
        "/v1/user/identities/\(provider)"
    }

    /// POST: news from Apple.
    public static let appleNotifications = "/v1/providers/apple/notifications"
}
