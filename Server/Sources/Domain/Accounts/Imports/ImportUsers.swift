/// Takes users in from another service, a part at a time. What is there already is left alone, so that an import that
/// broke off can simply be run again.
package struct ImportUsers: Sendable {
    /// The most users in one call, which is one transaction.
    package static let batchSize = 200
    private static let maximumIdBytes = 128

    /// The most tokens of one user.
    package static let maximumTokens = 50

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let protocols: ProtocolRegistry
    let passwords: any PasswordHashing
    let findProvider: FindProvider

    /// A user made ready.
    private struct Candidate: Sendable {
        var user: User
        var hash: PasswordHash?
        var isWeak = false
        var sessions: [MovedSession] = []
        var faults: [ValidationError]

        func registration(in application: Application) -> UserRegistration {
            UserRegistration(importing: user, faults: faults, hash: hash, isWeak: isWeak, into: application)
        }
    }

    /// - Parameters:
    ///   - users: At most `batchSize`.
    ///   - application: Where they come to.
    ///   - protocolName: Whose tokens they bring along.
    ///   - isRehearsal: Whether everything is checked and nothing written.
    /// - Returns: what became of each, in their order.
    /// - Throws: `applicationUnknown`, `busy`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ users: [ImportedUser], into application: Identifier<Application>, of protocolName: Session.ProtocolName,
        isRehearsal: Bool
    ) async throws(DomainError) -> [ImportOutcome] {
        let home = try await store.read { transaction throws(DomainError) in try transaction.application(application) }
        guard let home else { throw .applicationUnknown }
        let rules = home.settings.sessionRules(of: protocols[protocolName])
        var candidates: [Candidate] = []
        for imported in users {
            var candidate = try await candidate(imported, in: application, isRehearsal: isRehearsal)
            Self.complete(&candidate, in: home)
            take(imported.tokens, into: &candidate, of: protocolName, rules)
            candidates.append(candidate)
        }
        let ready = candidates
        if isRehearsal {
            return try await store.read { transaction throws(DomainError) in
                var (outcomes, seen): ([ImportOutcome], Set<String>) = ([], [])
                for candidate in ready {
                    var outcome = try Self.outcome(of: candidate, in: transaction)
                    // Two of one file are found out too, as far as they stand in one part of it.
                    let taken = candidate.user.typedIdentifiers.filter {
                        !seen.insert("\($0.kind.rawValue) \($0.folded)").inserted
                    }
                    if outcome == .imported, !taken.isEmpty { outcome = Self.refusal(taken.map(\.kind)) }
                    outcomes.append(outcome)
                }
                return outcomes
            }
        }
        return try await store.write { transaction throws(DomainError) in
            var outcomes: [ImportOutcome] = []
            for candidate in ready {
                let outcome = try Self.outcome(of: candidate, in: transaction)
                if outcome == .imported {
                    _ = try candidate.registration(in: home).store(in: transaction, joining: nil, session: nil)
                }
                if !outcome.isRefusal { try Self.insertSessions(of: candidate, in: transaction) }
                outcomes.append(outcome)
            }
            return outcomes
        }
    }

    private func candidate(
        _ imported: ImportedUser, in application: Identifier<Application>, isRehearsal: Bool
    ) async throws(DomainError) -> Candidate {
        var (user, faults) = (imported.user, imported.faults + Self.faults(in: imported.user))
        if let anonymousId = imported.anonymousId {
            user.identities.append(
                Identity(provider: .anonymous, subject: anonymousId.subject, linkedAt: user.createdAt))
        }
        for (provider, name) in imported.providerNames.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            do {
                let configured = try await findProvider(provider, in: application).configured
                user.identities.append(
                    Identity(provider: provider, subject: configured.subject(of: name), linkedAt: user.createdAt))
            } catch {
                guard error == .providerNotEnabled else { throw error }
                faults.append(ValidationError(field: "identities.\(provider.rawValue)", rule: .notOffered))
            }
        }
        var hash = imported.hash
        if hash == nil, let secret = imported.password, !isRehearsal, faults.isEmpty {
            guard let password = Password(secret.revealed) else {
                faults.append(ValidationError(field: "password", rule: .tooManyBytes(maximum: Password.maximumBytes)))
                return Candidate(user: user, hash: nil, faults: faults)
            }
            hash = try await passwords.hash(password)
            return Candidate(user: user, hash: hash, isWeak: password.isName(of: user), faults: faults)
        }
        let now = clock.now
        return Candidate(
            user: user, hash: hash,
            sessions: imported.sessions.map { MovedSession($0, randomness: randomness, at: now) },
            faults: faults + imported.sessions.flatMap(\.faults))
    }

    /// Fills in defaults. What is required is not demanded: nobody is there to be asked, and nobody shall be left behind.
    private static func complete(_ candidate: inout Candidate, in application: Application) {
        do {
            candidate.user = try candidate.registration(in: application).completed()
        } catch {
            guard let faults = error.validationErrors else { return }
            candidate.faults += faults
        }
    }

    /// Makes sessions that the tokens lead to.
    private func take(
        _ tokens: [Secret], into candidate: inout Candidate, of name: Session.ProtocolName, _ rules: SessionRules
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

    private static func faults(in user: User) -> [ValidationError] {
        let id = TextRule(maximumCharacters: maximumIdBytes).faults(of: user.id.rawValue, field: "id")
        let name = TextRule(maximumCharacters: 255).faults(of: user.username, field: "username")
        var faults = id + name
        if let email = user.email, MailAddress(email) == nil {
            faults.append(ValidationError(field: "email", rule: .notAMailAddress))
        }
        faults += ProfileRules.faults(displayName: user.displayName, locale: user.locale, fields: user.fields)
        faults += user.acl?.faults(field: "accessList") ?? []
        return faults
    }

    private static func outcome(
        of candidate: Candidate, in transaction: any Transaction
    ) throws(DomainError) -> ImportOutcome {
        let user = candidate.user
        guard candidate.faults.isEmpty else { return .refused(candidate.faults) }
        if try transaction.user(user.id, in: user.application) != nil { return .present }
        let owners = try transaction.owners(of: user.typedIdentifiers, in: user.application)
        guard owners.isEmpty else { return refusal(owners.map(\.kind)) }
        for identity in user.identities {
            let owner = try transaction.user(
                provider: identity.provider, subject: identity.subject, in: user.application)
            if owner != nil {
                return .refused([ValidationError(field: "identities.\(identity.provider.rawValue)", rule: .notUnique)])
            }
        }
        return .imported
    }

    private static func refusal(_ kinds: [LogInIdentifier.Kind]) -> ImportOutcome {
        .refused(kinds.map { ValidationError(field: $0.rawValue, rule: .notUnique) })
    }

    /// A token that leads to a session already is left alone, also when it is another user's.
    private static func insertSessions(
        of candidate: Candidate, in transaction: any Transaction
    ) throws(DomainError) {
        for moved in candidate.sessions where try !moved.isPresent(in: transaction) {
            try moved.store(in: transaction)
        }
    }
}
