import Domain
import enum OkaeriWire.JSONValue

/// Roles, groups and rules of claims as stored.
struct StoredAccessRules: Codable {
    private var roles: [StoredRole]?
    private var groups: [StoredGroup]?
    private var claims: [StoredClaim]?

    private struct StoredRole: Codable {
        let id: String
        let name: String
        let permissions: [String]
    }

    private struct StoredGroup: Codable {
        let id: String
        let name: String
        let roles: [String]
    }

    private struct StoredClaim: Codable {
        var name: String
        var within: String?
        var field: String?
        var value: JSONValue?
        var names: String?
        var fixed: [String]?
        var isUser: Bool?

        init(_ rule: ClaimRule) {
            name = rule.name
            within = rule.within
            switch rule.source {
            case .field(let field): self.field = field
            case .constant(let value): self.value = value
            case .user: isUser = true
            case .names(let names, let fixed):
                self.names = names.rawValue
                self.fixed = fixed.isEmpty ? nil : fixed
            }
        }

        /// `nil` for what a newer program wrote: a claim that this one does not know is left out.
        var rule: ClaimRule? {
            if let field { return ClaimRule(name, within: within, .field(field)) }
            if let value { return ClaimRule(name, within: within, .constant(value)) }
            if isUser == true { return ClaimRule(name, within: within, .user) }
            return names.flatMap(ClaimRule.Names.init(rawValue:)).map {
                ClaimRule(name, within: within, .names($0, and: fixed ?? []))
            }
        }
    }

    init(_ rules: AccessRules) {
        roles = rules.sorted(.role).map {
            StoredRole(id: $0.id.rawValue, name: $0.name, permissions: $0.permissions)
        }
        groups = rules.sorted(.group).map {
            StoredGroup(id: $0.id.rawValue, name: $0.name, roles: $0.roles.map(\.rawValue).sorted())
        }
        claims = rules.claims == AccessRules().claims ? nil : rules.claims.map(StoredClaim.init(_:))
    }

    var rules: AccessRules {
        let roles = (roles ?? []).map {
            Grant(id: Identifier(rawValue: $0.id), name: $0.name, content: .role(permissions: Set($0.permissions)))
        }
        let groups = (groups ?? []).map {
            Grant(
                id: Identifier(rawValue: $0.id), name: $0.name,
                content: .group(roles: Set($0.roles.map { Identifier<Grant>(rawValue: $0) })))
        }
        return AccessRules(roles + groups, claims: claims?.compactMap(\.rule) ?? AccessRules().claims)
    }
}
