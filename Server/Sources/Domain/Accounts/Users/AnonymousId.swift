/// An id that a client made up for a user without a name, as some foreign protocols have it. Who knows it can log in, so
/// that it is treated as a secret: its digest is kept, and for its owner the id itself, sealed (requirement 24).
package struct AnonymousId: Hashable, Sendable {
    /// The subject of the identity.
    package let subject: String
    /// The id itself, when the client has just sent it.
    let text: Secret?

    /// `nil` unless the text has the form of a UUID: all the SDKs make those, and nothing that is easier to guess gets
    /// in. Upper and lower case make two ids, as they always did.
    package init?(_ text: String) {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ group in group.allSatisfy { Hexadecimal.digit($0) != nil } })
        else { return nil }
        self.text = Secret(text)
        subject = Base64URL.text(of: SecretDigest(of: text.utf8).bytes)
    }

    /// Takes the subject of an identity for the id.
    package init(subject: String) {
        self.subject = subject
        text = nil
    }

    package static func == (one: AnonymousId, other: AnonymousId) -> Bool { one.subject == other.subject }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(subject)
    }

    /// What is kept beside the identity, so that its owner can read the id back.
    ///
    /// - Throws: `secretUnreadable`, should the cryptographic library fail.
    func account(
        in application: Identifier<Application>, sealedWith key: SealingKey, at now: Timestamp
    ) throws(DomainError) -> ProviderAccount? {
        guard let text else { return nil }
        return ProviderAccount(
            application: application, provider: .anonymous, subject: subject, audience: "",
            sealedGrant: try key.seal(Array(text.revealed.utf8), purpose: Self.purpose(in: application)),
            updatedAt: now)
    }

    static func purpose(in application: Identifier<Application>) -> String { "anonymous id \(application)" }
}

/// Reads the id that a client made for a user, for that user alone.
package struct ReadAnonymousId: Sendable {
    let store: any Store
    let sealingKey: SealingKey

    /// - Parameter user: The owner, who asks.
    /// - Returns: the id; `nil` when the user has none, or its client never sent it since ids are kept.
    /// - Throws: `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(of user: User) async throws(DomainError) -> Secret? {
        guard let identity = user.identities.first(where: { $0.provider == .anonymous }) else { return nil }
        let application = user.application
        let account = try await store.read { transaction throws(DomainError) in
            try transaction.providerAccount(.anonymous, subject: identity.subject, in: application)
        }
        guard let sealed = account?.sealedGrant else { return nil }
        let bytes = try sealingKey.open(sealed, purpose: AnonymousId.purpose(in: application))
        return Secret(String(decoding: bytes, as: UTF8.self))
    }
}
