extension Application {
    /// Names what name and settings are now, so that nobody overwrites what another has changed meanwhile. Every member
    /// counts, also one that comes later, but for rules of fields and views of lists, which are changed one at a time.
    package var version: String { versioned.version }

    /// Whether an application is still as it was when a caller saw this version of it, or one that begins with it; for a
    /// transaction.
    package func isStill(_ version: String) -> @Sendable (Application) -> Bool {
        let own = String(version.prefix { $0 != SettingsVersion.point })
        let isCurrent = SettingsVersion.judge(own, versioned) { $0.version }
        return { isCurrent($0.versioned) }
    }

    /// Names what rules and keys of the application's old protocols are now: its own version, and that of the keys behind it.
    package func protocolsVersion(with keys: [ProtocolKeySet]) -> String {
        "\(version)\(SettingsVersion.point)\(keys.version)"
    }

    /// The same with the keys of which a caller saw a version.
    package func protocolsVersion(withKeysOf seen: String) -> String {
        "\(version)\(seen.drop { $0 != SettingsVersion.point })"
    }

    /// What the version is of.
    private struct Versioned: Equatable, Sendable {
        let name: String
        let settings: ApplicationSettings

        var version: String { SettingsVersion.named("\(name)\u{1f}\(SettingsVersion.text(of: settings))") }
    }

    private var versioned: Versioned {
        var settings = settings
        (settings.fieldRules, settings.userListViews) = (FieldRules(), [])
        return Versioned(name: name, settings: settings)
    }
}

extension FieldRules {
    /// Names what all rules of an application's fields are now.
    package var version: String { SettingsVersion.named(SettingsVersion.text(of: self)) }

    /// Whether an application has still the rules of which a caller saw this version; for a transaction.
    package func isStill(_ version: String) -> @Sendable (Application) -> Bool {
        let isCurrent = SettingsVersion.judge(version, self) { $0.version }
        return { isCurrent($0.settings.fieldRules) }
    }
}

extension [ProtocolKeySet] {
    fileprivate var version: String {
        SettingsVersion.named(SettingsVersion.text(of: sorted { $0.protocolName.rawValue < $1.protocolName.rawValue }))
    }

    /// Whether an application has still the keys of which a caller saw this version, with the application's in front.
    package func isStill(_ version: String) -> Bool {
        let parts = version.split(separator: SettingsVersion.point, maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && parts[1] == self.version
    }
}

extension [UserListView] {
    /// Names what these views are now.
    package var version: String { SettingsVersion.named(SettingsVersion.text(of: self)) }

    /// The views that a reader sees: a version of others would tell what they hold.
    package func shown(to reader: AdminReader) -> [UserListView] { filter { $0.isShown(to: reader) } }
}

extension Grant {
    /// Names what the role or group is called and gives now.
    package var version: String { SettingsVersion.named(SettingsVersion.text(of: self)) }

    /// Whether an application has it still as it was when a caller saw this version; for a transaction. One that is gone
    /// fits every version: there is nothing to overwrite.
    package func isStill(_ version: String) -> @Sendable (Application) -> Bool {
        let isCurrent = SettingsVersion.judge(version, self) { $0.version }
        return { [id] in $0.settings.access[id].map(isCurrent) ?? true }
    }
}

extension EventEndpoint {
    /// Names what is decided of the endpoint now. How deliveries to it went is no part of it.
    package var version: String { SettingsVersion.named(SettingsVersion.text(of: ManageEventEndpoints.Draft(self))) }
}

extension AdminKey {
    /// Names from where the key counts now.
    package var version: String { SettingsVersion.named(reach.networks.map(\.text).joined(separator: "\u{1f}")) }
}

extension [ListProviders.Entry] {
    /// Names what all of an application's providers are now.
    package var version: String { SettingsVersion.named(SettingsVersion.text(of: self)) }
}

/// Makes versions of what is decided.
private enum SettingsVersion {
    /// Between versions that stand in one text; a version has none.
    static let point: Character = "."

    static func named(_ text: String) -> String { Base64URL.text(of: SecretDigest(of: text.utf8).bytes) }

    /// A value with all its members, the same for equal values: dictionaries and sets have no order of their own.
    static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(value)" }
        var parts = mirror.children.map { "\($0.label ?? ""):\(text(of: $0.value))" }
        if mirror.displayStyle == .dictionary || mirror.displayStyle == .set { parts.sort() }
        return "\(mirror.subjectType)(\(parts.joined(separator: "\u{1f}")))"
    }

    /// Compares what is there in a transaction with a version. All changes wait for the transaction, and a version of long
    /// settings takes a while: it is made of what is known before, and whether that is still there takes no version.
    static func judge<Part: Equatable & Sendable>(
        _ version: String, _ known: Part, _ versionOf: @escaping @Sendable (Part) -> String
    ) -> @Sendable (Part) -> Bool {
        let isKnown = versionOf(known) == version
        return { present in
            // Another change may have been seen by the caller, and not here yet.
            present == known ? isKnown : !isKnown && versionOf(present) == version
        }
    }
}
