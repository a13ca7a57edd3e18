/// What providers need of storage.
package protocol ProviderQueries {
    /// An application's providers, by name.
    func providers(of application: Identifier<Application>) throws(DomainError) -> [StoredProvider]
    /// A provider's settings in every application.
    func providers(named provider: Identity.Provider) throws(DomainError) -> [StoredProvider]
    /// Writes settings, over those that there were.
    func save(_ provider: StoredProvider) throws(DomainError)
    /// Forgets settings; `false` when there were none.
    func removeProvider(
        _ provider: Identity.Provider, of application: Identifier<Application>
    ) throws(DomainError) -> Bool

    func providerAccount(
        _ provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError) -> ProviderAccount?
    /// The account of a person whom the provider transfers to another team under this name.
    func providerAccount(
        _ provider: Identity.Provider, transferSubject: String, in application: Identifier<Application>
    ) throws(DomainError) -> ProviderAccount?
    /// Subjects of a provider's identities in their order, for walking through all of them by and by.
    func subjects(
        of provider: Identity.Provider, in application: Identifier<Application>, after subject: String?, limit: Int
    ) throws(DomainError) -> [String]
    /// Writes an account, over the one that there was.
    func save(_ account: ProviderAccount) throws(DomainError)
    func removeProviderAccount(
        _ provider: Identity.Provider, subject: String, in application: Identifier<Application>
    ) throws(DomainError)
    /// Gives an account and its identity another subject.
    func renameProviderAccount(
        _ provider: Identity.Provider, from subject: String, to newSubject: String,
        in application: Identifier<Application>
    ) throws(DomainError)

    func insert(_ revocation: ProviderRevocation) throws(DomainError)
    /// Revocations whose time has come, longest due first.
    func providerRevocations(dueAt now: Timestamp, limit: Int) throws(DomainError) -> [ProviderRevocation]
    /// Takes a revocation for oneself until an instant.
    ///
    /// - Returns: `false` when somebody else took it since it was read.
    func claim(_ revocation: ProviderRevocation, until instant: Timestamp) throws(DomainError) -> Bool
    /// Lets revocations be due that would wait beyond an instant: no wait is so long, and the clock was set back.
    func shortenRevocationWaits(beyond limit: Timestamp, to now: Timestamp, count: Int) throws(DomainError) -> Int
    /// Writes when a revocation is tried next and how often it failed.
    func update(_ revocation: ProviderRevocation) throws(DomainError)
    func removeProviderRevocation(
        _ id: Identifier<ProviderRevocation>, in application: Identifier<Application>
    ) throws(DomainError)
}
