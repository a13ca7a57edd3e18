package import Domain

extension SQLTransaction {
    package func endSession(
        _ id: Identifier<Session>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        let ended = try connection.rows(
            """
            DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND id = $3 RETURNING token_digest
            """,
            [.id(application), .id(user), .id(id)], read: Self.digest)
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
        ) { row throws(DomainError) in row.id(0) }
    }

    package func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: Identifier<Session>
    ) throws(DomainError) -> Int {
        let ended = try connection.rows(
            """
            DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND id <> $3 RETURNING token_digest
            """,
            [.id(application), .id(user), .id(kept)], read: Self.digest)
        return noteEnd(of: ended, in: application)
    }

    package func endSessions(
        of user: Identifier<User>, openedBy method: Session.LogInMethod, in application: Identifier<Application>,
        except kept: Identifier<Session>
    ) throws(DomainError) -> Int {
        let ended = try connection.rows(
            """
            DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND method = $3 AND id <> $4
            RETURNING token_digest
            """,
            [.id(application), .id(user), .text(method.rawValue), .id(kept)], read: Self.digest)
        return noteEnd(of: ended, in: application)
    }

    package func endSessions(
        of user: Identifier<User>, installation: String, in application: Identifier<Application>
    ) throws(DomainError) {
        let ended = try connection.rows(
            """
            DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND installation = $3
            RETURNING token_digest
            """,
            [.id(application), .id(user), .text(installation)], read: Self.digest)
        _ = noteEnd(of: ended, in: application)
    }

    package func endReplacedSessions(
        of user: Identifier<User>, in application: Identifier<Application>, deviceKey: String?,
        openedBefore limit: Timestamp, maximum: Int, within protocolLimit: SessionProtocolLimit?
    ) throws(DomainError) {
        // Ids grow with time. Looking first costs a fraction of a deletion that returns nothing.
        let newest = Identifier<Session>.first(at: limit)
        let sessions = try connection.rows(
            """
            SELECT token_digest, id, device_key, protocol FROM sessions
            WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC
            """,
            [.id(application), .id(user)]
        ) { row throws(DomainError) in
            (
                token: try row.digest(0), id: row.text(1), deviceKey: row.optionalText(2),
                protocolName: Session.ProtocolName(rawValue: row.text(3))
            )
        }
        var ofProtocol = 0
        let ended = sessions.enumerated().filter { place, session in
            if session.protocolName == protocolLimit?.name { ofProtocol += 1 }
            return place >= maximum
                || protocolLimit.map { session.protocolName == $0.name && ofProtocol > $0.maximum } ?? false
                || (deviceKey != nil && session.deviceKey == deviceKey && session.id < newest.rawValue)
        }
        try end(ended.map(\.element.token), in: application)
    }

    package func sessionLives(
        after place: SessionExpiry?, limit: Int
    ) throws(DomainError) -> [SessionExpiry] {
        try connection.rows(
            """
            SELECT application_id, token_digest, last_used_at, expires_at, protocol FROM sessions
            WHERE (application_id, token_digest) > ($1, $2) ORDER BY application_id, token_digest LIMIT $3
            """,
            [
                .text(place?.application.rawValue ?? ""), place.map { .digest($0.token) } ?? .bytes([]),
                .count(limit),
            ]
        ) { row throws(DomainError) in
            SessionExpiry(
                application: row.id(0), token: try row.digest(1), protocolName: .init(rawValue: row.text(4)),
                lastUsedAt: row.time(2), expiresAt: row.time(3))
        }
    }

    package func remove(_ sessions: [SessionExpiry]) throws(DomainError) {
        for session in sessions {
            try connection.run(
                "DELETE FROM sessions WHERE application_id = $1 AND token_digest = $2 AND last_used_at = $3",
                [.id(session.application), .digest(session.token), .time(session.lastUsedAt)])
            note(.session(session.application, session.token))
        }
    }

    private static func digest(_ row: any RowReader) throws(DomainError) -> SecretDigest {
        try row.digest(0)
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
