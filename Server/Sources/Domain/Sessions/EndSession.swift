/// Ends one of the user's own sessions.
package struct EndSession: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `sessionUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, by who: Authenticated, from origin: RequestOrigin
    ) async throws(DomainError) {
        let (user, application) = (who.user.id, who.application.id)
        let entry = audit.draft(.sessionEnded, by: .user(user), in: application, from: origin)
        let ended = try await store.write { transaction throws(DomainError) in
            guard try transaction.endSession(id, of: user, in: application) else { return false }
            try entry.record(on: .session(id), in: transaction)
            return true
        }
        guard ended else { throw .sessionUnknown }
    }
}

/// Ends a session by its id, for operators.
package struct RevokeSession: Sendable {
    let store: any Store
    let audit: AuditTrail

    /// - Throws: `sessionUnknown`, `storageUnavailable`.
    package func callAsFunction(
        _ id: Identifier<Session>, in application: Identifier<Application>, by who: Operator
    ) async throws(DomainError) {
        let entry = audit.draft(.sessionEnded, by: who.actor, in: application, from: who.origin)
        // Beside the writer: a session of Okaeri's own is looked for among all.
        let owner = try await store.read { transaction throws(DomainError) in
            try transaction.owner(of: id, in: application)
        }
        guard let owner else { throw .sessionUnknown }
        let ended = try await store.write { transaction throws(DomainError) in
            guard try transaction.endSession(id, of: owner, in: application) else { return false }
            try entry.record(on: .session(id), in: transaction)
            return true
        }
        guard ended else { throw .sessionUnknown }
    }
}

/// Ends the session of the request.
package struct LogOut: Sendable {
    let store: any Store

    /// - Throws: `storageUnavailable`. A session that ended meanwhile is no error.
    package func callAsFunction(_ who: Authenticated) async throws(DomainError) {
        let (session, user, application) = (who.session.id, who.user.id, who.application.id)
        _ = try await store.write { transaction throws(DomainError) in
            try transaction.endSession(session, of: user, in: application)
        }
    }
}
