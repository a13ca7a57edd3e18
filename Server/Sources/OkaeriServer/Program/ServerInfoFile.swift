package import Domain
import Foundation
import HTTPSupport
import OutboundServices
import StorageSQLite
import Synchronization

/// The file `server.json` in the data folder while a server runs: who it is and where it listens.
package struct ServerInfoFile: Codable, Hashable, Sendable {
    private static let maximumBytes = 1 << 20

    package var pid: Int32
    /// Where `pid` counts; absent in the file of an older one.
    package var processNumbers: String?
    package var url: String
    /// The program's version; absent in the file of an older one.
    package var version: String?
    /// Where a fake plays Apple, in development.
    package var fakeApple: String?
    /// Whether the server is for development; absent in the file of an older one.
    package var isDevelopment: Bool?
    /// Whether it sends mails, so that commands inform users by mail of what they did; absent in the file of an older one.
    package var sendsMail: Bool?
    /// The ids of its sealing keys, that of the one that seals first; absent in the file of an older one.
    package var sealingKeys: [String]?
    /// The address by which admins reach it; absent in the file of an older one.
    var adminURL: String?
    /// Whether the server holds the file while it runs; absent in the file of an older one.
    var isHeld: Bool?

    /// Whether `pid` means the server here too. In another container, or on another machine that has the folder, it means another
    /// process, which may be the first of all.
    package var hasPidHere: Bool { processNumbers.map { $0 == SystemName.processNumbers } ?? true }

    fileprivate static func path(in folder: String) -> String { "\(folder)/server.json" }

    /// What stands in the file; `nil` without one, or when the server that wrote it is gone.
    package static func read(in folder: String) -> ServerInfoFile? {
        guard let reader = try? FileReader(path: path(in: folder)) else { return nil }
        guard let bytes = try? reader.readAll(upTo: maximumBytes),
            let file = try? JSONDecoder().decode(ServerInfoFile.self, from: Data(bytes))
        else {
            return nil  // Half a file of a server that died: nobody runs.
        }
        // Closed before, its number could be that of any other file, whose lock would be asked for.
        return withExtendedLifetime(reader) { file.isOfRunningServer(reader.descriptor) } ? file : nil
    }

    /// A process number says little: in containers a killed server had the one that a command has in the next.
    private func isOfRunningServer(_ descriptor: Int32) -> Bool {
        if isHeld == true {
            if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return false }
            if errno == EWOULDBLOCK { return true }
        }
        return kill(pid, 0) == 0 || errno == EPERM
    }
}

/// The `server.json` of this process, held until it is removed or the process ends, however it ends.
final class HeldServerInfo: Sendable {
    private let held = Mutex<ServerLock?>(nil)

    /// Holds a draft, and moves it where the file belongs, so that nobody sees half a file or one that is not held.
    func write(_ file: ServerInfoFile, in folder: String) throws {
        var file = file
        file.isHeld = true
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let path = ServerInfoFile.path(in: folder)
        let draft = "\(path).\(getpid())"
        do {
            try encoder.encode(file).write(to: URL(fileURLWithPath: draft))
            let lock = try ServerLock(path: draft, busy: "Another server writes the file \(draft).")
            guard rename(draft, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            held.withLock { $0 = lock }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Without a file of this process there is nothing to remove.
    func remove(in folder: String) {
        held.withLock { lock in
            guard lock != nil else { return }
            unlink(ServerInfoFile.path(in: folder))
            lock = nil
        }
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
        let bytes = Array(key.revealed.utf8)
        let written = Foundation.write(file, bytes, bytes.count)
        guard close(file) == 0, written == bytes.count, rename(draft, path(in: folder)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Without the file there is nothing to remove.
    static func remove(in folder: String) { unlink(path(in: folder)) }
}

extension ServerSettings {
    /// The settings for a program beside the server that runs on the same data folder: users get mails about what it does
    /// where that server sends mails, and in development it asks the same fake Apple. A setting that names another address stays.
    package var besideRunningServer: ServerSettings {
        guard database == nil, let running = ServerInfoFile.read(in: dataFolder) else { return self }
        var settings = self
        settings.isBesideMailingServer = running.sendsMail ?? false
        if let fake = running.fakeApple, providers.apple == ProviderAddresses().apple {
            settings.providers.apple = fake
        }
        return settings
    }
}
