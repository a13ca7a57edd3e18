import ArgumentParser
import Backups
import Domain
import Foundation
import Okaeri
import OkaeriServer
@_spi(TotalConversions) import OkaeriWire

/// Variables of the environment that stand in for options.
enum BackupVariable {
    static let repository = "OKAERI_BACKUP_REPOSITORY"
    static let key = "OKAERI_BACKUP_KEY"
    static let secretKeyFile = "OKAERI_BACKUP_SECRET_KEY_FILE"
    static let all = [repository, key, secretKeyFile]

    /// Where a dump is before it is sealed, and after it was opened: a new folder in that for temporary files.
    ///
    /// - Throws: `BackupFault` when nothing can be made there.
    static func workFolder() throws(BackupFault) -> PrivateFolder {
        let folder = FileManager.default.temporaryDirectory.path
        return try PrivateFolder(in: folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
    }

    static func value(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

/// Where backups go, and what they are sealed to.
struct BackupTargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where backups are kept: a folder, or s3://bucket/prefix. (\(BackupVariable.repository))",
            valueName: "repository"))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "The public key, as “okaeri backup new-key” printed it. (\(BackupVariable.key))", valueName: "key"))
    var key: String?

    /// - Throws: `CommandFault`.
    func repository() throws(CommandFault) -> any BackupRepository { try BackupRepositories.named(to, option: "--to") }

    /// - Throws: `CommandFault`.
    func publicKey() throws(CommandFault) -> BackupPublicKey {
        try .named(key)
    }
}

extension BackupPublicKey {
    /// The key of an option, or that of the environment.
    ///
    /// - Throws: `CommandFault` when there is none, or it has a mistake.
    static func named(_ text: String?) throws(CommandFault) -> BackupPublicKey {
        guard let text = text ?? BackupVariable.value(BackupVariable.key) else {
            throw .usage(
                "Name the public key with --key or \(BackupVariable.key). “okaeri backup new-key” makes a pair.")
        }
        guard let key = BackupPublicKey(text) else {
            throw .usage(
                "\(text.prefix(60)) is no public key of backups, or has a mistake. “okaeri backup new-key” makes a pair, and "
                    + "prints the public one.")
        }
        return key
    }
}

/// Where backups are read.
struct BackupSourceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the backups are, or the replica: a folder, or s3://bucket/prefix. (\(BackupVariable.repository))",
            valueName: "repository"))
    var from: String?

    /// - Throws: `CommandFault`.
    func repository() throws(CommandFault) -> any BackupRepository {
        try BackupRepositories.named(from, option: "--from", of: "the backups, or of the replica,")
    }
}

/// The key that opens backups.
struct BackupSecretKeyOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file with the secret key, which opens backups; after a change of keys with both, each on a line. "
                + "(\(BackupVariable.secretKeyFile))", valueName: "file"))
    var secretKeyFile: String?

    /// The key, when a file is named.
    ///
    /// - Throws: `CommandFault` when the file holds none.
    func secretKey() throws(CommandFault) -> BackupSecretKey? {
        guard let path = secretKeyFile ?? BackupVariable.value(BackupVariable.secretKeyFile) else { return nil }
        let bytes: [UInt8]
        do throws(SystemFault) {
            bytes = try FileReader(path: path).readAll(upTo: 4096)
        } catch {
            throw .failed(
                "The file \(path) cannot be read: \(error). Name the file of the secret key with --secret-key-file.")
        }
        guard let key = BackupSecretKey(String(decoding: bytes, as: UTF8.self)) else {
            throw .failed(
                "\(path) holds no secret key of backups. Name the file that “okaeri backup new-key” wrote with "
                    + "--secret-key-file.")
        }
        return key
    }
}

enum BackupRepositories {
    static func named(
        _ text: String?, option: String, of what: String = "the backups"
    ) throws(CommandFault) -> any BackupRepository {
        guard let text = text ?? BackupVariable.value(BackupVariable.repository), !text.isEmpty else {
            throw .usage(
                "Name the repository of \(what) with \(option) or \(BackupVariable.repository): a folder, or s3://bucket/prefix. "
                    + "“okaeri backup --help” shows examples.")
        }
        guard text.hasPrefix("s3://") else { return FolderRepository(text) }
        do throws(BackupFault) {
            return try S3Repository(text, environment: ProcessInfo.processInfo.environment)
        } catch {
            throw .usage(error.description)
        }
    }
}

extension CommandFault {
    init(_ fault: BackupFault) { self = .failed(fault.description) }
}

extension StorageOptions {
    /// What a backup is made of: an embedded database that is there, or a shared one.
    ///
    /// - Throws: `CommandFault` when there is none, or no folder for the dump of a shared one.
    func backupSource() throws(CommandFault) -> any BackupSource {
        let settings = try settings()
        if let database = settings.database {
            do throws(BackupFault) {
                return SharedDatabase(database, workFolder: try BackupVariable.workFolder())
            } catch {
                throw CommandFault(error)
            }
        }
        try settings.requireDatabase()
        return EmbeddedDatabase(folder: settings.dataFolder)
    }
}

extension Timestamp {
    /// Now, by the machine's clock.
    static var current: Timestamp {
        Timestamp(milliseconds: Int64(clamping: SystemClock().now.timeIntervalSince1970 * 1000))
    }
}
