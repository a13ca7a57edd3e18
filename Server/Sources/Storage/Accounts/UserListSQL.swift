package import Domain

extension SQLTransaction {
    package func noteDays(_ presences: [UserPresence]) throws(DomainError) {
        for presence in presences {
            try connection.run(
                """
                UPDATE users SET seen_day = $1
                WHERE application_id = $2 AND id = $3 AND (seen_day IS NULL OR seen_day < $1)
                """,
                [.integer(presence.at.day), .id(presence.application), .id(presence.user)])
        }
    }

    /// Notes whether a person could name the user; see `User.isAnonymous`.
    func noteStanding(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            """
            UPDATE users SET registered = CASE
                WHEN username IS NOT NULL OR email IS NOT NULL OR phone IS NOT NULL OR EXISTS (
                    SELECT 1 FROM identities WHERE identities.application_id = $1 AND identities.user_id = $2
                        AND identities.provider NOT IN ('device', 'anonymous'))
                THEN 1 END
            WHERE application_id = $1 AND id = $2
            """,
            [.id(application), .id(user)])
    }

    package func daySeen(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Int64 {
        let day = try connection.row(
            "SELECT seen_day FROM users WHERE application_id = $1 AND id = $2", [.id(application), .id(user)]
        ) { row throws(DomainError) in row.only.integer }
        return day ?? 0
    }

    package func cursors(
        _ leader: UserLeader, in application: Identifier<Application>, from cursor: UserCursor?, limit: Int
    ) throws(DomainError) -> [UserCursor] {
        if case .search(let text, let isWhole) = leader {
            return cursor == nil ? try matches(text, isWhole: isWhole, in: application, limit: limit) : []
        }
        let question = Self.question(leader, in: application, from: cursor, limit: limit)
        return try connection.rows(question.query, question.values) { row throws(DomainError) in
            let row = ColumnReader<UserCursorColumn>(row)
            return UserCursor(id: row.id(.id), key: row.optionalText(.key) ?? "")
        }
    }

    /// The statement that finds the users of a leader. `StorageTests` asks both engines how they run it.
    package static func question(
        _ leader: UserLeader, in application: Identifier<Application>, from cursor: UserCursor?, limit: Int
    ) -> (query: Query, values: [Value]) {
        let before = Value.text(cursor?.id.rawValue ?? Self.afterAll)
        // Most leaders have their users in the order of the ids, by the same values.
        func byId(_ query: Query) -> (query: Query, values: [Value]) {
            (query, [.id(application), before, .count(limit)])
        }
        switch leader {
        case .all, .search:
            return byId(
                .select(
                    UserCursorColumns.self,
                    "FROM users WHERE application_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"))
        case .registered:
            return byId(
                .select(
                    UserCursorColumns.self, "FROM users", indexedBy: "users_registered",
                    "WHERE application_id = $1 AND id < $2 AND registered = 1 ORDER BY id DESC LIMIT $3"))
        case .anonymous:
            return byId(
                .select(
                    UserCursorColumns.self,
                    """
                    FROM users WHERE application_id = $1 AND id < $2 AND registered IS NULL ORDER BY id DESC LIMIT $3
                    """))
        case .disabled:
            return byId(
                .select(
                    UserCursorColumns.self, "FROM users", indexedBy: "users_disabled",
                    "WHERE application_id = $1 AND id < $2 AND disabled_at IS NOT NULL ORDER BY id DESC LIMIT $3"))
        case .leaving:
            return byId(
                .select(
                    UserCursorColumns.self, "FROM users", indexedBy: "users_leaving",
                    "WHERE application_id = $1 AND id < $2 AND deletion_requested_at IS NOT NULL ORDER BY id DESC LIMIT $3"
                ))
        case .weak:
            return byId(
                .select(
                    UserCursorColumns.self, "FROM users", indexedBy: "users_weak",
                    "WHERE application_id = $1 AND id < $2 AND weak_password_at IS NOT NULL ORDER BY id DESC LIMIT $3"))
        // A user with several stands there several times, next to each other; `BrowseUsers` takes the first.
        case .provider(let provider):
            return (
                """
                SELECT user_id, NULL FROM identities
                WHERE application_id = $1 AND provider = $2 AND provider <> 'device' AND user_id < $3
                ORDER BY user_id DESC LIMIT $4
                """, [.id(application), .text(provider.rawValue), before, .count(limit)]
            )
        case .protocolName(let name):
            return (
                """
                SELECT user_id, NULL FROM sessions
                WHERE application_id = $1 AND protocol = $2 AND protocol <> 'native' AND user_id < $3
                ORDER BY user_id DESC LIMIT $4
                """, [.id(application), .text(name.rawValue), before, .count(limit)]
            )
        case .days(let range):
            // Without a name of its own the text would be what PostgreSQL sorts by, and no index could help.
            let last = cursor.flatMap { Int64($0.key, radix: 10) } ?? range.upperBound
            return (
                """
                SELECT id, CAST(seen_day AS TEXT) AS shown_day FROM users
                WHERE application_id = $1 AND seen_day >= $2 AND seen_day <= $3 AND (seen_day < $3 OR id < $4)
                ORDER BY seen_day DESC, id DESC LIMIT $5
                """,
                [.id(application), .integer(range.lowerBound), .integer(last), before, .count(limit)]
            )
        }
    }

    /// Users by what names them, each by an index: id, user name, mail address, phone number, display name.
    private func matches(
        _ text: String, isWhole: Bool, in application: Identifier<Application>, limit: Int
    ) throws(DomainError) -> [UserCursor] {
        var cursors: [UserCursor] = []
        let read = { (row: any RowReader) throws(DomainError) in UserCursor(id: row.only.id()) }
        cursors += try connection.rows(
            "SELECT id FROM users WHERE application_id = $1 AND id = $2", [.id(application), .text(text)], read: read)
        for kind in LogInIdentifier.Kind.allCases {
            let identifier = LogInIdentifier(kind, shown: text)
            guard !identifier.folded.isEmpty else { continue }
            for value in kind == .username ? [identifier.folded, identifier.exact] : [identifier.folded] {
                cursors += try connection.rows(
                    """
                    SELECT user_id FROM identifiers
                    WHERE application_id = $1 AND kind = $2 AND value >= $3 AND value <= $4
                    ORDER BY value LIMIT $5
                    """,
                    [
                        .id(application), .text(kind.rawValue), .text(value),
                        .text(isWhole ? value : value + Self.afterAll), .count(limit),
                    ], read: read)
            }
        }
        if !isWhole {
            // ASCII letters alone have their case taken away, as both engines do it alike.
            let name = String(decoding: text.utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
            cursors += try connection.rows(
                """
                SELECT id FROM users
                WHERE application_id = $1 AND lower(display_name) >= $2 AND lower(display_name) <= $3
                    AND display_name IS NOT NULL
                ORDER BY lower(display_name) LIMIT $4
                """,
                [.id(application), .text(name), .text(name + Self.afterAll), .count(limit)], read: read)
        }
        // As many as one page has: what more there is, a longer text finds.
        return Array(cursors.prefix(max(0, limit - 1)))
    }

    /// Stands after all characters that names and imported ids have.
    static let afterAll = "\u{10FFFD}"
}

/// A user in a list, and the key that the list is sorted by where that is not the id.
private enum UserCursorColumn: Int, RowColumn {
    case id, key
}

/// Users in lists that are sorted by the id alone.
private enum UserCursorColumns: ColumnList {
    static let qualifiedNames = ["users.id", "NULL"]
}
