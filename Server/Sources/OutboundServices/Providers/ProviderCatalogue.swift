package import Domain

/// Where the providers are. Tests and development put fakes there; nothing else tells the difference.
package struct ProviderAddresses: Hashable, Sendable {
    package var apple = "https://appleid.apple.com"
    package var google = "https://accounts.google.com"
    package var googleTokenInfo = "https://oauth2.googleapis.com/tokeninfo"
    package var facebookGraph = "https://graph.facebook.com/v21.0"
    package var facebookDialog = "https://www.facebook.com/v21.0/dialog/oauth"
    package var facebookKeySet = "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
    package var twitter = "https://api.x.com"
    package var twitterDialog = "https://x.com/i/oauth2/authorize"

    package init() {}

    /// Those that somebody put elsewhere.
    package var changed: [String] {
        let standard = ProviderAddresses()
        let all: [KeyPath<ProviderAddresses, String>] = [
            \.apple, \.google, \.googleTokenInfo, \.facebookGraph, \.facebookDialog, \.facebookKeySet, \.twitter,
            \.twitterDialog,
        ]
        return all.filter { self[keyPath: $0] != standard[keyPath: $0] }.map { self[keyPath: $0] }
    }
}

extension IdentityProviders {
    /// All providers. A further one is one line here and a file of its own.
    package init(
        at addresses: ProviderAddresses, call: any WebCaller, clock: any WallClock, randomness: any Randomness
    ) {
        let verify = TokenVerifier(
            keySets: RemoteDocuments(call: call, clock: clock) { bytes, _ in KeySet(parsing: bytes) }, clock: clock)
        let descriptions = RemoteDocuments(call: call, clock: clock) {
            OpenIDDescription(parsing: $0, readFrom: $1, mayAsk: call.mayAsk)
        }
        let apple = AppleProvider(base: addresses.apple, call: call, verify: verify, clock: clock)
        self.init(
            named: [
                .apple: apple,
                .google: OpenIDProvider(
                    preset: .google(at: addresses.google, tokenInfo: addresses.googleTokenInfo), call: call,
                    descriptions: descriptions, verify: verify),
                .facebook: FacebookProvider(
                    graph: addresses.facebookGraph, dialog: addresses.facebookDialog,
                    keySet: addresses.facebookKeySet, call: call, verify: verify),
                .twitter: TwitterProvider(
                    base: addresses.twitter, dialog: addresses.twitterDialog, call: call, clock: clock,
                    randomness: randomness),
            ],
            openID: OpenIDProvider(call: call, descriptions: descriptions, verify: verify),
            apple: apple)
    }
}
