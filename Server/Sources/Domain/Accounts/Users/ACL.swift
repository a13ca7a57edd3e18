/// Who may read and change a user, beside the user itself, who always may: the access control lists of the mobile
/// backends, which all have the same three kinds of subjects.
package struct ACL: Hashable, Sendable {
    /// Whom an entry is about.
    package enum Subject: Hashable, Sendable {
        case everybody
        case user(Identifier<User>)
        /// Roles are kept as they came, and give nobody anything: a role of the same name here is another one (decision 0120).
        case role(String)
    }

    package struct Rights: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        package static let read = Rights(rawValue: 1)
        package static let write = Rights(rawValue: 2)
    }

    /// The most entries of a list.
    package static let maximumEntries = 100
    /// The longest name of a subject, in bytes.
    package static let maximumSubjectBytes = 128

    package var entries: [Subject: Rights]

    package init(_ entries: [Subject: Rights] = [:]) {
        self.entries = entries
    }

    /// What somebody may, beside being the user itself.
    ///
    /// - Parameter reader: Who asks; `nil` for nobody in particular.
    /// - Returns: the rights of everybody and of the asker together.
    package func rights(of reader: Identifier<User>?) -> Rights {
        var rights = entries[.everybody] ?? []
        if let reader { rights.formUnion(entries[.user(reader)] ?? []) }
        return rights
    }

    /// The rules that the list breaks.
    package func faults(field: String) -> [ValidationError] {
        if entries.count > Self.maximumEntries {
            return [ValidationError(field: field, rule: .tooManyFields(maximum: Self.maximumEntries))]
        }
        let rule = TextRule(maximumCharacters: Self.maximumSubjectBytes)
        return Array(entries.keys.flatMap { rule.faults(of: $0.text, field: field) }.prefix(1))
    }
}

extension ACL.Subject {
    private static let rolePrefix = "role:"

    /// As the backends write it: `*`, `role:NAME`, or the user's id.
    package init(text: String) {
        if text == "*" {
            self = .everybody
        } else if text.hasPrefix(Self.rolePrefix) {
            self = .role(String(text.dropFirst(Self.rolePrefix.count)))
        } else {
            self = .user(Identifier(rawValue: text))
        }
    }

    /// As the backends write it.
    package var text: String {
        switch self {
        case .everybody: "*"
        case .user(let id): id.rawValue
        case .role(let name): Self.rolePrefix + name
        }
    }
}

extension User {
    /// What somebody may do with this user.
    ///
    /// - Parameters:
    ///   - reader: Who asks; `nil` for nobody in particular.
    ///   - standard: What everybody may with users that have no list.
    /// - Returns: everything for the user itself.
    package func rights(of reader: Identifier<User>?, standard: ACL.Rights) -> ACL.Rights {
        if reader == id { return [.read, .write] }
        return acl.map { $0.rights(of: reader) } ?? standard
    }

    /// Whether everybody may change the user's fields.
    package var isWritableByEverybody: Bool { acl?.rights(of: nil).contains(.write) ?? false }
}
