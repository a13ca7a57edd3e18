import StoragePostgreSQL

/// What `okaeri doctor` asks of a shared database. Asking changes nothing.
package struct DatabaseInspection: Sendable {
    /// Hosts and name.
    package let location: String
    package let serverVersion: Int
    package let schemaVersion: Int
    package let latestSchemaVersion: Int
    /// Whether anything is sealed under the sealing key.
    package let holdsSealedSecrets: Bool
    /// Whether it takes writes now.
    package let isWritable: Bool
    /// The tables that the role of the connection may not read and write.
    package let closedTables: [String]
    /// Settings that let acknowledged writes be lost, such as `fsync = off`.
    package let unsafeSettings: [String]
    /// How far its clock is ahead of this machine's.
    package let clockLead: Duration
    /// Why a node did not get all the connections that it wants; `nil` when it did.
    package let missingConnections: String?

    /// `nil` when the settings name no shared database.
    ///
    /// - Parameter settings: Which database, and how many connections a node wants.
    /// - Throws: `StartFault.storage` when it cannot be looked at.
    package init?(_ settings: ServerSettings) async throws(StartFault) {
        guard let address = settings.database else { return nil }
        let wanted = settings.allDatabaseConnections
        let result = await Blocking.run {
            Result { () throws(PostgreSQLOpenFault) in try PostgreSQLInspection(address, connections: wanted) }
        }
        let inspection: PostgreSQLInspection
        switch result {
        case .success(let found): inspection = found
        case .failure(let fault): throw .storage(fault.description)
        }
        location = address.description
        serverVersion = inspection.serverVersion
        schemaVersion = inspection.schemaVersion
        latestSchemaVersion = PostgreSQLInspection.latestSchemaVersion
        holdsSealedSecrets = inspection.sealedSecrets > 0
        isWritable = inspection.isWritable
        closedTables = inspection.closedTables
        unsafeSettings = inspection.unsafeSettings
        clockLead = inspection.clockLead
        missingConnections = inspection.missingConnections
    }
}
