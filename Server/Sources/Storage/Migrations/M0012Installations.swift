extension Migration {
    /// Which installation of an app a session belongs to, in protocols that have names for them.
    static let installations = Migration(
        version: 12, name: "installations", sqlite: ["ALTER TABLE sessions ADD COLUMN installation TEXT"],
        postgresql: ["ALTER TABLE sessions ADD COLUMN installation TEXT"])
}
