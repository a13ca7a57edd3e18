/// The function of a password hash with everything that decides how long a comparison takes: a stored hash without its salt
/// and result (decision 0056).
///
/// Of bcrypt it is `$2b$10$`; of all others the function and the parameters of the PHC string, and how many letters salt and
/// result have: `$pbkdf2-sha256$i=29000$22$43`.
package struct PasswordScheme: Hashable, Sendable {
    /// The longest form of a hash that anything is made of, in bytes.
    private static let maximumBytes = 1024

    package let text: String

    /// Takes what was stored.
    package init(text: String) {
        self.text = text
    }

    /// `nil` for a hash that has no such form.
    package init?(of hash: PasswordHash) {
        let stored = hash.text
        guard stored.utf8.first == UInt8(ascii: "$"), stored.utf8.count <= Self.maximumBytes else { return nil }
        if stored.hasPrefix("$2") {
            text = String(stored.prefix(7))
            return
        }
        let parts = stored.pieces(at: "$", keepsEmpty: true)
        guard parts.count >= 4 else { return nil }
        let head = parts.dropLast(2).joined(separator: "$")
        text = "\(head)$\(parts[parts.count - 2].utf8.count)$\(parts[parts.count - 1].utf8.count)"
    }

    /// What all hashes of the scheme begin with.
    package var head: String {
        guard !text.hasPrefix("$2") else { return text }
        return text.pieces(at: "$", keepsEmpty: true).dropLast(2).joined(separator: "$") + "$"
    }

    /// A hash of the scheme that no password is known to make: zeros. Comparing with it takes as long as with any other.
    package var decoy: PasswordHash {
        if text.hasPrefix("$2") { return PasswordHash(text: text + String(repeating: ".", count: 53)) }
        let lengths = text.pieces(at: "$").suffix(2).compactMap { Int($0, radix: 10) }
        guard lengths.count == 2, lengths.allSatisfy({ (0...Self.maximumBytes).contains($0) }) else {
            return PasswordHash(text: "")
        }
        let zeros = lengths.map { String(repeating: "A", count: $0) }
        return PasswordHash(text: "\(head)\(zeros[0])$\(zeros[1])")
    }
}

/// A scheme that some password of an application has, or had not long ago.
package struct PasswordSchemeUse: Hashable, Sendable {
    /// How long a scheme is taken to be in use without looking.
    package static let span: Duration = .days(1)
    /// The most schemes of an application that comparisons make up for: each log-in reads them. Some services drew the rounds of
    /// each hash by chance.
    package static let maximumPerApplication = 64

    package var application: Identifier<Application>
    package var scheme: PasswordScheme
    /// When it was last known to be in use.
    package var usedAt: Timestamp

    package init(application: Identifier<Application>, scheme: PasswordScheme, usedAt: Timestamp) {
        self.application = application
        self.scheme = scheme
        self.usedAt = usedAt
    }
}

/// Forgets schemes of passwords that no user has any more, so that comparisons stop taking their time.
struct RemoveUnusedSchemes: Sendable {
    /// How many are looked for in one call.
    private static let maximumSchemes = 4

    let store: any Store
    let clock: any WallClock

    /// - Throws: `storageUnavailable`.
    func callAsFunction() async throws(DomainError) {
        let now = clock.now
        let uses = try await store.read { transaction throws(DomainError) in
            try transaction.passwordSchemes(usedBefore: now - PasswordSchemeUse.span, count: Self.maximumSchemes)
        }
        for use in uses {
            let isUsed = try await store.read { transaction throws(DomainError) in
                try transaction.hasPasswords(of: use.scheme, in: use.application)
            }
            try await store.write { transaction throws(DomainError) in
                try transaction.settle(use, isUsed: isUsed, at: now)
            }
        }
    }
}
