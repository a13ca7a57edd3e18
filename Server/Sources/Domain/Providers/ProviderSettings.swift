/// How an application is known to an identity provider. The secret that goes with it is stored apart, sealed.
package struct ProviderSettings: Hashable, Sendable {
    package var provider: Identity.Provider
    /// Whom the provider may vouch to: bundle ids and service ids at Apple, client ids elsewhere. The first one counts
    /// when a client does not say for which it has an authorization code.
    package var audiences: [String]
    /// The developer team (Apple).
    package var teamId: String?
    /// The id of the private key (Apple).
    package var keyId: String?
    /// The issuer (OpenID Connect), an https address.
    package var issuer: String?
    /// Where the provider may send authorization codes; empty when clients exchange none by redirection.
    package var redirectURIs: [String]

    package init(
        provider: Identity.Provider, audiences: [String], teamId: String? = nil, keyId: String? = nil,
        issuer: String? = nil, redirectURIs: [String] = []
    ) {
        self.provider = provider
        self.audiences = audiences
        self.teamId = teamId
        self.keyId = keyId
        self.issuer = issuer
        self.redirectURIs = redirectURIs
    }
}

extension ProviderSettings {
    /// Whom the provider vouches to in a browser: at Apple the service id and at X the client id of OAuth 2.0, which stand
    /// last, because bundle ids and consumer keys are for apps alone.
    package var browserAudience: String {
        (provider == .apple || provider == .twitter ? audiences.last : audiences.first) ?? ""
    }
}

/// Settings with the application's secret there: the private key at Apple, the client secret elsewhere.
package struct ConfiguredProvider: Sendable {
    package var application: Identifier<Application>
    package var settings: ProviderSettings
    package var secret: Secret?

    package init(application: Identifier<Application>, settings: ProviderSettings, secret: Secret?) {
        self.application = application
        self.settings = settings
        self.secret = secret
    }

    /// Subject of an identity for a name that the provider uses: at Apple the team stands in front.
    package func subject(of name: String) -> String {
        settings.teamId.map { Self.subject(of: name, team: $0) } ?? name
    }

    package static func subject(of name: String, team: String) -> String { "\(team)/\(name)" }

    /// The team and the provider's own name in a subject.
    package static func parts(of subject: String) -> (team: String?, name: String) {
        guard let parts = subject.cut(at: "/") else { return (nil, subject) }
        return (String(parts.before), String(parts.after))
    }
}

/// Settings as stored.
package struct StoredProvider: Hashable, Sendable {
    package var application: Identifier<Application>
    package var settings: ProviderSettings
    package var sealedSecret: [UInt8]?
    package var updatedAt: Timestamp

    package init(
        application: Identifier<Application>, settings: ProviderSettings, sealedSecret: [UInt8]?, updatedAt: Timestamp
    ) {
        self.application = application
        self.settings = settings
        self.sealedSecret = sealedSecret
        self.updatedAt = updatedAt
    }

    /// What a secret is sealed for.
    package static func purpose(
        _ provider: Identity.Provider, in application: Identifier<Application>
    ) -> String { "provider secret \(application) \(provider.rawValue)" }
}
