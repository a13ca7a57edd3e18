import Foundation
import Glibc
import Measuring

/// Where the programs and the data of a run are.
struct Workbench {
    /// The server's program.
    let server: String
    /// The folder of this package's programs.
    let programs: String
    /// A folder for databases. Everything in it can be made again.
    let folder: String

    static let serverProcessor = "0"
    static let otherProcessor = "1"
    static let anyProcessor = "0,1"

    /// Starts one of this package's programs beside the server.
    func start(
        _ program: String, _ arguments: [String], processor: String = Workbench.otherProcessor
    ) throws -> Child {
        try Child("\(programs)/\(program)", arguments, processor: processor)
    }

    /// Processor time of one part of the server's work, alone. It runs where the server runs.
    func ceiling(_ arguments: [String]) throws -> Double {
        try Child("\(programs)/ceiling", arguments, processor: Self.serverProcessor)
            .result(CeilingResult.self).microsecondsPerRequest
    }

    /// A data folder with users in it, made on first use and kept for later runs.
    func seeded(users: Int) throws -> SeededData {
        let data = SeededData(folder: "\(folder)/\(users)-users")
        let devices = min(users, 100_000)
        guard try !data.isUsable(schemaOf: self) else { return data }
        progress("making a database with \(users) users")
        try? FileManager.default.removeItem(atPath: data.folder)
        let application = try makeApplication(in: data.folder)
        _ = try start(
            "seed",
            [
                "--data", data.folder, "--application", application.id, "--users", "\(users)", "--devices",
                "\(devices)",
                "--side", data.devices,
            ]
        ).outputText()
        try Data(application.adminKey.utf8).write(to: URL(filePath: data.adminKeyFile))
        try Data(application.id.utf8).write(to: URL(filePath: data.applicationFile))
        try Data(SeededData.form.utf8).write(to: URL(filePath: data.formFile))
        return data
    }

    /// Makes an application, and with the first one the database.
    ///
    /// - Parameter data: The data folder.
    /// - Returns: The application's id.
    /// - Throws: When the server's program refuses.
    func createApplication(in data: String) throws -> String { try makeApplication(in: data).id }

    private struct Made: Decodable {
        let id: String
        let adminKey: String
    }

    private func makeApplication(in data: String) throws -> Made {
        try Child(
            server, ["application", "create", "Bench", "--json", "--data", data], processor: Self.otherProcessor
        ).result(Made.self)
    }

    /// Tells on standard error what takes time.
    func progress(_ text: String) {
        FileHandle.standardError.write(Data("bench: \(text)\n".utf8))
    }
}

/// A database with users, the application's id and the side file with keys and sessions of some of them.
struct SeededData {
    let folder: String
    var devices: String { folder + "/known-devices" }
    var applicationFile: String { folder + "/application" }
    var adminKeyFile: String { folder + "/admin-key" }
    fileprivate var formFile: String { folder + "/seed-form" }
    /// What `seed` writes into the same tables; another number makes the databases of earlier runs anew.
    fileprivate static let form = "3"

    /// The application's own key for the admin API.
    var adminKey: String {
        get throws { try String(contentsOfFile: adminKeyFile, encoding: .utf8) }
    }

    var application: String {
        get throws { try String(contentsOfFile: applicationFile, encoding: .utf8) }
    }

    /// What a program needs to work on a database with the folder's rows: its secrets are sealed under the same key.
    func environment(for database: String) throws -> [String: String] {
        let key = try Data(contentsOf: URL(filePath: folder + "/sealing.key")).base64EncodedString()
        return ["OKAERI_DATABASE": database, "OKAERI_SEALING_KEY": key]
    }

    /// Copies the folder, so that a run changes only the copy.
    func copy(to target: String) throws -> SeededData {
        // There is nothing to remove the first time.
        try? FileManager.default.removeItem(atPath: target)
        try FileManager.default.copyItem(atPath: folder, toPath: target)
        // Else the run's commits wait for the disk to take the copy.
        sync()
        return SeededData(folder: target)
    }

    /// Whether the folder was made to the end, by a server with the same schema.
    func isUsable(schemaOf workbench: Workbench) throws -> Bool {
        guard FileManager.default.fileExists(atPath: applicationFile),
            FileManager.default.fileExists(atPath: adminKeyFile)
        else { return false }
        // Without the file, by an earlier form.
        guard (try? String(contentsOfFile: formFile, encoding: .utf8)) == Self.form else { return false }
        let fresh = workbench.folder + "/schema"
        try? FileManager.default.removeItem(atPath: fresh)
        defer { try? FileManager.default.removeItem(atPath: fresh) }
        _ = try workbench.createApplication(in: fresh)
        return try Self.schema(fresh) == Self.schema(folder)
    }

    private static func schema(_ folder: String) throws -> String {
        try Child("/usr/bin/sqlite3", ["\(folder)/okaeri.sqlite", ".schema"], processor: Workbench.otherProcessor)
            .outputText()
    }
}
