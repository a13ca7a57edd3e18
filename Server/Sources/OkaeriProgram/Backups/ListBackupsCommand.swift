import ArgumentParser
import Backups
import Domain
import HTTPSupport
import OkaeriWire

/// `okaeri backup list`
struct ListBackupsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the backups of a repository.",
        discussion: """
            Reads their headers, which are not encrypted. Nothing is checked: “okaeri backup check” does that.

            Example:
              okaeri backup list --from /mnt/backups
            """)

    @OptionGroup var source: BackupSourceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let repository = try source.repository()
        var backups: [Output] = []
        do throws(BackupFault) {
            for name in try BackupCatalogue(repository).backups {
                var byteCount = 0
                do throws(BackupFault) {
                    let file = try repository.file(name)
                    byteCount = file.byteCount
                    backups.append(Output(name, byteCount, try SealedFileReader(file).header, fault: nil))
                } catch {
                    backups.append(Output(name, byteCount, nil, fault: error.description))
                }
            }
        } catch {
            throw CommandFault(error)
        }
        guard !output.isJSON else { return Console.write(json: backups) }
        guard !backups.isEmpty else {
            return Console.write(
                "There is no backup at \(repository). “okaeri backup make --to \(repository)” makes one.")
        }
        var table = TextTable("backup", "bytes", "users", "schema", "key")
        for backup in backups {
            table.add(
                backup.name, String(backup.byteCount), backup.users.map { String($0) } ?? "–",
                backup.schemaVersion.map { String($0) } ?? backup.fault ?? "–", backup.key ?? "–")
        }
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let name: String
        let byteCount: Int
        let madeAt: WireTime?
        let schemaVersion: Int?
        let users: Int?
        let key: String?
        let sealingKeys: [String]?
        let fault: String?

        init(_ name: String, _ byteCount: Int, _ header: BackupHeader?, fault: String?) {
            self.name = name
            self.byteCount = byteCount
            madeAt = header.map { Timestamp(milliseconds: $0.madeAt).wire }
            schemaVersion = header?.schemaVersion
            users = header?.rows["users"]
            key = header?.key
            sealingKeys = header?.sealingKeys
            self.fault = fault
        }
    }
}

/// `okaeri backup check`
struct CheckBackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read a backup from beginning to end, and see whether it is whole.",
        discussion: """
            Compares its checksum; with the secret key it is opened too, and every byte of the database compared with the \
            digest that was taken before it was encrypted. So are the parts of the revocation journal that a restore of it \
            reads, for which a file of --secret-key-file after a change of keys has both. The exit status is 1 when \
            anything is wrong.

            Examples:
              okaeri backup check --from /mnt/backups
              okaeri backup check okaeri-20261123T041500.000Z.backup --from /mnt/backups \\
                --secret-key-file okaeri-backup.secret
            """)

    @Argument(help: "The backup's name; the newest when none is given.")
    var name: String?

    @OptionGroup var source: BackupSourceOptions
    @OptionGroup var secret: BackupSecretKeyOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (repository, secretKey) = (try source.repository(), try secret.secretKey())
        let progress = StepProgress(isWanted: !output.isJSON)
        let check = CheckBackup(at: repository) { progress.show($0.rawValue, $1, $2) }
        let found: String
        do throws(BackupFault) {
            found = try check(name, with: secretKey)
        } catch {
            progress.end()
            throw CommandFault(error)
        }
        progress.end()
        guard !output.isJSON else { return Console.write(json: Output(name: found, wasOpened: secretKey != nil)) }
        Console.write(
            secretKey == nil
                ? "\(found) is whole by its checksum. With --secret-key-file it is opened too."
                : "\(found) is whole, and can be opened.")
    }

    private struct Output: Encodable {
        let name: String
        let wasOpened: Bool
    }
}
