/// The sealed values in an application's settings. Resealing, exports and imports go by these two functions, so that a new kind
/// of value reaches all of them or does not compile.
extension ApplicationSettings {
    /// The sealed values of a kind, each with the name of what it belongs to, in the order of the names or of the list.
    package func secrets(of kind: SettingsSecret) -> [(name: String, sealed: [UInt8])] {
        let hooks = hooks.values.sorted { $0.point.rawValue < $1.point.rawValue }
        return switch kind {
        case .playKey:
            attestation.playApps.compactMap { app in app.keys.map { (name: app.app.packageName, sealed: $0.sealedKey) }
            }
        case .hookSecret: hooks.map { (name: $0.point.rawValue, sealed: $0.sealedSecret) }
        case .formerHookSecret:
            hooks.compactMap { hook in hook.sealedFormer.map { (name: hook.point.rawValue, sealed: $0) } }
        case .oldServiceSecret:
            OldService.Name.allCases.compactMap { name in
                oldServices[name]?.sealedSecret.map { (name: name.rawValue, sealed: $0) }
            }
        }
    }

    /// Puts another record where a value is.
    ///
    /// - Parameters:
    ///   - kind: Which kind of value.
    ///   - name: What it belongs to.
    ///   - sealed: The record; `nil` to take the value away, with what cannot be without it: keys of Play, hooks, and services that
    ///     had a secret.
    package mutating func setSecret(_ kind: SettingsSecret, of name: String, to sealed: [UInt8]?) {
        switch kind {
        case .playKey:
            for index in attestation.playApps.indices where attestation.playApps[index].app.packageName == name {
                guard let sealed else {
                    attestation.playApps[index].keys = nil
                    continue
                }
                attestation.playApps[index].keys?.sealedKey = sealed
            }
        case .hookSecret:
            guard let point = HookPoint(rawValue: name) else { return }
            guard let sealed else { return hooks[point] = nil }
            hooks[point]?.sealedSecret = sealed
        case .formerHookSecret:
            guard let point = HookPoint(rawValue: name) else { return }
            hooks[point]?.sealedFormer = sealed
        case .oldServiceSecret:
            guard let service = OldService.Name(rawValue: name) else { return }
            guard let sealed else { return oldServices[service] = nil }
            oldServices[service]?.sealedSecret = sealed
        }
    }

    /// With other records in the place of those that are sealed, or open.
    ///
    /// - Parameters:
    ///   - application: Whose settings they are.
    ///   - change: Gets a record and what it is sealed for.
    /// - Returns: the settings.
    /// - Throws: what `change` throws.
    func mapSecrets(
        in application: Identifier<Application>,
        _ change: ([UInt8], String) throws(DomainError) -> [UInt8]
    ) throws(DomainError) -> ApplicationSettings {
        var changed = self
        for kind in SettingsSecret.allCases {
            for (name, sealed) in secrets(of: kind) {
                guard let purpose = kind.purpose(name, application) else { throw .secretUnreadable }
                changed.setSecret(kind, of: name, to: try change(sealed, purpose))
            }
        }
        return changed
    }
}
