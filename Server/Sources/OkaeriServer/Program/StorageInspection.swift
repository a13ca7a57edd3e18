import Foundation
import StorageSQLite

/// What `okaeri doctor` asks of the storage. Asking changes nothing.
package struct StorageInspection: Sendable {
    package let schemaVersion: Int
    package let latestSchemaVersion: Int
    /// Whether anything is sealed under the sealing key.
    package let holdsSealedSecrets: Bool
    /// What is damaged; empty when all is well.
    package let damage: [String]

    /// - Parameters:
    ///   - folder: The data folder.
    ///   - isThorough: Whether to look at everything, which can take minutes.
    /// - Throws: `StartFault.storage` when there is nothing that could be looked at.
    package init(folder: String, isThorough: Bool) throws(StartFault) {
        do {
            let inspection = try SQLiteInspection(folder: folder, isThorough: isThorough)
            schemaVersion = inspection.schemaVersion
            latestSchemaVersion = SQLiteInspection.latestSchemaVersion
            holdsSealedSecrets = inspection.sealedSecrets > 0
            damage = inspection.damage
        } catch {
            throw .storage(error.description)
        }
    }

    /// Whether a data folder has a database, as far as this user can tell.
    package enum Presence: Sendable {
        case there
        case missing
        /// The rights of the folder or the file keep this user out.
        case denied
    }

    /// Whether a data folder has a database.
    package static func presence(in folder: String) -> Presence {
        guard access(path(in: folder), R_OK) != 0 else { return .there }
        return errno == EACCES ? .denied : .missing
    }

    /// Says that a data folder is a standby's; `nil` for any other one.
    package static func refusal(ofStandby folder: String) -> String? { SQLiteStore.refusal(ofStandby: folder) }

    /// Where the database of a data folder is.
    package static func path(in folder: String) -> String { SQLiteStore.databasePath(in: folder) }
}
