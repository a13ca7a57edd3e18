/// Changes what an application decides for one foreign protocol: the lives of its sessions, and its options.
package struct ChangeProtocolRules: Sendable {
    let protocols: ProtocolRegistry
    let editApplication: EditApplication

    /// - Parameters:
    ///   - name: A foreign protocol.
    ///   - id: Whose.
    ///   - changes: New values by the names of their rules (`ProtocolRule.all`). What is not named stays.
    ///   - mayLoosen: Whether who does it has given fresh proof, which a change that lets more through asks for.
    ///   - isCurrent: Whether the application is still as the operator knows it; may be asked twice.
    ///   - who: Who does it.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `administration(changedMeanwhile)`, `reauthenticationRequired`,
    ///   `administration(notAllowed)` for who may not read and change every user, where a change lets an administrator do
    ///   so from elsewhere, and for who may not read every user, where it lets everybody; `fieldsRefused`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Session.ProtocolName, of id: Identifier<Application>, to changes: [String: ProtocolRule.Value],
        mayLoosen: Bool, isCurrent: @escaping @Sendable (Application) -> Bool, by who: Operator
    ) async throws(DomainError) -> Application {
        let profile = try protocols.foreign(name)
        let faults = changes.sorted { $0.key < $1.key }.flatMap { name, value in
            ProtocolRule[name]?.faults(of: value) ?? [ValidationError(field: name, rule: .notOffered)]
        }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        return try await editApplication(id, .settingsChanged, isCurrent: isCurrent, by: who) {
            application throws(DomainError) in
            let before = (
                rules: application.settings.sessionRules(of: profile),
                options: application.settings.foreignOptions(of: name)
            )
            var (rules, options) = before
            for (name, value) in changes { ProtocolRule[name]?.apply(value, to: &rules, &options) }
            // Rules that were only looked at stay those of the protocol's own service.
            guard rules != before.rules || options != before.options else { return [:] }
            let settings = application.settings
            application.settings.foreignSessions[name] = rules
            application.settings.foreignOptions[name] = options
            guard mayLoosen || !ProtocolRule.loosens(profile, from: settings, to: application.settings) else {
                throw .reauthenticationRequired
            }
            if ProtocolRule.opensAdministration(of: profile, from: settings, to: application.settings) {
                try who.require(.openAdministration)
            }
            if ProtocolRule.showsUsers(of: profile, from: settings, to: application.settings) {
                try who.require(.showUsersToEverybody)
            }
            return ["protocol": name.rawValue]
        }
    }
}
