/// Changes a user in one transaction, as the mobile backends do it: operations on fields, identifiers, the access list,
/// and what leads to the user.
///
/// Unlike `UpdateUser` it obeys the user's access list, as far as `AccountPermission` lets one reach, and asks nobody to
/// prove to be there again: those backends' apps cannot. It is for their protocols only.
package struct ChangeUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let sealingKey: SealingKey
    let passwords: any PasswordHashing
    let changes: AccountChanges

    /// Who changes a user.
    package enum Actor: Hashable, Sendable {
        /// A user, or nobody in particular, with what everybody may with users without a list.
        case user(Identifier<User>?, standard: ACL.Rights)
        case `operator`
    }

    package struct Changes: Sendable {
        package var operations: [String: FieldOperation]
        package var identifiers: NewIdentifiers
        package var acl: ValueChange<ACL>
        /// People whom providers vouched for, to be linked in place of others of the same providers.
        package var people: [ExternalIdentity]
        /// An id that a client made, to be linked in place of another.
        package var anonymousId: AnonymousId?
        /// Providers to be unlinked. Those that are not linked make no difference.
        package var unlinked: Set<Identity.Provider>
        /// Another password, or a first one. All sessions end, and whoever has
        /// only the id that a client made is out too.
        package var password: Secret?
        /// Whether operators keep the user out; `nil` for as it is.
        package var isDisabled: Bool?
        /// Whether the mail address counts as verified; `nil` for as it is.
        package var isEmailVerified: Bool?
        /// The session that a user who sets a password gets in place of all others.
        package var renewal: Renewal?

        package init(
            operations: [String: FieldOperation] = [:], identifiers: NewIdentifiers = NewIdentifiers(),
            acl: ValueChange<ACL> = .unchanged, people: [ExternalIdentity] = [],
            anonymousId: AnonymousId? = nil, unlinked: Set<Identity.Provider> = []
        ) {
            self.operations = operations
            self.identifiers = identifiers
            self.acl = acl
            self.people = people
            self.anonymousId = anonymousId
            self.unlinked = unlinked
        }
    }

    /// How a session is opened after a password was set.
    package struct Renewal: Sendable {
        package var protocolName: Session.ProtocolName
        package var device: DeviceDescription

        package init(protocolName: Session.ProtocolName, device: DeviceDescription) {
            self.protocolName = protocolName
            self.device = device
        }
    }

    package struct Answer: Sendable {
        /// The user afterwards.
        package var user: User
        /// Whether the mail address is another one.
        package var hasNewEmail: Bool
        /// The new session's token, when one was opened.
        package var token: Secret?
    }

    /// - Parameters:
    ///   - id: Whom.
    ///   - application: Where.
    ///   - actor: Who does it.
    ///   - asked: What changes.
    ///   - origin: Where the request came from, for the audit log.
    ///   - session: The caller's session, when it is one of the user's: it stays when an address is changed.
    /// - Returns: the user afterwards.
    /// - Throws: `accessRefused`, `userUnknown`, `fieldsRefused`, `identifiersTaken`, `identityTaken`,
    ///   `providerTokenReplayed`, `busy`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by actor: Actor, _ asked: Changes,
        from origin: RequestOrigin, session: Authenticated?
    ) async throws(DomainError) -> Answer {
        let now = clock.now
        let excess = ProfileRules.faults(ofChange: asked.operations)
        guard excess.isEmpty else { throw .fieldsRefused(excess) }
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let known, known.deletionRequestedAt == nil else { throw .userUnknown }
        let password = try await newPassword(of: known, in: application, by: actor, asked, from: origin, at: now)
        let author = Operator(actor: actor.inAudit, origin: origin)
        let ready = try changes.ready(
            asked.possible(by: actor), of: known, becoming: asked.expected(of: known, at: now), in: application,
            by: author, at: now)
        // Where a password is set the caller logs in anew.
        let kept = session.map { $0.user.id == id ? KeptAccess($0) : .nothing } ?? .nothing
        let links = try IdentityLinks(
            asked.people, asked.anonymousId, in: application.id, sealingKey: sealingKey, at: now)
        let revocations: [Identity.Provider: Identifier<ProviderRevocation>] = Dictionary(
            (asked.unlinked.union(links.providers)).map { ($0, randomness.newIdentifier(at: now)) },
            uniquingKeysWith: { first, _ in first })
        let rules = application.settings.fieldRules
        return try await store.write { transaction throws(DomainError) in
            guard let before = try transaction.user(id, in: application.id), before.deletionRequestedAt == nil else {
                throw .userUnknown
            }
            try actor.require(asked.needed(for: before), of: before)
            var user = before
            try Self.apply(asked, to: &user, rules, by: actor, links: links.identities, at: now)
            user.updatedAt = now
            try transaction.updateProfile(of: user)
            if user.isDisabled != before.isDisabled { try transaction.updateStanding(of: user) }
            if user.acl != before.acl { try transaction.updateACL(of: user) }
            if user.typedIdentifiers != before.typedIdentifiers
                || user.emailVerifiedAt != before.emailVerifiedAt
            {
                try transaction.refuseTaken(user)
                try transaction.updateIdentifiers(of: user)
            }
            // Taken away first: an identity may be replaced.
            let replaced = links.providers.union(asked.unlinked)
            for identity in user.identities where replaced.contains(identity.provider) {
                guard !links.contains(identity), let revocation = revocations[identity.provider] else { continue }
                try transaction.unlink(identity, of: id, in: application.id, revocation: revocation, at: now)
                user.identities.removeAll { $0 == identity }
            }
            try links.join(&user, in: transaction)
            let hasNewEmail = user.email != nil && user.email != before.email
            var changes = AccountChange.between(before, user)
            if let password {
                try password.write(for: &user, in: transaction, at: now)
                changes[.passwordChanged] = [:]
            }
            if changes.isEmpty, actor == .operator { changes[.profileChanged] = [:] }
            try ready.settle(
                changes, of: &user, keeping: password == nil ? kept : .nothing,
                unlinked: changes[.identityUnlinked] == nil ? [] : before.providers(notIn: user), in: transaction)
            let logIn = try password?.issuer?.issue(to: user, in: transaction)
            return Answer(user: logIn?.user ?? user, hasNewEmail: hasNewEmail, token: logIn?.token)
        }
    }

    /// Checks and hashes the password that is asked for, before the transaction.
    private func newPassword(
        of known: User, in application: Application, by actor: Actor, _ changes: Changes, from origin: RequestOrigin,
        at now: Timestamp
    ) async throws(DomainError) -> NewPassword? {
        guard let secret = changes.password else { return nil }
        try actor.require(changes.needed(for: known), of: known)
        var user = known
        try Self.apply(changes, to: &user, application.settings.fieldRules, by: actor, at: now)
        let faults =
            user.typedIdentifiers.isEmpty
            ? [ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue)))] : []
        let password = try PasswordRules(for: application, user: user, rules: changes.identifiers.rules)
            .check(secret, field: "password", beside: faults)
        return NewPassword(
            hash: try await passwords.hash(password),
            issuer: changes.renewal.map { renewal in
                SessionIssuer(
                    .init(
                        application, renewal.protocolName, by: .password,
                        on: .init(device: renewal.device, address: origin.address), record: .nothing),
                    audit: self.changes.audit, randomness: randomness, now: now)
            })
    }

    /// A password made ready, and the session that follows it.
    private struct NewPassword: Sendable {
        var hash: PasswordHash
        var issuer: SessionIssuer?

        func write(
            for user: inout User, in transaction: any Transaction, at now: Timestamp
        ) throws(DomainError) {
            try transaction.setPassword(hash, of: user.id, in: user.application, at: now)
            user.passwordSetAt = now
            try transaction.forgetFailures(of: user)
        }
    }

    private static func apply(
        _ changes: Changes, to user: inout User, _ rules: FieldRules, by actor: Actor, links: [Identity] = [],
        at now: Timestamp
    ) throws(DomainError) {
        let before = user
        let (fields, broken) = user.fields.applying(changes.operations)
        var faults = broken
        user.fields = fields
        faults += changes.identifiers.apply(to: &user)
        // With what will be linked, which may be what registers the user.
        let linked = user.identities
        user.identities += links
        faults += rules.settle(&user, from: before, told: changes.operations.keys, by: actor.writing(to: before))
        user.identities = linked
        if faults.isEmpty && user.fields != before.fields { faults += ProfileRules.faults(ofFields: user.fields) }
        if changes.changesAccess(to: before) || actor.role(towards: before) >= .owner {
            user.acl = changes.acl.applied(to: user.acl)
        }
        faults += user.acl?.faults(field: "accessList") ?? []
        if let isDisabled = changes.isDisabled, isDisabled != user.isDisabled {
            user.disabledAt = isDisabled ? now : nil
        }
        if let isVerified = changes.isEmailVerified, isVerified != (user.emailVerifiedAt != nil), user.email != nil {
            user.emailVerifiedAt = isVerified ? now : nil
        }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }
}

extension ChangeUser.Changes {
    /// What the request may turn out to change.
    fileprivate func possible(by actor: ChangeUser.Actor) -> Set<AccountChange> {
        var possible: Set<AccountChange> = []
        if !identifiers.isEmpty || isEmailVerified != nil {
            possible.formUnion([.addressChanged, .identifiersChanged, .emailVerified])
        }
        if case .unchanged = acl {} else { possible.insert(.aclChanged) }
        if !people.isEmpty || anonymousId != nil || !unlinked.isEmpty || password != nil {
            possible.formUnion([.identityLinked, .identityUnlinked])
        }
        if password != nil { possible.insert(.passwordChanged) }
        if isDisabled != nil { possible.formUnion([.disabled, .enabled]) }
        if actor == .operator { possible.insert(.profileChanged) }
        return possible
    }

    /// The user with another address, for the mail that tells of it.
    fileprivate func expected(of known: User, at now: Timestamp) -> User {
        var user = known
        _ = identifiers.apply(to: &user)
        if let isEmailVerified { user.emailVerifiedAt = isEmailVerified ? user.emailVerifiedAt ?? now : nil }
        return user
    }
}

extension User {
    fileprivate func providers(notIn other: User) -> Set<Identity.Provider> {
        Set(identities.filter { !other.identities.contains($0) && $0.provider != .device }.map(\.provider))
    }
}

extension ChangeUser.Actor {
    /// - Throws: `accessRefused` when the actor may not all of it.
    fileprivate func require(_ needed: Set<AccountPermission>, of user: User) throws(DomainError) {
        let role = role(towards: user)
        guard needed.allSatisfy({ $0.needs <= role }) else { throw .accessRefused }
    }

    /// In whose name the fields of a user are written.
    fileprivate func writing(to user: User) -> FieldActor {
        switch self {
        case .operator: .server
        case .user(let id, _): id == user.id ? .owner : .others
        }
    }

    /// As the audit log has it.
    var inAudit: AuditEntry.Actor {
        switch self {
        case .user(let user?, _): .user(user)
        case .user(nil, _): .unknown
        case .operator: .operator
        }
    }
}
