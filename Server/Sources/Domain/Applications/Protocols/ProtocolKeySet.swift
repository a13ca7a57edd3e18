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
