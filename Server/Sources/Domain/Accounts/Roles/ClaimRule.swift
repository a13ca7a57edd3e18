package import enum OkaeriWire.JSONValue

/// What becomes a claim of an application's access tokens.
package struct ClaimRule: Hashable, Sendable {
    package static let maximumRules = 50
    package static let maximumNameCharacters = 128
    /// The most bytes of a fixed value, as JSON.
    package static let maximumValueBytes = 2048
    private static let maximumFixedNames = 20

    package let name: String
    /// The claim that holds this one as a member, for services that want their claims together.
    package let within: String?
    package let source: Source

    package enum Source: Hashable, Sendable {
        /// A field that nobody but the server writes.
        case field(String)
        /// The same value for everybody.
        case constant(JSONValue)
        /// The user's id, beside `sub`, for services that want it under another name.
        case user
        /// Names that the user has by what it was given, behind some that everybody has.
        case names(Names, and: [String])
    }

    package enum Names: String, CaseIterable, Hashable, Sendable {
        case roles, permissions, groups
    }

    package init(_ name: String, within: String? = nil, _ source: Source) {
        self.name = name
        self.within = within
        self.source = source
    }

    /// The roles' names, where RFC 9068 §2.2.3.1 has them.
    package static let roles = ClaimRule("roles", .names(.roles, and: []))

    /// What a token says by itself. No rule may say it.
    package static let reserved: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "azp", "sid", "scope", "cnf", "typ", "nonce",
        "act", "may_act", "auth_time", "amr", "acr", "is_anonymous", "claims_version",
    ]

    /// Whether somebody who was given nothing has the claim too.
    var concernsEverybody: Bool {
        if case .names(_, let fixed) = source { !fixed.isEmpty } else { true }
    }

    /// The field that it is read from.
    package var field: String? {
        if case .field(let name) = source { name } else { nil }
    }

    /// The claim's value; `nil` where the user has none.
    func value(for user: User, _ access: Access, _ fieldRules: FieldRules) -> JSONValue? {
        switch source {
        case .user: return .string(user.id.rawValue)
        case .constant(let value): return value
        case .field(let name):
            // The rule of the field may have changed since: what people write is no claim.
            guard fieldRules.isServersOwn(name), let value = user.fields[name], value != .null else { return nil }
            return value
        case .names(let names, let fixed):
            let given =
                switch names {
                case .roles: access.roles
                case .permissions: access.permissions
                case .groups: access.groups
                }
            let all = fixed + given.filter { !fixed.contains($0) }
            return all.isEmpty ? Optional<JSONValue>.none : .array(all.map { .string($0) })
        }
    }

    /// The rules that it breaks by itself, by the name of the claim.
    func faults(_ fieldRules: FieldRules) -> [ValidationError] {
        let path = "claims.\(name.utf8.count > Self.maximumNameCharacters ? "…" : name)"
        for part in [name, within].compactMap({ $0 }) {
            if part.isEmpty { return [ValidationError(field: path, rule: .empty)] }
            if part.utf8.count > Self.maximumNameCharacters {
                return [ValidationError(field: path, rule: .tooLong(maximumCharacters: Self.maximumNameCharacters))]
            }
            if !GrantName.isPlain(part, beside: "_-.:/#@~") {
                return [ValidationError(field: path, rule: .notAClaimName)]
            }
        }
        // Also in other letters: some backends compare without looking at case.
        if Self.reserved.contains((within ?? name).lowercased()) {
            return [ValidationError(field: path, rule: .reserved)]
        }
        switch source {
        case .user: return []
        case .field(let field):
            return fieldRules.isServersOwn(field) ? [] : [ValidationError(field: path, rule: .notServersField)]
        case .constant(let value):
            if value == .null { return [ValidationError(field: path, rule: .required)] }
            if !ProfileRules.fieldsFit(["value": value], bytes: Self.maximumValueBytes) {
                return [ValidationError(field: path, rule: .tooManyBytes(maximum: Self.maximumValueBytes))]
            }
            return ProfileRules.faults(ofFields: ["value": value]).map { ValidationError(field: path, rule: $0.rule) }
        case .names(_, let fixed):
            if fixed.count > Self.maximumFixedNames {
                return [ValidationError(field: path, rule: .tooManyFields(maximum: Self.maximumFixedNames))]
            }
            return Array(fixed.flatMap { GrantName.faults(of: $0, field: path) }.prefix(1))
        }
    }
}

extension AccessRules {
    /// The rules that the rules of claims break.
    func claimFaults(_ fieldRules: FieldRules) -> [ValidationError] {
        guard claims.count <= ClaimRule.maximumRules else {
            return [ValidationError(field: "claims", rule: .tooManyFields(maximum: ClaimRule.maximumRules))]
        }
        let faults = claims.flatMap { $0.faults(fieldRules) }
        guard faults.isEmpty else { return faults }
        var (values, objects): (Set<String>, Set<String>) = ([], [])
        for rule in claims {
            let isNew = values.insert([rule.within, rule.name].compactMap { $0 }.joined(separator: " ")).inserted
            guard isNew else { return [ValidationError(field: "claims.\(rule.name)", rule: .notUnique)] }
            if let object = rule.within { objects.insert(object) }
        }
        for rule in claims where rule.within == nil && objects.contains(rule.name) {
            return [ValidationError(field: "claims.\(rule.name)", rule: .notUnique)]
        }
        let constants = Dictionary(
            claims.enumerated().compactMap { position, rule -> (String, JSONValue)? in
                if case .constant(let value) = rule.source { (String(position), value) } else { nil }
            }, uniquingKeysWith: { _, last in last })
        guard ProfileRules.fieldsFit(constants, bytes: Access.maximumClaimsBytes) else {
            return [ValidationError(field: "claims", rule: .tooManyBytes(maximum: Access.maximumClaimsBytes))]
        }
        return []
    }

    /// Refuses rules of fields by which people would write what becomes a claim.
    func unservedClaims(_ fieldRules: FieldRules) -> [ValidationError] {
        claimedFields.filter { !fieldRules.isServersOwn($0) }.sorted()
            .map { ValidationError(field: ProfileRules.path(of: $0), rule: .notServersField) }
    }

    /// The fields that become claims.
    var claimedFields: [String] { claims.compactMap(\.field) }
}

extension FieldRules {
    /// Whether a field has a rule by which nobody but the server writes it.
    func isServersOwn(_ name: String) -> Bool { self[name]?.writer == .server }
}
