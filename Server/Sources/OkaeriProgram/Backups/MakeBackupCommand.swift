import ArgumentParser
import Backups
import Domain
import Foundation
import HTTPSupport
import OkaeriServer

/// `okaeri backup make`
struct MakeBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Make a backup; servers may run.",
        discussion: """
            The embedded database is copied page by page as it is at one instant, and the copy is looked through; a shared one \
            is copied by “pg_dump”, which must be installed in the server's version or a newer one. The copy is compressed, \
            encrypted, stored and read back. With the secret key it is also opened once; without it its checksum is compared. \
            Beside the embedded database there must be room for a copy of it, and for a dump in TMPDIR. The sealing key is not \
            in the backup: keep it elsewhere.

            A store is reached with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for another store \
            than Amazon's, AWS_ENDPOINT_URL.

            Examples:
              okaeri backup make --data /var/lib/okaeri --to /mnt/backups \\
                --key okaeri-backup-key-1-… --keep 14
              okaeri backup make --database postgresql://okaeri@db/okaeri \\
                --to /mnt/backups --key okaeri-backup-key-1-…
              AWS_ENDPOINT_URL=https://s3.example.com okaeri backup make \\
                --to s3://backups/okaeri --json
            """)

    @OptionGroup var target: BackupTargetOptions

    @Option(
        help: ArgumentHelp("How many backups stay there, the new one included; older ones go.", valueName: "number"))
    var keep: Int?

    @OptionGroup var secret: BackupSecretKeyOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let keep, keep < 1 { throw ValidationError("--keep must be at least 1.") }
    }

    func run() throws {
        let (repository, key, secretKey) = (try target.repository(), try target.publicKey(), try secret.secretKey())
        let source = try storage.backupSource()
        if let ids = secretKey?.ids, !ids.contains(key.id) {
            throw CommandFault.usage(
                "The secret key is of \(ids.joined(separator: ", ")), and --key is \(key.id): nobody could open the backup "
                    + "with it.")
        }
        let progress = StepProgress(isWanted: !output.isJSON)
        let report: MakeBackup.Report
        do throws(BackupFault) {
            report = try MakeBackup(
                of: source, to: repository, key: key, program: ProgramVersion.current,
                tell: { progress.show($0.rawValue, $1, $2) }
            )(
                keeping: keep, checkedWith: secretKey, at: .current)
        } catch {
            progress.end()
            throw CommandFault(error)
        }
        progress.end()
        guard !output.isJSON else { return Console.write(json: Output(report, wasOpened: secretKey != nil)) }
        var table = TextTable("table", "rows")
        for (name, rows) in report.header.rows.sorted(by: { $0.key < $1.key }) { table.add(name, String(rows)) }
        Console.write(
            """
            \(report.name) is at \(repository): \(report.byteCount) bytes, sealed to \(key.id), \
            \(secretKey == nil ? "read back" : "read back and opened").
            \(table.text(indentation: 2))
            """)
        for name in report.removed { Console.write("\(name) is removed.") }
    }

    private struct Output: Encodable {
        let name: String
        let byteCount: Int
        let key: String
        let schemaVersion: Int
        let rows: [String: Int]
        let removed: [String]
        let wasOpened: Bool

        init(_ report: MakeBackup.Report, wasOpened: Bool) {
            name = report.name
            byteCount = report.byteCount
            key = report.header.key
            schemaVersion = report.header.schemaVersion
            rows = report.header.rows
            removed = report.removed
            self.wasOpened = wasOpened
        }
    }
}

/// `okaeri backup revocations`
struct StoreRevocationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revocations",
        abstract: "Store what has ended since the last backup; for a timer.",
        discussion: """
            Stores the revocation journal at the repository of the backups, encrypted. It is small: run this each minute, and a \
            lost machine costs at most a minute of knowledge of what ended.

            Example:
              okaeri backup revocations --data /var/lib/okaeri --to /mnt/backups \\
                --key okaeri-backup-key-1-…
            """)

    @OptionGroup var target: BackupTargetOptions
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (repository, key) = (try target.repository(), try target.publicKey())
        let source = try storage.backupSource()
        let count: Int
        do throws(BackupFault) {
            count = try MakeBackup(of: source, to: repository, key: key, program: ProgramVersion.current) { _, _, _ in }
                .storeRevocations(at: .current)
        } catch {
            throw CommandFault(error)
        }
        guard !output.isJSON else { return Console.write(json: Output(segments: count)) }
        Console.write("\(count.counted("segment")) of the revocation journal went to \(repository).")
    }

    private struct Output: Encodable {
        let segments: Int
    }
}

/// `okaeri backup new-key`
struct NewBackupKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new-key",
        abstract: "Make a pair of keys for backups.",
        discussion: """
            Prints the public key, which the machine needs that makes backups, and writes the secret one to a file that its \
            owner alone reads. Keep that file, and a copy of it, where neither the server nor the backups are: without it no \
            backup can be restored.

            Example:
              okaeri backup new-key --secret-key-file okaeri-backup.secret
            """)

    @Option(help: ArgumentHelp("The file to write; it must not be there yet.", valueName: "file"))
    var secretKeyFile: String

    @OptionGroup var output: OutputOptions

    func run() throws {
        let key: BackupSecretKey
        do throws(BackupFault) {
            key = try BackupSecretKey()
        } catch {
            throw CommandFault(error)
        }
        let file = open(secretKeyFile, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw CommandFault.failed(
                "\(secretKeyFile) cannot be made: \(String(cString: strerror(errno))). Name another file with "
                    + "--secret-key-file.")
        }
        defer { close(file) }
        let bytes = Array((key.text + "\n").utf8)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            unlink(secretKeyFile)
            throw CommandFault.failed("\(secretKeyFile) cannot be written: \(String(cString: strerror(errno))).")
        }
        guard !output.isJSON else { return Console.write(json: Output(key: key.publicKey.text, id: key.publicKey.id)) }
        Console.write(key.publicKey.text)
        Console.tell("Keep \(secretKeyFile) where neither the server nor its backups are.")
    }

    private struct Output: Encodable {
        let key: String
        let id: String
    }
}
