/// Makes an anonymous user one that can come back from anywhere: identifiers, a password, and changes of the profile,
/// in one transaction. Id and session stay, and every device key keeps leading to the user.
package struct UpgradeUser: Sendable {
    let store: any Store
    let check: PasswordCheck
    let editUser: EditUser

    package struct Request: Sendable {
        package var identifiers: NewIdentifiers
        package var password: Secret?
        package var changes: UserEdit
        /// Whether the client names the attempt: then what holds already is a repetition and no fault.
        package var isNamedAttempt: Bool

        package init(
            identifiers: NewIdentifiers, password: Secret?, changes: UserEdit = UserEdit(),
            isNamedAttempt: Bool = false
        ) {
            self.identifiers = identifiers
            self.password = password
            self.changes = changes
            self.isNamedAttempt = isNamedAttempt
        }

        /// The upgrade as an edit.
        fileprivate var edit: UserEdit {
            var edit = changes
            edit.identifiers = identifiers
            edit.password = .first(password)
            return edit
        }
    }

    /// Whether an upgrade breaks no rule that shows in the request and the user alone. A registered user asks for a repetition.
    package func isWellFormed(_ request: Request, by who: Authenticated) -> Bool {
        guard who.user.isAnonymous else { return true }
        let edit = request.edit.held(to: who.application.settings.signUp, by: .owner(who.user.id))
        do {
            let rules = who.application.settings.fieldRules
            try edit.refuseExcess(rules.limits)
            return try edit.outcome(of: who.user, by: .owner(who.user.id), rules, at: editUser.clock.now).faults.isEmpty
        } catch {
            return false
        }
    }

    /// - Parameters:
    ///   - request: What is asked for.
    ///   - who: The user.
    ///   - isProven: Whether the request came with a proof by the session's key; see `AccountAuthor`.
    ///   - address: Where the request came from.
    ///   - origin: The same, for the audit log.
    /// - Returns: the user afterwards.
    /// - Throws: `reauthenticationRequired`, `alreadyRegistered`, `fieldsRefused`, among others for an upgrade without any identifier;
    ///   `identifiersTaken`, `rateLimited`, `busy`, `userUnknown`, `storageUnavailable`. Nothing is changed then.
    package func callAsFunction(
        _ request: Request, by who: Authenticated, isProven: Bool, address: ClientAddress, from origin: RequestOrigin
    ) async throws(DomainError) -> User {
        let author = AccountAuthor.owner(who, isProven: isProven, from: origin)
        // A repetition changes nothing, and its password proves the owner: the key proves a registered user no more.
        if let password = Self.repetition(request, of: who.user) {
            return try await repeated(password, of: who.user, in: who.application.id, from: address)
        }
        try author.requireProof(of: .upgraded, at: editUser.clock.now)
        guard who.user.isAnonymous else { throw .alreadyRegistered }
        do {
            return try await editUser(request.edit, of: who.user.id, in: who.application, by: author).user
        } catch {
            guard let (user, password) = try await overtaken(request, by: who, with: error) else { throw error }
            return try await repeated(password, of: user, in: who.application.id, from: address)
        }
    }

    /// The user as another try of the same attempt has made it since this one came in: who sends a request again does not
    /// always wait until the first one has its answer. `nil` for every other refusal.
    private func overtaken(
        _ request: Request, by who: Authenticated, with refusal: DomainError
    ) async throws(DomainError) -> (user: User, password: Secret)? {
        guard request.isNamedAttempt, refusal == .alreadyRegistered || refusal == .reauthenticationRequired else {
            return nil
        }
        let (id, application) = (who.user.id, who.application.id)
        let user = try await store.read { transaction throws(DomainError) in
            try transaction.user(id, in: application)
        }
        guard let user, let password = Self.repetition(request, of: user) else { return nil }
        return (user, password)
    }

    /// The password of a request that may repeat an upgrade whose answer was lost, as all else that it asks holds already; `nil`
    /// for every other.
    private static func repetition(_ request: Request, of user: User) -> Secret? {
        var asked = user
        guard !user.isAnonymous, request.isNamedAttempt, request.identifiers.apply(to: &asked).isEmpty, asked == user
        else { return nil }
        return request.password
    }

    /// The answer to a repetition: the user, when the password is right. It counts as at any log-in, right or wrong.
    private func repeated(
        _ password: Secret, of user: User, in application: Identifier<Application>, from address: ClientAddress
    ) async throws(DomainError) -> User {
        let outcome = try await check(password.revealed, of: .own(user), in: application, from: address)
        let shown = try await store.write { transaction throws(DomainError) in
            try outcome.settle(in: transaction, isMeant: { $0.id == user.id })
        }
        guard shown != nil else { throw .alreadyRegistered }
        return user
    }
}
