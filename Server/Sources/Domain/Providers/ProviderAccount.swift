/// What is kept of a linked identity beside the link: the provider's grant, and the mail address that it sent.
package struct ProviderAccount: Hashable, Sendable {
    package var application: Identifier<Application>
    package var provider: Identity.Provider
    package var subject: String
    /// The audience that the grant belongs to; of several grants all, as `grants(_:of:audience:)` reads them.
    package var audience: String
    /// The refresh token, sealed; `nil` when there is none, or it was revoked. Apps of a team that are not grouped at Apple
    /// have a grant each.
    package var sealedGrant: [UInt8]?
    package var email: ProviderEmail?
    /// Whether mail to a relay address is delivered; the person can switch that off at the provider.
    package var isEmailForwarded = true
    /// The name by which the next team will know the person, while a transfer is under way (complaint 22).
    package var transferSubject: String?
    /// What the person was called at the teams before, the last one at the end: devices of old protocols send a name on with
    /// everything else until they read the user anew. None has a blank at Apple.
    package var formerNames: [String] = []
    /// When the person last came with something new, or the grant went. News of the provider do not move it.
    package var updatedAt: Timestamp

    package init(
        application: Identifier<Application>, provider: Identity.Provider, subject: String, audience: String,
        sealedGrant: [UInt8]? = nil, email: ProviderEmail? = nil, transferSubject: String? = nil, updatedAt: Timestamp
    ) {
        self.application = application
        self.provider = provider
        self.subject = subject
        self.audience = audience
        self.sealedGrant = sealedGrant
        self.email = email
        self.transferSubject = transferSubject
        self.updatedAt = updatedAt
    }

    /// Whether mail to an address of the person's is delivered: what the person said of one holds for no other.
    func forwards(to email: ProviderEmail?) -> Bool { isEmailForwarded || email?.address != self.email?.address }

    /// As many teams before as names are kept of.
    package static let maximumFormerNames = 4

    /// As many apps of a team as one person's grants are kept of.
    private static let maximumGrants = 4
    /// What stands between several grants, and between their audiences. Neither has one at Apple.
    private static let separator: Character = " "

    /// The grants that were sealed together, each with its audience.
    static func grants(
        _ text: String, of provider: Identity.Provider, audience: String
    ) -> [(audience: String, token: String)] {
        let (tokens, audiences) = (text.split(separator: separator), audience.split(separator: separator))
        guard provider == .apple, tokens.count == audiences.count, tokens.count > 1 else {
            return [(audience: audience, token: text)]
        }
        return zip(audiences, tokens).map { (audience: String($0), token: String($1)) }
    }

    /// What is to be kept when a person brings the grant of another app: Apple ends each by itself. A transaction that runs twice
    /// seals twice, and keeps what it sealed last.
    ///
    /// - Parameters:
    ///   - person: Who brings it.
    ///   - key: What grants are sealed with.
    /// - Returns: all of them; `nil` when the new one takes the place of all, also of those that cannot be read.
    func grants(
        with person: ExternalIdentity, sealedWith key: SealingKey
    ) -> (audience: String, sealed: [UInt8])? {
        guard provider == .apple, audience != person.audience, let sealedGrant, let token = person.refreshToken else {
            return nil
        }
        let purpose = Self.purpose(provider, in: application)
        do throws(DomainError) {
            let text = String(decoding: try key.open(sealedGrant, purpose: purpose), as: UTF8.self)
            var grants = Self.grants(text, of: provider, audience: audience).filter { $0.audience != person.audience }
            grants.append((audience: person.audience, token: token.revealed))
            grants = Array(grants.suffix(Self.maximumGrants))
            let separator = String(Self.separator)
            let tokens = grants.map { $0.token }.joined(separator: separator)
            return (
                grants.map { $0.audience }.joined(separator: separator),
                try key.seal(Array(tokens.utf8), purpose: purpose)
            )
        } catch {
            // Sealed under a key that is lost: nobody can end them here any more.
            return nil
        }
    }

    /// What a grant is sealed for. It does not name the subject, which a transfer of teams changes.
    package static func purpose(
        _ provider: Identity.Provider, in application: Identifier<Application>
    ) -> String { "provider grant \(application) \(provider.rawValue)" }
}

/// A grant that the provider must still be asked to revoke. It outlives the user that it was about.
package struct ProviderRevocation: Hashable, Sendable {
    package var application: Identifier<Application>
    package var id: Identifier<ProviderRevocation>
    package var provider: Identity.Provider
    package var audience: String
    package var sealedGrant: [UInt8]
    package var failures: Int
    package var dueAt: Timestamp
    package let createdAt: Timestamp

    package init(
        application: Identifier<Application>, id: Identifier<ProviderRevocation>, provider: Identity.Provider,
        audience: String, sealedGrant: [UInt8], failures: Int = 0, dueAt: Timestamp, createdAt: Timestamp
    ) {
        self.application = application
        self.id = id
        self.provider = provider
        self.audience = audience
        self.sealedGrant = sealedGrant
        self.failures = failures
        self.dueAt = dueAt
        self.createdAt = createdAt
    }
}
