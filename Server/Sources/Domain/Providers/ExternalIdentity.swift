/// A person as a provider vouches for them: verified, and not yet anybody's identity here.
package struct ExternalIdentity: Hashable, Sendable {
    package var provider: Identity.Provider
    /// The name there, unique among everybody that the provider could vouch for to this application. Apple's begins
    /// with the team, because Apple names the same person differently to each (requirement 31).
    package var subject: String
    /// The audience that the provider vouched to: a bundle id or service id at Apple, a client id elsewhere.
    package var audience: String
    package var email: ProviderEmail?
    /// A name to greet by, when the provider tells one.
    package var displayName: String?
    /// When the person last logged in there; `nil` when the provider does not say.
    package var authenticatedAt: Timestamp?
    /// The domain of the organisation that the account belongs to, as Google says it (`hd`); `nil` for a personal account.
    package var hostedDomain: String?
    /// The subject before the application's team changed, which Apple tells for 60 days (complaint 22).
    package var transferSubject: String?
    /// What must be remembered so that the token counts once; `nil` for what cannot be presented twice anyway.
    package var replay: UsedProof?
    /// Who presented it first may present it again as long as it lives; `nil` where nobody may.
    package var retry: UsedProof?
    /// What the provider gave for revoking its grant later.
    package var refreshToken: Secret?

    package init(
        provider: Identity.Provider, subject: String, audience: String, email: ProviderEmail? = nil,
        displayName: String? = nil, transferSubject: String? = nil, replay: UsedProof? = nil,
        refreshToken: Secret? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.audience = audience
        self.email = email
        self.displayName = displayName
        self.transferSubject = transferSubject
        self.replay = replay
        self.refreshToken = refreshToken
    }

    package static func == (left: ExternalIdentity, right: ExternalIdentity) -> Bool {
        left.provider == right.provider && left.subject == right.subject && left.audience == right.audience
            && left.email == right.email && left.authenticatedAt == right.authenticatedAt
            && left.displayName == right.displayName && left.hostedDomain == right.hostedDomain
            && left.transferSubject == right.transferSubject && left.replay == right.replay && left.retry == right.retry
            && left.refreshToken == right.refreshToken
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(subject)
    }

    /// The name, when it keeps the rules of a display name.
    var greeting: String? {
        ProfileRules.faults(displayName: displayName, locale: nil, fields: [:]).isEmpty ? displayName : nil
    }
}

/// A mail address as a provider tells it.
package struct ProviderEmail: Hashable, Sendable {
    package var address: String
    /// Whether the provider says that it has seen the person receive mail there.
    package var isVerified: Bool
    /// Whether it is a relay of the provider's that hides the person's own (requirement 37).
    package var isRelay: Bool

    package init(address: String, isVerified: Bool, isRelay: Bool) {
        self.address = address
        self.isVerified = isVerified
        self.isRelay = isRelay
    }
}
