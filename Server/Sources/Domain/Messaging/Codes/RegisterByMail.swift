/// Makes a user of a mail address alone, and orders the mail by which the person sets a password: that shows that the
/// address is the person's. Until then nothing but that mail leads to the user.
package struct RegisterByMail: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let enqueueMessage: EnqueueMessage
    let rateLimiter: RateLimiter
    let changes: AccountChanges
    /// New users allowed for one address or /64 network; `nil` for no limit.
    let newUsers: RateLimit?

    /// - Parameters:
    ///   - email: The address as typed.
    ///   - application: Where.
    ///   - languages: What the app prefers, best first.
    ///   - client: Who orders.
    ///   - origin: Where the request came from, for the audit log.
    /// - Throws: `identifiersTaken` when a user has the address who has confirmed it or has a password; somebody who has
    ///   not yet followed an earlier mail gets another one. `mailUnavailable`, `fieldsRefused`, `rateLimited`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        email: String, in application: Application, languages: [String], from client: ClientAddress,
        origin: RequestOrigin
    ) async throws(DomainError) {
        let (now, address) = (clock.now, try EnqueueMessage.address(email))
        let identifier = LogInIdentifier(.email, shown: address)
        if let newUsers {
            let key = RateLimitKey(
                application: application.id, kind: RateLimitKey.firstLaunch, subject: client.allowanceGroup)
            try await rateLimiter(key, limit: newUsers)
        }
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(identifier, in: application.id)
        }
        if let known, known.isConfirmed { throw .identifiersTaken([.email]) }
        // Without mail there must be no user whom nobody can ever reach.
        guard enqueueMessage.delivery.isAvailable else { throw .mailUnavailable }
        var candidate = User(
            id: randomness.newIdentifier(at: now), application: application.id, createdAt: now, updatedAt: now)
        candidate.email = address
        // The mail address is all that can be told here: what else is required is asked for later.
        let user = try application.settings.fieldRules.registered(candidate, by: .owner, demandsAll: false)
        let ready = try changes.ready(
            [.created], of: user, in: application, by: Operator(actor: .unknown, origin: origin), at: now)
        try await store.write { transaction throws(DomainError) in
            if let owner = try transaction.user(identifier, in: application.id) {
                guard !owner.isConfirmed else { throw .identifiersTaken([.email]) }
                return
            }
            var user = user
            try transaction.insert(user)
            try transaction.updateIdentifiers(of: user)
            try ready.settle([.created: user.identifierDetails], of: &user, keeping: .nothing, in: transaction)
        }
        let errand = MessageRequest(kind: .passwordReset, address: address, languages: languages)
        _ = try await enqueueMessage(errand, in: application, from: client)
    }
}

extension User {
    /// Whether anything but an unconfirmed address leads to the user.
    fileprivate var isConfirmed: Bool {
        emailVerifiedAt != nil || hasPassword || !identities.isEmpty || username != nil || phone != nil
    }
}
