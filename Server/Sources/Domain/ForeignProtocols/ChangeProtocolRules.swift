/// Changes what an application decides for one foreign protocol: the lives of its sessions, and its options.
package struct ChangeProtocolRules: Sendable {
    package static let maximumHosts = 20

    let store: any Store
    let audit: AuditTrail

    /// - Parameters:
    ///   - name: A foreign protocol.
    ///   - id: Whose.
    ///   - who: Who does it.
    ///   - change: Changes the rules in place. It may be called twice.
    /// - Returns: the application afterwards.
    /// - Throws: `applicationUnknown`, `fieldsRefused`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Session.ProtocolName, of id: Identifier<Application>, by who: Operator = .local,
        _ change: @escaping @Sendable (inout SessionRules, inout ForeignOptions) -> Void
    ) async throws(DomainError) -> Application {
        let entry = audit.draft(.settingsChanged, by: who.actor, in: id, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard var application = try transaction.application(id) else { throw .applicationUnknown }
            let before = (
                rules: application.settings.sessionRules(of: name),
                options: application.settings.foreignOptions(of: name)
            )
            var (rules, options) = before
            change(&rules, &options)
            // Rules that were only looked at stay those of the protocol's own service.
            guard rules != before.rules || options != before.options else { return application }
            let faults = Self.faults(rules, options)
            guard faults.isEmpty else { throw .fieldsRefused(faults) }
            application.settings.foreignSessions[name] = rules
            application.settings.foreignOptions[name] = options
            try transaction.update(application)
            try entry.record(on: .application(id), details: ["protocol": name.rawValue], in: transaction)
            return application
        }
    }

    private static func faults(_ rules: SessionRules, _ options: ForeignOptions) -> [FieldFault] {
        var faults: [FieldFault] = []
        if !(1...SessionOpening.maximumSessionsPerUser).contains(rules.maximumPerUser ?? 1) {
            faults.append(
                FieldFault(
                    field: "sessionsPerUser", rule: .tooManyFields(maximum: SessionOpening.maximumSessionsPerUser)))
        }
        if options.hosts.count > maximumHosts {
            faults.append(FieldFault(field: "hosts", rule: .tooManyFields(maximum: maximumHosts)))
        }
        if options.administratorNetworks.count > maximumHosts {
            faults.append(FieldFault(field: "administratorNetworks", rule: .tooManyFields(maximum: maximumHosts)))
        }
        for network in options.administratorNetworks {
            faults += TextRule(maximumCharacters: 64).faults(of: network, field: "administratorNetworks")
        }
        for host in options.hosts {
            faults += TextRule(maximumCharacters: 253).faults(of: host, field: "hosts")
        }
        return faults
    }
}
