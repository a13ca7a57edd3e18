import OkaeriWire

/// What the providers of Japan and Korea gave.
extension ProviderCredential {
    /// What LINE's SDK gave: its identity token.
    ///
    /// - Parameters:
    ///   - idToken: `LoginResult.accessToken.IDTokenRaw`, asked for with the permission `openID`.
    ///   - nonce: `LoginResult.IDTokenNonce`.
    /// - Returns: The credential.
    public static func line(idToken: String, nonce: String? = nil) -> ProviderCredential {
        ProviderCredential(.line, ProviderLogInBody(idToken: idToken, nonce: nonce))
    }

    /// What LINE's SDK gave, without the permission `openID`. Prefer ``line(idToken:nonce:)``: an access token counts more
    /// than once.
    public static func line(accessToken: String) -> ProviderCredential {
        ProviderCredential(.line, ProviderLogInBody(accessToken: accessToken))
    }

    /// What Kakao's SDK gave: the identity token of an app that has OpenID Connect switched on.
    ///
    /// - Parameters:
    ///   - idToken: `OAuthToken.idToken`.
    ///   - nonce: The nonce that the app gave to the SDK, if it did.
    /// - Returns: The credential.
    public static func kakao(idToken: String, nonce: String? = nil) -> ProviderCredential {
        ProviderCredential(.kakao, ProviderLogInBody(idToken: idToken, nonce: nonce))
    }

    /// An authorization code of Naver, which the server exchanges. Naver's access tokens name no app, so that no server
    /// can know for whom one was made: there is no call that takes one.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - state: The `state` that came back with it.
    /// - Returns: The credential.
    public static func naver(code: String, state: String) -> ProviderCredential {
        var body = ProviderLogInBody(authorizationCode: code)
        body.state = state
        return ProviderCredential(.naver, body)
    }

    /// An identity token of Yahoo! JAPAN ID.
    ///
    /// - Parameters:
    ///   - idToken: The token.
    ///   - nonce: The nonce of the request.
    /// - Returns: The credential.
    public static func yahooJapan(idToken: String, nonce: String) -> ProviderCredential {
        ProviderCredential(.yahooJapan, ProviderLogInBody(idToken: idToken, nonce: nonce))
    }

    /// An authorization code of LINE, Kakao or Yahoo! JAPAN ID, which the server exchanges (RFC 7636).
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - provider: Who gave it.
    ///   - codeVerifier: The PKCE verifier that the app made for the request.
    ///   - redirectURI: Where the provider sent the code.
    ///   - nonce: The nonce of the request.
    /// - Returns: The credential.
    public static func code(
        _ code: String, of provider: Provider, codeVerifier: String, redirectURI: String, nonce: String
    ) -> ProviderCredential {
        ProviderCredential(
            provider,
            ProviderLogInBody(
                nonce: nonce, authorizationCode: code, codeVerifier: codeVerifier, redirectUri: redirectURI))
    }

    /// What Game Center signed for the player; see ``GameCenterCredential``.
    public static func gameCenter(_ credential: GameCenterCredential) -> ProviderCredential {
        var body = ProviderLogInBody()
        body.gameCenter = credential.body
        body.name = credential.name
        return ProviderCredential(.gameCenter, body)
    }
}
