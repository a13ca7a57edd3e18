/// The application that a request in a foreign protocol names. Asked at every request, so what was found is kept until
/// the application changes. One that has not switched the protocol on is unknown there.
package struct FindProtocol: Sendable {
    private let store: any Store
    private let keyring: ProtocolKeyring
    private let known: Cache<Name, EnabledProtocol>

    private struct Name: Hashable, Sendable {
        var protocolName: Session.ProtocolName
        var publicKey: String
    }

    /// Longer keys are nobody's, and are not looked up.
    private static let maximumKeyBytes = ProtocolKeyring.maximumKeyBytes

    init(store: any Store, keyring: ProtocolKeyring, validity: any CacheValidity) {
        self.store = store
        self.keyring = keyring
        known = Cache(validity: validity)
    }

    /// The application, when it was asked for before: nothing is waited for.
    package func atOnce(_ name: Session.ProtocolName, publicKey: String) -> EnabledProtocol? {
        known.known(Name(protocolName: name, publicKey: publicKey))
    }

    /// - Throws: `applicationUnknown`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Session.ProtocolName, publicKey: String
    ) async throws(DomainError) -> EnabledProtocol {
        guard (1...Self.maximumKeyBytes).contains(publicKey.utf8.count), !publicKey.utf8.contains(0) else {
            throw .applicationUnknown
        }
        return try await known.value(for: Name(protocolName: name, publicKey: publicKey)) {
            () async throws(DomainError) in
            let found = try await store.read { transaction throws(DomainError) -> (ProtocolKeySet, Application)? in
                guard let keys = try transaction.protocolKeys(name, publicKey: publicKey),
                    let application = try transaction.application(keys.application)
                else { return nil }
                return (keys, application)
            }
            guard let (keys, application) = found else { throw .applicationUnknown }
            return try EnabledProtocol(application: application, keySet: keys, keyring: keyring)
        }
    }

    /// Forgets what a committed transaction changed.
    package func forget(_ change: Change) {
        // Applications are few and change seldom.
        if case .application = change { known.forgetAll() }
    }
}
