/// One app that uses the server.
package struct Application: Hashable, Sendable {
    package let id: Identifier<Application>
    package var name: String
    /// What is stored of the admin key, which is shown once.
    package var adminKeyDigest: SecretDigest
    /// Boxed: they have a hundred parts, and every request carries its application along.
    @Boxed package var settings: ApplicationSettings
    package let createdAt: Timestamp

    package init(
        id: Identifier<Application>, name: String, adminKeyDigest: SecretDigest, settings: ApplicationSettings,
        createdAt: Timestamp
    ) {
        self.id = id
        self.name = name
        self.adminKeyDigest = adminKeyDigest
        _settings = Boxed(wrappedValue: settings)
        self.createdAt = createdAt
    }
}

/// What applications need of storage.
package protocol ApplicationQueries {
    // MARK: Applications

    func application(_ id: Identifier<Application>) throws(DomainError) -> Application?
    /// All applications, oldest first.
    func applications() throws(DomainError) -> [Application]
    func insert(_ application: Application) throws(DomainError)
    /// Writes name and settings.
    func update(_ application: Application) throws(DomainError)
    func userCount(in application: Identifier<Application>) throws(DomainError) -> Int

    // MARK: Keys of protocols

    /// The keys of the application that a public key names in a protocol.
    func protocolKeys(
        _ protocolName: Session.ProtocolName, publicKey: String
    ) throws(DomainError) -> ProtocolKeySet?
    /// The protocols that are on in an application.
    func protocolKeys(of application: Identifier<Application>) throws(DomainError) -> [ProtocolKeySet]
    /// Writes keys, over those that the application had in the protocol. Look first whether the public key is free.
    func save(_ keys: ProtocolKeySet) throws(DomainError)
    /// Switches a protocol off; `false` when it was not on.
    func removeProtocolKeys(
        _ protocolName: Session.ProtocolName, of application: Identifier<Application>
    ) throws(DomainError) -> Bool
}
