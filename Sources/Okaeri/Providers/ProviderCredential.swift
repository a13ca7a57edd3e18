import OkaeriWire

/// Who vouches for a person: Apple, Google, or another one that the operator has set up. An open set.
public struct Provider: RawRepresentable, Hashable, Sendable {
    /// The name as the server knows it.
    public let rawValue: String

    /// Names a provider as the server knows it.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Sign in with Apple.
    public static let apple = Provider(rawValue: "apple")
    /// Google.
    public static let google = Provider(rawValue: "google")
    /// Facebook.
    public static let facebook = Provider(rawValue: "facebook")
    /// LINE.
    public static let line = Provider(rawValue: "line")
    /// Kakao.
    public static let kakao = Provider(rawValue: "kakao")
    /// Naver.
    public static let naver = Provider(rawValue: "naver")
    /// Yahoo! JAPAN ID.
    public static let yahooJapan = Provider(rawValue: "yahoojapan")
    /// Game Center.
    public static let gameCenter = Provider(rawValue: "gamecenter")

    /// An OpenID Connect provider under the name that the operator gave it.
    public static func openID(_ name: String) -> Provider {
        Provider(rawValue: "oidc:\(name)")
    }
}

/// What a provider gave the app for a person who logged in there. It never prints itself.
public struct ProviderCredential: Sendable {
    /// Who gave it.
    public let provider: Provider
    let body: ProviderLogInBody
    /// The person's name at the provider, when the app learns it: Apple sends the name to greet by only once.
    let subject: String?

    init(_ provider: Provider, _ body: ProviderLogInBody, subject: String? = nil) {
        self.provider = provider
        self.body = body
        self.subject = subject
    }

    /// What Apple's sheet gave; see ``AppleCredential``.
    public static func apple(_ credential: AppleCredential) -> ProviderCredential {
        ProviderCredential(
            .apple,
            ProviderLogInBody(
                idToken: credential.identityToken, nonce: credential.nonce,
                authorizationCode: credential.authorizationCode, name: credential.name),
            subject: credential.user)
    }

    /// What Google's SDK gave.
    ///
    /// - Parameters:
    ///   - idToken: The identity token.
    ///   - nonce: The nonce that the app gave to Google's SDK, if it did.
    /// - Returns: The credential.
    public static func google(idToken: String, nonce: String? = nil) -> ProviderCredential {
        ProviderCredential(.google, ProviderLogInBody(idToken: idToken, nonce: nonce))
    }

    /// What Facebook's Limited Login gave.
    ///
    /// - Parameters:
    ///   - idToken: The authentication token.
    ///   - nonce: The nonce of the log-in.
    /// - Returns: The credential.
    public static func facebook(idToken: String, nonce: String) -> ProviderCredential {
        ProviderCredential(.facebook, ProviderLogInBody(idToken: idToken, nonce: nonce))
    }

    /// What Facebook's classic log-in gave.
    public static func facebook(accessToken: String) -> ProviderCredential {
        ProviderCredential(.facebook, ProviderLogInBody(accessToken: accessToken))
    }

    /// An identity token of an OpenID Connect provider.
    ///
    /// - Parameters:
    ///   - name: The name that the operator gave the provider.
    ///   - idToken: The token.
    ///   - nonce: The nonce of the request, if it had one.
    /// - Returns: The credential.
    public static func openID(_ name: String, idToken: String, nonce: String? = nil) -> ProviderCredential {
        ProviderCredential(.openID(name), ProviderLogInBody(idToken: idToken, nonce: nonce))
    }

    /// An authorization code of an OpenID Connect provider, which the server exchanges (RFC 7636).
    ///
    /// - Parameters:
    ///   - name: The name that the operator gave the provider.
    ///   - code: The code.
    ///   - codeVerifier: The PKCE verifier that the app made for the request.
    ///   - redirectURI: Where the provider sent the code.
    ///   - nonce: The nonce of the request, if it had one.
    /// - Returns: The credential.
    public static func openID(
        _ name: String, code: String, codeVerifier: String, redirectURI: String, nonce: String? = nil
    ) -> ProviderCredential {
        ProviderCredential(
            .openID(name),
            ProviderLogInBody(
                nonce: nonce, authorizationCode: code, codeVerifier: codeVerifier, redirectUri: redirectURI))
    }
}

extension ProviderCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The provider alone.
    public var description: String { "credential of \(provider.rawValue)" }
    /// The provider alone.
    public var debugDescription: String { description }
    /// The provider alone.
    public var customMirror: Mirror { Mirror(self, children: ["provider": provider.rawValue]) }
}
