package import Domain

extension SQLTransaction {
    package func countUsers(
        in application: Identifier<Application>, from start: Timestamp, to end: Timestamp
    ) throws(DomainError) -> Int64 {
        try connection.row(
            "SELECT COUNT(*) FROM users WHERE application_id = $1 AND id >= $2 AND id < $3",
            [.id(application), .id(Identifier<User>.first(at: start)), .id(Identifier<User>.first(at: end))]
        ) { row throws(DomainError) in row.only.integer } ?? 0
    }

    package func countActiveUsers(
        in application: Identifier<Application>, since day: Int64
    ) throws(DomainError) -> Int64 {
        try connection.row(
            "SELECT COUNT(*) FROM users WHERE application_id = $1 AND seen_day >= $2",
            [.id(application), .integer(day)]
        ) { row throws(DomainError) in row.only.integer } ?? 0
    }

    package func countAudit(
        in application: Identifier<Application>, from start: Timestamp, to end: Timestamp
    ) throws(DomainError) -> [Statistic.Name: Int64] {
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
            let row = ColumnReader<AuditCountColumn>(row)
            return (
                Statistic.Name.audit(
                    AuditEntry.Action(rawValue: row.text(.action)),
                    AuditEntry.Result(rawValue: row.text(.result)) ?? .refused),
                Int64(clamping: row.count(.count))
            )
        }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    package func write(_ statistics: [Statistic], of application: Identifier<Application>) throws(DomainError) {
        for statistic in statistics {
            // Two nodes may count the same hour; they count the same.
            try connection.run(
                """
                INSERT INTO figures (application_id, hour, name, value) VALUES ($1, $2, $3, $4)
                ON CONFLICT (application_id, hour, name) DO UPDATE SET value = $4
                """,
                [.id(application), .integer(statistic.hour), .text(statistic.name.rawValue), .integer(statistic.value)])
        }
    }

    package func statistics(
        of application: Identifier<Application>, since hour: Int64
    ) throws(DomainError) -> [Statistic] {
        try connection.all(
            StatisticRow.self, "FROM figures WHERE application_id = $1 AND hour >= $2 ORDER BY hour, name",
            [.id(application), .integer(hour)])
    }

    package func lastHour(of application: Identifier<Application>) throws(DomainError) -> Int64? {
        try connection.row(
            "SELECT MAX(hour) FROM figures WHERE application_id = $1", [.id(application)]
        ) { row throws(DomainError) in row.only.isNull ? nil : StatisticRow.hour(row.only.integer) } ?? nil
    }

    package func removeStatistics(
        of application: Identifier<Application>, after hour: Int64
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM figures WHERE application_id = $1 AND hour > $2", [.id(application), .integer(hour)])
    }
}

package enum StatisticRow: Row {
    package static let table: StaticString = "figures"

    package enum Column: Int, RowColumn {
        case hour, name, value
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> Statistic {
        Statistic(
            hour: hour(row.integer(.hour)), name: .init(rawValue: row.text(.name)),
            value: Int64(clamping: row.count(.value)))
    }

    /// An hour of the years that there are.
    static func hour(_ stored: Int64) -> Int64 { Timestamp(hour: stored).hour }
}

private enum AuditCountColumn: Int, RowColumn {
    case action, result, count
}
