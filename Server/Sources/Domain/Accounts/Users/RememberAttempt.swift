/// Remembers for a day what a user's attempts asked for, so that one name for two requests is found out.
///
/// Two marks stand for an attempt: its name, and its name with its request. A name that is there without the request
/// belongs to another one.
package struct RememberAttempt: Sendable {
    private static let memory: Duration = .days(1)

    let store: any Store
    let clock: any WallClock

    /// - Parameters:
    ///   - attempt: The attempt; nothing happens without one.
    ///   - who: Whose it is. Others may use the same name.
    /// - Throws: `attemptReused`, `storageUnavailable`.
    package func callAsFunction(_ attempt: Attempt?, by who: Authenticated) async throws(DomainError) {
        guard let attempt else { return }
        let application = who.application.id
        let name = Array("attempt \(who.user.id) ".utf8) + attempt.digest.bytes
        let end = clock.now + Self.memory
        let named = UsedProof(.attempt, SecretDigest(of: name), until: end)
        let asked = UsedProof(.attemptedRequest, SecretDigest(of: name + attempt.request.bytes), until: end)
        try await store.write { transaction throws(DomainError) in
            let isNewName = try transaction.markUsed(named, in: application)
            let isNewRequest = try transaction.markUsed(asked, in: application)
            guard isNewName || !isNewRequest else { throw .attemptReused }
        }
    }
}
