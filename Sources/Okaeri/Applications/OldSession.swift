/// A protocol whose sessions the server takes over: ``OkaeriClient/adopt(_:)``.
public enum OldProtocol: String, Hashable, Sendable {
    /// NIFCLOUD mobile backend.
    case ncmb
    /// Parse Server.
    case parse
    /// Kii Cloud.
    case kii
}

/// Where an old SDK may have left its session.
public enum OldSessionPlace: Hashable, Sendable {
    /// Where NCMB's SDKs for Swift and Objective-C keep the member: a file.
    case ncmb
    /// Where Parse's SDK for Apple's systems keeps the user: the Keychain, and before that a file.
    case parse
    /// An entry of the app's own in `UserDefaults`: a text under a name. Kii's SDK, whose source was never published, kept its
    /// token in a location of its own; apps that kept a copy for `authenticateWithToken` have it here.
    case defaults(key: String, OldProtocol)
}

/// The session of a user that an old SDK left on this device. Printed, it hides its token.
public struct OldSession: Hashable, Sendable {
    /// What its server spoke.
    public let `protocol`: OldProtocol
    let token: Secret

    init(_ protocol: OldProtocol, token: String) {
        self.protocol = `protocol`
        self.token = Secret(token)
    }
}

/// Where the log-in of a service is stored that signs tokens: ``OkaeriClient/adopt(from:in:)`` hands them over.
public enum OldCredentialPlace: Hashable, Sendable {
    /// Firebase Authentication's item in the Keychain. The id is `GOOGLE_APP_ID` of the app's `GoogleService-Info.plist`.
    case firebase(googleAppID: String, appName: String = "__FIRAPP_DEFAULT")
    /// Supabase Auth's item in the Keychain. The project is the first part of the host, as in `https://PROJECT.supabase.co`.
    case supabase(project: String)
    /// Amplify's item in the Keychain, of a user pool of Amazon Cognito, with the identity pool if the app has one.
    case cognito(userPool: String, identityPool: String? = nil)
}

/// What Firebase's, Supabase's or Amplify's SDK left on this device. Printed, it hides the tokens.
///
/// The id alone proves nothing; the tokens do: ``OkaeriClient/adopt(from:in:)`` hands them over.
public struct OldCredential: Hashable, Sendable {
    /// The user's id at the service; `nil` when it was not kept.
    public let userID: String?
    /// The token that the service takes for a new session. Not for logs. Supabase, and Cognito where clients rotate, count it once.
    public let refreshToken: String
    /// What the service signed of the user: at Firebase and Cognito the identity token, at Supabase the access token. It may have
    /// ended; `nil` when it was not kept. Not for logs.
    public let token: String?
    /// By which Cognito knows this device.
    let deviceKey: String?

    init(userID: String?, refreshToken: String, token: String? = nil, deviceKey: String? = nil) {
        self.userID = userID
        self.refreshToken = refreshToken
        self.token = token
        self.deviceKey = deviceKey
    }
}

extension OldCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the token.
    public var description: String { "OldCredential(\(userID ?? "nobody"), <secret>)" }
    /// Never the token.
    public var debugDescription: String { description }
    /// The user's id, never the token.
    public var customMirror: Mirror { Mirror(self, children: ["userID": userID as Any]) }
}
