package import Domain
import OkaeriWire

/// An admin, as the API and the commands show it.
package struct AdminBody: Encodable {
    let id: String
    let name: String
    let role: String
    /// Absent for all.
    let applications: [String]?
    let isSetUp: Bool
    /// Whether no password leads in.
    let usesPasskeysOnly: Bool
    let isDisabled: Bool
    let recoveryCodesLeft: Int
    let createdAt: WireTime
    let updatedAt: WireTime
    /// What `If-Match` of an edit takes: admins are read as a list, whose header has no version of each.
    let etag: String
    let lastLogInAt: WireTime?
    /// Until when log-ins by the name are refused; absent when they are not, and where it was not asked.
    let lockedUntil: WireTime?

    package init(_ admin: Admin, lockedUntil: Timestamp? = nil) {
        id = admin.id.rawValue
        name = admin.name
        role = admin.role.rawValue
        applications = admin.applications?.map(\.rawValue).sorted()
        isSetUp = admin.isSetUp || admin.usesSignOnOnly
        usesPasskeysOnly = admin.usesPasskeysOnly
        isDisabled = admin.isDisabled
        recoveryCodesLeft = admin.recoveryDigests.count
        createdAt = admin.createdAt.wire
        updatedAt = admin.updatedAt.wire
        etag = admin.updatedAt.entityTag
        lastLogInAt = admin.lastLogInAt?.wire
        self.lockedUntil = lockedUntil?.wire
    }
}

extension Timestamp {
    /// The version of what was changed last then, as an entity tag (RFC 9110 §8.8.3): milliseconds in quotes.
    package var entityTag: String { "\"\(milliseconds)\"" }
}
