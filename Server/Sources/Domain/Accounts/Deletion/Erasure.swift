/// The end of a user: everything that is stored goes but the audit log, and the providers are told to end their grants.
/// Drawn before the transaction, which may run twice.
struct Erasure: Sendable {
    /// Grants of providers that are revoked for one user; a user has one identity of a provider.
    private static let maximumGrants = 16

    private let entry: AuditDraft
    private let reason: String
    private let revocations: [Identifier<ProviderRevocation>]
    private let now: Timestamp

    /// - Parameters:
    ///   - entry: What the audit log says.
    ///   - reason: Why, for the audit log.
    ///   - randomness: Names the revocations.
    ///   - now: When.
    init(entry: AuditDraft, reason: String, randomness: any Randomness, now: Timestamp) {
        self.entry = entry
        self.reason = reason
        self.now = now
        revocations = (0..<Self.maximumGrants).map { _ in randomness.newIdentifier(at: now) }
    }

    func erase(_ user: User, in transaction: any Transaction) throws(DomainError) {
        // The providers are told, as soon as they can be reached (requirement 34).
        let grants = user.identities.filter { $0.provider != .device && $0.provider != .anonymous }
        for (identity, revocation) in zip(grants, revocations) {
            try transaction.forgetGrant(of: identity, in: user.application, revocation: revocation, at: now)
        }
        try transaction.erase(user.id, in: user.application)
        try entry.record(on: .user(user.id), details: ["reason": reason], in: transaction)
    }
}
