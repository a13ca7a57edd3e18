import Domain

/// Accounts elsewhere, as Kii's paths name them.
enum KiiProvider: String, CaseIterable, Sendable {
    case facebook, twitter, google, qq, renren

    init?(_ provider: Identity.Provider) {
        self.init(rawValue: provider.rawValue)
    }

    /// The provider in the domain; for those that this server does not have it is unknown there, too.
    var provider: Identity.Provider { Identity.Provider(rawValue: rawValue) }

    /// What a body presents. Google's apps sent access tokens to Kii; an identity token is taken as well.
    func credential(_ body: KiiBody) throws(KiiFault) -> ProviderCredential {
        let token = Secret(try body.requiredText("accessToken"))
        if self == .google { return ProviderCredential(google: token) }
        return ProviderCredential(
            accessToken: token, accessTokenSecret: try body.text("accessTokenSecret").map(Secret.init(_:)))
    }
}
