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
