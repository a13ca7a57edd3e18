/// Orders the mail by which the owner of an address registers. Nobody has the address until the page that the mail leads to
/// is done: `ResetPassword` makes the user then.
package struct RegisterByMail: Sendable {
    let store: any Store
    let enqueueMessage: EnqueueMessage

    /// - Parameters:
    ///   - email: The address as typed.
    ///   - application: Where.
    ///   - languages: What the app prefers, best first.
    ///   - client: Who orders.
    /// - Throws: `identifiersTaken` when a user has the address, which counts as an order; `mailUnavailable`, `fieldsRefused`,
    ///   `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        email: String, in application: Application, languages: [String], from client: ClientAddress
    ) async throws(DomainError) {
        let address = try EnqueueMessage.address(email)
        let known = try await store.read { transaction throws(DomainError) in
            try transaction.user(LogInIdentifier(.email, shown: address), in: application.id)
        }
        // Such a user was made by an admin, or by an order before users were made on the page.
        let isFree = known?.isReachedByAddressAlone ?? true
        let message = MessageRequest(
            kind: known == nil || !isFree ? .registration : .passwordReset, address: address, languages: languages)
        guard isFree else {
            // Who has an address is found out no more often than mails are ordered.
            try await enqueueMessage.count(message, in: application.id, from: client)
            throw .identifiersTaken([.email])
        }
        _ = try await enqueueMessage(message, in: application, from: client, toPages: true)
    }
}

extension User {
    /// Whether nothing but an unconfirmed address leads to the user.
    fileprivate var isReachedByAddressAlone: Bool {
        emailVerifiedAt == nil && !hasPassword && identities.isEmpty && username == nil && phone == nil
    }
}

extension ResetPassword {
    /// Makes the user whom the token of a registration's mail stands for, with the password that was chosen: the mail shows
    /// that the address is theirs.
    ///
    /// - Parameter request: With the token.
    /// - Returns: whether the token is one of a registration; else nothing has happened.
    /// - Throws: `fieldsRefused` for a password that breaks a rule, `identifiersTaken` when somebody has the address by now,
    ///   `attemptReused` for the repetition of an attempt with another password, `codeRefused`, `rateLimited`, `busy`,
    ///   `storageUnavailable`.
    func registers(_ request: Request) async throws(DomainError) -> Bool {
        let (now, application) = (clock.now, request.application)
        guard let token = CodeForm.normal(request.token) else { return false }
        let (handle, digest) = tryCode.digests.digests(of: .registration, in: application.id, .code, token)
        let code = try await store.read { transaction throws(DomainError) in
            try transaction.code(handle, in: application.id)
        }
        guard let code, code.digest == digest, now < code.expiresAt else { return false }
        let address = LogInIdentifier(.email, shown: code.address)
        if code.usedBy != nil {
            guard code.usedBy == request.attempt else { return false }
            let made = try await store.read { transaction throws(DomainError) in
                try transaction.user(address, in: application.id)
            }
            if let made { try await prepareCredential.count(made, from: request.address) }
            try await refuseOther(request.newPassword, of: made)
            return true
        }
        var asked = UserRegistration.Request(
            .mail, in: application, .init(),
            identifiers: NewIdentifiers(email: .set(code.address), rules: request.rules))
        asked.password = request.newPassword
        asked.opensSession = false
        var draft = registrar.draft(asked, at: now, approved: nil)
        draft.user.emailVerifiedAt = now
        let registration: UserRegistration
        do throws(DomainError) {
            registration = try await registrar.ready(
                draft, from: request.address, request.origin, isCounted: false, vouched: nil)
        } catch {
            guard let faults = error.validationErrors else { throw error }
            throw .fieldsRefused(faults.map(Self.named))
        }
        try await store.write { transaction throws(DomainError) in
            guard let code = try transaction.code(handle, in: application.id), code.usedBy == nil else {
                throw .codeRefused
            }
            _ = try registration.store(in: transaction, joining: nil, session: nil)
            if let attempt = request.attempt {
                var used = code
                used.usedBy = attempt
                try transaction.markUsed(used)
            } else {
                try transaction.removeCode(of: .registration, user: code.user, in: application.id)
            }
        }
        return true
    }

    /// A fault by the name that the request has for it.
    private static func named(_ fault: ValidationError) -> ValidationError {
        fault.field == "password" ? ValidationError(field: "newPassword", rule: fault.rule) : fault
    }

    private func refuseOther(_ secret: Secret, of user: User?) async throws(DomainError) {
        guard let user, let password = Password(secret.revealed) else { throw .attemptReused }
        try await refuseOther(password, of: user)
    }
}
