import Foundation
import Okaeri
import OkaeriWire

/// A pair of keys for backups, as “okaeri backup new-key” makes them.
struct BackupKeyPair {
    let `public`: String
    /// The file with the secret one.
    let secret: String

    private struct Made: Decodable {
        let key: String
    }

    /// Makes a pair in a folder.
    init(in folder: TestFolder) async throws {
        try folder.make()
        secret = "\(folder.path)/\(UUID().uuidString)"
        self.public = try await Program.run("backup", "new-key", "--secret-key-file", secret, "--json").json(Made.self)
            .key
    }
}

/// What “okaeri restore --json” prints.
struct RestoredReport: Decodable {
    let rows: [String: Int]
    let revocations: Int
    let isJournalComplete: Bool
    let endedAll: Bool
    let sealingKeys: [String]
}

/// What “okaeri backup list --json” prints of a backup.
struct ListedBackup: Decodable {
    let name: String
    let byteCount: Int
    let users: Int?
    /// As all times that commands print for programs: RFC 3339.
    let madeAt: WireTime?
}

extension TestServer {
    /// The status of the response to a request with the token of a log-in.
    func status(
        _ method: String, _ path: String, _ logIn: LogInResponse, in application: String
    ) async throws -> Int {
        try await send(method, path, application: application, token: logIn.session.token).status
    }
}

/// Files of unfinished work in a folder.
func leftovers(in folder: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
}
