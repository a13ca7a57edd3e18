package import Domain

extension SQLTransaction {
    package func failures(
        of subject: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> LogInFailures? {
        try connection.first(
            LogInFailureRow.self, "FROM log_in_failures WHERE application_id = $1 AND subject = $2",
            [.id(application), .digest(subject)])
    }

    package func write(
        _ failures: LogInFailures, of subject: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            """
            INSERT INTO log_in_failures (application_id, subject, failures, last_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (application_id, subject) DO UPDATE SET failures = $3, last_at = $4
            """,
            [.id(application), .digest(subject), .count(failures.count), .time(failures.lastAt)])
    }

    package func removeFailures(
        of subject: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) {
        try connection.run(
            "DELETE FROM log_in_failures WHERE application_id = $1 AND subject = $2",
            [.id(application), .digest(subject)])
    }

    package func removeFailures(lastBefore limit: Timestamp, count: Int) throws(DomainError) -> Int {
        // The time is asked for twice, as of transfer codes: one more failure may come meanwhile.
        try connection.change(
            """
            DELETE FROM log_in_failures WHERE (application_id, subject) IN (
                SELECT application_id, subject FROM log_in_failures WHERE last_at < $1 ORDER BY last_at LIMIT $2)
                AND last_at < $1
            """, [.time(limit), .count(count)])
    }
}

enum LogInFailureRow: Row {
    static let table: StaticString = "log_in_failures"

    enum Column: Int, RowColumn {
        case failures, lastAt
    }

    static func content(_ row: ColumnReader<Column>) throws(DomainError) -> LogInFailures {
        LogInFailures(count: row.count(.failures), lastAt: row.time(.lastAt))
    }
}
