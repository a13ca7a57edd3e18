/// Gives a user another password for an administrator, and ends all of the user's sessions.
package struct SetPassword: Sendable {
    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing

    /// - Throws: `userUnknown`, `credentialRefused` for a user without a password, `fieldsRefused`, `busy`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ new: Secret, of id: Identifier<User>, in application: Application, rules: AccountRules
    ) async throws(DomainError) {
        let now = clock.now
        let user = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let user else { throw .userUnknown }
        guard user.hasPassword else { throw .credentialRefused }
        let password = try PasswordRules(for: application, user: user, rules: rules).check(new, field: "newPassword")
        let hash = try await passwords.hash(password)
        try await store.write { transaction throws(DomainError) in
            guard let present = try transaction.user(id, in: application.id) else { throw .userUnknown }
            try transaction.setPassword(hash, of: id, in: application.id, at: now)
            try transaction.forgetFailures(of: present)
            // No session has the empty id: all of them end.
            _ = try transaction.endSessions(of: id, in: application.id, except: Identifier(rawValue: ""))
        }
    }
}
