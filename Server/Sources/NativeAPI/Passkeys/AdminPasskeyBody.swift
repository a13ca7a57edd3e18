import Domain
import HTTPSupport
import OkaeriWire

/// A passkey as admins see it.
struct AdminPasskeyBody: Encodable {
    let id: String
    let name: String?
    let aaguid: String
    let transports: [String]
    let isBackupEligible: Bool
    let isBackedUp: Bool
    /// What the authenticator last counted; 0 for those that do not count.
    let signCount: Int64
    let createdAt: WireTime
    let lastUsedAt: WireTime?

    /// - Parameter passkey: As the admin sees it.
    init(_ passkey: Passkey) {
        id = passkey.id
        name = passkey.name
        aaguid = passkey.aaguid
        transports = passkey.transports
        isBackupEligible = passkey.isBackupEligible
        isBackedUp = passkey.isBackedUp
        signCount = passkey.signCount
        createdAt = passkey.createdAt.wire
        lastUsedAt = passkey.lastUsedAt?.wire
    }
}
