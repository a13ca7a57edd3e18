/// Switches a foreign protocol off for an application. Its keys are forgotten, and its sessions are refused.
package struct DisableProtocol: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Returns: whether it was on.
    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Session.ProtocolName, of id: Identifier<Application>, by who: Operator
    ) async throws(DomainError) -> Bool {
        let entry = audit.draft(.protocolDisabled, by: who.actor, in: id, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            guard try transaction.application(id) != nil else { throw .applicationUnknown }
            guard try transaction.removeProtocolKeys(name, of: id) else { return false }
            try entry.record(on: .application(id), details: ["protocol": name.rawValue], in: transaction)
            return true
        }
    }
}
