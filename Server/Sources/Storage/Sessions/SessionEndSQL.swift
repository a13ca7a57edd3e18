package import Domain

extension SQLTransaction {
    package func endSession(
        _ id: Identifier<Session>, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try endSessions(from: .id(id), of: user, in: application, except: nil) > 0
    }

    package func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, deviceKeys: Set<String>
    ) throws(DomainError) -> Int {
        // Few keys have sessions. In order, so that what is simulated happens in the same way again.
        let opening: [String] = try connection.rows(
            """
            SELECT device_key FROM sessions WHERE application_id = $1 AND user_id = $2 AND device_key IS NOT NULL
            UNION SELECT origin FROM sessions WHERE application_id = $1 AND user_id = $2 AND origin IS NOT NULL
            """, [.id(application), .id(user)]
        ) { row throws(DomainError) in row.only.text }
        var count = 0
        for key in opening.sorted() where deviceKeys.contains(key) {
            count += try endSessions(from: .text(key), of: user, in: application, except: nil)
        }
        return count
    }

    package func reparentSessions(
        from old: Identifier<Session>, to new: Identifier<Session>, of user: Identifier<User>,
        in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            """
            UPDATE sessions SET
                parent = CASE WHEN parent = $1 THEN $2 ELSE parent END,
                origin = CASE WHEN origin = $1 THEN $2 ELSE origin END
            WHERE application_id = $3 AND user_id = $4 AND (parent = $1 OR origin = $1)
            """, [.id(old), .id(new), .id(application), .id(user)])
        note(.user(application, user))
    }

    package func owner(
        of session: Identifier<Session>, in application: Identifier<Application>,
        openedBy protocolName: Session.ProtocolName?
    ) throws(DomainError) -> Identifier<User>? {
        // A range of one, for which SQLite takes the index.
        let foreign: Identifier<User>? = try connection.row(
            """
            SELECT user_id FROM sessions WHERE application_id = $1 AND id BETWEEN $2 AND $2 AND protocol <> 'native'
            ORDER BY id LIMIT 1
            """, [.id(application), .id(session)]
        ) { row throws(DomainError) in row.only.id() }
        if let foreign { return foreign }
        guard (protocolName ?? .native) == .native else { return nil }
        // Reads the whole table: operators do this by a command, and no other query needs an index of all by their ids.
        return try connection.row(
            "SELECT user_id FROM sessions WHERE application_id = $1 AND id = $2", [.id(application), .id(session)]
        ) { row throws(DomainError) in row.only.id() }
    }

    package func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, except kept: Identifier<Session>?
    ) throws(DomainError) -> Int {
        let ended = try endedTokens(
            "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND id <> $3",
            [.id(application), .id(user), Self.text(of: kept)])
        return noteEnd(of: ended, in: application)
    }

    package func endSessions(
        of user: Identifier<User>, openedBy method: Session.LogInMethod, in application: Identifier<Application>,
        except kept: Identifier<Session>?
    ) throws(DomainError) -> Int {
        try endSessions(
            "SELECT id FROM sessions WHERE application_id = $1 AND user_id = $2 AND id <> $3 AND method = $4",
            .text(method.rawValue), of: user, in: application, except: kept)
    }

    package func endSessions(
        of user: Identifier<User>, showing methods: AuthenticationMethods, in application: Identifier<Application>,
        except kept: Identifier<Session>?
    ) throws(DomainError) -> Int {
        try endSessions(
            """
            SELECT id FROM sessions WHERE application_id = $1 AND user_id = $2 AND id <> $3
                AND authenticated_at > created_at AND (methods & $4) <> 0
            """, .integer(methods.rawValue), of: user, in: application, except: kept)
    }

    /// Ends the sessions whose ids a statement finds.
    private func endSessions(
        _ selection: Query, _ value: Value, of user: Identifier<User>, in application: Identifier<Application>,
        except kept: Identifier<Session>?
    ) throws(DomainError) -> Int {
        let found: [Identifier<Session>] = try connection.rows(
            selection, [.id(application), .id(user), Self.text(of: kept), value]
        ) { row throws(DomainError) in row.only.id() }
        var count = 0
        for id in found { count += try endSessions(from: .id(id), of: user, in: application, except: kept) }
        return count
    }

    package func endSessions(
        of user: Identifier<User>, installation: String, in application: Identifier<Application>
    ) throws(DomainError) {
        let ended = try endedTokens(
            "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND installation = $3",
            [.id(application), .id(user), .text(installation)])
        _ = noteEnd(of: ended, in: application)
    }

    package func sweepSessions(
        after last: SessionExpiry.Position?, limit: Int, endedBy now: Timestamp,
        unusedSince instants: SessionExpiry.Disuse
    ) throws(DomainError) -> SessionExpiry.Sweep {
        let start: [Value] = [
            .text(last?.application.rawValue ?? ""), .text(last?.user.rawValue ?? ""), .text(last?.slot ?? ""),
        ]
        let end = try connection.first(
            SessionPositionRow.self,
            """
            FROM sessions WHERE (application_id, user_id, slot) > ($1, $2, $3)
            ORDER BY application_id, user_id, slot LIMIT 1 OFFSET $4
            """, start + [.count(limit - 1)])
        let found = try connection.rows(
            .select(
                SessionExpiryRow.self,
                among: """
                    FROM sessions WHERE (application_id, user_id, slot) > ($1, $2, $3)
                    ORDER BY application_id, user_id, slot LIMIT $4
                    """,
                "WHERE expires_at <= $5 OR last_used_at <= $6 OR (last_used_at <= $7 AND protocol = $8)"),
            start + [
                .count(limit), .time(now), .time(instants.ofOthers), .time(instants.ofBriefest),
                .text(instants.briefest.rawValue),
            ]
        ) { row throws(DomainError) in try SessionExpiryRow.content(ColumnReader(row)) }
        return SessionExpiry.Sweep(found: found, last: end)
    }

    package func remove(_ sessions: [SessionExpiry]) throws(DomainError) {
        for session in sessions {
            try connection.run(
                """
                DELETE FROM sessions
                WHERE application_id = $1 AND user_id = $2 AND slot = $3 AND token_digest = $4 AND last_used_at = $5
                """,
                [
                    .id(session.application), .id(session.user), .text(session.slot), .digest(session.token),
                    .time(session.lastUsedAt),
                ])
            note(.session(session.application, session.token))
        }
    }

    /// Ends what a new session replaces.
    ///
    /// - Returns: the slot of one that the same device opened: the new session may have it. `nil` when it needs a slot
    ///   of its own.
    func end(what rules: SessionReplacement, asksOf new: Session) throws(DomainError) -> String? {
        guard new.deviceKey != nil || rules.within != nil else {
            try endOldest(of: new.user, in: new.application, beyond: rules.maximum)
            return nil
        }
        // Ids grow with time.
        let newest = Identifier<Session>.first(at: rules.openedBefore)
        let sessions = try connection.all(
            ReplaceableSessionRow.self, "FROM sessions WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC",
            [.id(new.application), .id(new.user)])
        var (ofProtocol, position, left) = (0, 0, nil as String?)
        for session in sessions {
            defer { position += 1 }
            if session.protocolName == rules.within?.name { ofProtocol += 1 }
            let isOfDevice = new.deviceKey != nil && session.deviceKey == new.deviceKey
            guard
                position >= rules.maximum
                    || rules.within.map({ session.protocolName == $0.name && ofProtocol > $0.maximum }) ?? false
                    || isOfDevice && session.id.rawValue < newest.rawValue
            else { continue }
            // Sessions of other protocols are listed by their slots, which have to be in the order of their ids.
            if left == nil, isOfDevice, session.protocolName == .native, new.protocolName == .native {
                left = session.slot
            } else {
                try connection.run(
                    "DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND slot = $3",
                    [.id(new.application), .id(new.user), .text(session.slot)])
            }
            note(.session(new.application, session.token))
        }
        return left
    }

    /// Ends the oldest of so many sessions that a user may not have them all; nearly nobody has so many.
    private func endOldest(
        of user: Identifier<User>, in application: Identifier<Application>, beyond maximum: Int
    ) throws(DomainError) {
        let count = try connection.row(
            "SELECT count(*) FROM sessions WHERE application_id = $1 AND user_id = $2", [.id(application), .id(user)]
        ) { row throws(DomainError) in row.only.count }
        guard let count, count > maximum else { return }
        let ended = try endedTokens(
            """
            DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND slot IN (
                SELECT slot FROM sessions WHERE application_id = $1 AND user_id = $2 ORDER BY id LIMIT $3)
            """, [.id(application), .id(user), .count(count - maximum)])
        _ = noteEnd(of: ended, in: application)
    }

    /// Ends a session by its id, or those that a device's key opened, with all that came from them, by whichever sessions and
    /// keys between (decision 0170): the one rule for whatever ends some of a user's sessions. No id is a thumbprint.
    ///
    /// - Returns: how many ended.
    private func endSessions(
        from root: Value, of user: Identifier<User>, in application: Identifier<Application>,
        except kept: Identifier<Session>?
    ) throws(DomainError) -> Int {
        let ended = try endedTokens(
            """
            WITH RECURSIVE gone (id, device_key) AS (
                SELECT id, device_key FROM sessions
                WHERE application_id = $1 AND user_id = $2 AND (id = $3 OR device_key = $3 OR origin = $3) AND id <> $4
                UNION
                SELECT derived.id, derived.device_key FROM gone
                JOIN sessions AS derived ON derived.parent = gone.id OR derived.origin IN (gone.id, gone.device_key)
                WHERE derived.application_id = $1 AND derived.user_id = $2 AND derived.id <> $4
            )
            DELETE FROM sessions WHERE application_id = $1 AND user_id = $2 AND id IN (SELECT id FROM gone)
            """, [.id(application), .id(user), root, Self.text(of: kept)])
        return noteEnd(of: ended, in: application)
    }

    /// What `id <>` is compared with. No session has the empty id.
    private static func text(of kept: Identifier<Session>?) -> Value { .text(kept?.rawValue ?? "") }

    /// Runs a statement that deletes sessions.
    private func endedTokens(_ deletion: StaticString, _ values: [Value]) throws(DomainError) -> [SecretDigest] {
        try connection.rows(.returning(EndedSessionRow.self, deletion), values) { row throws(DomainError) in
            try EndedSessionRow.content(ColumnReader(row))
        }
    }

    /// Announces sessions that ended; their number.
    private func noteEnd(of tokens: [SecretDigest], in application: Identifier<Application>) -> Int {
        for token in tokens { note(.session(application, token)) }
        return tokens.count
    }
}
