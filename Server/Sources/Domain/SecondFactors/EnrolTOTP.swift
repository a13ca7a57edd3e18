/// A key for an authenticator app that waits to be confirmed.
package struct TOTPOffer: Sendable {
    /// Confirms it together with a code.
    package let ticket: Secret
    /// As people type it into an app (RFC 4648 §6).
    package let key: Secret
    /// As a link that authenticator apps open and read as a QR code.
    package let link: Secret
    package let expiresAt: Timestamp
}

/// An authenticator app that was added.
package struct TOTPAddition: Sendable {
    package let factor: TOTPFactor
    /// With the first factor alone, and shown this once.
    package let recoveryCodes: [Secret]?
}

/// Offers keys for authenticator apps, and adds those that a code confirms.
package struct EnrolTOTP: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let sealingKey: SealingKey
    let recoveryCodes: UserRecoveryCodes
    let changes: AccountChanges

    private static let standardName = "Authenticator"
    private var tickets: SecondFactorTickets { SecondFactorTickets(sealingKey: sealingKey) }

    /// What a client confirms a key by.
    package struct Confirmation: Sendable {
        package var ticket: String
        package var code: String
        /// What the user calls the app; `nil` for a name of the server's.
        package var name: String?

        package init(ticket: String, code: String, name: String?) {
            self.ticket = ticket
            self.code = code
            self.name = name
        }
    }

    /// A new key. The owner must have been there lately, so that nobody scans a code in vain.
    ///
    /// - Throws: `secondFactorsNotEnabled`, also for anonymous users; `reauthenticationRequired`, `secondFactorNotRecent`,
    ///   `secretUnreadable`.
    package func offer(for who: Authenticated, by author: AccountAuthor) throws(DomainError) -> TOTPOffer {
        try author.requireProof(of: .secondFactorAdded, at: clock.now)
        return try offer(for: who.user, in: who.application)
    }

    func offer(for user: User, in application: Application) throws(DomainError) -> TOTPOffer {
        guard application.settings.secondFactors.mode != .off, !user.isAnonymous else {
            throw .secondFactorsNotEnabled
        }
        let now = clock.now
        let id: Identifier<TOTPFactor> = randomness.newIdentifier(at: now)
        let key = randomness.bytes(TOTP.keyBytes)
        let end = now + TOTPEnrolment.lifetime
        let enrolment = TOTPEnrolment(
            id: id.rawValue, user: user.id.rawValue, version: user.credentialsVersion, key: key,
            expiresAt: end.milliseconds)
        return offer(enrolment, by: try tickets.seal(enrolment, in: application.id), for: user, in: application)
    }

    /// The same offer once more, for a page that shows its key again after a wrong code.
    ///
    /// - Throws: `secondFactorTicketRefused`, `reauthenticationRequired`, `secondFactorNotRecent`.
    package func repeated(
        _ ticket: String, for who: Authenticated, by author: AccountAuthor
    ) throws(DomainError) -> TOTPOffer {
        try author.requireProof(of: .secondFactorAdded, at: clock.now)
        return try repeated(ticket, for: who.user, in: who.application)
    }

    func repeated(_ ticket: String, for user: User, in application: Application) throws(DomainError) -> TOTPOffer {
        let enrolment = try tickets.enrolment(ticket, of: user.id, in: application.id, at: clock.now)
        guard enrolment.version == user.credentialsVersion else { throw .secondFactorTicketRefused }
        return offer(enrolment, by: Secret(ticket), for: user, in: application)
    }

    private func offer(
        _ enrolment: TOTPEnrolment, by ticket: Secret, for user: User, in application: Application
    ) -> TOTPOffer {
        let totp = TOTP(key: enrolment.key)
        let name = user.username ?? user.email ?? user.displayName ?? user.id.rawValue
        return TOTPOffer(
            ticket: ticket, key: Secret(totp.keyText), link: Secret(totp.link(name: name, issuer: application.name)),
            expiresAt: Timestamp(milliseconds: enrolment.expiresAt))
    }

    /// Adds the app whose key a code confirms. The same confirmation again answers the same.
    ///
    /// - Throws: `secondFactorsNotEnabled`, `reauthenticationRequired`, `secondFactorNotRecent`, `fieldsRefused`,
    ///   `secondFactorTicketRefused`, `secondFactorRefused`, `userUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ confirmation: Confirmation, for who: Authenticated, by author: AccountAuthor
    ) async throws(DomainError) -> TOTPAddition {
        let application = who.application
        guard application.settings.secondFactors.mode != .off else { throw .secondFactorsNotEnabled }
        try author.requireProof(of: .secondFactorAdded, at: clock.now)
        let enrolment = try ready(confirmation, of: who.user, in: application, by: author)
        var session = who.session
        session.secondFactorAt = enrolment.now
        // Its repetition finds a session that has shown the second factor.
        let proven = session
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(who.user.id, in: application.id) else { throw .userUnknown }
            let addition = try enrolment.store(for: &user, by: nil, in: transaction)
            guard let addition else { throw .secondFactorRefused }
            try transaction.noteSecondFactor(of: proven)
            if let key = proven.deviceKey {
                try transaction.noteSecondFactor(ofDevice: key, of: user.id, in: application.id, at: enrolment.now)
            }
            return addition
        }
    }

    /// Checks what needs no transaction.
    func ready(
        _ confirmation: Confirmation, of user: User, in application: Application, by author: AccountAuthor
    ) throws(DomainError) -> ReadyEnrolment {
        let now = clock.now
        let name = confirmation.name ?? Self.standardName
        let faults = TextRule(maximumCharacters: TOTPFactor.maximumNameCharacters).faults(of: name, field: "name")
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
        let enrolment = try tickets.enrolment(confirmation.ticket, of: user.id, in: application.id, at: now)
        let sealed = try sealingKey.seal(enrolment.key, purpose: TOTPFactor.purpose(user.id, application.id))
        let codes = recoveryCodes.codes(from: Array(enrolment.id.utf8) + enrolment.key, of: user.id)
        return ReadyEnrolment(
            enrolment: enrolment, code: confirmation.code,
            factor: TOTPFactor(
                id: Identifier(rawValue: enrolment.id), of: user.id, in: application.id, name: name,
                sealedKey: sealed, lastStep: 0, createdAt: now),
            codes: codes,
            digests: codes.map { recoveryCodes.digest(of: $0.revealed, of: user.id, in: application.id) },
            ready: try changes.ready([.secondFactorAdded], of: user, in: application, by: author, at: now), now: now)
    }
}

/// An enrolment made ready, for the transaction that stores it.
struct ReadyEnrolment: Sendable {
    let enrolment: TOTPEnrolment
    let code: String
    let factor: TOTPFactor
    let codes: [Secret]
    let digests: [SecretDigest]
    let ready: ReadyChanges
    let now: Timestamp

    /// - Parameters:
    ///   - user: Whose, as read in this transaction. Changed too.
    ///   - actor: Who adds it, when only the transaction finds that out.
    ///   - transaction: The one that stores it.
    /// - Returns: `nil` for a wrong code.
    /// - Throws: `secondFactorTicketRefused` when the user's tickets were made void meanwhile; `fieldsRefused` for a
    ///   user with as many as one can have; `accessRefused`, `reauthenticationRequired`, `secondFactorNotRecent`,
    ///   `storageUnavailable`.
    func store(
        for user: inout User, by actor: AccountActor?, in transaction: any Transaction
    ) throws(DomainError) -> TOTPAddition? {
        guard user.credentialsVersion == enrolment.version else { throw .secondFactorTicketRefused }
        let present = try transaction.totpFactors(of: user.id, in: user.application)
        if let before = present.first(where: { $0.id == factor.id }) {
            guard TOTP(key: enrolment.key).step(of: code, at: now, after: 0) != nil else { return nil }
            let left = try transaction.recoveryCodes(of: user.id, in: user.application)
            return TOTPAddition(factor: before, recoveryCodes: Set(left) == Set(digests) ? codes : nil)
        }
        guard present.count < TOTPFactor.maximumPerUser else {
            throw .fieldsRefused([
                ValidationError(field: "ticket", rule: .tooManyFields(maximum: TOTPFactor.maximumPerUser))
            ])
        }
        guard let step = TOTP(key: enrolment.key).step(of: code, at: now, after: 0) else { return nil }
        // Compared with the user as it is before: a further factor needs the first.
        try ready.settle([.secondFactorAdded: [:]], of: &user, keeping: ready.author.kept, by: actor, in: transaction)
        var new = factor
        new.lastStep = step
        try transaction.insert(new)
        guard !user.hasSecondFactor else { return TOTPAddition(factor: new, recoveryCodes: nil) }
        user.secondFactorAt = now
        try transaction.updateSecondFactor(of: user)
        try transaction.replaceRecoveryCodes(of: user.id, in: user.application, with: digests)
        return TOTPAddition(factor: new, recoveryCodes: codes)
    }
}
