/// A table whose rows must not come back with a backup, or not with their old values.
package struct RevocableTable: Sendable {
    package let name: String
    /// What names a row, where its key does not: another row may come to have the key.
    package var namingColumns: [String]?
    /// What named a row in the lines of an earlier version.
    var earlierNamingColumns: [String]?
    /// When one of these changes, the row of before has ended, as with its deletion.
    package var endingColumns: [String] = []
    /// Where it changes together with an ending column, what the same device did in the row of before ends: its next log-in,
    /// after a restore too, ends the row. Such a line does not wait in the database on its way to the journal of a folder.
    package var successorColumn: String?
    /// What a change of one of these sets: it is carried over to the restored row.
    package var carriedColumns: [String] = []

    package static let all = [
        RevocableTable(
            name: "sessions", namingColumns: ["application_id", "user_id", "token_digest"],
            earlierNamingColumns: ["application_id", "token_digest"], endingColumns: ["token_digest"],
            successorColumn: "id"),
        RevocableTable(name: "users", carriedColumns: ["disabled_at", "deletion_requested_at", "credentials_version"]),
        RevocableTable(name: "identities"),
        RevocableTable(name: "passwords", carriedColumns: ["hash"]),
        RevocableTable(name: "passkeys"),
        // A code of an authenticator app counts once.
        RevocableTable(name: "totp_factors", carriedColumns: ["last_step"]),
        RevocableTable(name: "recovery_codes"),
        RevocableTable(name: "transfer_codes", endingColumns: ["digest"]),
        RevocableTable(name: "mailed_codes", endingColumns: ["handle", "digest", "used_by"]),
        RevocableTable(name: "merge_tickets"),
        RevocableTable(name: "merges"),
        RevocableTable(name: "transfers", carriedColumns: ["undone_at"]),
        // Users name their roles and groups too: see `RevocationStatements`.
        RevocableTable(name: "members"),
        // Who vouches for users, and to whom: an issuer or a client that was given up opens no account again.
        RevocableTable(name: "providers", carriedColumns: ["settings", "sealed_secret"]),
        RevocableTable(name: "provider_accounts"),
        // All keys together: secrets of now beside a public key of before would let in neither the apps of now nor of before.
        RevocableTable(name: "protocol_keys", carriedColumns: ["keys", "public_key"]),
        // Settings say who is asked and gets what, where codes go and what is demanded (decision 0193).
        RevocableTable(name: "applications", carriedColumns: ["admin_key_digest", "settings"]),
        RevocableTable(
            name: "admins",
            carriedColumns: [
                "disabled_at", "password_hash", "uses_passkeys_only", "sealed_totp", "last_totp_step",
                "recovery_digests", "role", "applications",
            ]),
        RevocableTable(name: "admin_identities"),
        RevocableTable(name: "admin_passkeys"),
        RevocableTable(name: "admin_sessions"),
        RevocableTable(name: "admin_links"),
        RevocableTable(name: "admin_keys", carriedColumns: ["networks"]),
        // Access tokens of a key that was removed are worth nothing.
        RevocableTable(name: "signing_keys"),
        // Who got to know of users and should not any more, and what may sign no longer.
        RevocableTable(
            name: "event_endpoints",
            carriedColumns: [
                "url", "types", "includes_user", "is_paused", "sealed_secret", "sealed_former", "former_until",
            ]),
    ]

    /// What could have ended unseen, and is ended as a whole where nobody knows: what people make again by logging in.
    static let shortLived = [
        "sessions", "transfer_codes", "mailed_codes", "merge_tickets", "admin_sessions", "admin_links",
    ]
    /// What ends with it after a restore, where hours can be unknown: a key of a program that was removed would work again
    /// for up to 400 days.
    static let keys = ["admin_keys"]
}
