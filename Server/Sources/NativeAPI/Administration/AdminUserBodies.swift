import Domain
import HTTPSupport
import OkaeriWire

/// A user as admins see it.
struct AdminUserBody: Encodable {
    let user: UserBody
    let disabledAt: WireTime?
    let deletionRequestedAt: WireTime?
    let erasedAt: WireTime?
    /// Whether what is personal is masked.
    let isMasked: Bool

    /// - Parameters:
    ///   - user: As the reader sees it.
    ///   - application: Whose it is.
    ///   - reader: Who looks.
    init(shown user: User, in application: Domain.Application, to reader: AdminReader) {
        isMasked = !reader.seesPersonalData
        self.user = UserBody(user.shown(to: .server, in: application))
        disabledAt = user.disabledAt?.wire
        deletionRequestedAt = user.deletionRequestedAt?.wire
        erasedAt = user.deletionRequestedAt.map { ($0 + application.settings.deletionGrace).wire }
    }
}

/// What a user begins with whom an admin makes.
struct AdminNewUserBody: Decodable, Sendable {
    let username: String?
    let email: String?
    let phone: String?
    let displayName: String?
    let locale: String?
    let fields: [String: JSONValue]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case username, email, phone, displayName, locale, fields
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        username = try members.decodeIfPresent(String.self, forKey: .username)
        email = try members.decodeIfPresent(String.self, forKey: .email)
        phone = try members.decodeIfPresent(String.self, forKey: .phone)
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        locale = try members.decodeIfPresent(String.self, forKey: .locale)
        fields = try members.decodeIfPresent([String: JSONValue].self, forKey: .fields)
    }
}

struct AdminUsersBody: Encodable {
    let users: [AdminUserBody]
    /// What to send as `from` for the next page.
    let next: String?
}

struct InspectedUserBody: Encodable {
    let user: AdminUserBody
    let sessions: [AdminSessionBody]
    let deviceKeys: [DeviceKeyBody]
    let passkeys: [AdminPasskeyBody]
    let transfers: [AdminTransferBody]
    let audit: [AuditEntryBody]
    let hasWeakCredential: Bool

    init(
        shown found: InspectUser.Findings, in application: Domain.Application, to reader: AdminReader,
        withAudit seesAudit: Bool
    ) {
        user = AdminUserBody(shown: found.user, in: application, to: reader)
        sessions = found.sessions.map(AdminSessionBody.init(_:))
        deviceKeys = found.deviceKeys.map { DeviceKeyBody($0, isCurrent: nil) }
        passkeys = found.passkeys.map(AdminPasskeyBody.init(_:))
        transfers = found.transfers.map { AdminTransferBody(id: $0.id.rawValue, redeemedAt: $0.redeemedAt.wire) }
        audit = seesAudit ? found.audit.map(AuditEntryBody.init(_:)) : []
        hasWeakCredential = found.hasWeakCredential
    }
}

struct AdminTransferBody: Encodable {
    let id: String
    let redeemedAt: WireTime
}

struct ErasureBody: Encodable {
    let erasedAt: WireTime
}

struct EndedBody: Encodable {
    let ended: Int
    let removedDeviceKeys: Int
}

struct AdminTransferCodeBody: Encodable {
    let code: String
    let expiresAt: WireTime
    let link: String?
}

struct MergeIntoBody: Decodable, Sendable {
    /// The user that stays.
    var into: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case into }

    init(from decoder: any Decoder) throws {
        into = try decoder.closedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .into)
    }
}

struct MergedBody: Encodable {
    let merge: String
    let user: String
}
