/// Makes an anonymous user one that can come back from anywhere: identifiers, a password, and changes of the profile,
/// in one transaction. Id and session stay, and every device key keeps leading to the user.
package struct UpgradeUser: Sendable {
    let store: any Store
    let clock: any WallClock
    let passwords: any PasswordHashing
    let changes: AccountChanges

    package struct Request: Sendable {
        package var identifiers: NewIdentifiers
        package var password: Secret?
        package var changes: UpdateUser.Changes
        /// Whether the client names the attempt: then what holds already is a repetition and no fault.
        package var isNamedAttempt: Bool

        package init(
            identifiers: NewIdentifiers, password: Secret?, changes: UpdateUser.Changes = .init(),
            isNamedAttempt: Bool = false
        ) {
            self.identifiers = identifiers
            self.password = password
            self.changes = changes
            self.isNamedAttempt = isNamedAttempt
        }
    }

    /// Call it only for a session whose owner is there; see `RequireRecentLogIn`.
    ///
    /// - Throws: `alreadyRegistered`, `fieldsRefused`, among others for an upgrade without any identifier;
    ///   `identifiersTaken`, `busy`, `userUnknown`, `storageUnavailable`. Nothing is changed then.
    package func callAsFunction(
        _ request: Request, by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) -> User {
        let now = clock.now
        let (id, application) = (who.user.id, who.application)
        let rules = application.settings.fieldRules
        guard who.user.isAnonymous else { return try await repeated(request, by: who) }
        let password = try checked(request, who)
        let hash = try await passwords.hash(password)
        let ready = try changes.ready(
            [.upgraded], of: who.user, in: application, by: Operator(actor: .user(id), origin: origin), at: now)
        return try await store.write { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application.id) else { throw .userUnknown }
            guard user.isAnonymous else { throw .alreadyRegistered }
            try Self.apply(request, to: &user, rules)
            try transaction.refuseTaken(user)
            user.updatedAt = now
            user.passwordSetAt = now
            try transaction.updateProfile(of: user)
            try transaction.updateIdentifiers(of: user)
            try transaction.setPassword(hash, of: id, in: application.id, at: now)
            try transaction.forgive(user, from: nil, at: now)
            try ready.settle([.upgraded: user.identifierDetails], of: &user, keeping: KeptAccess(who), in: transaction)
            return user
        }
    }

    /// Everything that can be refused before work is done.
    private func checked(_ request: Request, _ who: Authenticated) throws(DomainError) -> Password {
        try request.changes.refuseExcess()
        var user = who.user
        var faults = request.identifiers.apply(to: &user)
        faults += request.changes.applyProfile(
            to: &user, who.application.settings.fieldRules, by: .owner, from: who.user)
        if faults.isEmpty && user.isAnonymous {
            faults.append(ValidationError(field: "", rule: .noneOf(LogInIdentifier.Kind.allCases.map(\.rawValue))))
        }
        return try PasswordRules(for: who.application, user: user, rules: request.identifiers.rules)
            .check(request.password, field: "password", beside: faults)
    }

    /// Writes everything that was asked into the user as it is now.
    private static func apply(
        _ request: Request, to user: inout User, _ rules: FieldRules
    ) throws(DomainError) {
        let before = user
        let faults =
            request.identifiers.apply(to: &user)
            + request.changes.applyProfile(to: &user, rules, by: .owner, from: before)
        guard faults.isEmpty else { throw .fieldsRefused(faults) }
    }

    /// The answer to the repetition of an upgrade whose answer was lost: the user, when all that it asks holds.
    private func repeated(_ request: Request, by who: Authenticated) async throws(DomainError) -> User {
        var asked = who.user
        guard request.isNamedAttempt, request.identifiers.apply(to: &asked).isEmpty, asked == who.user,
            let password = request.password.flatMap({ Password($0.revealed) })
        else { throw .alreadyRegistered }
        let (id, application) = (who.user.id, who.application.id)
        let hash = try await store.read { transaction throws(DomainError) in
            try transaction.passwordHash(of: id, in: application)
        }
        guard try await passwords.compare(password, with: hash) != .refused else { throw .alreadyRegistered }
        return who.user
    }
}
