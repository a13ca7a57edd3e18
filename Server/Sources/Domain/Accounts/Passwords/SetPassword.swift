/// Gives a user another password for an administrator, and ends every way into the account.
package struct SetPassword: Sendable {
    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    let changes: AccountChanges

    /// - Parameters:
    ///   - new: The password.
    ///   - id: Whose.
    ///   - application: Where.
    ///   - rules: What it must look like.
    ///   - who: Who does it.
    /// - Throws: `userUnknown`, `credentialRefused` for a user without a password, `fieldsRefused`, `busy`,
    ///   `storageUnavailable`.
    package func callAsFunction(
        _ new: Secret, of id: Identifier<User>, in application: Application, rules: AccountRules, by who: Operator
    ) async throws(DomainError) {
        let now = clock.now
        let user = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application.id)
        }
        guard let user else { throw .userUnknown }
        guard user.hasPassword else { throw .credentialRefused }
        let password = try PasswordRules(for: application, user: user, rules: rules).check(new, field: "newPassword")
        let hash = try await passwords.hash(password)
        let ready = try changes.ready([.passwordChanged], of: user, in: application, by: who, at: now)
        try await store.write { transaction throws(DomainError) in
            guard var present = try transaction.user(id, in: application.id) else { throw .userUnknown }
            try transaction.setPassword(hash, of: id, in: application.id, at: now)
            try transaction.forgetFailures(of: present)
            try ready.settle([.passwordChanged: [:]], of: &present, keeping: .nothing, in: transaction)
        }
    }
}
