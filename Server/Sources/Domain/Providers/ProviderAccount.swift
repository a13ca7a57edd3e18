/// What is kept of a linked identity beside the link: the provider's grant, and the mail address that it sent.
package struct ProviderAccount: Hashable, Sendable {
    package var application: Identifier<Application>
    package var provider: Identity.Provider
    package var subject: String
    /// The audience that the grant belongs to.
    package var audience: String
    /// The refresh token, sealed; `nil` when there is none, or it was revoked.
    package var sealedGrant: [UInt8]?
    package var email: ProviderEmail?
    /// Whether mail to a relay address is delivered; the person can switch that off at the provider.
    package var isEmailForwarded = true
    /// The name by which the next team will know the person, while a transfer is under way (complaint 22).
    package var transferSubject: String?
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
