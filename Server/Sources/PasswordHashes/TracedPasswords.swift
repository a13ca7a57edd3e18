package import Domain

/// Hashes passwords, and shows in the traces of requests how long that takes, waiting included. It stands before what
/// hashes only while traces are made.
package struct TracedPasswords: PasswordHashing {
    private let hashing: any PasswordHashing

    package init(_ hashing: any PasswordHashing) {
        self.hashing = hashing
    }

    package func hash(_ password: Password) async throws(DomainError) -> PasswordHash {
        guard let span = CurrentSpan.value?.child("password hash") else { return try await hashing.hash(password) }
        do throws(DomainError) {
            let hash = try await hashing.hash(password)
            span.end()
            return hash
        } catch {
            span.end(error: Self.word(error))
            throw error
        }
    }

    package func hash(new: NewPassword) async throws(DomainError) -> PasswordHash {
        guard let span = CurrentSpan.value?.child("password hash") else { return try await hashing.hash(new: new) }
        do throws(DomainError) {
            let hash = try await hashing.hash(new: new)
            span.end()
            return hash
        } catch {
            span.end(error: Self.word(error))
            throw error
        }
    }

    /// How it ends is nobody's but the caller's: the span of a right password and that of a wrong one are alike.
    package func compare(
        _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme>
    ) async throws(DomainError) -> PasswordVerdict {
        guard let span = CurrentSpan.value?.child("password compare") else {
            return try await hashing.compare(password, with: hash, among: schemes)
        }
        do throws(DomainError) {
            let verdict = try await hashing.compare(password, with: hash, among: schemes)
            span.end()
            return verdict
        } catch {
            span.end(error: Self.word(error))
            throw error
        }
    }

    package func canTry(_ hash: PasswordHash) -> Bool { hashing.canTry(hash) }

    package var waiting: Int { hashing.waiting }

    private static func word(_ error: DomainError) -> String? {
        error.kind == .unavailable ? error.code.rawValue : nil
    }
}
