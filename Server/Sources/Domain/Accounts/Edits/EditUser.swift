/// Stores edits of users. Nothing else does, whatever the protocol: evictions, entries of the audit log and
/// mails go with the change, in one transaction.
package struct EditUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let issuers: SessionIssuers
    let sealingKey: SealingKey
    let prepareCredential: PrepareCredential
    let lookUpUser: LookUpUser
    let changes: AccountChanges
    let askHook: AskHook

    package struct Response: Sendable {
        /// The user afterwards.
        package var user: User
        /// Whether the mail address is another one.
        package var hasNewEmail: Bool
        /// The new session's token, when one was opened.
        package var token: Secret?
    }

    /// - Parameters:
    ///   - edit: What changes.
    ///   - id: Whom.
    ///   - application: Where.
    ///   - author: Who asks.
    /// - Returns: the user afterwards.
    /// - Throws: `sessionInvalid`, `accessRefused`, `reauthenticationRequired`, `userUnknown`, `fieldsRefused`, `identifiersTaken`, `identityTaken`, `identityUnknown`,
    ///   `lastWayIn`, `alreadyRegistered`, `providerTokenReplayed`, `administration(changedMeanwhile)`, `busy`,
    ///   `hookRefused`, `hookUnavailable`, `rateLimited`, `storageUnavailable`. Nothing is changed then.
    @discardableResult
    package func callAsFunction(
        _ edit: UserEdit, of id: Identifier<User>, in application: Application, by author: AccountAuthor
    ) async throws(DomainError) -> Response {
        try edit.refuseExcess(application.settings.fieldRules.limits)
        var known: User?
        // Edits of the own profile need nothing that is made ready, and are not read twice.
        if !edit.possible(by: author.actor).isEmpty || edit.password != nil {
            known = try await store.read { transaction throws(DomainError) in
                try transaction.user(id, in: application.id)
            }
            guard known != nil else { throw .userUnknown }
        }
        if let known { try await countLookUp(by: edit, of: known, in: application.id, author) }
        let ready = try await ready(edit, of: known, in: application, by: author)
        return try await store.write { transaction throws(DomainError) in
            // Before the user is read: the name that the present team has for a linked person is no other identity, for which
            // the former one would be unlinked.
            try ready.links.carryOver(in: transaction)
            guard let before = try transaction.user(id, in: application.id) else { throw .userUnknown }
            return try ready.store(before, keeping: author.kept, in: transaction)
        }
    }

    /// Counts a user's request for another identifier as a look-up: the response tells whether somebody has it (requirement 10).
    private func countLookUp(
        by edit: UserEdit, of known: User, in application: Identifier<Application>, _ author: AccountAuthor
    ) async throws(DomainError) {
        let needed = edit.needed(for: known)
        // Who may not ask learns nothing.
        guard needed.contains(.identifiersChanged), let payer = author.payer,
            author.actor.may(.identifiersChanged, known)
        else { return }
        try author.requireProof(of: needed, at: clock.now)
        try await lookUpUser.count(by: payer.user, in: application)
    }

    /// Makes an edit ready for the transaction that stores it: hashes a password, seals grants, draws ids, begins entries
    /// and mails.
    ///
    /// - Parameters:
    ///   - edit: What changes.
    ///   - known: The user as known before the transaction; `nil` when nothing has to be made ready.
    ///   - application: Where.
    ///   - author: Who asks.
    /// - Returns: what the transaction stores.
    /// - Throws: what `callAsFunction` throws.
    func ready(
        _ edit: UserEdit, of known: User?, in application: Application, by author: AccountAuthor
    ) async throws(DomainError) -> ReadyEdit {
        let now = clock.now
        // Before anything is hashed or sealed.
        if let known {
            try edit.refuseUnread(known, by: author.actor, application.settings.fieldRules)
            try author.requireProof(of: edit.needed(for: known), at: now)
        }
        var edit = edit.held(to: application.settings.signUp, by: author.actor)
        if !edit.unlinked.isEmpty {
            edit.workingWays = try await store.read { transaction throws(DomainError) in
                try transaction.workingWays(of: application, hasMail: changes.hasMail)
            }
        }
        let links = try IdentityLinks(
            edit.people, edit.anonymousId, by: author.way, in: application.id, sealingKey: sealingKey, at: now)
        var ready = ReadyEdit(
            edit: edit, application: application, author: author, links: links,
            revocations: edit.unlinked.isEmpty && links.providers.isEmpty
                ? nil : RevocationIds(changes.audit.randomness, at: now),
            now: now)
        ready.profileEvent = changes.published(.profileChanged, in: application, by: author)
        guard let known else { return ready }
        ready.password = try await password(edit, of: known, in: application, by: author, at: now)
        if ready.password == nil, case .first? = edit.password { ready.edit.password = .first(nil) }
        ready.isApproved = try await isApproved(edit, of: known, in: application, by: author, at: now)
        if case .set(_, let renewal?)? = edit.password {
            ready.issuer = issuers.issuer(
                for: .init(
                    application, renewal.protocolName, by: .password,
                    on: .init(device: renewal.device, address: author.entry.origin.address), record: .nothing),
                at: now)
        }
        if edit.proven != nil { ready.yielding = try changes.yielding(in: application.id, by: author, at: now) }
        ready.changes = try changes.ready(
            edit.possible(by: author.actor), of: known,
            becoming: edit.expected(known, by: author.actor, application.settings.fieldRules, at: now),
            in: application, by: author, at: now)
        return ready
    }

    /// Asks the application's hook, where the edit makes an anonymous user a registered one.
    private func isApproved(
        _ edit: UserEdit, of known: User, in application: Application, by author: AccountAuthor, at now: Timestamp
    ) async throws(DomainError) -> Bool {
        guard known.isAnonymous, application.activeHook(.upgrade) != nil, author.actor.asksHooks else {
            return false
        }
        let outcome = try edit.outcome(of: known, by: author.actor, application.settings.fieldRules, at: now)
        // What breaks a rule is refused without being asked about.
        guard outcome.faults.isEmpty else { return false }
        return try await askHook.beforeUpgrade(
            of: known, to: outcome.user, vouched: edit.people.first?.email, from: author.entry.origin, in: application)
    }

    /// The password that is asked for, checked against the user as it will be.
    private func password(
        _ edit: UserEdit, of known: User, in application: Application, by author: AccountAuthor, at now: Timestamp
    ) async throws(DomainError) -> CredentialChange? {
        switch edit.password {
        case nil: return nil
        case .first(let secret)? where edit.manner == .compatible && secret == nil: return nil
        case .first? where edit.ignoresPassword(of: known): return nil
        case .set?, .first?: break
        }
        let outcome = try edit.outcome(of: known, by: author.actor, application.settings.fieldRules, at: now)
        let password = try PasswordRules(for: application, user: outcome.user, rules: edit.identifiers.rules)
            .check(edit.password?.secret, field: "password", beside: outcome.faults)
        let change: AccountChange = if case .first? = edit.password { .upgraded } else { .passwordChanged }
        return try await prepareCredential(change, to: password, of: outcome.user, by: author)
    }
}

extension UserEdit {
    /// The edit by the rules of the application's sign-up. They do not bind its operators.
    func held(to rules: SignUpRules, by actor: AccountActor) -> UserEdit {
        guard !actor.isOperator else { return self }
        var edit = self
        edit.identifiers.rules = identifiers.rules.held(to: rules)
        return edit
    }

    /// Whether the edit has a first password for a user who has one already, which the mobile backends left out.
    fileprivate func ignoresPassword(of user: User) -> Bool {
        guard case .first? = password else { return false }
        return manner == .compatible && user.hasPassword
    }

    /// A user with the addresses and identities that the edit gives, for the mails that tell of it.
    fileprivate func expected(_ known: User, by actor: AccountActor, _ rules: FieldRules, at now: Timestamp) -> User {
        var user = known
        // What cannot be done is refused where it is stored: then no mail tells of it.
        if changesIdentities, let outcome = try? outcome(of: known, by: actor, rules, at: now) {
            user.identities = outcome.user.identities
        }
        _ = identifiers.apply(to: &user)
        if let isEmailVerified { user.emailVerifiedAt = isEmailVerified ? user.emailVerifiedAt ?? now : nil }
        if let proven, proven.kind == .email { (user.email, user.emailVerifiedAt) = (proven.shown, now) }
        return user
    }
}

/// An edit made ready, for the transaction that stores it.
struct ReadyEdit: Sendable {
    fileprivate(set) var edit: UserEdit
    let application: Application
    let author: AccountAuthor
    let links: IdentityLinks
    /// `nil` for an edit that takes no identity away.
    fileprivate let revocations: RevocationIds?
    fileprivate var password: CredentialChange?
    fileprivate var issuer: SessionIssuer?
    fileprivate var changes: ReadyChanges?
    /// What an address that a code has shown leaves with somebody else who has it unproved.
    fileprivate var yielding: ReadyChanges?
    /// Of a changed profile that the audit log does not have; `nil` where nobody listens.
    fileprivate var profileEvent: AuditDraft?
    /// Whether the application's hook lets an anonymous user be registered.
    fileprivate var isApproved = false
    let now: Timestamp

    fileprivate init(
        edit: UserEdit, application: Application, author: AccountAuthor, links: IdentityLinks,
        revocations: RevocationIds?, now: Timestamp
    ) {
        self.edit = edit
        self.application = application
        self.author = author
        self.links = links
        self.revocations = revocations
        self.now = now
    }

    /// Stores what the edit makes of a user, and what goes with it.
    ///
    /// - Parameters:
    ///   - before: The user as read in this transaction.
    ///   - kept: What the caller uses.
    ///   - transaction: The one that stores the change.
    /// - Returns: the user afterwards.
    /// - Throws: what `EditUser` throws.
    func store(
        _ before: User, keeping kept: KeptAccess, in transaction: any Transaction
    ) throws(DomainError) -> EditUser.Response {
        try author.requireOpenAccount(of: before)
        try edit.refuseUnread(before, by: author.actor, application.settings.fieldRules)
        try author.requireProof(of: edit.needed(for: before), at: now)
        let outcome = try edit.outcome(of: before, by: author.actor, application.settings.fieldRules, at: now)
        guard outcome.faults.isEmpty else { throw .fieldsRefused(outcome.faults) }
        if author.actor.asksHooks {
            try application.requireApproval(isApproved, ofUpgrade: before, to: outcome.user)
        }
        var user = outcome.user
        // Another request may have given the first password meanwhile. Then this one is left out, as in any later update.
        let credential = edit.ignoresPassword(of: before) ? nil : password
        // Of an identity that is linked already, what the provider has just said is kept.
        guard user != before || !edit.people.isEmpty || credential != nil else {
            return EditUser.Response(user: before, hasNewEmail: false)
        }
        try write(&user, over: before, in: transaction)
        try credential?.write(for: &user, in: transaction, at: now)
        let isLoggedOut = if case .set? = edit.password { true } else { false }
        try changes?.settle(
            outcome.changes, of: &user, keeping: isLoggedOut ? .nothing : kept, unlinked: outcome.taken(from: before),
            whereOpen: edit.workingWays, in: transaction)
        try publishProfile(user, over: before, unless: outcome.changes[.profileChanged] != nil, in: transaction)
        let logIn = try issuer?.reissue(to: user, in: transaction)
        return EditUser.Response(
            user: logIn?.user ?? user, hasNewEmail: user.email != nil && user.email != before.email,
            token: logIn?.token)
    }

    /// Writes the event of a changed name, locale or field, by the user or anybody else, unless the change was settled with
    /// its own.
    private func publishProfile(
        _ user: User, over before: User, unless isSettled: Bool, in transaction: any Transaction
    ) throws(DomainError) {
        guard let profileEvent, !isSettled, let type = AccountChange.profileChanged.policy.event,
            user.displayName != before.displayName || user.locale != before.locale || user.fields != before.fields
        else { return }
        try profileEvent.count(.profileEvent, of: author.entry.actor, in: transaction)
        try transaction.insert(profileEvent.event(type, of: user.id, details: user.identifierDetails))
    }

    private func write(_ user: inout User, over before: User, in transaction: any Transaction) throws(DomainError) {
        // Two changes in one millisecond have the same time.
        if user.updatedAt != before.updatedAt || user.displayName != before.displayName || user.locale != before.locale
            || user.fields != before.fields || edit.manner == .compatible
        {
            try transaction.updateProfile(of: user)
        }
        // Operators who give an account another address decide whose it is.
        if case .operator = author.actor, user.email != before.email {
            try transaction.removeCode(of: .emailRecovery, user: user.id, in: application.id)
        }
        if user.isDisabled != before.isDisabled { try transaction.updateStanding(of: user) }
        if user.acl != before.acl { try transaction.updateACL(of: user) }
        if user.typedIdentifiers != before.typedIdentifiers || user.emailVerifiedAt != before.emailVerifiedAt
            || user.phoneVerifiedAt != before.phoneVerifiedAt
        {
            if let proven = edit.proven, let yielding {
                try transaction.takeUnproved(proven, for: user.id, in: application.id, leaving: yielding)
            }
            try transaction.refuseTaken(user, before: before, takesTwins: false)
            try transaction.updateIdentifiers(of: user)
        }
        // Taken away first: an identity may be replaced.
        var stored = before
        let staying = Set(user.identities.map(\.name))
        var gone: Set<Identity> = []
        let going = edit.unlinked.union(links.providers)
        for identity in before.identities where !staying.contains(identity.name) && going.contains(identity.provider) {
            guard let revocations else { break }
            try transaction.unlink(
                identity, of: user.id, in: application.id, revocation: revocations[gone.count], at: now)
            gone.insert(identity)
        }
        if !gone.isEmpty { stored.identities.removeAll { gone.contains($0) } }
        try links.join(&stored, in: transaction)
        user.identities = stored.identities
    }
}

/// Keeps a user out, or lets it in again, for operators. What led to the user ends, but for the last way in, which is
/// refused while the user is disabled.
package struct SetUserDisabled: Sendable {
    let editUser: EditUser

    /// - Returns: the user afterwards; nothing happens when it is so already.
    /// - Throws: `userUnknown`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        _ id: Identifier<User>, in application: Application, isDisabled: Bool, by who: Operator
    ) async throws(DomainError) -> User {
        try await editUser(UserEdit(isDisabled: isDisabled), of: id, in: application, by: .operator(who)).user
    }
}
