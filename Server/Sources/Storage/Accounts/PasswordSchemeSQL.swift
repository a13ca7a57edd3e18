package import Domain

extension SQLTransaction {
    package func passwordSchemes(
        in application: Identifier<Application>
    ) throws(DomainError) -> Set<PasswordScheme> {
        let schemes = try connection.all(
            PasswordSchemeRow.self, "FROM password_schemes WHERE application_id = $1 ORDER BY scheme LIMIT $2",
            [.id(application), .count(PasswordSchemeUse.maximumPerApplication)])
        return Set(schemes.map(\.scheme))
    }

    package func passwordSchemes(
        usedBefore limit: Timestamp, count: Int
    ) throws(DomainError) -> [PasswordSchemeUse] {
        try connection.all(
            PasswordSchemeRow.self, "FROM password_schemes WHERE used_at < $1 ORDER BY used_at LIMIT $2",
            [.time(limit), .count(count)])
    }

    package func hasPasswords(
        of scheme: PasswordScheme, in application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        // A tilde is behind all letters that a hash can have.
        try connection.row(
            "SELECT 1 FROM passwords WHERE application_id = $1 AND hash >= $2 AND hash < $3 LIMIT 1",
            [.id(application), .text(scheme.head), .text(scheme.head + "~")]
        ) { _ throws(DomainError) in true } ?? false
    }

    package func settle(_ use: PasswordSchemeUse, isUsed: Bool, at now: Timestamp) throws(DomainError) {
        let key: [Value] = [.id(use.application), .text(use.scheme.text), .time(use.usedAt)]
        if isUsed {
            try connection.run(
                "UPDATE password_schemes SET used_at = $1 WHERE application_id = $2 AND scheme = $3 AND used_at = $4",
                [.time(now)] + key)
        } else {
            try connection.run(
                "DELETE FROM password_schemes WHERE application_id = $1 AND scheme = $2 AND used_at = $3", key)
        }
    }

    /// Notes that a hash's scheme is in use, unless the application has as many as it may. Nearly always that is known, and nothing
    /// is written: a row that many wrote would make them wait for each other.
    func noteScheme(
        of hash: PasswordHash, in application: Identifier<Application>, at now: Timestamp
    ) throws(DomainError) {
        guard let scheme = PasswordScheme(of: hash) else { return }
        let use = try connection.first(
            PasswordSchemeRow.self, "FROM password_schemes WHERE application_id = $1 AND scheme = $2",
            [.id(application), .text(scheme.text)])
        if let use {
            guard now - use.usedAt >= PasswordSchemeUse.span / 2 else { return }
        } else {
            let count = try connection.row(
                "SELECT count(*) FROM password_schemes WHERE application_id = $1", [.id(application)]
            ) { row throws(DomainError) in row.only.count }
            guard count ?? 0 < PasswordSchemeUse.maximumPerApplication else { return }
        }
        try connection.insert(
            PasswordSchemeUse(application: application, scheme: scheme, usedAt: now), as: PasswordSchemeRow.self,
            "ON CONFLICT (application_id, scheme) DO UPDATE SET used_at = excluded.used_at")
    }
}

package enum PasswordSchemeRow: StoredRow {
    package static let table: StaticString = "password_schemes"

    package enum Column: Int, RowColumn {
        case applicationId, scheme, usedAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> PasswordSchemeUse {
        PasswordSchemeUse(
            application: row.id(.applicationId), scheme: PasswordScheme(text: row.text(.scheme)),
            usedAt: row.time(.usedAt))
    }

    package static func stored(_ use: PasswordSchemeUse, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(use.application)
        case .scheme: .text(use.scheme.text)
        case .usedAt: .time(use.usedAt)
        }
    }
}
