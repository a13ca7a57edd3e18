import Domain
import Foundation
import Storage

/// A look at a database that changes nothing, for a diagnosis.
package struct PostgreSQLInspection: Sendable {
    /// The server's major version, such as 15.
    package let serverVersion: Int
    package let schemaVersion: Int
    /// How many secrets are sealed in it.
    package let sealedSecrets: Int
    /// Whether it takes writes now.
    package let isWritable: Bool
    /// The tables that the role may not read and write.
    package let closedTables: [String]
    /// Settings of the server that let acknowledged writes be lost, such as `fsync`.
    package let unsafeSettings: [String]
    /// How far its clock is ahead of this machine's.
    package let clockLead: Duration
    /// Why a node did not get all the connections that it wants; `nil` when it did.
    package let missingConnections: String?

    /// Looks; blocks.
    ///
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - connections: How many connections a node wants.
    /// - Throws: `PostgreSQLOpenFault` when it cannot be looked at.
    package init(_ address: PostgreSQLAddress, connections: Int) throws(PostgreSQLOpenFault) {
        let link = try PostgreSQLLink(address.forReading, session: PostgreSQLTimeLimits().session)
        serverVersion = link.serverVersion / 10_000
        do throws(PostgreSQLFault) {
            schemaVersion = try PostgreSQLSchema(link, address).version()
            let hasKeys = try link.run("SELECT to_regclass('signing_keys') IS NOT NULL").row(0).integer(0) == 1
            sealedSecrets =
                hasKeys ? Int(clamping: try link.run("SELECT COUNT(*) FROM signing_keys").row(0).integer(0)) : 0
            let standby = try link.run(
                "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean")
            isWritable = standby.row(0).integer(0) == 0
            closedTables = try PostgreSQLSchema(link, address).closedTables()
            let settings = try link.run(
                """
                SELECT name || ' = ' || setting FROM pg_settings
                WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name
                """)
            unsafeSettings = (0..<settings.rowCount).map { settings.row($0).text(0) }
            let databaseTime = try link.databaseTime()
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            let here = 1000 * Int64(clamping: time.tv_sec) + Int64(clamping: time.tv_nsec) / 1_000_000
            clockLead = databaseTime - Timestamp(milliseconds: here)
        } catch {
            throw PostgreSQLOpenFault(address, "cannot be looked at", error)
        }
        missingConnections = Self.fault(opening: connections, to: address.forReading)
    }

    /// Opens as many connections as a node would, all at once; their number is what is tried.
    private static func fault(opening count: Int, to address: PostgreSQLAddress) -> String? {
        var links: [PostgreSQLLink] = []
        do throws(PostgreSQLOpenFault) {
            while links.count < count {
                links.append(try PostgreSQLLink(address, session: PostgreSQLTimeLimits().session))
            }
            return nil
        } catch {
            return "\(links.count) of \(count) connections were given. \(error.description)"
        }
    }

    /// The version of the schema that this program needs.
    package static var latestSchemaVersion: Int { Migration.latestVersion }
}
