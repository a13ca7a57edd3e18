/// Orders a mail that shows that an address is the user's: the present one, or a new one that takes its place once it
/// is verified. An anonymous user who verifies an address is registered by that.
package struct RequestEmailVerification: Sendable {
    let enqueueMessage: EnqueueMessage
    let clock: any WallClock

    /// - Parameters:
    ///   - email: A new address as typed; `nil` for the present one.
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - languages: What the app prefers, best first.
    ///   - client: Who orders.
    ///   - toPages: Whether the mail shall lead to this server's own pages; else an app without a page of its own has a
    ///     field for a code.
    /// - Returns: how long the mail will be good. For an address that somebody else has the answer is the same, and the mail
    ///   verifies nothing: it tells the owner.
    /// - Throws: `reauthenticationRequired` for a new address in a session that is not fresh (requirement 18),
    ///   `mailUnavailable`, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        email: String?, by who: Authenticated, isProven: Bool, languages: [String], from client: ClientAddress,
        toPages: Bool = false
    ) async throws(DomainError) -> Duration {
        let address: String
        if let email {
            address = try EnqueueMessage.address(email, of: who.user)
        } else if let present = who.user.email {
            address = present
        } else {
            throw .fieldsRefused([ValidationError(field: "email", rule: .required)])
        }
        if address != who.user.email {
            // The code will show the address, and not that the owner asked for it.
            try AccountAuthor.owner(who, isProven: isProven, from: .local)
                .requireProof(of: .addressChanged, at: clock.now)
        }
        let message = MessageRequest(
            kind: .emailVerification, address: address, of: who.user, by: who.session, languages: languages)
        return try await enqueueMessage(message, in: who.application, from: client, toPages: toPages)
    }

    /// Orders the mail for an address whose owner nobody has proved to be. The answer is the same whether or not
    /// somebody has it, and whether or not it is verified already.
    ///
    /// - Throws: `mailUnavailable`, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        ofUnverified email: String, in application: Application, languages: [String], from client: ClientAddress
    ) async throws(DomainError) {
        let typed = LogInIdentifier(.email, shown: try EnqueueMessage.address(email))
        let owner = try await enqueueMessage.store.read { transaction throws(DomainError) in
            try transaction.user(typed, in: application.id)
        }
        let user = owner?.emailVerifiedAt == nil ? owner : nil
        // A message without a user is thrown away where letters are written.
        var message = MessageRequest(
            kind: .emailVerification, address: user?.email ?? typed.shown, user: user?.id, replaces: user?.email,
            languages: languages)
        message.version = user?.credentialsVersion
        _ = try await enqueueMessage(message, in: application, from: client, toPages: true)
    }

    /// Orders the mail for a user of a protocol that cannot prove its owner's presence: the caller has seen to it that
    /// the user, or an administrator, asks. Apps of such protocols have no field for a code: the mail leads to this server's
    /// pages, where it has any.
    ///
    /// - Parameters:
    ///   - email: A new address; `nil` for the present one.
    ///   - user: Whose.
    ///   - session: The user's session; `nil` for an administrator.
    ///   - application: Where.
    ///   - languages: What the app prefers, best first.
    ///   - client: Who orders.
    /// - Throws: `mailUnavailable`, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ email: String?, of user: User, by session: Session?, in application: Application, languages: [String],
        from client: ClientAddress
    ) async throws(DomainError) {
        let typed = try email.map { text throws(DomainError) in try EnqueueMessage.address(text, of: user) }
        guard let address = typed ?? user.email else {
            throw .fieldsRefused([ValidationError(field: "email", rule: .required)])
        }
        let message = MessageRequest(
            kind: .emailVerification, address: address, of: user, by: session, languages: languages)
        _ = try await enqueueMessage(message, in: application, from: client, toPages: true)
    }
}
