/// One app that uses the server.
package struct Application: Hashable, Sendable {
    package let id: Identifier<Application>
    package var name: String
    /// What is stored of the admin key, which is told once.
    package var adminKeyDigest: SecretDigest
    package var settings: ApplicationSettings
    package let createdAt: Timestamp

    package init(
        id: Identifier<Application>, name: String, adminKeyDigest: SecretDigest, settings: ApplicationSettings,
        createdAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.adminKeyDigest = adminKeyDigest
        self.settings = settings
        self.createdAt = createdAt
    }
}

/// What an operator can decide for one application.
package struct ApplicationSettings: Hashable, Sendable {
    /// Whether every request must carry a proof of possession bound to its token (RFC 9449 §7).
    package var proofRequired: Bool
    /// How long a session lives without use.
    package var sessionIdleLifetime: Duration
    /// How long a session lives at the most (requirement 15).
    package var sessionLifetime: Duration
    /// Who may be named as the audience of an access token, beside the application itself.
    package var audiences: [String]

    package init(
        proofRequired: Bool = false, sessionIdleLifetime: Duration = .days(60),
        sessionLifetime: Duration = .days(400), audiences: [String] = []
    ) {
        self.proofRequired = proofRequired
        self.sessionIdleLifetime = sessionIdleLifetime
        self.sessionLifetime = sessionLifetime
        self.audiences = audiences
    }
}

/// What the slice asks of storage.
package protocol ApplicationQueries {
    func application(_ id: Identifier<Application>) throws(DomainError) -> Application?
    /// All applications, oldest first.
    func applications() throws(DomainError) -> [Application]
    func insert(_ application: Application) throws(DomainError)
    func userCount(in application: Identifier<Application>) throws(DomainError) -> Int
}
