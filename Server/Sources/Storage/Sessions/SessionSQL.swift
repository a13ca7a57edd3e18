package import Domain

extension SQLTransaction {
    package func session(
        token: SessionToken.Reference, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, user: User)? {
        let found: Session?
        if let user = token.user {
            found = try connection.first(
                SessionRow.self, "FROM sessions WHERE application_id = $1 AND user_id = $2 AND token_digest = $3",
                [.id(application), .id(user), .digest(token.digest)])
        } else {
            found = try connection.first(
                SessionRow.self, "FROM sessions WHERE application_id = $1 AND token_lookup = $2",
                [.id(application), .digest(token.digest)])
        }
        guard let session = found, let user = try user(session.user, in: application) else { return nil }
        return (session, user)
    }

    package func sessions(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [Session] {
        try connection.all(
            SessionRow.self, "FROM sessions WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC",
            [.id(application), .id(user)])
    }

    package func sessionsWithTokens(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> [ExportedSession] {
        try connection.rows(
            .select(
                Joined<SessionRow, SessionSecretRow>.self,
                "FROM sessions WHERE application_id = $1 AND user_id = $2 ORDER BY id DESC"),
            [.id(application), .id(user)]
        ) { row throws(DomainError) in
            ExportedSession(
                session: try SessionRow.content(ColumnReader(row)),
                token: try SessionSecretRow.content(ColumnReader(row, from: SessionRow.width)).token)
        }
    }

    package func insert(
        _ session: Session, token: SessionToken.Reference, attempt: SessionAttempt?, replacing: SessionReplacement?
    ) throws(DomainError) {
        let left = try replacing.map { rules throws(DomainError) in try end(what: rules, asksOf: session) } ?? nil
        let content = SessionSecretRow.Content(
            slot: left ?? session.id.rawValue, token: token.digest, isNamed: token.user != nil, attempt: attempt)
        // Almost all log-ins of devices find a slot: one row is overwritten, and no index.
        try connection.insert(
            session, as: SessionRow.self, with: content, as: SessionSecretRow.self,
            """
            ON CONFLICT (application_id, user_id, slot) DO UPDATE SET
                id = excluded.id, device_key = excluded.device_key, device_name = excluded.device_name,
                device_model = excluded.device_model, device_system = excluded.device_system,
                device_app_version = excluded.device_app_version, installation = excluded.installation,
                address = excluded.address, protocol = excluded.protocol, method = excluded.method,
                created_at = excluded.created_at, last_used_at = excluded.last_used_at,
                expires_at = excluded.expires_at, authenticated_at = excluded.authenticated_at,
                fields = excluded.fields, updated_at = excluded.updated_at,
                second_factor_at = excluded.second_factor_at, methods = excluded.methods, origin = excluded.origin,
                parent = excluded.parent,
                token_digest = excluded.token_digest, token_lookup = excluded.token_lookup,
                attempt_digest = excluded.attempt_digest, attempt_request_digest = excluded.attempt_request_digest,
                attempt_was_new = excluded.attempt_was_new,
                attempt_previous_log_in_at = excluded.attempt_previous_log_in_at,
                former_digest = NULL, refresh_seed = NULL, refreshed_at = NULL, refreshed_until = NULL
            """)
    }

    package func session(
        attempt: SecretDigest, of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, attempt: SessionAttempt)? {
        let found = try connection.row(
            .select(
                Joined<SessionRow, SessionSecretRow>.self,
                "FROM sessions WHERE application_id = $1 AND user_id = $2 AND attempt_digest = $3"),
            [.id(application), .id(user), .digest(attempt)]
        ) { row throws(DomainError) in
            (
                try SessionRow.content(ColumnReader(row)),
                try SessionSecretRow.content(ColumnReader(row, from: SessionRow.width)).attempt
            )
        }
        guard case (let session, let attempt?)? = found else { return nil }
        return (session, attempt)
    }

    package func updateObject(of session: Session) throws(DomainError) {
        try connection.run(
            """
            UPDATE sessions SET fields = $1, expires_at = $2, updated_at = $3
            WHERE application_id = $4 AND user_id = $5 AND id = $6
            """,
            try SessionRow.values(of: session, .fields, .expiresAt, .updatedAt, .applicationId, .userId, .id))
        note(.user(session.application, session.user))
    }

    package func replaceToken(of session: Session, with token: SessionToken.Reference) throws(DomainError) {
        try connection.run(
            """
            UPDATE sessions SET token_digest = $1, token_lookup = $2
            WHERE application_id = $3 AND user_id = $4 AND id = $5
            """, token.stored + [.id(session.application), .id(session.user), .id(session.id)])
        note(.user(session.application, session.user))
    }

    package func refreshToken(
        of session: Session, with token: SessionToken.Reference, after refresh: TokenRefresh
    ) throws(DomainError) {
        try connection.run(
            """
            UPDATE sessions SET token_digest = $1, token_lookup = $2, former_digest = $3, refresh_seed = $4,
                refreshed_at = $5, refreshed_until = $6
            WHERE application_id = $7 AND user_id = $8 AND id = $9
            """,
            token.stored + [
                .digest(refresh.former), .bytes(refresh.seed), .time(refresh.at), .time(refresh.end),
                .id(session.application), .id(session.user), .id(session.id),
            ])
        note(.user(session.application, session.user))
    }

    package func session(
        refreshedFrom former: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> (session: Session, user: User, refresh: TokenRefresh)? {
        // The key of the table is looked for in the index alone. Without statistics SQLite takes all sessions of an application for
        // ten, and looked through them for whatever stranger sent a token that was never one.
        let found = try connection.row(
            .select(
                Joined<SessionRow, TokenRefreshRow>.self,
                """
                FROM sessions WHERE application_id = $1 AND (user_id, slot) IN (
                    SELECT user_id, slot FROM sessions WHERE application_id = $1 AND former_digest = $2)
                """),
            [.id(application), .digest(former)]
        ) { row throws(DomainError) in
            (
                try SessionRow.content(ColumnReader(row)),
                try TokenRefreshRow.content(ColumnReader(row, from: SessionRow.width))
            )
        }
        guard let (session, refresh) = found, let user = try user(session.user, in: application) else { return nil }
        return (session, user, refresh)
    }

    package func updateAuthentication(of session: Session, token: SessionToken.Reference) throws(DomainError) {
        try connection.run(
            """
            UPDATE sessions SET authenticated_at = $1, methods = $2, second_factor_at = $3, token_digest = $4,
                token_lookup = $5
            WHERE application_id = $6 AND user_id = $7 AND id = $8
            """,
            try SessionRow.values(of: session, .authenticatedAt, .methods, .secondFactorAt) + token.stored
                + [.id(session.application), .id(session.user), .id(session.id)])
        note(.user(session.application, session.user))
    }

    package func noteUse(_ uses: [SessionTouch]) throws(DomainError) {
        for use in uses {
            try connection.run(
                """
                UPDATE sessions SET last_used_at = $1, address = $2
                WHERE application_id = $3 AND user_id = $4 AND id = $5 AND last_used_at < $1
                """,
                [.time(use.at), .optional(use.address), .id(use.application), .id(use.user), .id(use.id)])
            if use.isFirstOfDay {
                try noteDays([UserPresence(of: use.user, in: use.application, at: use.at)])
            }
        }
    }
}

extension SQLTransaction {
    package func wasImported(
        _ token: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.row(
            "SELECT 1 FROM imported_tokens WHERE application_id = $1 AND token_digest = $2",
            [.id(application), .digest(token)]
        ) { _ throws(DomainError) in true } ?? false
    }

    package func noteImported(_ token: SecretDigest, in application: Identifier<Application>) throws(DomainError) {
        try connection.run(
            "INSERT INTO imported_tokens (application_id, token_digest) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            [.id(application), .digest(token)])
    }
}

extension SessionToken.Reference {
    /// The digest, and once more for the index by which it is found where the token names nobody.
    fileprivate var stored: [Value] { [.digest(digest), user == nil ? .digest(digest) : .null] }
}

extension SQLTransaction {
    package func markUsed(_ proof: DeviceProof) throws(DomainError) -> Bool {
        guard let proofs else {
            if let next = proofFloor.flatMap({ ProofMemory.next(for: proof, after: $0) }) {
                throw .clockSkew(serverTime: next)
            }
            return try markUsed(proof.used, in: AuditEntry.server)
        }
        switch proofs.take(proof) {
        case .used: return false
        case .unknown(let next): throw .clockSkew(serverTime: next)
        case .new(let mark, let isLatest):
            note(mark)
            if proof.isFromFuture { return try markUsed(proof.used, in: AuditEntry.server) }
            if isLatest {
                // After a transaction that came to nothing this may be an earlier time than the one that is written.
                try connection.run(
                    """
                    INSERT INTO proof_times (id, latest) VALUES (1, $1)
                    ON CONFLICT (id) DO UPDATE SET latest = CASE
                        WHEN excluded.latest > proof_times.latest OR proof_times.latest > $2 THEN excluded.latest
                        ELSE proof_times.latest END
                    """, [.time(proof.issuedAt), .time(proof.checkedAt + ProofMemory.longestSetBack)])
            }
            return true
        }
    }

    package func markUsed(
        _ proof: UsedProof, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.change(
            .insert(UsedProofRow.self, "ON CONFLICT DO NOTHING"),
            try UsedProofRow.values(of: UsedProofRow.Content(application: application, proof: proof))) == 1
    }

    package func wasUsed(
        _ proof: UsedProof, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        try connection.row(
            "SELECT 1 FROM used_proofs WHERE application_id = $1 AND digest = $2",
            [.id(application), .bytes(proof.key)]
        ) { _ throws(DomainError) in true } ?? false
    }

    package func used(
        among proofs: [UsedProof], in application: Identifier<Application>
    ) throws(DomainError) -> [UsedProof] {
        var found: Set<Int> = []
        for start in stride(from: 0, to: proofs.count, by: Self.maximumAskedProofs) {
            let asked = proofs[start...].prefix(Self.maximumAskedProofs)
            // All keys have 22 bytes. The first, empty part of `given` tells PostgreSQL that the value is bytes.
            let numbers = try connection.rows(
                """
                WITH RECURSIVE given (keys) AS (
                    SELECT digest FROM used_proofs WHERE FALSE UNION ALL SELECT $1
                ), asked (number, digest) AS (
                    SELECT 0, substr(keys, 1, 22) FROM given
                    UNION ALL
                    SELECT number + 1, substr(keys, number * 22 + 23, 22) FROM asked CROSS JOIN given
                    WHERE (number + 1) * 22 < length(keys)
                )
                SELECT number FROM asked WHERE (
                    SELECT 1 FROM used_proofs WHERE application_id = $2 AND used_proofs.digest = asked.digest
                ) = 1
                """, [.bytes(asked.flatMap(\.key)), .id(application)]
            ) { row throws(DomainError) in start + row.only.count }
            found.formUnion(numbers)
        }
        return proofs.indices.filter(found.contains).map { proofs[$0] }
    }

    private static let maximumAskedProofs = 500

    /// When the latest proof was made that a server took in memory; `nil` before the first.
    ///
    /// - Throws: `storageUnavailable`.
    package func latestProof() throws(DomainError) -> Timestamp? {
        try connection.row("SELECT latest FROM proof_times", []) { row throws(DomainError) in row.only.time }
    }

    /// The device proofs that have rows, and nothing of the many other kinds. Each part is a range of the table's key: an older
    /// server wrote them for their applications.
    ///
    /// - Throws: `storageUnavailable`.
    package func usedProofs() throws(DomainError) -> [UsedProof] {
        let ofServer = try connection.all(
            UsedProofRow.self, "FROM used_proofs WHERE application_id = $1 AND digest < $2",
            [.id(AuditEntry.server), .bytes([UsedProof.otherKinds])])
        let ofApplications = try connection.all(
            UsedProofRow.self,
            "FROM applications CROSS JOIN used_proofs WHERE used_proofs.application_id = applications.id AND digest < $1",
            [.bytes([UsedProof.otherKinds])])
        return (ofServer + ofApplications).map(\.proof)
    }

    package func removeUsedProofs(endedBefore limit: Timestamp, count: Int) throws(DomainError) -> Int {
        proofs?.forget(endedBefore: limit)
        return try connection.change(
            """
            DELETE FROM used_proofs WHERE (application_id, digest) IN (
                SELECT application_id, digest FROM used_proofs WHERE ends_at < $1 ORDER BY ends_at LIMIT $2)
            """, [.time(limit), .count(count)])
    }
}
