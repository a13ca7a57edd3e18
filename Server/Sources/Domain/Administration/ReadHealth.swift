/// What the server sees of itself.
package struct ReadHealth: Sendable {
    let store: any Store
    let clock: any WallClock
    let signingKeys: SigningKeys
    let passwords: any PasswordHashing
    let delivery: MailDelivery

    package struct Findings: Sendable {
        package var at: Timestamp
        /// How long a look into the database took.
        package var storage: Duration
        package var applications: Int
        package var users: Int
        /// Whether mails can leave the server.
        package var sendsMail: Bool
        package var mailWaiting: Int
        package var mailGivenUp: Int
        /// Since when the oldest mail waits.
        package var oldestMailAt: Timestamp?
        /// Passwords that wait to be hashed.
        package var passwordsWaiting: Int
        /// The keys of access tokens, the one that signs first.
        package var signingKeys: [Key]
    }

    package struct Key: Hashable, Sendable {
        package var id: String
        package var createdAt: Timestamp
    }

    /// - Throws: `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction() async throws(DomainError) -> Findings {
        let begin = clock.now
        var findings = try await store.read { transaction throws(DomainError) in
            let applications = try transaction.applications()
            var users = 0
            for application in applications { users += try transaction.userCount(in: application.id) }
            let mail = try transaction.mailQueueLength()
            return Findings(
                at: begin, storage: .zero, applications: applications.count, users: users, sendsMail: false,
                mailWaiting: mail.waiting, mailGivenUp: mail.givenUp, oldestMailAt: mail.oldest, passwordsWaiting: 0,
                signingKeys: [])
        }
        findings.storage = clock.now - begin
        findings.sendsMail = delivery.isAvailable
        findings.passwordsWaiting = passwords.waiting
        findings.signingKeys = try await signingKeys().map { Key(id: $0.id, createdAt: $0.createdAt) }
        return findings
    }
}
