/// Makes an application as an export has it, with its id. Its users come after it, through `ImportUsers`.
package struct ImportApplication: Sendable {
    let store: any Store
    let randomness: any Randomness
    let sealingKey: SealingKey
    let audit: AuditTrail
    let protocols: ProtocolRegistry

    /// What was found.
    package struct Taken: Sendable {
        /// The application of the installation.
        package let application: Application
        /// Whether it was there already: then its settings are left alone.
        package let isPresent: Bool
        /// Whether digests that another installation made say something here.
        package let readsDigests: Bool
        /// What the application is without, as names of settings.
        package let leftOut: [String]
    }

    /// - Parameters:
    ///   - exported: What the file says. Its secrets are open.
    ///   - isRehearsal: Whether everything is checked and nothing written.
    ///   - who: Who does it.
    /// - Returns: the application, and what it is without.
    /// - Throws: `fieldsRefused` for settings that break a rule, and keys that another application has; `secretUnreadable`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ exported: ExportedApplication, isRehearsal: Bool, by who: Operator
    ) async throws(DomainError) -> Taken {
        let id = exported.application.id
        let settings = exported.application.settings
        // A link of before that a newer rule refuses comes along as it is: nobody is sent there, and `okaeri doctor` names it.
        let hasUsableLink = settings.usableTransferLink == settings.transferLink
        var faults = CreateApplication.faults(
            exported.application.name, settings, since: hasUsableLink ? ApplicationSettings() : settings)
        faults += TextRule(maximumBytes: ImportUsers.maximumIdBytes).faults(
            of: id.rawValue, field: "application.id")
        let known = Set(protocols.foreign.map(\.name))
        for set in exported.protocols where !known.contains(set.protocolName) {
            faults.append(ValidationError(field: "protocols.\(set.protocolName.rawValue)", rule: .notOffered))
        }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let readsDigests = exported.digestKey == ExportApplication.digestKey(of: sealingKey)
        var leftOut: [String] = exported.hasSecrets ? [] : ["secrets"]
        var sealed = try exported.mapSecrets(sealingKey.seal)
        if !readsDigests {
            // The keys of administrators are digests under the other installation's key.
            for index in sealed.protocols.indices where !sealed.protocols[index].digests.isEmpty {
                leftOut += sealed.protocols[index].digests.keys
                    .map { "protocols.\(exported.protocols[index].protocolName.rawValue).\($0.rawValue)" }.sorted()
                sealed.protocols[index].digests = [:]
            }
        }
        // Nobody has the key that this would be the digest of.
        if !exported.hasSecrets { sealed.application.adminKeyDigest = SecretDigest(of: randomness.bytes(32)) }
        let ready = sealed
        let entry = audit.draft(.applicationCreated, by: who.actor, in: id, from: who.origin)
        @Sendable func take(_ transaction: any Transaction) throws(DomainError) -> (
            application: Application, isPresent: Bool
        ) {
            if let present = try transaction.application(id) { return (present, true) }
            for set in ready.protocols
            where try transaction.protocolKeys(set.protocolName, publicKey: set.publicKey) != nil {
                throw .fieldsRefused([
                    ValidationError(field: "protocols.\(set.protocolName.rawValue)", rule: .notUnique)
                ])
            }
            guard !isRehearsal else { return (ready.application, false) }
            try transaction.insert(ready.application)
            for provider in ready.providers { try transaction.save(provider) }
            for set in ready.protocols { try transaction.save(set) }
            try entry.record(on: .application(id), in: transaction)
            return (ready.application, false)
        }
        let taken =
            isRehearsal
            ? try await store.read { transaction throws(DomainError) in try take(transaction) }
            : try await store.write { transaction throws(DomainError) in try take(transaction) }
        return Taken(
            application: taken.application, isPresent: taken.isPresent, readsDigests: readsDigests,
            leftOut: taken.isPresent ? [] : leftOut)
    }
}
