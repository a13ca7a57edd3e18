package import Domain

extension TestWorld {
    /// Signs somebody up, as the native API would.
    package func signUp(
        _ username: String, _ password: Secret = Secret("a long enough secret"), to application: Application,
        with device: TestDevice? = nil, attempt: Attempt? = nil
    ) async throws -> LogIn {
        try await modules.logIns.signUp(
            SignUp.Request(
                application: application, identifiers: NewIdentifiers(username: .set(username), rules: .native),
                password: password,
                client: LogInClient(
                    .native, proof: try device?.presented(at: clock.now), from: Self.address,
                    origin: RequestOrigin(address: Self.address.text)), attempt: attempt))
    }

    /// Logs somebody in by password, as the native API would.
    package func logIn(
        _ identifier: String, _ password: Secret = Secret("a long enough secret"), to application: Application,
        with device: TestDevice? = nil, attempt: Attempt? = nil, from address: ClientAddress = address
    ) async throws -> LogIn {
        try await modules.logIns.logInWithPassword(
            LogInWithPassword.Request(
                application: application, identifier: identifier, password: password,
                client: LogInClient(
                    .native, proof: try device?.presented(at: clock.now), from: address, origin: .local),
                attempt: attempt))
    }

    /// Upgrades the user of a log-in, as the native API would.
    package func upgrade(
        _ logIn: LogIn, _ identifiers: NewIdentifiers, _ password: Secret? = Secret("a long enough secret"),
        changes: UserEdit = UserEdit(), isNamedAttempt: Bool = false, isProven: Bool = false,
        in application: Application
    ) async throws -> User {
        let who = try await authenticate(logIn.token, in: application)
        return try await modules.accounts.upgradeUser(
            UpgradeUser.Request(
                identifiers: identifiers, password: password, changes: changes, isNamedAttempt: isNamedAttempt),
            by: who, isProven: isProven, address: Self.address, from: .local)
    }

    /// Edits a user in the user's own name.
    @discardableResult
    package func edit(
        _ id: Identifier<User>, in application: Application, _ edit: UserEdit
    ) async throws(DomainError) -> User {
        try await modules.accounts.editUser(
            edit, of: id, in: application, by: AccountAuthor(.owner(id), of: id, session: nil, from: .local)
        ).user
    }

    /// What the rules refused with; `nil` when they did not.
    package func refusal(_ body: () async throws -> Void) async -> DomainError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DomainError
        }
    }
}
