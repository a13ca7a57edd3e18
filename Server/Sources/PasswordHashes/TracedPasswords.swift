package import Domain

/// Hashes passwords, and shows in the traces of requests how long that takes, waiting included. It stands before what
/// hashes only while traces are made.
package struct TracedPasswords: PasswordHashing {
    private let hashing: any PasswordHashing

    package init(_ hashing: any PasswordHashing) {
        self.hashing = hashing
    }

    package func hash(_ password: Password, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        try await Self.traced("password hash") { () async throws(DomainError) in
            try await hashing.hash(password, for: share)
        }
    }

    package func hash(new: NewPassword, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        try await Self.traced("password hash") { () async throws(DomainError) in
            try await hashing.hash(new: new, for: share)
        }
    }

    /// How it ends is nobody's but the caller's: the span of a right password and that of a wrong one are alike.
    package func compare(
        _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme>, for share: PasswordShare
    ) async throws(DomainError) -> PasswordVerdict {
        try await Self.traced("password compare") { () async throws(DomainError) in
            try await hashing.compare(password, with: hash, among: schemes, for: share)
        }
    }

    package func canTry(_ hash: PasswordHash) -> Bool { hashing.canTry(hash) }

    package func isFast(_ hash: PasswordHash) -> Bool { hashing.isFast(hash) }

    package func wrap(_ hash: PasswordHash, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        try await Self.traced("password hash") { () async throws(DomainError) in
            try await hashing.wrap(hash, for: share)
        }
    }

    package var waiting: Int { hashing.waiting }

    private static func traced<Value: Sendable>(
        _ name: String, _ work: () async throws(DomainError) -> Value
    ) async throws(DomainError) -> Value {
        guard let span = CurrentSpan.value?.child(name) else { return try await work() }
        do throws(DomainError) {
            let value = try await work()
            span.end()
            return value
        } catch {
            span.end(error: Self.word(error))
            throw error
        }
    }

    private static func word(_ error: DomainError) -> String? {
        error.kind == .unavailable ? error.code.rawValue : nil
    }
}
