import Foundation
import Storage
package import StoragePostgreSQL
import StorageSQLite

/// `okaeri copy`: a whole installation out of one database into another, each embedded or shared. Users, sessions,
/// everything; which tables that is, the migrations say.
package struct InstallationCopy: Sendable {
    /// How far it is.
    package struct Progress: Sendable {
        package let table: String
        /// Whether the rows are being compared, after all of them were copied.
        package let isComparing: Bool
        /// Rows of all tables that were copied, or compared.
        package let rows: Int
        package let allRows: Int
    }

    /// Where an installation is.
    package enum Location: Hashable, Sendable, CustomStringConvertible {
        case folder(String)
        case database(PostgreSQLAddress)

        /// - Parameters:
        ///   - text: The path of a data folder, or a connection string.
        ///   - option: What it was given by, for messages. These do not repeat it: it may hold a password.
        /// - Throws: `SettingFault` when it is neither.
        package init(_ text: String, option: String) throws(SettingFault) {
            if ["postgresql://", "postgres://"].contains(where: { text.hasPrefix($0) }) {
                guard let address = PostgreSQLAddress(text) else {
                    throw SettingFault("\(option) must be \(Setting.database.rule).")
                }
                self = .database(address)
            } else {
                guard !text.isEmpty, text.firstRange(of: "://") == nil else {
                    throw SettingFault(
                        "\(option) must be the path of a data folder, or a connection string that begins with postgresql://."
                    )
                }
                self = .folder(text)
            }
        }

        package var description: String {
            switch self {
            case .folder(let path): path
            case .database(let address): address.description
            }
        }

        /// The same for whatever leads to the same installation, as far as names tell.
        fileprivate var identity: String {
            switch self {
            case .folder(let path): URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
            case .database(let address): address.description
            }
        }

        /// The sealing key's file, where there can be one.
        fileprivate var keyFile: String? {
            if case .folder(let path) = self { path + "/sealing.key" } else { nil }
        }

        /// How large the database is; `nil` where only a server knows.
        fileprivate var byteCount: Int? {
            guard case .folder(let path) = self else { return nil }
            var status = stat()
            guard stat(SQLiteStore.databasePath(in: path), &status) == 0 else { return nil }
            return Int(clamping: status.st_size)
        }

        fileprivate var key: [UInt8]? {
            keyFile.flatMap { FileManager.default.contents(atPath: $0) }.map { Array($0) }
        }
    }

    /// What was done.
    package struct Report: Sendable {
        package let source: Location
        package let target: Location
        /// Rows by table, in the order in which they were copied.
        package let tables: [(name: String, rows: Int)]
        /// Whether it went on where an earlier run had stopped.
        package let wasResumed: Bool
        /// The file of the sealing key that servers of the copy need and do not have yet.
        package let missingKeyFile: String?
    }

    private let source: Location
    private let target: Location
    private let missingKeyFile: String?

    /// - Parameters:
    ///   - source: An installation whose servers do not run.
    ///   - target: A new folder or database; the database of the settings when `nil`.
    ///   - settings: Name the database, and perhaps the sealing key.
    /// - Throws: `StartFault` when there is nothing to copy, nowhere to copy to, or another key there.
    package init(from source: Location, to target: Location?, settings: ServerSettings) throws(StartFault) {
        guard let target = target ?? settings.database.map({ .database($0) }) else {
            throw .settings(
                "Nothing to copy to is named. Name a data folder or a database with --to, or the database with "
                    + "\(Setting.database.variable).")
        }
        guard source.identity != target.identity else {
            throw .settings("--from and --to are the same, \(target). Copy into a new folder or database.")
        }
        if case .folder(let folder) = source {
            guard FileManager.default.fileExists(atPath: SQLiteStore.databasePath(in: folder)) else {
                throw .storage("There is no Okaeri database in the folder \(folder).")
            }
        }
        (self.source, self.target) = (source, target)
        missingKeyFile = try Self.missingKeyFile(source, target, settings)
    }

    /// Sees whether the keys of both sides can be the same one.
    private static func missingKeyFile(
        _ source: Location, _ target: Location, _ settings: ServerSettings
    ) throws(StartFault) -> String? {
        let key = source.key
        if let key, let wanted = settings.sealingKey, key != wanted {
            throw .settings(
                "\(Setting.sealingKey.variable) is another key than the one in \(source)/sealing.key, under which the "
                    + "secrets are sealed. Set it to that file's bytes in base64.")
        }
        if let there = target.key, let wanted = key ?? settings.sealingKey, there != wanted {
            throw .settings(
                "The key in \(target)/sealing.key is another one than that of the installation, under which the secrets are "
                    + "sealed. Move it away, or name another folder with --to.")
        }
        guard key != nil, target.key == nil, settings.sealingKey == nil else { return nil }
        return source.keyFile
    }

    /// Copies and compares.
    ///
    /// - Parameter tell: Called after each step, on a thread of its own.
    /// - Returns: what was done.
    /// - Throws: `StartFault.storage`. What was copied stays, and the next run goes on behind it.
    package func callAsFunction(_ tell: @escaping @Sendable (Progress) -> Void) async throws(StartFault) -> Report {
        let store = try served()
        let result = await Blocking.run { [self] in
            Result { () throws(TableFault) in
                let copy = TableCopy(from: try reader(), to: try writer()) { step in
                    tell(
                        Progress(
                            table: step.table, isComparing: step.isComparing, rows: step.rows, allRows: step.allRows))
                }
                return try copy(SQLiteTables.ofMigrations())
            }
        }
        await store?.close()
        do {
            let report = try result.get()
            return Report(
                source: source, target: target, tables: report.tables, wasResumed: report.wasResumed,
                missingKeyFile: missingKeyFile)
        } catch {
            throw .storage(error.description + advice(on: error))
        }
    }

    /// What to do where there was no room; empty for another fault.
    private func advice(on fault: TableFault) -> String {
        guard fault.isOfFullDisk else { return "" }
        let size = source.byteCount.map { ", which needs about \(max(1, $0 >> 20)) MiB there" } ?? ""
        let (disk, way) =
            switch target {
            case .folder(let folder):
                (
                    "the folder \(folder)",
                    "remove “\(SQLiteTableWriter.draft(in: folder))” and what stands beside it under that name"
                )
            case .database(let address): ("the database \(address)", "drop that database")
            }
        return " The disk of \(disk) has no room for the copy\(size). \(source) is as it was. Make room and run the "
            + "same command again, which goes on where it stopped; to give it up, \(way)."
    }

    /// An embedded source as a server holds it: no other one can run on the folder meanwhile, and its schema is brought up
    /// to date.
    private func served() throws(StartFault) -> SQLiteStore? {
        guard case .folder(let folder) = source else { return nil }
        do throws(SQLiteOpenFault) {
            return try SQLiteStore(.folder(folder), role: .server)
        } catch {
            throw .storage(error.description)
        }
    }

    private func reader() throws(TableFault) -> any TableReader {
        switch source {
        case .folder(let folder): try SQLiteTables.snapshot(of: folder)
        case .database(let address): try PostgreSQLTables.snapshot(of: address)
        }
    }

    private func writer() throws(TableFault) -> any TableWriter {
        switch target {
        case .folder(let folder): try SQLiteTableWriter(folder: folder)
        case .database(let address): try PostgreSQLTableWriter(address)
        }
    }
}

extension TableFault {
    /// Whether it is for want of room, by the words of SQLite, or of the system as PostgreSQL passes them on.
    fileprivate var isOfFullDisk: Bool {
        ["disk is full", String(cString: strerror(ENOSPC))].contains { description.firstRange(of: $0) != nil }
    }
}
