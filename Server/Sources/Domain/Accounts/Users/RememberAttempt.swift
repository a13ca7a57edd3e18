/// Remembers for a day what a user's attempts asked for, so that one name for two requests is found out.
///
/// Two marks stand for an attempt: its name, and its name with its request. A name that is there without the request
/// belongs to another one.
package struct RememberAttempt: Sendable {
    static let memory: Duration = .days(1)

    /// New names of one user from one address (IPv6: one /48 network). Each is remembered for a day: without a limit a guest
    /// fills the disk by them (requirement 47).
    static let limit = RateLimit.hourly(100)

    let store: any Store
    let clock: any WallClock
    /// `nil` for no limit.
    let limit: RateLimit?

    /// - Parameters:
    ///   - attempt: The attempt; nothing happens without one.
    ///   - who: Whose it is. Others may use the same name.
    ///   - address: Where the request came from.
    /// - Throws: `attemptReused`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        _ attempt: Attempt?, by who: Authenticated, from address: ClientAddress
    ) async throws(DomainError) {
        guard let attempt else { return }
        let application = who.application.id
        let name = Array("attempt \(who.user.id) ".utf8) + attempt.digest.bytes
        let (now, end) = (clock.now, clock.now + Self.memory)
        let key = RateLimitKey(
            application: application, kind: "attempt", subject: "\(who.user.id) \(address.ownerGroup)")
        let named = UsedProof(.attempt, SecretDigest(of: name), until: end)
        let asked = UsedProof(.attemptedRequest, SecretDigest(of: name + attempt.request.bytes), until: end)
        try await store.write { transaction throws(DomainError) in
            let isNewName = try transaction.markUsed(named, in: application)
            let isNewRequest = try transaction.markUsed(asked, in: application)
            guard isNewName || !isNewRequest else { throw .attemptReused }
            guard isNewName, let limit else { return }
            try limit.admit(transaction.count(key, window: limit.window, at: now), at: now)
        }
    }
}

extension Attempt {
    /// What an attempt of an operator makes. A name counts for each by itself: who names a run of a script by it can rotate all
    /// secrets in that run, and is refused only where the name has made something.
    enum Creation: Hashable, Sendable {
        case application, adminKey, eventEndpoint
        case endpointSecret(Identifier<EventEndpoint>)
        case hookSecret(HookPoint)

        fileprivate var text: String {
            switch self {
            case .application: "application"
            case .adminKey: "admin-key"
            case .eventEndpoint: "event-endpoint"
            case .endpointSecret(let id): "event-endpoint \(id)"
            case .hookSecret(let point): "hook \(point.rawValue)"
            }
        }
    }

    /// The attempt to make one thing, for `take`.
    func making(_ creation: Creation) -> Attempt {
        var attempt = self
        attempt.digest = SecretDigest(of: Array("\(creation.text) ".utf8) + digest.bytes)
        return attempt
    }
}

extension Transaction {
    /// Takes the name of an attempt to make what has a secret that is shown once: its repetition makes no second one, and
    /// cannot show the secret again.
    ///
    /// - Parameters:
    ///   - attempt: The attempt to make one thing (`making`); nothing happens without one.
    ///   - who: Whose it is. Others may use the same name.
    ///   - application: Where it is made; `AuditEntry.server` for what belongs to none.
    ///   - now: The time now.
    /// - Throws: `attemptReused` for a name that made such a thing within the last day, whatever was asked by it; `storageUnavailable`.
    func take(
        _ attempt: Attempt?, by who: Operator, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) {
        guard let attempt else { return }
        let name = Array("attempt \(who.actor.rawValue) ".utf8) + attempt.digest.bytes
        let mark = UsedProof(.attempt, SecretDigest(of: name), until: now + RememberAttempt.memory)
        guard try markUsed(mark, in: application) else { throw .attemptReused }
    }
}
