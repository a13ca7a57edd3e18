import Crypto
import Foundation
import Storage
import StoragePostgreSQL
import StorageSQLite

/// `okaeri copy`: a whole installation out of the embedded database into a shared one. Users, sessions, everything;
/// which tables that is, the databases themselves say.
package struct InstallationCopy: Sendable {
    /// Rows in one step: what an interruption loses at most.
    private static let pageSize = 5000

    /// How far it is.
    package struct Progress: Sendable {
        package let table: String
        package let rows: Int
        package let allRows: Int
        /// Whether the rows are being compared, after they were copied.
        package let isComparing: Bool
    }

    /// What was done.
    package struct Report: Sendable {
        package let location: String
        /// Rows by table, in the order in which they were copied.
        package let tables: [(name: String, rows: Int)]
        /// Whether it went on where an earlier run had stopped.
        package let wasResumed: Bool
        /// Whether the nodes need the key out of the folder's file.
        package let needsKeyOfFolder: Bool
    }

    private let folder: String
    private let address: PostgreSQLAddress
    private let needsKeyOfFolder: Bool

    /// - Parameters:
    ///   - folder: The data folder of an installation whose server does not run.
    ///   - settings: Name the database, and perhaps the sealing key.
    /// - Throws: `StartFault` when there is no such installation or its key is another one.
    package init(from folder: String, to settings: ServerSettings) throws(StartFault) {
        guard let address = settings.database else {
            throw .settings("No database to copy to is named. Name it with --to or \(Setting.database.variable).")
        }
        guard FileManager.default.fileExists(atPath: SQLiteStore.databasePath(in: folder)) else {
            throw .storage("There is no Okaeri database in the folder \(folder).")
        }
        let key = FileManager.default.contents(atPath: folder + "/sealing.key").map { Array($0) }
        if let key, let wanted = settings.sealingKey, key != wanted {
            throw .settings(
                "\(Setting.sealingKey.variable) is another key than the one in \(folder)/sealing.key, under which the "
                    + "secrets are sealed. Set it to that file's bytes in base64.")
        }
        self.folder = folder
        self.address = address
        needsKeyOfFolder = key != nil
    }

    /// Copies and compares.
    ///
    /// - Parameter tell: Called after each step, on a thread of its own.
    /// - Returns: what was done.
    /// - Throws: `StartFault.storage`. What was copied stays, and the next run goes on behind it.
    package func callAsFunction(_ tell: @escaping @Sendable (Progress) -> Void) async throws(StartFault) -> Report {
        let store: SQLiteStore
        do {
            // As a server: no other one can run on the folder meanwhile, and its schema is brought up to date.
            store = try SQLiteStore(.folder(folder), role: .server)
        } catch {
            throw .storage(error.description)
        }
        let result = await Blocking.run { [self] in
            Result { () throws(StartFault) in
                do {
                    return try copy(tell)
                } catch let fault as SQLiteOpenFault {
                    throw .storage(fault.description)
                } catch let fault as PostgreSQLOpenFault {
                    throw .storage(fault.description)
                } catch let fault as StartFault {
                    throw fault
                } catch {
                    throw .storage("\(error)")
                }
            }
        }
        await store.close()
        return try result.get()
    }

    private func copy(_ tell: (Progress) -> Void) throws -> Report {
        _ = try PostgreSQLMigration(address, isRehearsal: false)
        let source = try SQLiteTables(folder: folder)
        let target = try PostgreSQLTables(address)
        let shapes = try source.shapes()
        try Self.check(shapes, try target.shapes())
        let wasResumed = try target.begin(shapes)
        var tables: [(name: String, rows: Int)] = []
        for shape in shapes {
            let all = try source.count(shape)
            try carry(shape, all, source, target, tell)
            if try !isSame(shape, all, source, target, tell) {
                // The installation was used between two runs. What is there is not its beginning any more.
                try target.empty(shape)
                try carry(shape, all, source, target, tell)
                guard try isSame(shape, all, source, target, tell) else {
                    throw StartFault.storage("The rows of \(shape.name) are not the same on both sides after copying.")
                }
            }
            tables.append((shape.name, all))
        }
        try target.finish()
        return Report(
            location: address.description, tables: tables, wasResumed: wasResumed, needsKeyOfFolder: needsKeyOfFolder)
    }

    /// Both engines must describe the same tables, whichever there are.
    private static func check(_ source: [TableShape], _ target: [TableShape]) throws(StartFault) {
        for shape in source {
            guard let other = target.first(where: { $0.name == shape.name }) else {
                throw .storage("The database to copy to has no table \(shape.name).")
            }
            guard Set(other.columns) == Set(shape.columns), other.key == shape.key, !shape.key.isEmpty else {
                throw .storage("The table \(shape.name) is not the same on both sides: \(shape), \(other)")
            }
        }
    }

    private func carry(
        _ shape: TableShape, _ all: Int, _ source: SQLiteTables, _ target: PostgreSQLTables, _ tell: (Progress) -> Void
    ) throws {
        var begin = try target.lastKey(of: shape)
        var count = begin == nil ? 0 : try target.count(shape)
        while true {
            let rows = try source.page(of: shape, after: begin, limit: Self.pageSize)
            guard let last = rows.last else { return }
            try target.append(rows, to: shape)
            begin = shape.key(of: last)
            count += rows.count
            tell(Progress(table: shape.name, rows: count, allRows: all, isComparing: false))
        }
    }

    /// Whether both sides have the same number of rows, and the same rows by a checksum over every value.
    private func isSame(
        _ shape: TableShape, _ all: Int, _ source: SQLiteTables, _ target: PostgreSQLTables, _ tell: (Progress) -> Void
    ) throws -> Bool {
        guard try target.count(shape) == all else { return false }
        var (here, there) = (Checksum(), Checksum())
        var begin: [Value]?
        var count = 0
        while true {
            let rows = try source.page(of: shape, after: begin, limit: Self.pageSize)
            here.add(rows)
            there.add(try target.page(of: shape, after: begin, limit: Self.pageSize))
            guard here.value == there.value else { return false }
            guard let last = rows.last else { return true }
            begin = shape.key(of: last)
            count += rows.count
            tell(Progress(table: shape.name, rows: count, allRows: all, isComparing: true))
        }
    }
}

/// SHA-256 over all values, each with its kind and length.
private struct Checksum {
    private var hash = SHA256()

    var value: [UInt8] { Array(hash.finalize()) }

    mutating func add(_ rows: [[Value]]) {
        var bytes: [UInt8] = []
        for value in rows.joined() {
            switch value {
            case .null: bytes.append(0)
            case .integer(let number):
                bytes.append(1)
                withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
            case .text(let text): Self.add(2, Array(text.utf8), to: &bytes)
            case .bytes(let blob): Self.add(3, blob, to: &bytes)
            }
        }
        hash.update(data: bytes)
    }

    private static func add(_ kind: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(kind)
        withUnsafeBytes(of: Int64(clamping: content.count).bigEndian) { bytes += $0 }
        bytes += content
    }
}
