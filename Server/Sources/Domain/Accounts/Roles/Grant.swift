/// What operators give to users of an application: a role, or membership of a group that gives roles.
package struct Grant: Hashable, Sendable {
    /// Never given out again: a role that was removed and made anew is another one.
    package let id: Identifier<Grant>
    package var name: String
    package var content: Content

    package enum Content: Hashable, Sendable {
        /// A role, and the names of what it permits.
        case role(permissions: Set<String>)
        /// A group: its members have its roles.
        case group(roles: Set<Identifier<Grant>>)
    }

    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case role, group
    }

    package static let maximumPermissions = 100

    package init(id: Identifier<Grant>, name: String, content: Content) {
        self.id = id
        self.name = name
        self.content = content
    }

    package var kind: Kind {
        switch content {
        case .role: .role
        case .group: .group
        }
    }

    /// What a role permits, by name; nothing for a group.
    package var permissions: [String] {
        if case .role(let permissions) = content { permissions.sorted() } else { [] }
    }

    /// The roles that a group gives; none for a role.
    package var roles: Set<Identifier<Grant>> {
        if case .group(let roles) = content { roles } else { [] }
    }

    /// The rules that it breaks by itself.
    var faults: [ValidationError] {
        let excess = content.excess
        guard excess.isEmpty else { return excess }
        let faults = GrantName.faults(of: name, field: "name")
        return faults + permissions.flatMap { GrantName.faults(of: $0, field: "permissions") }
    }

    /// The bytes of all names and ids in it.
    var bytes: Int {
        switch content {
        case .role(let permissions): permissions.reduce(name.utf8.count) { $0 + $1.utf8.count }
        case .group(let roles): roles.reduce(name.utf8.count) { $0 + $1.rawValue.utf8.count }
        }
    }
}

extension Grant.Content {
    /// What is wrong with it when there is more in it than there can be; nothing of it is looked at for that.
    var excess: [ValidationError] {
        switch self {
        case .role(let permissions): Self.excess(permissions.count, over: Grant.maximumPermissions, "permissions")
        case .group(let roles): Self.excess(roles.count, over: AccessRules.maximumGrants, "roles")
        }
    }

    private static func excess(_ count: Int, over maximum: Int, _ field: String) -> [ValidationError] {
        count > maximum ? [ValidationError(field: field, rule: .tooManyFields(maximum: maximum))] : []
    }
}

/// How roles, groups and permissions are called: ASCII alone, so that two names which look alike are the same.
package enum GrantName {
    package static let maximumCharacters = 64

    static func faults(of name: String, field: String) -> [ValidationError] {
        if name.isEmpty { return [ValidationError(field: field, rule: .empty)] }
        if name.utf8.count > maximumCharacters {
            return [ValidationError(field: field, rule: .tooLong(maximumCharacters: maximumCharacters))]
        }
        return isPlain(name, beside: "_-.:/*") ? [] : [ValidationError(field: field, rule: .notAGrantName)]
    }

    /// Whether a text is made of letters and digits of ASCII and of some signs.
    static func isPlain(_ text: String, beside signs: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: signs.utf8.contains(byte)
            }
        }
    }
}
