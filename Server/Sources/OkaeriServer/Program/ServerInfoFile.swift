import Foundation
import OutboundServices

/// The file `server.json` in the data folder while a server runs: who it is and where it listens.
package struct ServerInfoFile: Codable, Hashable, Sendable {
    package var pid: Int32
    package var url: String
    /// The program's version; absent in the file of an older one.
    package var version: String?
    /// Where a fake plays Apple, in development.
    package var fakeApple: String?

    private static func path(in folder: String) -> URL {
        URL(fileURLWithPath: folder).appendingPathComponent("server.json")
    }

    /// What stands in the file; `nil` without one, or when the process that wrote it is gone.
    package static func read(in folder: String) -> ServerInfoFile? {
        guard let bytes = try? Data(contentsOf: path(in: folder)),
            let file = try? JSONDecoder().decode(ServerInfoFile.self, from: bytes)
        else {
            return nil  // No file, or half a file of a server that died: nobody runs.
        }
        return kill(file.pid, 0) == 0 || errno == EPERM ? file : nil
    }

    func write(in folder: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: Self.path(in: folder), options: .atomic)
    }

    static func remove(in folder: String) throws {
        try FileManager.default.removeItem(at: path(in: folder))
    }
}

extension ServerSettings {
    /// The settings for a program beside the server that runs on the same data folder: in development it asks the same fake
    /// Apple. A setting that names another address stays.
    package var besideRunningServer: ServerSettings {
        guard database == nil, providers.apple == ProviderAddresses().apple,
            let fake = ServerInfoFile.read(in: dataFolder)?.fakeApple
        else { return self }
        var settings = self
        settings.providers.apple = fake
        return settings
    }
}
