extension Migration {
    /// Keys of the admin API are confined to networks: null for anywhere.
    static let adminSignIn = Migration(
        version: 24, name: "sign-in of admins", sqlite: statements, postgresql: statements)

    private static let statements = ["ALTER TABLE admin_keys ADD COLUMN networks TEXT"]
}
