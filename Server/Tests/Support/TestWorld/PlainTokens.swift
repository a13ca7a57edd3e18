package import Domain

/// Sessions by digests alone, as the tokens of other protocols lead to them.
extension SessionQueries {
    package func insert(
        _ session: Session, token: SecretDigest, attempt: SessionAttempt?, replacing: SessionReplacement? = nil
    ) throws(DomainError) {
        try insert(session, token: SessionToken.Reference(token), attempt: attempt, replacing: replacing)
    }

    package func session(
        token: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, user: User)? {
        try session(token: SessionToken.Reference(token), in: application)
    }

    package func replaceToken(of session: Session, with token: SecretDigest) throws(DomainError) {
        try replaceToken(of: session, with: SessionToken.Reference(token))
    }

    package func updateAuthentication(of session: Session, token: SecretDigest) throws(DomainError) {
        try updateAuthentication(of: session, token: SessionToken.Reference(token))
    }
}
