package import enum OkaeriWire.JSONValue

extension JSONValue {
    /// This value after a JSON merge patch (RFC 7396 §2).
    package func merged(with patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        if case .object(let members) = self { return .object(members.merged(with: changes)) }
        return .object([:].merged(with: changes))
    }
}

extension [String: JSONValue] {
    /// These members after a JSON merge patch: null removes, objects merge, everything else replaces.
    package func merged(with changes: [String: JSONValue]) -> [String: JSONValue] {
        var result = self
        for (name, change) in changes {
            if change == .null {
                result.removeValue(forKey: name)
            } else {
                result[name] = (result[name] ?? .null).merged(with: change)
            }
        }
        return result
    }
}
