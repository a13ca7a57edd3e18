/// Header names of the API, as documented; HTTP compares them without regard to case.
public enum HeaderName {
    /// The application's id, required on every `/v1` path but the description.
    public static let application = "Okaeri-Application"
    /// The DPoP proof (RFC 9449 §4).
    public static let proof = "DPoP"
    /// Names one attempt of a creating request, so that its repetition has no second effect.
    public static let idempotencyKey = "Idempotency-Key"
    /// How much there is at `GET /v1/user/notices` that this device has not acknowledged; absent when nothing.
    public static let notices = "Okaeri-Notices"
    /// On a log-in, `true`: bring a user back that asked to be deleted.
    public static let restore = "Okaeri-Restore"
    /// The id under which the server logged the request.
    public static let requestId = "Request-Id"
}

/// Paths of the API.
public enum APIPath {
    /// GET: what log-in screens must know of the application.
    public static let applicationProfile = "/v1/application"
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
    /// POST: mail a code to log in with.
    public static let requestLogInCode = "/v1/log-in/code/request"
    /// POST: log in with a code that was mailed.
    public static let logInWithCode = "/v1/log-in/code"
    /// POST: mail what verifies a mail address.
    public static let requestEmailVerification = "/v1/email/verify/request"
    /// POST: verify a mail address.
    public static let verifyEmail = "/v1/email/verify"
    /// POST: mail what allows a new password.
    public static let requestPasswordReset = "/v1/password-reset/request"
    /// POST: set a new password with what was mailed.
    public static let resetPassword = "/v1/password-reset"
    /// POST: end this session.
    public static let logOut = "/v1/log-out"
    /// GET, PATCH: the own user.
    public static let user = "/v1/user"
    /// GET: everything that is stored about the user.
    public static let export = "/v1/user/export"
    /// POST: what would become of two users.
    public static let mergePreview = "/v1/user/merge/preview"
    /// POST: keep the current user, switch to the other, or merge.
    public static let merge = "/v1/user/merge"
    /// POST: take a merge apart again.
    public static let undoMerge = "/v1/user/merge/undo"
    /// GET: the own sessions. DELETE: end all others.
    public static let sessions = "/v1/user/sessions"
    /// GET: the keys by which devices log in automatically. DELETE: remove all others.
    public static let deviceKeys = "/v1/user/device-keys"
    /// POST: log in with a transfer code of another device.
    public static let logInWithTransferCode = "/v1/log-in/transfer-code"
    /// POST: log in by taking a user over from a session of a foreign protocol.
    public static let adopt = "/v1/log-in/adopt"
    /// POST: a transfer code. DELETE: withdraw it.
    public static let transferCode = "/v1/user/transfer-code"
    /// POST: take a device out again that joined by a transfer code.
    public static let undoTransfer = "/v1/user/transfer-code/undo"
    /// GET: the notices that this device has not seen.
    public static let notices = "/v1/user/notices"
    /// POST: an address that opens the own account on the server's pages, once.
    public static let page = "/v1/user/page"
    /// POST: an access token for the app's own backends.
    public static let token = "/v1/token"
    /// GET: the public keys that verify access tokens.
    public static let keySet = "/.well-known/jwks.json"
    /// GET: the apps for Apple's systems that use a domain's passkeys.
    public static let appleAppSiteAssociation = "/.well-known/apple-app-site-association"
    /// GET: the apps for Android that use a domain's passkeys.
    public static let assetLinks = "/.well-known/assetlinks.json"
    /// GET: the other sites that use a domain's passkeys.
    public static let relatedOrigins = "/.well-known/webauthn"
    /// GET: the API's description.
    public static let description = "/v1/openapi.yaml"

    /// DELETE: take note of something.
    public static func notice(_ id: String) -> String {
        "\(notices)/\(id)"
    }

    /// POST: what to make a passkey by.
    public static let requestPasskey = "/v1/user/passkeys/request"
    /// GET: the own passkeys. POST: add one.
    public static let passkeys = "/v1/user/passkeys"
    /// POST: what to ask for a passkey by.
    public static let requestPasskeyLogIn = "/v1/log-in/passkey/request"
    /// POST: log in with a passkey.
    public static let logInWithPasskey = "/v1/log-in/passkey"
    /// POST: show a passkey of another user, to merge the two.
    public static let mergeByPasskey = "/v1/user/merge/passkey"

    /// GET: the own second factors.
    public static let secondFactors = "/v1/user/second-factors"
    /// POST: a key for an authenticator app.
    public static let requestTOTP = "/v1/user/second-factors/totp/request"
    /// POST: add the app whose key a code confirms.
    public static let totp = "/v1/user/second-factors/totp"
    /// POST: ten new recovery codes.
    public static let recoveryCodes = "/v1/user/second-factors/recovery-codes"
    /// POST: finish a log-in that needs a second factor.
    public static let logInWithSecondFactor = "/v1/log-in/second-factor"
    /// POST: a key for a user who must have one before the log-in ends.
    public static let requestEnrolment = "/v1/log-in/second-factor/enrolment"

    /// DELETE: remove a second factor.
    public static func secondFactor(_ id: String) -> String {
        "\(secondFactors)/\(id)"
    }

    /// PATCH: give a passkey another name. DELETE: remove it.
    public static func passkey(_ id: String) -> String {
        "\(passkeys)/\(id)"
    }

    /// DELETE: end one of the own sessions.
    public static func session(_ id: String) -> String {
        "\(sessions)/\(id)"
    }

    /// DELETE: remove a key by its thumbprint.
    public static func deviceKey(_ thumbprint: String) -> String {
        "\(deviceKeys)/\(thumbprint)"
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
