/// Checks a user's password without logging anybody in. Wrong ones count as at a log-in.
package struct VerifyPassword: Sendable {
    let store: any Store
    let check: PasswordCheck

    package struct Request: Sendable {
        package var application: Application
        package var password: Secret
        package var address: ClientAddress
        /// What the typed identifier may mean, the likeliest first; at least one.
        package var candidates: [LogInIdentifier]
        /// Whether the user's identifier must be written as it was typed, capitals and all.
        package var isSpelledExactly: Bool
        /// What the same user must have too.
        package var requiredIdentifier: LogInIdentifier?
        /// Whether the user's mail address must have been verified.
        package var needsVerifiedEmail: Bool

        package init(
            application: Application, password: Secret, address: ClientAddress, candidates: [LogInIdentifier],
            isSpelledExactly: Bool = false, requiredIdentifier: LogInIdentifier? = nil, needsVerifiedEmail: Bool = false
        ) {
            self.application = application
            self.password = password
            self.address = address
            self.candidates = candidates
            self.isSpelledExactly = isSpelledExactly
            self.requiredIdentifier = requiredIdentifier
            self.needsVerifiedEmail = needsVerifiedEmail
        }
    }

    /// - Returns: the user whose password it is.
    /// - Throws: `credentialRefused` for an unknown user and for a wrong password alike; `userDisabled`, `userDeleted`,
    ///   `emailUnverified`, and `secondFactorRequired` where no password alone lets the user in, only with the right one; `rateLimited`, `busy`, `storageUnavailable`.
    package func callAsFunction(_ request: Request) async throws(DomainError) -> User {
        let outcome = try await check(
            request.password.revealed, of: .typed(request.candidates), in: request.application.id,
            from: request.address)
        let user = try await store.write { transaction throws(DomainError) in
            try outcome.settle(in: transaction) { user in
                user.isNamed(
                    by: request.isSpelledExactly ? request.candidates : nil,
                    requiredIdentifier: request.requiredIdentifier,
                    isSpelledExactly: request.isSpelledExactly)
            }
        }
        guard let user else { throw .credentialRefused }
        let application = request.application
        let admitted = try await store.read { transaction throws(DomainError) in
            try AccountGate.admit(user, to: application, restoration: nil, in: transaction)
        }
        guard !application.settings.secondFactors.guardsPasswords(of: admitted) else {
            throw .secondFactorRequired(nil)
        }
        guard !request.needsVerifiedEmail || admitted.emailVerifiedAt != nil else { throw .emailUnverified }
        return admitted
    }
}
