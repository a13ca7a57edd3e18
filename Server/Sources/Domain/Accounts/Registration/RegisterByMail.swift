/// Makes a user of a mail address alone, and orders the mail by which the person sets a password: that shows that the
/// address is the person's. Until then nothing but that mail leads to the user.
package struct RegisterByMail: Sendable {
    let store: any Store
    let clock: any WallClock
    let enqueueMessage: EnqueueMessage
    let registrar: UserRegistrar

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
        try await registrar.count(from: client, in: application.id)
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(identifier, in: application.id)
        }
        if let known, known.isConfirmed { throw .identifiersTaken([.email]) }
        // Without mail there must be no user whom nobody can ever reach.
        guard enqueueMessage.delivery.isAvailable else { throw .mailUnavailable }
        // The mail address is all that is known here: what else is required is asked for later.
        var asked = UserRegistration.Request(.mail, in: application, .init())
        asked.identifiers = NewIdentifiers(email: .set(address))
        let registration = try await registrar.ready(
            registrar.draft(asked, at: now), from: client, origin, isCounted: true)
        try await store.write { transaction throws(DomainError) in
            if let owner = try transaction.user(identifier, in: application.id) {
                guard !owner.isConfirmed else { throw .identifiersTaken([.email]) }
                return
            }
            _ = try registration.store(in: transaction, joining: nil, session: nil)
        }
        let message = MessageRequest(kind: .passwordReset, address: address, languages: languages)
        _ = try await enqueueMessage(message, in: application, from: client)
    }
}

extension User {
    /// Whether anything but an unconfirmed address leads to the user.
    fileprivate var isConfirmed: Bool {
        emailVerifiedAt != nil || hasPassword || !identities.isEmpty || username != nil || phone != nil
    }
}
