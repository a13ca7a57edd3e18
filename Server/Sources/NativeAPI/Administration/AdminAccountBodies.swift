import Domain
import HTTPSupport
import OkaeriWire
import QRCodes

// The admin API's bodies stand here and not in OkaeriWire: no app ever speaks it.

struct LinkBody: Decodable, Sendable {
    var token: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case token }

    init(from decoder: any Decoder) throws {
        token = try decoder.closedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .token)
    }
}

struct OpenedLinkBody: Encodable {
    /// The admin's name; absent for a new owner, who chooses one.
    let name: String?
    let role: String
    let expiresAt: WireTime
    /// The key for the authenticator app, as text, as a link, and as a picture of the link (SVG).
    let totpKey: String
    let totpLink: String
    let totpPicture: String?

    init(_ opened: OpenAdminLink.Opened) {
        name = opened.admin?.name
        role = (opened.admin?.role ?? .owner).rawValue
        expiresAt = opened.expiresAt.wire
        totpKey = opened.totp.keyText
        totpLink = opened.totp.link(name: opened.admin?.name ?? "owner", issuer: "Okaeri")
        totpPicture = QRPicture(totpLink)?.svg
    }
}

struct SetUpBody: Decodable, Sendable {
    var token: String
    var name: String?
    var password: String?
    var code: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case token, name, password, code }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        token = try members.decode(String.self, forKey: .token)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        password = try members.decodeIfPresent(String.self, forKey: .password)
        code = try members.decode(String.self, forKey: .code)
    }
}

struct AdminLogInBody: Decodable, Sendable {
    var name: String
    var password: String
    var code: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, password, code }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        password = try members.decode(String.self, forKey: .password)
        code = try members.decode(String.self, forKey: .code)
    }
}

struct AdminProofBody: Decodable, Sendable {
    var password: String
    var code: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case password, code }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        password = try members.decode(String.self, forKey: .password)
        code = try members.decode(String.self, forKey: .code)
    }
}

struct AdminProofResponse: Encodable {
    /// Instead of the token that the request came with.
    let token: String
    let freshUntil: WireTime
    let expiresAt: WireTime
    /// How many are left, when one was used.
    let recoveryCodesLeft: Int?

    init(_ done: ReauthenticateAdmin.Done) {
        token = done.token.revealed
        freshUntil = done.freshUntil.wire
        expiresAt = done.expiresAt.wire
        recoveryCodesLeft = done.recoveryCodesLeft
    }
}

struct AdminLogInResponse: Encodable {
    let admin: AdminBody
    let token: String
    let expiresAt: WireTime
    /// Returned once, after set-up.
    let recoveryCodes: [String]?
    /// How many are left, when one was used.
    let recoveryCodesLeft: Int?

    init(_ done: LogInAdmin.Done, recoveryCodes: [String]?) {
        admin = AdminBody(done.admin)
        token = done.token.revealed
        expiresAt = done.expiresAt.wire
        self.recoveryCodes = recoveryCodes
        recoveryCodesLeft = done.recoveryCodesLeft
    }
}

struct AdminsBody: Encodable {
    let admins: [AdminBody]
}

struct AccessBody: Encodable {
    let name: String
    let admin: AdminBody?
    let permissions: [String]
    let applications: [String]?

    init(_ access: AdminAccess) {
        name = access.name
        admin = access.admin.map { AdminBody($0) }
        permissions = access.permissions.map(\.rawValue).sorted()
        applications = access.applications?.map(\.rawValue).sorted()
    }
}

struct NewAdminBody: Decodable, Sendable {
    var name: String
    var role: String
    var applications: [String]?

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, role, applications }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        role = try members.decode(String.self, forKey: .role)
        applications = try members.decodeIfPresent([String].self, forKey: .applications)
    }
}

struct AdminLinkBody: Encodable {
    let token: String
    let expiresAt: WireTime

    init(_ link: MakeAdminLink.Made) {
        token = link.token.revealed
        expiresAt = link.expiresAt.wire
    }
}

struct NewAdminResponse: Encodable {
    let admin: AdminBody
    let link: AdminLinkBody
}

struct ChangedAdminBody: Decodable, Sendable {
    var role: String?
    /// `removed` for all.
    var applications: ValueChange<Set<Identifier<Domain.Application>>>
    var isDisabled: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable { case role, applications, isDisabled }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        role = try members.decodeIfSent(String.self, forKey: .role)
        isDisabled = try members.decodeIfSent(Bool.self, forKey: .isDisabled)
        applications = .unchanged
        if members.contains(.applications) {
            let ids = try members.decodeIfPresent([String].self, forKey: .applications)
            applications = ids.map { .set(Set($0.map { Identifier(rawValue: $0) })) } ?? .removed
        }
    }
}

struct AdminKeysBody: Encodable {
    let keys: [AdminKeyBody]
}

struct AdminKeyBody: Encodable {
    let id: String
    let name: String
    let scopes: [String]
    let applications: [String]?
    /// Where requests with it may come from; absent for anywhere.
    let networks: [String]?
    let createdBy: String
    let createdAt: WireTime
    let expiresAt: WireTime

    init(_ key: AdminKey) {
        id = key.id.rawValue
        name = key.name
        scopes = key.scopes.map(\.rawValue).sorted()
        applications = key.reach.applications?.map(\.rawValue).sorted()
        networks = key.reach.networks.isEmpty ? nil : key.reach.networks.map(\.text)
        createdBy = key.maker.name
        createdAt = key.createdAt.wire
        expiresAt = key.expiresAt.wire
    }
}

struct NewAdminKeyBody: Decodable, Sendable {
    var name: String
    var scopes: [String]
    var applications: [String]?
    /// Networks and addresses.
    var networks: [String]?
    /// How long it lives.
    var days: Int64

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, scopes, applications, networks, days }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        name = try members.decode(String.self, forKey: .name)
        scopes = try members.decode([String].self, forKey: .scopes)
        applications = try members.decodeIfPresent([String].self, forKey: .applications)
        networks = try members.decodeIfPresent([String].self, forKey: .networks)
        days = try members.decode(Int64.self, forKey: .days)
    }
}

struct ChangedAdminKeyBody: Decodable, Sendable {
    /// Networks and addresses; none for anywhere.
    var networks: [String]

    private enum CodingKeys: String, CodingKey, CaseIterable { case networks }

    init(from decoder: any Decoder) throws {
        networks = try decoder.closedContainer(keyedBy: CodingKeys.self).decode([String].self, forKey: .networks)
    }
}

struct NewAdminKeyResponse: Encodable {
    let key: AdminKeyBody
    /// Returned once.
    let secret: String
}
