/// What a client presents of a person who logged in with a provider: a token, an authorization code, or both.
package struct ProviderCredential: Sendable {
    /// The identity token, a JWT (OpenID Connect Core 1.0 §2).
    package var identityToken: Secret?
    /// The nonce as the client made it; what the token holds of it differs between providers.
    package var nonce: Secret?
    /// An access token, for providers that have no identity tokens.
    package var accessToken: Secret?
    /// The second part of an OAuth 1.0a access token (RFC 5849 §3.1).
    package var accessTokenSecret: Secret?
    package var code: AuthorizationCode?
    /// What Game Center signed for a player.
    package var player: PlayerSignature?
    /// Whether a token's nonce counts. The protocols of old apps do not carry one; their tokens count once all the
    /// same.
    package var checksNonce = true

    package init(
        identityToken: Secret? = nil, nonce: Secret? = nil, accessToken: Secret? = nil,
        accessTokenSecret: Secret? = nil, code: AuthorizationCode? = nil, player: PlayerSignature? = nil
    ) {
        self.identityToken = identityToken
        self.nonce = nonce
        self.accessToken = accessToken
        self.accessTokenSecret = accessTokenSecret
        self.code = code
        self.player = player
    }

    /// What old SDKs call Google's access token: an access token, or an identity token in its place.
    package init(google token: Secret?) {
        let isIdentityToken = token.map { $0.revealed.utf8.count { $0 == UInt8(ascii: ".") } == 2 } ?? false
        self.init(identityToken: isIdentityToken ? token : nil, accessToken: isIdentityToken ? nil : token)
    }

    /// A code that the provider exchanges for tokens, once and within minutes (RFC 6749 §4.1).
    package struct AuthorizationCode: Sendable {
        package var code: Secret
        /// The PKCE verifier (RFC 7636 §4.1).
        package var verifier: Secret?
        /// Where the provider sent the code, as the client had sent it.
        package var redirectURI: String?
        /// Which of the application's audiences asked for it; the first one when the client does not say.
        package var audience: String?
        /// The `state` that came back with the code, for providers that ask for it again (Naver).
        package var state: Secret?

        package init(
            code: Secret, verifier: Secret? = nil, redirectURI: String? = nil, audience: String? = nil,
            state: Secret? = nil
        ) {
            self.code = code
            self.verifier = verifier
            self.redirectURI = redirectURI
            self.audience = audience
            self.state = state
        }
    }

    /// What `GKLocalPlayer.fetchItems(forIdentityVerificationSignature:)` gives an app, with the player and the app that
    /// it is about.
    package struct PlayerSignature: Sendable {
        /// Where the certificate of the key is that signed.
        package var publicKeyURL: String
        package var signature: [UInt8]
        package var salt: [UInt8]
        /// When it was signed, in milliseconds since 1970.
        package var timestamp: UInt64
        /// `teamPlayerID`, or `gamePlayerID` in Apple Arcade.
        package var playerId: String
        package var bundleId: String

        package init(
            publicKeyURL: String, signature: [UInt8], salt: [UInt8], timestamp: UInt64, playerId: String,
            bundleId: String
        ) {
            self.publicKeyURL = publicKeyURL
            self.signature = signature
            self.salt = salt
            self.timestamp = timestamp
            self.playerId = playerId
            self.bundleId = bundleId
        }
    }
}
