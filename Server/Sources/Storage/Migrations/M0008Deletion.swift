extension Migration {
    /// Finding users that are to be erased, and what the audit log says of one user.
    static let deletion = Migration(
        version: 8, name: "deletion", sqlite: deletionStatements, postgresql: deletionStatements)

    private static let deletionStatements = [
        """
        CREATE INDEX users_to_erase ON users (application_id, deletion_requested_at)
        WHERE deletion_requested_at IS NOT NULL
        """,
        "CREATE INDEX audit_entries_by_actor ON audit_entries (application_id, actor, id)",
        "CREATE INDEX audit_entries_by_target ON audit_entries (application_id, target, id)",
    ]
}
