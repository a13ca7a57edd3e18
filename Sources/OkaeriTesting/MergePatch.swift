import OkaeriWire

extension UserBody {
    /// Changes the user as a JSON merge patch says (RFC 7396).
    mutating func apply(_ patch: UserPatchBody) {
        displayName = Self.changed(displayName, patch.displayName)
        locale = Self.changed(locale, patch.locale)
        switch patch.fields {
        case .unchanged: break
        case .removed: fields = [:]
        case .set(let changes): fields = JSONValue.merged(fields, changes)
        }
    }

    private static func changed(_ present: String?, _ change: UserPatchBody.Change<String>) -> String? {
        switch change {
        case .unchanged: present
        case .removed: nil
        case .set(let value): value
        }
    }
}

extension JSONValue {
    /// An object with another merged into it (RFC 7396 §2).
    static func merged(_ present: [String: JSONValue], _ changes: [String: JSONValue]) -> [String: JSONValue] {
        var result = present
        for (name, change) in changes {
            switch change {
            case .null: result[name] = nil
            case .object(let inner):
                guard case .object(let old)? = present[name] else {
                    result[name] = .object(merged([:], inner))
                    continue
                }
                result[name] = .object(merged(old, inner))
            default: result[name] = change
            }
        }
        return result
    }
}
