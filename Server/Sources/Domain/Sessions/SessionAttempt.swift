/// One attempt of a request that creates something, so that its repetition has no second effect.
package struct Attempt: Hashable, Sendable {
    /// Stands for the name that the client gave the attempt.
    package var digest: SecretDigest
    /// Stands for what was asked, without any password: one name with two requests is a fault of the client.
    package var request: SecretDigest

    package init(name: String, request: some Sequence<UInt8>) {
        digest = SecretDigest(of: name.utf8)
        self.request = SecretDigest(of: request)
    }

    /// The attempt when a secret that is kept only as a keyed digest is a part of what was asked.
    func asking(with secret: SecretDigest) -> Attempt {
        var attempt = self
        attempt.request = SecretDigest(of: request.bytes + secret.bytes)
        return attempt
    }
}

/// What is kept of an attempt to log in, so that its repetition gets the same answer.
package struct SessionAttempt: Hashable, Sendable {
    package var digest: SecretDigest
    /// What was asked; `nil` for attempts that were kept before requests were.
    package var request: SecretDigest?
    package var isNew: Bool
    package var previousLogInAt: Timestamp?

    package init(digest: SecretDigest, request: SecretDigest? = nil, isNew: Bool, previousLogInAt: Timestamp?) {
        self.digest = digest
        self.request = request
        self.isNew = isNew
        self.previousLogInAt = previousLogInAt
    }
}
