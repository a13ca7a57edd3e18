extension Migration {
    /// Keys of the admin API belong to the admin who made them, who stood in them by name: a key whose maker is gone ends.
    /// NCMB's log-in with the password in the address is refused unless it is allowed; applications that have NCMB on, and
    /// have not refused it, allow it, since versions of their apps in use may need it.
    static let keysOfAdmins = Migration(
        version: 18, name: "keys of admins",
        sqlite: makers + [
            """
            UPDATE applications SET settings = json_set(
                settings, '$.foreignOptions', json(COALESCE(json_extract(settings, '$.foreignOptions'), '{}')))
            WHERE \(ncmb)
            """,
            """
            UPDATE applications SET settings = json_set(
                settings, '$.foreignOptions.ncmb',
                json(COALESCE(json_extract(settings, '$.foreignOptions.ncmb'), '{}')))
            WHERE \(ncmb)
            """,
            """
            UPDATE applications SET settings = json_set(
                settings, '$.foreignOptions.ncmb.takesPasswordsInAddresses', json('true'))
            WHERE \(ncmb)
                AND json_extract(settings, '$.foreignOptions.ncmb.takesPasswordsInAddresses') IS NULL
            """,
        ],
        postgresql: makers + [
            """
            UPDATE applications SET settings = jsonb_set(
                settings::jsonb, '{foreignOptions}',
                COALESCE(settings::jsonb -> 'foreignOptions', '{}'::jsonb) || jsonb_build_object(
                    'ncmb', '{"takesPasswordsInAddresses": true}'::jsonb
                        || COALESCE(settings::jsonb -> 'foreignOptions' -> 'ncmb', '{}'::jsonb)))::text
            WHERE \(ncmb)
            """
        ])

    private static let ncmb =
        "EXISTS (SELECT 1 FROM protocol_keys WHERE protocol_keys.application_id = applications.id AND protocol = 'ncmb')"

    private static let makers = [
        "ALTER TABLE admin_keys ADD COLUMN admin_id TEXT NOT NULL DEFAULT ''",
        "UPDATE admin_keys SET admin_id = COALESCE((SELECT id FROM admins WHERE name = admin_keys.created_by), '')",
        "DELETE FROM admin_keys WHERE admin_id = ''",
        "CREATE INDEX admin_keys_by_admin ON admin_keys (admin_id)",
    ]
}

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
