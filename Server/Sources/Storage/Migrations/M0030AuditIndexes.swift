extension Migration {
    /// Indexes of the audit log without the rows that nobody seeks in them. An entry of a log-in has its user as actor and as
    /// target and is found by the actor; one that is not chained yet has no number.
    static let auditIndexes = Migration(
        version: 30, name: "audit indexes", sqlite: auditIndexStatements, postgresql: auditIndexStatements)

    private static let auditIndexStatements = [
        "DROP INDEX audit_entries_by_target",
        """
        CREATE INDEX audit_entries_by_target ON audit_entries (application_id, target, id)
        WHERE target <> actor
        """,
        "DROP INDEX audit_entries_by_number",
        """
        CREATE UNIQUE INDEX audit_entries_by_number ON audit_entries (application_id, number)
        WHERE number IS NOT NULL
        """,
    ]
}
