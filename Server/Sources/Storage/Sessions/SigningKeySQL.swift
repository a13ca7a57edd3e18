package import Domain

extension SQLTransaction {
    package func signingKeys() throws(DomainError) -> [SealedSigningKey] {
        try connection.all(SigningKeyRow.self, "FROM signing_keys ORDER BY created_at DESC, id")
    }

    package func insert(_ key: SealedSigningKey) throws(DomainError) {
        try connection.insert(key, as: SigningKeyRow.self)
        note(.signingKeys)
    }

    package func removeSigningKeys(except ids: [String]) throws(DomainError) {
        for key in try signingKeys() where !ids.contains(key.id) {
            try connection.run("DELETE FROM signing_keys WHERE id = $1", [.text(key.id)])
        }
        note(.signingKeys)
    }
}

package enum SigningKeyRow: StoredRow {
    package static let table: StaticString = "signing_keys"

    package enum Column: Int, RowColumn {
        case id, sealed, createdAt
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> SealedSigningKey {
        SealedSigningKey(id: row.text(.id), sealed: row.bytes(.sealed), createdAt: row.time(.createdAt))
    }

    package static func stored(_ key: SealedSigningKey, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .id: .text(key.id)
        case .sealed: .bytes(key.sealed)
        case .createdAt: .time(key.createdAt)
        }
    }
}
