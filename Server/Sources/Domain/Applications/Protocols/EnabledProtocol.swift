package import Crypto

/// An application as one foreign protocol knows it. A reference, so that a request that finds it copies one pointer.
package final class EnabledProtocol: Sendable {
    package let application: Application
    /// What the operator decided for the protocol.
    package let options: ForeignOptions
    private let keySet: ProtocolKeySet
    private let opened: [ProtocolKey: Secret]
    /// The digests of `opened`, which are compared at every request.
    private let openedDigests: [ProtocolKey: SecretDigest]
    /// `opened` as keys of authentication codes: to begin a code by them costs more than to end it.
    private let authenticators: [ProtocolKey: HMAC<SHA256>]
    private let keyring: ProtocolKeyring

    init(application: Application, keySet: ProtocolKeySet, keyring: ProtocolKeyring) throws(DomainError) {
        self.application = application
        self.keySet = keySet
        self.keyring = keyring
        options = application.settings.foreignOptions(of: keySet.protocolName)
        opened = try keyring.opened(keySet)
        openedDigests = opened.mapValues(\.digest)
        authenticators = opened.mapValues { HMAC<SHA256>(key: SymmetricKey(data: Array($0.revealed.utf8))) }
    }

    package var name: Session.ProtocolName { keySet.protocolName }

    /// The key that names the application.
    package var publicKey: String { keySet.publicKey }

    /// Whether the application has such a key.
    package func has(_ key: ProtocolKey) -> Bool { opened[key] != nil || keySet.digests[key] != nil }

    /// A key that ships inside the app, such as one that requests are signed with, as the beginning of an
    /// authentication code (RFC 2104).
    package func authenticator(_ key: ProtocolKey) -> HMAC<SHA256>? { authenticators[key] }

    /// Whether what was sent is the key, compared in constant time. A key that the application does not have is nobody's.
    package func accepts(_ presented: some StringProtocol, as key: ProtocolKey) -> Bool {
        if let digest = openedDigests[key] { return digest == SecretDigest(of: presented.utf8) }
        return keySet.digests[key] == keyring.digest(of: String(presented), key, name, application.id)
    }

    /// A code that only this installation can make, for a token that needs no record: over its parts, the application and
    /// its administrator's keys, so that other keys end it.
    package func code(of parts: String...) -> SecretDigest { keyring.code(of: parts, for: keySet) }
}
