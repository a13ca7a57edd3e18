/// Makes registrations ready: draws what they need, counts new users, hashes passwords. It is shared rather than copied,
/// because automatic log-in holds it and needs it on first launches only.
package final class UserRegistrar: Sendable {
    private let randomness: any Randomness
    private let passwords: any PasswordHashing
    private let rateLimiter: RateLimiter
    private let changes: AccountChanges
    /// New users allowed for one address or /64 network.
    private let limit: AddressLimit

    init(
        randomness: any Randomness, passwords: any PasswordHashing, rateLimiter: RateLimiter, changes: AccountChanges,
        limit: AddressLimit
    ) {
        self.randomness = randomness
        self.passwords = passwords
        self.rateLimiter = rateLimiter
        self.changes = changes
        self.limit = limit
    }

    /// Whether new users of apps on Okaeri's own protocol are counted.
    var hasLimit: Bool { limit.current != nil }

    /// Begins a registration, of which nothing is judged yet.
    func draft(_ request: UserRegistration.Request, at now: Timestamp) -> UserRegistration {
        UserRegistration(
            request,
            id: request.hasDashedId ? randomness.newDashedIdentifier(at: now) : randomness.newIdentifier(at: now),
            at: now)
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
    /// - Returns: the registration, ready to be stored.
    /// - Throws: `fieldsRefused`, `rateLimited`, `busy`, `storageUnavailable`.
    func ready(
        _ draft: UserRegistration, from address: ClientAddress, _ origin: RequestOrigin, isCounted: Bool
    ) async throws(DomainError) -> UserRegistration {
        let password = try draft.judged()
        if !isCounted { try await count(from: address, in: draft.user.application) }
        var hash: PasswordHash?
        if let password { hash = try await passwords.hash(new: password) }
        var registration = draft
        try registration.prepare(password?.password, hash, from: address, origin, changes)
        return registration
    }
}
