/// The session of a token of a foreign protocol, also after its time, as long as it is remembered: some
/// protocols have a word for a session that has expired.
package struct FindSession: Sendable {
    let store: any Store

    /// - Parameters:
    ///   - token: As sent.
    ///   - application: Where.
    ///   - name: The protocol.
    /// - Returns: `nil` for a token that is nobody's, or of another protocol.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        _ token: Substring, in application: Application, of name: Session.ProtocolName
    ) async throws(DomainError) -> (session: Session, user: User)? {
        guard let reference = SessionToken.reference(of: token, in: name) else { return nil }
        let found = try await store.read { transaction throws(DomainError) -> Found? in
            try transaction.session(token: reference, in: application.id)
                .map { Found(session: $0.session, user: $0.user) }
        }
        guard let found, found.session.protocolName == name else { return nil }
        return (found.session, found.user)
    }

    /// A session by its id, for an administrator.
    ///
    /// - Returns: `nil` when there is none, or one of another protocol.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, in application: Application, of name: Session.ProtocolName
    ) async throws(DomainError) -> Session? {
        try await store.read { transaction throws(DomainError) in
            guard let user = try transaction.owner(of: id, in: application.id, openedBy: name) else { return nil }
            return try transaction.sessions(of: user, in: application.id)
                .first { $0.id == id && $0.protocolName == name }
        }
    }

    private struct Found: Sendable {
        var session: Session
        var user: User
    }
}
