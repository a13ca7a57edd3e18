/// Takes users in from another service, a part at a time. What is there already is left alone, so that an import that
/// broke off can simply be run again.
package struct ImportUsers: Sendable {
    /// The most users in one call, which is one transaction.
    package static let batchSize = 200
    static let maximumIdBytes = 128

    /// The most tokens of one user.
    package static let maximumTokens = 50

    /// What is taken in although a sign-up would be refused for it.
    package struct Rules: Sendable {
        /// Whether user names that differ in their writing alone, such as capitals, are two users' names. Typed exactly each
        /// leads to its own user; in another writing the name leads to who had it first.
        let takesTwins: Bool
        /// Whether users are taken in without what cannot be taken, as far as something still leads to them.
        let takesParts: Bool
        /// What becomes of users who have what another one has: where nothing is said `first` with `takesParts`, else `refuse`.
        let duplicates: ImportDuplicates

        package init(takesTwins: Bool = false, takesParts: Bool = false, duplicates: ImportDuplicates? = nil) {
            self.takesTwins = takesTwins
            self.takesParts = takesParts
            self.duplicates = duplicates ?? (takesParts ? .first : .refuse)
        }
    }

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let protocols: ProtocolRegistry
    let passwords: any PasswordHashing
    let findProvider: FindProvider
    let sealingKey: SealingKey

    /// - Parameters:
    ///   - users: At most `batchSize`.
    ///   - application: Where they come to.
    ///   - protocolName: Whose tokens they bring along.
    ///   - rules: What is taken in of them.
    ///   - isRehearsal: Whether everything is checked and nothing written.
    ///   - rehearsal: What was read of the same export before; `nil` for one of a single part.
    /// - Returns: what became of each, in their order.
    /// - Throws: `applicationUnknown`, `busy`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ users: [ImportedUser], into application: Identifier<Application>, of protocolName: Session.ProtocolName,
        by rules: Rules = Rules(), isRehearsal: Bool, rehearsal: ImportRehearsal? = nil
    ) async throws(DomainError) -> [ImportOutcome] {
        let found = try await store.read { transaction throws(DomainError) in try transaction.application(application) }
        let ongoing = isRehearsal ? rehearsal ?? ImportRehearsal() : nil
        let home = found ?? ongoing?.application
        guard let home else { throw .applicationUnknown }
        let sessionRules = home.settings.sessionRules(of: protocols[protocolName])
        let present = isRehearsal ? [] : try await present(among: users, in: application)
        let takesOthers = rules.duplicates.takesParts
        var candidates: [ImportCandidate] = []
        for imported in users {
            let isPresent = present.contains(imported.user.id)
            var candidate = try await candidate(
                imported, in: home, hashes: !isRehearsal && !isPresent, takesParts: rules.takesParts)
            candidate.isPresent = isPresent
            candidate.takesTwins = rules.takesTwins
            candidate.lost = rules.duplicates.lost(by: candidate.user)
            take(imported.tokens, into: &candidate, of: protocolName, sessionRules)
            if rules.takesParts { candidate.leaveOutFaults(within: home.settings.fieldRules.limits) }
            candidates.append(candidate)
        }
        let (ready, now) = (candidates, clock.now)
        if let ongoing {
            let judged = try await store.read { transaction throws(DomainError) in
                var judged: [(candidate: ImportCandidate, outcome: ImportOutcome)] = []
                for var candidate in ready {
                    let outcome = try Self.outcome(of: &candidate, takesParts: takesOthers, in: transaction)
                    judged.append((candidate, outcome))
                }
                return judged
            }
            return judged.map { rehearsed($0.candidate, $0.outcome, takesParts: takesOthers, in: ongoing) }
        }
        return try await store.write { transaction throws(DomainError) in
            var outcomes: [ImportOutcome] = []
            for var candidate in ready {
                let outcome = try Self.outcome(of: &candidate, takesParts: takesOthers, in: transaction)
                if outcome.isNew { try candidate.store(in: home, at: now, transaction) }
                try Self.insertSessions(of: candidate, outcome, in: transaction)
                outcomes.append(outcome)
            }
            return outcomes
        }
    }

    /// What would become of a user, by those whom the export has before it.
    private func rehearsed(
        _ candidate: ImportCandidate, _ outcome: ImportOutcome, takesParts: Bool, in rehearsal: ImportRehearsal
    ) -> ImportOutcome {
        guard outcome.isNew else { return outcome }
        var (candidate, outcome) = (candidate, outcome)
        let id = ImportRehearsal.Claim(field: "id", value: candidate.user.id.rawValue)
        // The second of an id would be left alone, as in a second run.
        guard rehearsal.known([id]).isEmpty else { return .present }
        let taken = rehearsal.known(candidate.claims).map { ValidationError(field: $0.field, rule: .notUnique) }
        if !taken.isEmpty { outcome = candidate.outcome(without: taken, takesParts: takesParts) }
        if outcome.isNew { rehearsal.note([id] + candidate.claims) }
        return outcome
    }

    /// Those who are there already and whose passwords would have to be hashed, which takes time.
    private func present(
        among users: [ImportedUser], in application: Identifier<Application>
    ) async throws(DomainError) -> Set<Identifier<User>> {
        let ids = users.filter { $0.password != nil || $0.hash.map(passwords.isFast) ?? false }.map(\.user.id)
        guard !ids.isEmpty else { return [] }
        return try await store.read { transaction throws(DomainError) in
            var present: Set<Identifier<User>> = []
            for id in ids where try transaction.user(id, in: application) != nil { present.insert(id) }
            return present
        }
    }

    /// Makes a user ready. Passwords are hashed and fast hashes wrapped where `hashes` says so; otherwise nothing is stored.
    private func candidate(
        _ imported: ImportedUser, in application: Application, hashes: Bool, takesParts: Bool
    ) async throws(DomainError) -> ImportCandidate {
        let limits = application.settings.fieldRules.limits
        var (user, faults) = (imported.user, imported.faults + Self.faults(in: imported.user, within: limits))
        if let number = user.phone.flatMap(PhoneNumber.init) { user.phone = number.text }
        if let anonymousId = imported.anonymousId {
            user.identities.append(
                Identity(provider: .anonymous, subject: anonymousId.subject, linkedAt: user.createdAt))
        }
        for (provider, name) in imported.providerNames.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            do {
                let configured = try await findProvider(provider, in: application.id).configured
                user.identities.append(
                    Identity(provider: provider, subject: configured.subject(of: name), linkedAt: user.createdAt))
                faults += ProfileRules.subject.faults(of: name, field: "identities.\(provider.rawValue)")
            } catch {
                guard error == .providerNotEnabled else { throw error }
                faults.append(ValidationError(field: "identities.\(provider.rawValue)", rule: .notOffered))
            }
        }
        var hash = imported.hash
        if let imported = hash, !passwords.canTry(imported) {
            // Without this the user would never log in by the password, and nobody would know why.
            faults.append(ValidationError(field: "password", rule: .notATriableHash))
        }
        if hashes, faults.isEmpty || takesParts, let fast = hash, passwords.isFast(fast) {
            hash = try await passwords.wrap(fast, for: .imports)
        }
        var isWeak = false
        if hash == nil, let secret = imported.password {
            if let password = Password(secret.revealed) {
                isWeak = password.isName(of: user)
                if hashes, faults.isEmpty || takesParts {
                    hash = try await passwords.hash(password, for: .imports)
                }
            } else {
                faults.append(ValidationError(field: "password", rule: .tooManyBytes(maximum: Password.maximumBytes)))
            }
        }
        let now = clock.now
        var candidate = ImportCandidate(
            user: user, hash: hash, isWeak: isWeak,
            sessions: imported.sessions.map { MovedSession($0, randomness: randomness, at: now) },
            faults: faults + imported.sessions.flatMap { $0.faults(within: limits) })
        Self.complete(&candidate, in: application)
        candidate.anonymousAccount = try imported.anonymousId?
            .account(in: application.id, sealedWith: sealingKey, at: now)
        candidate.credentials = try imported.credentials?.mapSecrets(sealingKey.seal)
        candidate.faults += imported.credentials?.faults(of: imported.user, within: limits) ?? []
        return candidate
    }

    /// Fills in defaults. What is required is not demanded: nobody is there to be asked, and nobody shall be left behind.
    private static func complete(_ candidate: inout ImportCandidate, in application: Application) {
        do {
            candidate.user = try candidate.registration(in: application).completed()
        } catch {
            guard let faults = error.validationErrors else { return }
            candidate.faults += faults
        }
    }

    /// Makes sessions that the tokens lead to.
    private func take(
        _ tokens: [Secret], into candidate: inout ImportCandidate, of name: Session.ProtocolName, _ rules: SessionRules
    ) {
        if tokens.count > Self.maximumTokens {
            candidate.faults.append(ValidationError(field: "tokens", rule: .tooManyFields(maximum: Self.maximumTokens)))
        }
        let now = clock.now
        for token in tokens.prefix(Self.maximumTokens) {
            guard
                let moved = MovedSession(token, of: name, rules, for: candidate.user, randomness: randomness, at: now)
            else {
                candidate.faults.append(ValidationError(field: "tokens", rule: .notAKey))
                continue
            }
            candidate.sessions.append(moved)
        }
    }

    static func faults(in user: User, within limits: ProfileLimits) -> [ValidationError] {
        var faults = TextRule(maximumBytes: maximumIdBytes).faults(of: user.id.rawValue, field: "id")
        // An access list of the user's own would be one of everybody, or of a role; and at `me` old apps find the one who asks.
        if ACL.Subject(text: user.id.rawValue) != .user(user.id) || user.id.rawValue == "me" {
            faults.append(ValidationError(field: "id", rule: .notAUserId))
        }
        faults += ProfileRules.faults(ofImportedUserName: user.username, within: limits)
        if let email = user.email, MailAddress(email) == nil {
            faults.append(ValidationError(field: "email", rule: .notAMailAddress))
        }
        if let phone = user.phone, PhoneNumber(phone) == nil {
            faults.append(ValidationError(field: "phone", rule: .notAPhoneNumber))
        }
        faults += ProfileRules.faults(
            displayName: user.displayName, locale: user.locale, fields: user.fields, within: limits)
        faults += user.acl?.faults(field: "accessList") ?? []
        return faults
    }

    private static func outcome(
        of candidate: inout ImportCandidate, takesParts: Bool, in transaction: any Transaction
    ) throws(DomainError) -> ImportOutcome {
        guard candidate.faults.isEmpty else { return .refused(candidate.faults) }
        let user = candidate.user
        if candidate.isPresent { return .present }
        if try transaction.user(user.id, in: user.application) != nil { return .present }
        if try candidate.wasLeft(in: transaction) { return .present }
        let takesTwins = candidate.takesTwins
        let owners = try transaction.owners(of: user.typedIdentifiers, in: user.application)
            .filter { !(takesTwins && $0.isTwin(of: user)) }
        var faults = notUnique(owners.map(\.kind))
        // What was left out already is nobody's loss.
        faults += candidate.lost.filter { lost in
            !faults.contains(lost) && user.typedIdentifiers.contains { $0.kind.rawValue == lost.field }
        }
        for identity in user.identities {
            let owner = try transaction.user(
                provider: identity.provider, subject: identity.subject, in: user.application)
            if owner != nil {
                faults.append(ValidationError(field: "identities.\(identity.provider.rawValue)", rule: .notUnique))
            }
        }
        for passkey in candidate.credentials?.passkeys ?? []
        where try transaction.passkey(passkey.id, in: user.application) != nil {
            faults.append(ValidationError(field: "passkeys", rule: .notUnique))
        }
        return candidate.outcome(without: faults, takesParts: takesParts)
    }

    private static func notUnique(_ kinds: [LogInIdentifier.Kind]) -> [ValidationError] {
        kinds.map { ValidationError(field: $0.rawValue, rule: .notUnique) }
    }

    /// A token that leads to a session already is left alone, also when it is another user's. Users who are there already get
    /// those that come in a second file.
    private static func insertSessions(
        of candidate: ImportCandidate, _ outcome: ImportOutcome, in transaction: any Transaction
    ) throws(DomainError) {
        guard !outcome.isRefusal, !candidate.sessions.isEmpty else { return }
        if !outcome.isNew {
            let known = try transaction.user(candidate.user.id, in: candidate.user.application)
            guard let known, known.takesMovedSessions, try !transaction.isUnknownElsewhere(known) else { return }
        }
        for moved in candidate.sessions { try moved.store(in: transaction) }
    }
}
