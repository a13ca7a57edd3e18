package import Domain

extension TestWorld {
    /// A user with a mail address, as sign-up would make one.
    package func makeUser(
        in application: Application, email: String, isVerified: Bool, locale: String? = nil
    ) async throws -> User {
        let now = clock.now
        var user = User(
            id: randomness.newIdentifier(at: now), application: application.id, locale: locale, createdAt: now,
            updatedAt: now)
        user.email = email
        if isVerified { user.emailVerifiedAt = now }
        let made = user
        try await engine.write { transaction throws(DomainError) in
            try transaction.insert(made)
            try transaction.updateIdentifiers(of: made)
        }
        return made
    }
}

extension SealingKey {
    /// The key of every test world.
    package static func ofTests() throws -> SealingKey {
        guard let key = SealingKey(bytes: [UInt8](repeating: 7, count: SealingKey.byteCount)) else {
            throw TestWorldFault(description: "no sealing key")
        }
        return key
    }
}
