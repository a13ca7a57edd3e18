extension Application {
    /// Names what name and settings are now, so that nobody overwrites what another has changed meanwhile. Every member
    /// counts, also one that comes later, but for rules of fields and views of lists, which are changed one at a time.
    package var version: String {
        var settings = settings
        (settings.fieldRules, settings.userListViews) = (FieldRules(), [])
        return Base64URL.text(of: SecretDigest(of: "\(name)\u{1f}\(Self.text(of: settings))".utf8).bytes)
    }

    /// A value with all its members, the same for equal values: dictionaries and sets have no order of their own.
    private static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        var parts = mirror.children.map { "\($0.label ?? ""):\(text(of: $0.value))" }
        if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
        return "\(mirror.subjectType)(\(parts.joined(separator: "\u{1f}")))"
    }
}
