/// The protocols that are on in an application, with the keys that can be shown.
package struct ListProtocolKeys: Sendable {
    let store: any Store
    let protocols: ProtocolRegistry
    let keyring: ProtocolKeyring

    /// - Throws: `applicationUnknown`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(of id: Identifier<Application>) async throws(DomainError) -> [IssuedKeys] {
        let sets = try await store.read { transaction throws(DomainError) in
            guard try transaction.application(id) != nil else { throw .applicationUnknown }
            return try transaction.protocolKeys(of: id)
        }
        var all: [IssuedKeys] = []
        for profile in protocols.foreign {
            if let set = sets.first(where: { $0.protocolName == profile.name }) { all.append(try keyring.shown(set)) }
        }
        return all
    }
}
