import Domain

extension OpenIDProvider {
    /// A provider whose issuer everybody knows: what is its own, one row each.
    package struct Preset: Sendable {
        /// With everything else an address of less than 8 KiB, which all servers take.
        static let addressCharacters = 6000
        /// What the claims need that are read here.
        static let allScopes = "openid email profile"

        /// Where the description is: the issuer's address.
        package var address: String
        /// What tokens may name as their issuer.
        package var issuers: Set<String>
        /// What tokens are signed with. HS256 is by the client secret, and stands in no other row than LINE's.
        package var algorithms: Set<VerificationKey.Algorithm>
        /// Who tells for whom an access token was made; `nil` where none are taken.
        package var tokenInfo: AccessTokenInfo?
        /// What a browser asks for.
        package var scope = allScopes
        /// Further parameters of the address that a browser is sent to.
        package var parameters: [(name: String, value: String)] = []
        /// Where it takes the client secret, when its description does not tell.
        package var takesSecretInForm: Bool?
        /// Claims that its tokens never lack.
        package var required: Set<TokenVerifier.RequiredClaim> = []
        /// Whether there is no code without the client secret.
        package var needsSecret = false
        /// Whether it takes a mail address that the person can be expected to log in with.
        package var takesHint = true
        /// The longest `state` that it is trusted to bring back.
        package var maximumStateCharacters = addressCharacters

        package init(address: String, issuers: Set<String>, algorithms: Set<VerificationKey.Algorithm>) {
            self.address = address
            self.issuers = issuers
            self.algorithms = algorithms
        }

        func faults(in secret: Secret?) -> [ValidationError] {
            guard let secret else {
                return needsSecret ? [ValidationError(field: "secret", rule: .required)] : []
            }
            guard algorithms.contains(.hs256), SharedKey(secret) == nil else { return [] }
            return [
                ValidationError(field: "secret", rule: .tooShort(minimumCharacters: SharedKey.minimumBytes))
            ]
        }
    }
}

extension OpenIDProvider.Preset {
    /// None of the providers below says how long a `state` may be; with one of this length each of them works.
    private static let shortState = 500

    /// Google writes its issuer with and without its scheme (OpenID Connect at Google, "Validate an ID token").
    package static func google(at address: String, tokenInfo: String) -> Self {
        var row = Self(
            address: address, issuers: ["https://accounts.google.com", "accounts.google.com"], algorithms: [.rs256])
        row.tokenInfo = .google(tokenInfo)
        return row
    }

    /// LINE signs tokens of its SDK and of LIFF with ES256, and those of log-in on the web with HS256 and the channel
    /// secret, whatever its description says (LINE Login, "Get profile information from ID tokens"). The endpoint takes
    /// the secret in the form alone. The scope `email` is for channels that have applied for it; the SDK can ask for it.
    package static func line(at address: String, api: String) -> Self {
        var row = Self(address: address, issuers: ["https://access.line.me"], algorithms: [.es256, .hs256])
        row.tokenInfo = .line(api)
        row.scope = "openid profile"
        row.takesSecretInForm = true
        row.needsSecret = true
        row.takesHint = false
        row.maximumStateCharacters = shortState
        return row
    }

    /// Kakao refuses scopes that the app has no consent item for (KOE205); without further ones it asks for what the
    /// app's settings say. The client secret can be switched off there.
    package static func kakao(at address: String) -> Self {
        var row = Self(address: address, issuers: ["https://kauth.kakao.com"], algorithms: [.rs256])
        row.scope = "openid"
        row.takesSecretInForm = true
        row.maximumStateCharacters = shortState
        return row
    }

    /// Yahoo! JAPAN (Yahoo! ID連携 v2). `bail=1` brings a person back who does not consent. Name and mail address are
    /// not in its tokens.
    package static func yahooJapan(at address: String) -> Self {
        var row = Self(
            address: address, issuers: ["https://auth.login.yahoo.co.jp/yconnect/v2"], algorithms: [.rs256])
        row.scope = "openid"
        row.parameters = [(name: "bail", value: "1")]
        row.takesSecretInForm = false
        row.required = [.accessTokenHash, .authenticationTime]
        row.takesHint = false
        row.maximumStateCharacters = shortState
        return row
    }
}
