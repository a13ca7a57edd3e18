/// What is kept of an attempt to log in, so that its repetition gets the same answer.
package struct SessionAttempt: Hashable, Sendable {
    package var digest: SecretDigest
    package var isNew: Bool
    package var previousLogInAt: Timestamp?

    package init(digest: SecretDigest, isNew: Bool, previousLogInAt: Timestamp?) {
        self.digest = digest
        self.isNew = isNew
        self.previousLogInAt = previousLogInAt
    }
}
