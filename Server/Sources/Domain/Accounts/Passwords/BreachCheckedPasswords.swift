/// Hashes passwords, and refuses new ones that are known from leaks.
package final class BreachCheckedPasswords: PasswordHashing {
    /// What happens to a new password when a list gives no answer.
    package enum Failure: String, Sendable {
        /// It is taken.
        case accept
        /// It is refused for now, with `busy`.
        case refuse
    }

    private let hashing: any PasswordHashing
    private let lists: [any BreachedPasswords]
    private let failure: Failure
    private let observer = Observer<String>()

    /// What a list without an answer means for somebody who was turned away.
    private static let retry: Duration = .seconds(5)

    /// - Parameters:
    ///   - hashing: Does the work.
    ///   - lists: Looked at in this order, until one has the password.
    ///   - failure: What a list without an answer means.
    package init(_ hashing: any PasswordHashing, lists: [any BreachedPasswords], failure: Failure) {
        self.hashing = hashing
        self.lists = lists
        self.failure = failure
    }

    /// Called with a sentence for the log when a list gives no answer.
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        self.observer.set(observer)
    }

    package func hash(new: NewPassword, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        if new.mustBeUnknown, try await isKnown(new.password) {
            throw .fieldsRefused([ValidationError(field: new.field, rule: .breached)])
        }
        return try await hashing.hash(new.password, for: share)
    }

    private func isKnown(_ password: Password) async throws(DomainError) -> Bool {
        for list in lists {
            do throws(BreachListUnavailable) {
                if try await list.contain(password) { return true }
            } catch {
                observer.note(error.reason)
                if failure == .refuse { throw .busy(retryAfter: Self.retry) }
            }
        }
        return false
    }

    package func hash(_ password: Password, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        try await hashing.hash(password, for: share)
    }

    package func compare(
        _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme>, for share: PasswordShare
    ) async throws(DomainError) -> PasswordVerdict {
        try await hashing.compare(password, with: hash, among: schemes, for: share)
    }

    package func canTry(_ hash: PasswordHash) -> Bool { hashing.canTry(hash) }

    package func isFast(_ hash: PasswordHash) -> Bool { hashing.isFast(hash) }

    package func wrap(_ hash: PasswordHash, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
        try await hashing.wrap(hash, for: share)
    }

    package var waiting: Int { hashing.waiting }
}
