/// An operator makes a user, of whom nothing but names is known. The person chooses a password by the mail of a reset, or comes by
/// a transfer code: nobody else ever learns a password (requirement 41).
package struct CreateUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let registrar: UserRegistrar
    let audit: AuditTrail

    /// - Parameters:
    ///   - identifiers: What the person can type at a log-in; at least one.
    ///   - profile: First values. An operator writes fields that the owner may not.
    ///   - application: Where.
    ///   - who: Who does it.
    /// - Returns: the user, who is not logged in.
    /// - Throws: `fieldsRefused`, also without any identifier; `identifiersTaken`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ identifiers: NewIdentifiers, _ profile: UserRegistration.Profile, in application: Application,
        by who: Operator
    ) async throws(DomainError) -> User {
        var asked = UserRegistration.Request(.admin, in: application, profile, identifiers: identifiers)
        asked.profile.actor = .server
        asked.opensSession = false
        let registration = registrar.draft(asked, at: clock.now, approved: nil)
        _ = try registration.judged()
        guard !registration.user.isAnonymous else {
            let kinds = LogInIdentifier.Kind.allCases.map(\.rawValue)
            throw .fieldsRefused([ValidationError(field: "", rule: .noneOf(kinds))])
        }
        let entry = audit.draft(.userCreated, by: who.actor, in: application.id, from: who.origin)
        return try await store.write { transaction throws(DomainError) in
            let user = try registration.store(in: transaction, joining: nil, session: nil).user
            try entry.record(on: .user(user.id), details: user.identifierDetails, in: transaction)
            return user
        }
    }
}
