/// Changes a user in one transaction, as the mobile backends do it: operations on fields, identifiers, the access list,
/// and what leads to the user.
///
/// Unlike `UpdateUser` it obeys the user's access list, and asks nobody to prove to be there again: those backends' apps
/// cannot. It is for their protocols only.
package struct ChangeUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let sealingKey: SealingKey

    /// Who changes a user.
    package enum Actor: Hashable, Sendable {
        /// A user, or nobody in particular, with what everybody may with users without a list.
        case user(Identifier<User>?, standard: AccessList.Rights)
        case `operator`
    }

    package struct Changes: Sendable {
        package var operations: [String: FieldOperation]
        package var identifiers: NewIdentifiers
        package var accessList: ValueChange<AccessList>
        /// People whom providers vouched for, to be linked in place of others of the same providers.
        package var people: [ProviderPerson]
        /// An id that a client made, to be linked in place of another.
        package var anonymousId: AnonymousId?
        /// Providers to be unlinked. Those that are not linked make no difference.
        package var unlinked: Set<Identity.Provider>

        package init(
            operations: [String: FieldOperation] = [:], identifiers: NewIdentifiers = NewIdentifiers(),
            accessList: ValueChange<AccessList> = .unchanged, people: [ProviderPerson] = [],
            anonymousId: AnonymousId? = nil, unlinked: Set<Identity.Provider> = []
        ) {
            self.operations = operations
            self.identifiers = identifiers
            self.accessList = accessList
            self.people = people
            self.anonymousId = anonymousId
            self.unlinked = unlinked
        }
    }

    /// - Returns: the user afterwards, and whether the mail address is another one.
    /// - Throws: `accessRefused`, `userUnknown`, `fieldsRefused`, `identifiersTaken`, `identityTaken`,
    ///   `providerTokenReplayed`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by actor: Actor, _ changes: Changes
    ) async throws(DomainError) -> (user: User, hasNewEmail: Bool) {
        let now = clock.now
        let links = try IdentityLinks(
            changes.people, changes.anonymousId, in: application.id, sealingKey: sealingKey, at: now)
        let revocations: [Identity.Provider: Identifier<ProviderRevocation>] = Dictionary(
            (changes.unlinked.union(links.providers)).map { ($0, randomness.newIdentifier(at: now)) },
            uniquingKeysWith: { first, _ in first })
        return try await store.write { transaction throws(DomainError) in
            guard let before = try transaction.user(id, in: application.id), before.deletionRequestedAt == nil else {
                throw .userUnknown
            }
            guard actor.mayWrite(before) else { throw .accessRefused }
            var user = before
            try Self.apply(changes, to: &user)
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            if user.accessList != before.accessList { try transaction.updateAccessList(of: user) }
            if user.typedIdentifiers != before.typedIdentifiers
                || user.emailVerifiedAt != before.emailVerifiedAt
            {
                let owners = try transaction.owners(of: user.typedIdentifiers, in: application.id)
                    .filter { $0.user.id != id }
                guard owners.isEmpty else { throw .identifiersTaken(owners.map(\.kind)) }
                try transaction.updateIdentifiers(of: user)
            }
            // Taken away first: an identity may be replaced.
            let replaced = links.providers.union(changes.unlinked)
            for identity in user.identities where replaced.contains(identity.provider) {
                guard !links.contains(identity), let revocation = revocations[identity.provider] else { continue }
                try transaction.unlink(identity, of: id, in: application.id, revocation: revocation, at: now)
                user.identities.removeAll { $0 == identity }
            }
            try links.join(&user, in: transaction)
            return (user, user.email != nil && user.email != before.email)
        }
    }

    private static func apply(_ changes: Changes, to user: inout User) throws(DomainError) {
        let (fields, broken) = user.fields.applying(changes.operations)
        var faults = broken
        user.fields = fields
        if faults.isEmpty && !changes.operations.isEmpty { faults += ProfileRules.faults(ofFields: fields) }
        faults += changes.identifiers.apply(to: &user)
        user.accessList = changes.accessList.applied(to: user.accessList)
        faults += user.accessList?.faults(field: "accessList") ?? []
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }
}

extension ChangeUser.Actor {
    func mayWrite(_ user: User) -> Bool {
        switch self {
        case .operator: true
        case .user(let id, let standard): user.rights(of: id, standard: standard).contains(.write)
        }
    }
}
