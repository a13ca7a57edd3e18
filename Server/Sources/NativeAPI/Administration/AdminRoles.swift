import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let application = "applications/{application}"
    private static let userRoles = "\(application)/users/{user}/roles"

    /// Roles, groups, who has them, and the rules of claims.
    static let roles: [AdminRoute] =
        routes(of: .role) + routes(of: .group) + [
            AdminRoute(.get, userRoles, .readUser) { call in
                let application = try call.targetApplication()
                let user = try await call.modules.directory.readUser(try call.user(), in: application.id)
                return try call.answer(UserRolesBody(user, in: application, for: try call.reader()))
            },
            AdminRoute(.patch, userRoles, .assignRoles) { call in
                let body = try await call.body(UserRolesPatch.self)
                let application = try call.targetApplication()
                let user = try await call.modules.accounts.changeUserRoles(
                    body.change, of: try call.user(), in: application, by: try call.auditActor())
                return try call.answer(
                    UserRolesBody(user, in: try await call.presentApplication(), for: try call.reader()))
            },
            AdminRoute(.get, "\(application)/claims", .readSettings) { call in
                let application = try call.targetApplication()
                return try call.answer(ClaimsBody(application.settings.access), versionOf: application)
            },
            AdminRoute(.put, "\(application)/claims", .changeClaims) { call in
                let (version, body) = (try call.versionIfSent(), try await call.body(NewClaimsBody.self))
                let changed = try await call.modules.applications.changeAccessRules.setClaims(
                    body.claims.map(\.rule), in: try call.targetApplication().id,
                    isCurrent: try call.isCurrent(version), by: try call.auditActor())
                return try call.answer(ClaimsBody(changed.settings.access), versionOf: changed)
            },
        ]

    private static func routes(of kind: Grant.Kind) -> [AdminRoute] {
        let all = "\(application)/\(kind.rawValue)s"
        let one = "\(all)/{grant}"
        return [
            AdminRoute(.get, all, .listRoles) { call in
                let query = try AdminQuery(call, "from", "limit")
                let limit = try query.number("limit", in: 1...AccessRules.maximumGrants) ?? 100
                let grants = try call.targetApplication().settings.access.sorted(kind)
                let rest = grants.drop { grant in query.text("from").map { grant.name <= $0 } ?? false }
                return try call.answer(
                    GrantsBody(kind, Array(rest.prefix(limit)), next: rest.count > limit ? limit : nil))
            },
            AdminRoute(.post, all, .changeRoles) { call in
                let body = try await call.body(GrantPatch.self)
                let made = try await call.modules.applications.changeAccessRules.create(
                    body.name ?? "", try body.content(kind, isNew: true) ?? .role(permissions: []),
                    in: try call.targetApplication().id, by: try call.auditActor())
                return try call.answer(GrantBody(made), status: .created)
            },
            AdminRoute(.get, one, .listRoles) { call in
                let grant = try call.grant(kind)
                return try call.answer(GrantBody(grant), eTag: grant.version)
            },
            AdminRoute(.patch, one, .changeRoles) { call in
                let body = try await call.body(GrantPatch.self)
                let changed = try await call.modules.applications.changeAccessRules.change(
                    try call.grantId(), name: body.name, try body.content(kind, isNew: false), kind,
                    in: try call.targetApplication().id, isCurrent: try call.isGrantCurrent(kind),
                    by: try call.auditActor())
                return try call.answer(GrantBody(changed), eTag: changed.version)
            },
            AdminRoute(.delete, one, .changeRoles) { call in
                try await call.modules.applications.changeAccessRules.remove(
                    try call.grantId(), kind, in: try call.targetApplication().id,
                    isCurrent: try call.isGrantCurrent(kind), by: try call.auditActor())
                return AdminCall.done
            },
            AdminRoute(.get, "\(one)/users", .listMembers, also: [.readPersonalData]) { call in
                let query = try AdminQuery(call, "from", "limit")
                let limit = try query.number("limit", in: 1...ListMembers.maximumPageSize) ?? 50
                let (reader, application) = (try call.reader(), try call.targetApplication())
                let page = try await call.modules.directory.listMembers(
                    of: try call.grant(kind).id, in: application.id, for: reader,
                    after: query.text("from").map { Identifier(rawValue: $0) }, limit: limit)
                return try call.answer(
                    AdminUsersBody(
                        users: page.users.map { AdminUserBody(shown: $0, in: application, to: reader) },
                        next: page.next?.rawValue))
            },
        ]
    }
}

extension AdminCall {
    fileprivate func grantId() throws(DomainError) -> Identifier<Grant> { Identifier(rawValue: try id("grant")) }

    /// The role or group that the path names, which is one of this application.
    fileprivate func grant(_ kind: Grant.Kind) throws(DomainError) -> Grant {
        guard let grant = try targetApplication().settings.access[try grantId()], grant.kind == kind else {
            throw .administration(.notFound)
        }
        return grant
    }

    /// Whether the role or group is still the one whose version the caller has seen, if it names one; for a transaction.
    fileprivate func isGrantCurrent(
        _ kind: Grant.Kind
    ) throws(DomainError) -> @Sendable (Domain.Application) -> Bool {
        guard let version = try versionIfSent() else { return { _ in true } }
        return try grant(kind).isStill(version)
    }

    /// The application as it is after a change.
    fileprivate func presentApplication() async throws(DomainError) -> Domain.Application {
        try await modules.applications.findApplication(try targetApplication().id)
    }
}

struct GrantBody: Encodable {
    let id: String
    let name: String
    /// Of a role.
    let permissions: [String]?
    /// Of a group: the ids of the roles that it gives.
    let roles: [String]?

    init(_ grant: Grant) {
        id = grant.id.rawValue
        name = grant.name
        permissions = grant.kind == .role ? grant.permissions : nil
        roles = grant.kind == .group ? grant.roles.map(\.rawValue).sorted() : nil
    }
}

struct GrantsBody: Encodable {
    let roles: [GrantBody]?
    let groups: [GrantBody]?
    /// What to send as `from` for the next page.
    let next: String?

    init(_ kind: Grant.Kind, _ grants: [Grant], next: Int?) {
        let bodies = grants.map(GrantBody.init(_:))
        roles = kind == .role ? bodies : nil
        groups = kind == .group ? bodies : nil
        self.next = next == nil ? nil : grants.last?.name
    }
}

/// A role or group as it shall be; in a change, what is absent stays.
struct GrantPatch: Decodable, Sendable {
    let name: String?
    private let permissions: [String]?
    private let roles: [String]?

    private enum CodingKeys: String, CodingKey, CaseIterable { case name, permissions, roles }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        name = try members.decodeIfPresent(String.self, forKey: .name)
        permissions = try members.decodeIfPresent([String].self, forKey: .permissions)
        roles = try members.decodeIfPresent([String].self, forKey: .roles)
    }

    /// - Throws: `RequestError.membersInvalid` for a member of the other kind.
    func content(_ kind: Grant.Kind, isNew: Bool) throws(RequestError) -> Grant.Content? {
        switch kind {
        case .role:
            guard roles == nil else { throw AdminQuery.malformed("roles", .form("A role has permissions.")) }
            return (permissions ?? (isNew ? [] : nil)).map { .role(permissions: Set($0)) }
        case .group:
            guard permissions == nil else {
                throw AdminQuery.malformed("permissions", .form("A group has roles."))
            }
            return (roles ?? (isNew ? [] : nil)).map { .group(roles: Set($0.map { Identifier(rawValue: $0) })) }
        }
    }
}

/// What a user was given, and what it has by that.
struct UserRolesBody: Encodable {
    /// Given to the user itself, beside those of its groups.
    let roles: [GrantBody]
    let groups: [GrantBody]
    /// The names of all roles, of all permissions, and the claims of the next access token.
    let allRoles: [String]
    let permissions: [String]
    let claims: [String: JSONValue]
    let claimsVersion: String?
    /// Absent unless the user gets no token because of it.
    let hasTooLargeClaims: Bool?

    init(_ user: User, in application: Domain.Application, for reader: AdminReader) {
        let rules = application.settings.access
        roles = rules.sorted(.role).filter { user.grants.contains($0.id) }.map(GrantBody.init(_:))
        groups = rules.sorted(.group).filter { user.grants.contains($0.id) }.map(GrantBody.init(_:))
        let access = user.access(in: application)
        allRoles = access.roles
        permissions = access.permissions
        // A claim can be a field of the user, and a digest of few values can be tried out.
        claims = reader.shown(user).access(in: application).claims
        claimsVersion = reader.seesPersonalData ? access.version : nil
        hasTooLargeClaims = access.hasTooLargeClaims ? true : nil
    }
}

struct UserRolesPatch: Decodable, Sendable {
    let change: ChangeUserRoles.Change

    private enum CodingKeys: String, CodingKey, CaseIterable { case add, remove }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        func ids(_ key: CodingKeys) throws -> Set<Identifier<Grant>> {
            Set(try members.decodeIfPresent([String].self, forKey: key)?.map { Identifier(rawValue: $0) } ?? [])
        }
        change = .init(adding: try ids(.add), removing: try ids(.remove))
    }
}

struct ClaimsBody: Encodable {
    let claims: [ClaimRuleBody]

    init(_ rules: AccessRules) { claims = rules.claims.map(ClaimRuleBody.init(_:)) }
}

struct NewClaimsBody: Decodable, Sendable {
    let claims: [ClaimRuleBody]

    private enum CodingKeys: String, CodingKey, CaseIterable { case claims }

    init(from decoder: any Decoder) throws {
        claims = try decoder.closedContainer(keyedBy: CodingKeys.self).decode([ClaimRuleBody].self, forKey: .claims)
    }
}

/// A rule of a claim. Beside the names there is exactly one source: a field, a value, names, or the user's id.
struct ClaimRuleBody: Codable, Sendable {
    let rule: ClaimRule

    private enum CodingKeys: String, CodingKey, CaseIterable { case claim, within, field, value, source, including }

    private enum Word: String {
        case user, roles, permissions, groups
    }

    init(_ rule: ClaimRule) { self.rule = rule }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        let name = try members.decode(String.self, forKey: .claim)
        let within = try members.decodeIfPresent(String.self, forKey: .within)
        let field = try members.decodeIfPresent(String.self, forKey: .field)
        let value = try members.decodeIfPresent(JSONValue.self, forKey: .value)
        let word = try members.decodeIfPresent(String.self, forKey: .source)
        let fixed = try members.decodeIfPresent([String].self, forKey: .including)
        func wrong(_ key: CodingKeys) -> DecodingError {
            .dataCorruptedError(forKey: key, in: members, debugDescription: "This does not go with the rest.")
        }
        let source: ClaimRule.Source
        switch (field, value, word.map(Word.init(rawValue:))) {
        case (let field?, nil, nil): source = .field(field)
        case (nil, let value?, nil): source = .constant(value)
        case (nil, nil, .some(.some(.user))): source = .user
        case (nil, nil, .some(.some(let word))):
            guard let names = ClaimRule.Names(rawValue: word.rawValue) else { throw wrong(.source) }
            source = .names(names, and: fixed ?? [])
        default: throw wrong(.source)
        }
        if fixed != nil {
            guard case .names = source else { throw wrong(.including) }
        }
        rule = ClaimRule(name, within: within, source)
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(rule.name, forKey: .claim)
        try members.encodeIfPresent(rule.within, forKey: .within)
        switch rule.source {
        case .field(let field): try members.encode(field, forKey: .field)
        case .constant(let value): try members.encode(value, forKey: .value)
        case .user: try members.encode(Word.user.rawValue, forKey: .source)
        case .names(let names, let fixed):
            try members.encode(names.rawValue, forKey: .source)
            if !fixed.isEmpty { try members.encode(fixed, forKey: .including) }
        }
    }
}
