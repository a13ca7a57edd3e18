package import Domain
import Foundation
import HTTPSupport
import OutboundServices

/// The file `server.json` in the data folder while a server runs: who it is and where it listens.
package struct ServerInfoFile: Codable, Hashable, Sendable {
    package var pid: Int32
    package var url: String
    /// The program's version; absent in the file of an older one.
    package var version: String?
    /// Where a fake plays Apple, in development.
    package var fakeApple: String?
    /// Whether the server is for development; absent in the file of an older one.
    package var isDevelopment: Bool?
    /// The ids of its sealing keys, that of the one that seals first; absent in the file of an older one.
    package var sealingKeys: [String]?

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

/// The file `status.key` in the data folder while a server runs whose operator set neither `metrics-key` nor
/// `metrics-listen`: what `okaeri status` reads the metrics by. Its owner alone can read it.
package enum StatusKeyFile {
    private static let keyBytes = 24
    private static let maximumBytes = 512

    private static func path(in folder: String) -> String { "\(folder)/status.key" }

    /// The key of the server that runs; `nil` without one, or when this user may not read it.
    package static func read(in folder: String) -> Secret? {
        guard let bytes = FileManager.default.contents(atPath: path(in: folder)),
            (16...maximumBytes).contains(bytes.count)
        else { return nil }
        return Secret(String(decoding: bytes, as: UTF8.self))
    }

    /// A key for one run of a server.
    static func newKey() -> Secret { Secret(Base64URL.text(of: SystemRandomness().bytes(keyBytes))) }

    /// Writes a draft that nobody else can read, and moves it where the key belongs, so that nobody sees half a key.
    static func write(_ key: Secret, in folder: String) throws {
        let draft = "\(path(in: folder)).\(getpid())"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        try handle.write(contentsOf: Data(key.revealed.utf8))
        try handle.close()
        guard rename(draft, path(in: folder)) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Without the file there is nothing to remove.
    static func remove(in folder: String) { unlink(path(in: folder)) }
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
