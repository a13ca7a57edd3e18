/// How many right passwords are let through, whatever they are typed for, and how many new ones a session may choose: log-ins,
/// re-authentications, verifications, changes. Each costs a hash, and the threads for hashes are the server's: one client with one
/// account of its own would keep everybody else waiting (requirement 47).
///
/// No person and no office comes near: apps of one address may share an account, and log in at each start. What is too much is
/// refused before it is hashed.
struct RightPasswordLimits: Sendable {
    /// For one user from one address (IPv6: one /64 network), so that a thief uses up nothing of the owner's.
    static let ofUser = AddressLimit(.hourly(600), ofOldApps: .hourly(6000))

    /// No user has this id, and nothing is counted for it.
    private static let nobody = Identifier<User>(rawValue: "nobody")

    let store: any Store
    let clock: any WallClock
    /// For all users together from one address, as the operator chooses.
    let ofAddress: AddressLimit

    /// Refuses a password before it is compared.
    ///
    /// - Parameters:
    ///   - users: Whom each reading of what was typed leads to. Whom nobody knows is asked about too: it must take as long
    ///     (requirement 10).
    ///   - application: Where.
    ///   - address: Where the request came from.
    ///   - now: When.
    ///   - transaction: The one that found the users.
    /// - Throws: `rateLimited` with the time until there is room again, `storageUnavailable`.
    func refuseExcess(
        of users: [Identifier<User>?], in application: Identifier<Application>, from address: ClientAddress,
        at now: Timestamp, _ transaction: any Transaction
    ) throws(DomainError) {
        let owners: [Identifier<User>?] = [nil] + users.map { $0 ?? Self.nobody }
        for (key, limit) in owners.flatMap({ counters(of: $0, in: application, from: address) }) {
            guard let counted = try transaction.counted(key, window: limit.window, at: now) else { continue }
            // With the one that is asked for.
            try limit.admit((counted.count + 1, counted.windowStart), at: now)
        }
    }

    /// Counts a right password, or a new one. Each counter is a transaction of its own, because many write it.
    ///
    /// - Throws: `rateLimited` when others took the room meanwhile, `storageUnavailable`.
    func count(
        _ user: Identifier<User>, in application: Identifier<Application>, from address: ClientAddress
    ) async throws(DomainError) {
        let rateLimiter = RateLimiter(store: store, clock: clock)
        for owner in [user, nil] {
            for (key, limit) in counters(of: owner, in: application, from: address) {
                try await rateLimiter(key, limit: limit)
            }
        }
    }

    /// What is counted for a user, or without one for all of the address.
    private func counters(
        of user: Identifier<User>?, in application: Identifier<Application>, from address: ClientAddress
    ) -> [(key: RateLimitKey, limit: RateLimit)] {
        guard let user else { return ofAddress.counters(of: "password-log-in", in: application, from: address) }
        guard let limit = Self.ofUser.limit(for: address) else { return [] }
        var key = RateLimitKey(application: application, kind: "password-log-in-user", from: address)
        key.subject = "\(user.rawValue) \(key.subject)"
        return [(key: key, limit: limit)]
    }
}
