/// An application's roles and groups, and what of its users becomes claims of access tokens. A part of the application's
/// settings, which requests have in memory: what a user may is found without another query.
package struct AccessRules: Hashable, Sendable {
    /// The most roles and groups together.
    package static let maximumGrants = 1000
    /// The most bytes of all names together.
    package static let maximumBytes = 131_072
    /// The most roles and groups that one user is given.
    package static let maximumGrantsOfUser = 100

    package private(set) var grants: [Identifier<Grant>: Grant]
    /// What becomes claims. Roles do, unless the application decides otherwise.
    package var claims: [ClaimRule]

    package init(_ grants: [Grant] = [], claims: [ClaimRule] = [.roles]) {
        self.grants = Dictionary(grants.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        self.claims = claims
    }

    /// All of a kind, by name.
    package func sorted(_ kind: Grant.Kind) -> [Grant] {
        grants.values.filter { $0.kind == kind }.sorted { ($0.name, $0.id.rawValue) < ($1.name, $1.id.rawValue) }
    }

    package func named(_ name: String, _ kind: Grant.Kind) -> Grant? {
        grants.values.first { $0.kind == kind && $0.name.lowercased() == name.lowercased() }
    }

    package subscript(id: Identifier<Grant>) -> Grant? {
        get { grants[id] }
        set {
            grants[id] = newValue
            guard newValue == nil else { return }
            for (other, grant) in grants {
                guard case .group(var roles) = grant.content, roles.remove(id) != nil else { continue }
                grants[other]?.content = .group(roles: roles)
            }
        }
    }

    /// The rules that the roles and groups break together.
    var faults: [ValidationError] {
        guard grants.count <= Self.maximumGrants else {
            return [ValidationError(field: "name", rule: .tooManyFields(maximum: Self.maximumGrants))]
        }
        let names = grants.values.map { "\($0.kind.rawValue) \($0.name.lowercased())" }
        if Set(names).count < names.count { return [ValidationError(field: "name", rule: .notUnique)] }
        if grants.values.reduce(0, { $0 + $1.bytes }) > Self.maximumBytes {
            return [ValidationError(field: "name", rule: .tooManyBytes(maximum: Self.maximumBytes))]
        }
        for grant in grants.values where !grant.roles.allSatisfy({ grants[$0]?.kind == .role }) {
            return [ValidationError(field: "roles", rule: .notListed)]
        }
        return []
    }
}

extension AccessRules {
    /// The roles that a user has, by itself or by a group.
    package func roles(of user: User) -> Set<Identifier<Grant>> {
        user.grants.reduce(into: []) { roles, id in
            guard let grant = grants[id] else { return }
            if grant.kind == .role { roles.insert(id) } else { roles.formUnion(grant.roles) }
        }
    }

    /// What a user has by what it was given, and the claims of its next access token.
    ///
    /// - Parameters:
    ///   - user: Whose.
    ///   - fieldRules: What holds for the application's fields: only those that nobody but the server writes become claims.
    /// - Returns: names, in their order. What was removed from the application counts no more.
    package func access(of user: User, _ fieldRules: FieldRules) -> Access {
        guard !user.grants.isEmpty || claims.contains(where: \.concernsEverybody) else { return .none }
        // Each role once, however many of the user's groups give it.
        let roles = roles(of: user).compactMap { grants[$0] }
        let groups = user.grants.compactMap { grants[$0] }.filter { $0.kind == .group }
        var permissions: Set<String> = []
        for case .role(let names) in roles.map(\.content) { permissions.formUnion(names) }
        var access = Access()
        access.roles = roles.map(\.name).sorted()
        access.groups = groups.map(\.name).sorted()
        access.permissions = permissions.sorted()
        access.setClaims(by: claims, of: user, fieldRules)
        return access
    }
}
