package import Domain

extension SQLTransaction {
    package func countUsers(
        in application: Identifier<Application>, from start: Timestamp, to end: Timestamp
    ) throws(DomainError) -> Int64 {
        try connection.row(
            "SELECT COUNT(*) FROM users WHERE application_id = $1 AND id >= $2 AND id < $3",
            [.id(application), .id(Identifier<User>.first(at: start)), .id(Identifier<User>.first(at: end))]
        ) { row throws(DomainError) in row.integer(0) } ?? 0
    }

    package func countActiveUsers(
        in application: Identifier<Application>, since day: Int64
    ) throws(DomainError) -> Int64 {
        try connection.row(
            "SELECT COUNT(*) FROM users WHERE application_id = $1 AND seen_day >= $2",
            [.id(application), .integer(day)]
        ) { row throws(DomainError) in row.integer(0) } ?? 0
    }

    package func countAudit(
        in application: Identifier<Application>, from start: Timestamp, to end: Timestamp
    ) throws(DomainError) -> [Figure.Name: Int64] {
        let counts = try connection.rows(
            """
            SELECT action, result, COUNT(*) FROM audit_entries
            WHERE application_id = $1 AND id >= $2 AND id < $3 GROUP BY action, result
            """,
            [
                .id(application), .id(Identifier<AuditEntry>.first(at: start)),
                .id(Identifier<AuditEntry>.first(at: end)),
            ]
        ) { row throws(DomainError) in
            (Figure.Name(rawValue: "audit:\(row.text(0)):\(row.text(1))"), Int64(clamping: row.count(2)))
        }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    package func write(_ figures: [Figure], of application: Identifier<Application>) throws(DomainError) {
        for figure in figures {
            // Two nodes may count the same hour; they count the same.
            try connection.run(
                """
                INSERT INTO figures (application_id, hour, name, value) VALUES ($1, $2, $3, $4)
                ON CONFLICT (application_id, hour, name) DO UPDATE SET value = $4
                """,
                [.id(application), .integer(figure.hour), .text(figure.name.rawValue), .integer(figure.value)])
        }
    }

    package func figures(
        of application: Identifier<Application>, since hour: Int64
    ) throws(DomainError) -> [Figure] {
        try connection.rows(
            "SELECT hour, name, value FROM figures WHERE application_id = $1 AND hour >= $2 ORDER BY hour, name",
            [.id(application), .integer(hour)]
        ) { row throws(DomainError) in
            Figure(
                hour: Self.hour(row), name: .init(rawValue: row.text(1)), value: Int64(clamping: row.count(2)))
        }
    }

    package func lastHour(of application: Identifier<Application>) throws(DomainError) -> Int64? {
        try connection.row(
            "SELECT MAX(hour) FROM figures WHERE application_id = $1", [.id(application)]
        ) { row throws(DomainError) in row.isNull(0) ? nil : Self.hour(row) } ?? nil
    }

    /// An hour of the years that there are.
    private static func hour(_ row: any RowReader) -> Int64 { Timestamp(hour: row.integer(0)).hour }
}
