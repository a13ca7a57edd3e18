/// Makes registrations ready: draws what they need, counts new users, hashes passwords. It is shared rather than copied,
/// because automatic log-in holds it and needs it on first launches only.
package final class UserRegistrar: Sendable {
    private let randomness: any Randomness
    private let passwords: any PasswordHashing
    private let rateLimiter: RateLimiter
    private let changes: AccountChanges
    private let askHook: AskHook
    /// New users allowed for one address or /64 network.
    private let limit: AddressLimit

    init(
        randomness: any Randomness, passwords: any PasswordHashing, rateLimiter: RateLimiter, changes: AccountChanges,
        askHook: AskHook, limit: AddressLimit
    ) {
        self.randomness = randomness
        self.passwords = passwords
        self.rateLimiter = rateLimiter
        self.changes = changes
        self.askHook = askHook
        self.limit = limit
    }

    /// Whether new users of apps on Okaeri's own protocol are counted.
    var hasLimit: Bool { limit.current != nil }

    /// Begins a registration, of which nothing is judged yet.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - now: The user's first moment.
    ///   - approval: What the application's hook said already; `nil` when it was not asked.
    /// - Returns: the registration.
    func draft(
        _ request: UserRegistration.Request, at now: Timestamp, approved approval: SignUpApproval?
    ) -> UserRegistration {
        let id =
            approval?.user
            ?? (request.hasDashedId ? randomness.newDashedIdentifier(at: now) : randomness.newIdentifier(at: now))
        var draft = UserRegistration(request, id: id, at: now)
        draft.approve(by: approval)
        return draft
    }

    /// Asks the application's hook about a registration that was judged and counted.
    ///
    /// - Parameters:
    ///   - draft: The registration.
    ///   - email: The address that a provider vouches for; `nil` for none.
    ///   - address: Where the request came from.
    /// - Returns: what lets it be stored; `nil` when nobody has to be asked.
    /// - Throws: `hookRefused`, `hookUnavailable`.
    func approval(
        of draft: UserRegistration, vouched email: ProviderEmail?, from address: ClientAddress
    ) async throws(DomainError) -> SignUpApproval? {
        try await askHook.beforeSignUp(of: draft, vouched: email, from: address)
    }

    /// Counts a new user. Counters that many write are transactions of their own.
    ///
    /// - Throws: `rateLimited`, `storageUnavailable`.
    func count(from address: ClientAddress, in application: Identifier<Application>) async throws(DomainError) {
        try await rateLimiter(kind: RateLimitKey.firstLaunch, in: application, from: address, limit: limit)
    }

    /// Judges a registration, counts it, and makes everything ready for the transaction that stores it.
    ///
    /// - Parameters:
    ///   - draft: The registration.
    ///   - address: Where the request came from.
    ///   - origin: The same, for the audit log.
    ///   - isCounted: Whether the new user was counted already.
    ///   - email: The address that a provider vouches for; `nil` for none.
    /// - Returns: the registration, ready to be stored.
    /// - Throws: `fieldsRefused`, `rateLimited`, `hookRefused`, `hookUnavailable`, `busy`, `storageUnavailable`.
    func ready(
        _ draft: UserRegistration, from address: ClientAddress, _ origin: RequestOrigin, isCounted: Bool,
        vouched email: ProviderEmail?
    ) async throws(DomainError) -> UserRegistration {
        let password = try draft.judged()
        if !isCounted { try await count(from: address, in: draft.user.application) }
        // Before work is done for somebody who is refused.
        let approval = try await approval(of: draft, vouched: email, from: address)
        var hash: PasswordHash?
        if let password {
            hash = try await passwords.hash(new: password, for: .application(draft.user.application))
        }
        var registration = draft
        registration.approve(by: approval)
        try registration.prepare(password?.password, hash, from: address, origin, changes)
        return registration
    }
}
