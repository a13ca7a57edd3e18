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
    let notice: MailNotice
    let audit: AuditTrail

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

    /// How a session is opened after a password was set.
    package struct Renewal: Sendable {
        package var protocolName: Session.ProtocolName
        package var device: DeviceDescription
        package var origin: RequestOrigin

        package init(protocolName: Session.ProtocolName, device: DeviceDescription, origin: RequestOrigin) {
            self.protocolName = protocolName
            self.device = device
            self.origin = origin
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

    /// - Throws: `accessRefused`, `userUnknown`, `fieldsRefused`, `identifiersTaken`, `identityTaken`,
    ///   `providerTokenReplayed`, `busy`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, by actor: Actor, _ changes: Changes
    ) async throws(DomainError) -> Answer {
        let now = clock.now
        let excess = ProfileRules.faults(ofChange: changes.operations)
        guard excess.isEmpty else { throw .fieldsRefused(excess) }
        var changes = changes
        let password = try await newPassword(of: id, in: application, by: actor, changes, at: now)
        if password != nil { changes.unlinked.insert(.anonymous) }
        let asked = changes
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
            if user.accessList != before.accessList { try transaction.updateAccessList(of: user) }
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
            guard let password else { return Answer(user: user, hasNewEmail: hasNewEmail) }
            let logIn = try password.write(for: &user, in: transaction, at: now)
            return Answer(user: logIn?.user ?? user, hasNewEmail: hasNewEmail, token: logIn?.token)
        }
    }

    /// Checks and hashes the password that is asked for, before the transaction.
    private func newPassword(
        of id: Identifier<User>, in application: Application, by actor: Actor, _ changes: Changes, at now: Timestamp
    ) async throws(DomainError) -> NewPassword? {
        guard let secret = changes.password else { return nil }
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard var user = known, user.deletionRequestedAt == nil else { throw .userUnknown }
        try actor.require(changes.needed(for: user), of: user)
        let told = user
        try Self.apply(changes, to: &user, application.settings.fieldRules, by: actor, at: now)
        let faults =
            user.typedIdentifiers.isEmpty
            ? [FieldFault(field: "", rule: .noneOf(TypedIdentifier.Kind.allCases.map(\.rawValue)))] : []
        let password = try PasswordRules(for: application, user: user, rules: changes.identifiers.rules)
            .check(secret, field: "password", beside: faults)
        let origin = changes.renewal?.origin ?? .local
        return NewPassword(
            hash: try await passwords.hash(password),
            mail: try notice(.passwordChanged, to: told, in: application, at: now),
            entry: audit.draft(.passwordChanged, by: actor.inAudit, in: application.id, from: origin),
            opening: changes.renewal.map { renewal in
                SessionOpening(
                    application: application, deviceKey: nil, device: renewal.device, address: origin.address,
                    protocolName: renewal.protocolName, method: .password, attempt: nil, randomness: randomness,
                    now: now)
            })
    }

    /// A password made ready, and what goes with it.
    private struct NewPassword: Sendable {
        var hash: PasswordHash
        var mail: QueuedMail?
        var entry: AuditDraft
        var opening: SessionOpening?

        func write(
            for user: inout User, in transaction: any Transaction, at now: Timestamp
        ) throws(DomainError) -> LogIn? {
            let (id, application) = (user.id, user.application)
            try transaction.setPassword(hash, of: id, in: application, at: now)
            user.passwordSetAt = now
            try transaction.forgetFailures(of: user)
            try transaction.removeCode(of: .passwordReset, user: id, in: application)
            // No session has the empty id: all of them end.
            _ = try transaction.endSessions(of: id, in: application, except: Identifier(rawValue: ""))
            if let mail { try transaction.insert(mail) }
            try entry.record(on: .user(id), in: transaction)
            return try opening?.open(for: user, in: transaction)
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
            user.accessList = changes.accessList.applied(to: user.accessList)
        }
        faults += user.accessList?.faults(field: "accessList") ?? []
        if let isDisabled = changes.isDisabled, isDisabled != user.isDisabled {
            user.disabledAt = isDisabled ? now : nil
        }
        if let isVerified = changes.isEmailVerified, isVerified != (user.emailVerifiedAt != nil), user.email != nil {
            user.emailVerifiedAt = isVerified ? now : nil
        }
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
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
