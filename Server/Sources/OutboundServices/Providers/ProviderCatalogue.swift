package import Domain

/// Where the providers are. Tests and development put fakes there; nothing else tells the difference.
package struct ProviderAddresses: Hashable, Sendable {
    package var apple = "https://appleid.apple.com"
    package var google = "https://accounts.google.com"
    package var googleTokenInfo = "https://oauth2.googleapis.com/tokeninfo"
    /// The keys of Firebase Authentication, of all projects.
    package var firebaseKeySet =
        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
    package var facebookGraph = "https://graph.facebook.com/v21.0"
    package var facebookDialog = "https://www.facebook.com/v21.0/dialog/oauth"
    package var facebookKeySet = "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
    package var twitter = "https://api.x.com"
    package var twitterDialog = "https://x.com/i/oauth2/authorize"
    package var line = "https://access.line.me"
    package var lineAPI = "https://api.line.me"
    package var kakao = "https://kauth.kakao.com"
    package var naver = "https://nid.naver.com/oauth2.0"
    package var naverProfile = "https://openapi.naver.com/v1/nid/me"
    package var yahooJapan = "https://auth.login.yahoo.co.jp/yconnect/v2"
    /// Where Game Center's certificates are; `nil` for every host of Apple's.
    package var gameCenter: String?
    /// Further roots of those certificates, in DER: a fake's own.
    package var gameCenterRoots: [[UInt8]] = []
    /// Further roots of attestations, in DER: a fake's own.
    package var appAttestRoots: [[UInt8]] = []
    /// Where the certificates of their issuer are.
    package var certificateIssuers = "https://cacerts.digicert.com"

    package init() {}

    /// Those that somebody put elsewhere.
    package var changed: [String] {
        let standard = ProviderAddresses()
        let all: [KeyPath<ProviderAddresses, String>] = [
            \.apple, \.google, \.googleTokenInfo, \.firebaseKeySet, \.facebookGraph, \.facebookDialog, \.facebookKeySet,
            \.twitter,
            \.twitterDialog, \.line, \.lineAPI, \.kakao, \.naver, \.naverProfile, \.yahooJapan, \.certificateIssuers,
        ]
        return all.filter { self[keyPath: $0] != standard[keyPath: $0] }.map { self[keyPath: $0] }
            + (gameCenter.map { [$0] } ?? [])
    }
}

extension IdentityProviders {
    /// All providers. A further one is one line here and a file of its own.
    ///
    /// - Parameters:
    ///   - addresses: Where they are.
    ///   - call: What asks these addresses.
    ///   - adminCall: What asks the provider of the admins, who wait for no application.
    ///   - tenantCall: What asks the addresses that tenants name, and none of the operator's.
    ///   - clock: The time.
    ///   - randomness: For nonces.
    package init(
        at addresses: ProviderAddresses, call: any WebCaller, adminCall: any WebCaller, tenantCall: any WebCaller,
        clock: any WallClock, randomness: any Randomness
    ) {
        // Documents of the operator's addresses are in a cache that no tenant's address leads to.
        func openIDs(_ call: any WebCaller, _ verify: TokenVerifier) -> (OpenIDProvider.Preset?) -> OpenIDProvider {
            let descriptions = RemoteDocuments(call: call, clock: clock) {
                OpenIDDescription(parsing: $0, readFrom: $1, mayAsk: call.mayAsk)
            }
            return { OpenIDProvider(preset: $0, call: call, descriptions: descriptions, verify: verify) }
        }
        let verify = TokenVerifier.asking(call, clock: clock)
        let openID = openIDs(call, verify)
        let apple = AppleProvider(base: addresses.apple, call: call, verify: verify, clock: clock)
        self.init(
            named: [
                .apple: apple,
                .google: openID(.google(at: addresses.google, tokenInfo: addresses.googleTokenInfo)),
                .line: openID(.line(at: addresses.line, api: addresses.lineAPI)),
                .kakao: openID(.kakao(at: addresses.kakao)),
                .yahooJapan: openID(.yahooJapan(at: addresses.yahooJapan)),
                .naver: NaverProvider(base: addresses.naver, profile: addresses.naverProfile, call: call),
                .gameCenter: GameCenterProvider(
                    certificates: GameCenterCertificates(
                        at: addresses.gameCenter, issuers: addresses.certificateIssuers,
                        furtherRoots: addresses.gameCenterRoots, call: call, clock: clock),
                    base: addresses.gameCenter ?? "https://static.gc.apple.com", clock: clock),
                .facebook: FacebookProvider(
                    graph: addresses.facebookGraph, dialog: addresses.facebookDialog,
                    keySet: addresses.facebookKeySet, call: call, verify: verify),
                .twitter: TwitterProvider(
                    base: addresses.twitter, dialog: addresses.twitterDialog, call: call, clock: clock,
                    randomness: randomness),
            ],
            openID: openIDs(tenantCall, .asking(tenantCall, clock: clock))(nil),
            admins: openIDs(adminCall, .asking(adminCall, clock: clock))(nil),
            apple: apple)
    }
}
