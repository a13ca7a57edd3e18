package import Domain

extension SQLTransaction {
    package func endSession(
        _ id: Identifier<Session>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        let ended = try endedTokens(
            "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND id = $3",
            [.id(application), .id(user), .id(id)])
        return noteEnd(of: ended, in: application) > 0
    }

    package func endSession(
        _ id: Identifier<Session>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        guard let user = try owner(of: id, in: application) else { return false }
        return try endSession(id, of: user, in: application)
    }

    package func owner(
        of session: Identifier<Session>, in application: Identifier<Application>
    ) throws(DomainError) -> Identifier<User>? {
        // Reads the whole index: operators do this by hand, and no other query needs an index by id alone.
        try connection.row(
            "SELECT user_id FROM sessions WHERE application_id = $1 AND id = $2", [.id(application), .id(session)]
        ) { row throws(DomainError) in row.only.id() }
    }

    package func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: Identifier<Session>
    ) throws(DomainError) -> Int {
        let ended = try endedTokens(
            "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND id <> $3",
            [.id(application), .id(user), .id(kept)])
        return noteEnd(of: ended, in: application)
    }

    package func endSessions(
        of user: Identifier<User>, openedBy method: Session.LogInMethod, in application: Identifier<Application>,
        except kept: Identifier<Session>
    ) throws(DomainError) -> Int {
        let ended = try endedTokens(
            "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND method = $3 AND id <> $4",
            [.id(application), .id(user), .text(method.rawValue), .id(kept)])
        return noteEnd(of: ended, in: application)
    }

    package func endSessions(
        of user: Identifier<User>, installation: String, in application: Identifier<Application>
    ) throws(DomainError) {
        let ended = try endedTokens(
            "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND installation = $3",
            [.id(application), .id(user), .text(installation)])
        _ = noteEnd(of: ended, in: application)
    }

    package func endReplacedSessions(
        of user: Identifier<User>, in application: Identifier<Application>, deviceKey: String?,
        openedBefore limit: Timestamp, maximum: Int, within protocolLimit: SessionProtocolLimit?
    ) throws(DomainError) {
        // Ids grow with time. Looking first costs a fraction of a deletion that returns nothing.
        let newest = Identifier<Session>.first(at: limit)
        let sessions = try connection.all(
            ReplaceableSessionRow.self, "FROM sessions WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC",
            [.id(application), .id(user)])
        var ofProtocol = 0
        let ended = sessions.enumerated().filter { position, session in
            if session.protocolName == protocolLimit?.name { ofProtocol += 1 }
            return position >= maximum
                || protocolLimit.map { session.protocolName == $0.name && ofProtocol > $0.maximum } ?? false
                || (deviceKey != nil && session.deviceKey == deviceKey && session.id.rawValue < newest.rawValue)
        }
        try end(ended.map(\.element.token), in: application)
    }

    package func sessionLives(
        after last: SessionExpiry?, limit: Int
    ) throws(DomainError) -> [SessionExpiry] {
        try connection.all(
            SessionExpiryRow.self,
            "FROM sessions WHERE (application_id, token_digest) > ($1, $2) ORDER BY application_id, token_digest LIMIT $3",
            [
                .text(last?.application.rawValue ?? ""), last.map { .digest($0.token) } ?? .bytes([]),
                .count(limit),
            ])
    }

    package func remove(_ sessions: [SessionExpiry]) throws(DomainError) {
        for session in sessions {
            try connection.run(
                "DELETE FROM sessions WHERE application_id = $1 AND token_digest = $2 AND last_used_at = $3",
                [.id(session.application), .digest(session.token), .time(session.lastUsedAt)])
            note(.session(session.application, session.token))
        }
    }

    /// Runs a statement that deletes sessions.
    private func endedTokens(_ deletion: StaticString, _ values: [Value]) throws(DomainError) -> [SecretDigest] {
        try connection.rows(.returning(EndedSessionRow.self, deletion), values) { row throws(DomainError) in
            try EndedSessionRow.content(ColumnReader(row))
        }
    }

    private func end(_ tokens: [SecretDigest], in application: Identifier<Application>) throws(DomainError) {
        for token in tokens {
            try connection.run(
                "DELETE FROM sessions WHERE application_id = $1 AND token_digest = $2",
                [.id(application), .digest(token)])
        }
        _ = noteEnd(of: tokens, in: application)
    }

    /// Announces sessions that ended; their number.
    private func noteEnd(of tokens: [SecretDigest], in application: Identifier<Application>) -> Int {
        for token in tokens { note(.session(application, token)) }
        return tokens.count
    }
}
