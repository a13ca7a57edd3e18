/// The name of a key by which an application is known in a foreign protocol. Apps in the stores carry such keys. An open
/// set: each adapter adds the names of its own.
package struct ProtocolKey: RawRepresentable, Hashable, Sendable {
    package var rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A name that several protocols have.
    package static let clientKey = ProtocolKey(rawValue: "clientKey")
}

/// An application's keys in one protocol, to be shown to the operator.
package struct IssuedKeys: Sendable {
    package let profile: ProtocolProfile
    /// Those that can be shown. A key that makes an administrator is here only right after it was made or brought along.
    package var keys: [ProtocolKey: Secret]

    package var protocolName: Session.ProtocolName { profile.name }
}

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
