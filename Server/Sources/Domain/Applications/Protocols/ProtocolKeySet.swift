/// The keys by which an application is known in one foreign protocol, as stored. While there is one, the protocol is on.
package struct ProtocolKeySet: Hashable, Sendable {
    package var application: Identifier<Application>
    package var protocolName: Session.ProtocolName
    /// The key that names the application; no two applications have the same in a protocol.
    package var publicKey: String
    /// Keys that ship inside the app, sealed.
    package var sealed: [ProtocolKey: [UInt8]]
    /// Keyed digests of what makes an administrator.
    package var digests: [ProtocolKey: SecretDigest]

    package init(
        application: Identifier<Application>, protocolName: Session.ProtocolName, publicKey: String,
        sealed: [ProtocolKey: [UInt8]] = [:], digests: [ProtocolKey: SecretDigest] = [:]
    ) {
        self.application = application
        self.protocolName = protocolName
        self.publicKey = publicKey
        self.sealed = sealed
        self.digests = digests
    }
}

/// What the slice asks of storage.
package protocol ForeignProtocolQueries {
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
