/// Ends the session of the pages that a browser had before a log-in, since no browser holds its token any more. What came from
/// it goes on with the new session, and ends with that one, when the same user has logged in. Otherwise a session from which
/// something came stays: without it, nothing that its owner can end would end the rest (decision 0174).
package struct ReplacePageSession: Sendable {
    let store: any Store

    /// - Parameters:
    ///   - token: What the cookie held before, which anybody may have set.
    ///   - logIn: The new session, whose token takes its place in the cookie.
    ///   - application: Where.
    /// - Throws: `storageUnavailable`.
    package func callAsFunction(
        _ token: Substring, by logIn: LogIn, in application: Identifier<Application>
    ) async throws(DomainError) {
        guard let reference = SessionToken.reference(of: token, in: .pages) else { return }
        let new = logIn.session
        try await store.write { transaction throws(DomainError) in
            guard let old = try transaction.session(token: reference, in: application)?.session,
                old.protocolName == .pages, old.id != new.id
            else { return }
            let isSource = try transaction.sessions(of: old.user, in: application)
                .contains { $0.parent == old.id || $0.origin == old.id.rawValue }
            if isSource {
                // What an app opened ends with that app, and must not take others with it.
                guard old.user == new.user, new.origin == nil else { return }
                try transaction.reparentSessions(from: old.id, to: new.id, of: old.user, in: application)
            }
            _ = try transaction.endSession(old.id, of: old.user, in: application)
        }
    }
}
