package import Domain

extension SQLTransaction {
    package func signingKeys() throws(DomainError) -> [SealedSigningKey] {
        try connection.rows(
            "SELECT id, sealed, created_at FROM signing_keys ORDER BY created_at DESC, id", []
        ) { row throws(DomainError) in
            SealedSigningKey(id: row.text(0), sealed: row.bytes(1), createdAt: row.time(2))
        }
    }

    package func insert(_ key: SealedSigningKey) throws(DomainError) {
        try connection.run(
            "INSERT INTO signing_keys (id, sealed, created_at) VALUES ($1, $2, $3)",
            [.text(key.id), .bytes(key.sealed), .time(key.createdAt)])
        note(.signingKeys)
    }

    package func removeSigningKeys(except ids: [String]) throws(DomainError) {
        for key in try signingKeys() where !ids.contains(key.id) {
            try connection.run("DELETE FROM signing_keys WHERE id = $1", [.text(key.id)])
        }
        note(.signingKeys)
    }
}
