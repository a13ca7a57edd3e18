extension Migration {
    /// One format for the keys of all used proofs (decision 0066). Those of device proofs have it. The others had a digest
    /// alone, which does not say of what: each is written once for every kind, so that nothing that was used can be used
    /// again.
    static let usedProofs = Migration(
        version: 19, name: "used proofs",
        sqlite: statements { "CAST(x'ffffffffff\($0)' || digest AS BLOB)" },
        postgresql: statements { "'\\xffffffffff\($0)'::bytea || digest" })

    private static func statements(key: (String) -> String) -> [String] {
        ["01", "02", "03", "04"].map { kind in
            """
            INSERT INTO used_proofs (application_id, digest, ends_at)
            SELECT application_id, \(key(kind)), ends_at FROM used_proofs WHERE length(digest) = 16
            """
        } + ["DELETE FROM used_proofs WHERE length(digest) = 16"]
    }
}
