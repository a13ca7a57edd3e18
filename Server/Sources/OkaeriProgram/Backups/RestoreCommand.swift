import ArgumentParser
import Backups
import Domain
import Foundation
import HTTPSupport
import OkaeriServer
import OkaeriWire
import StoragePostgreSQL

/// `okaeri restore`
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring an installation back from a backup.",
        discussion: """
            The data folder must have no database. The backup is checked and opened, its database looked through, and what \
            ended after the backup is ended in it again: sessions, codes, device keys, deleted users.

            With --revocations-of, the data folder that was backed up, the journal there says exactly what ended. Without it \
            there is at most the journal that was stored with the backups, which ends earlier than the machine did: it is \
            applied, and then all sessions, codes, transfer codes, log-ins of admins and their API keys end, because one of them \
            may have ended unseen. Devices log in again by their keys, without anybody noticing. --keep-sessions leaves them all.

            The sealing key is not in the backup: put it back too, before the server starts.

            With --to, the database comes from a replica (\(Setting.replica.variable)), as it was at a time, to about a second; \
            “newest” is the last state that it has. What ended later stays ended in the same way.

            A backup of a shared database goes into an empty one, which --database names, by “pg_restore”. After a recovery to \
            a point in time by PostgreSQL's own tools, --revocations-only ends in it what ended since, before a node starts.

            Examples:
              okaeri restore --to 2026-11-23T04:15:42Z --from s3://replica/okaeri \\
                --secret-key-file okaeri-backup.secret
              okaeri restore --from /mnt/backups --secret-key-file okaeri-backup.secret \\
                --data /var/lib/okaeri
              okaeri restore okaeri-20261123T041500.000Z.backup \\
                --from s3://backups/okaeri \\
                --secret-key-file okaeri-backup.secret --data restored \\
                --revocations-of /var/lib/okaeri
              okaeri restore --database postgresql://okaeri@db/restored \\
                --from /mnt/backups \\
                --secret-key-file okaeri-backup.secret \\
                --revocations-of postgresql://okaeri@db/okaeri
            """)

    @Argument(help: "The backup's name; the newest when none is given.")
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Restore from the replica, as it was at this time (RFC 3339), or the newest state.",
            valueName: "time|newest"))
    var to: String?

    @OptionGroup var source: BackupSourceOptions
    @OptionGroup var secret: BackupSecretKeyOption

    @Option(
        help: ArgumentHelp(
            "The data folder that was backed up, or the address of the database, if it is still there.",
            valueName: "folder|url"))
    var revocationsOf: String?

    @Flag(help: "The shared database was recovered to a time by PostgreSQL itself: only end in it what ended since.")
    var revocationsOnly = false

    @Flag(help: "Leave sessions and codes alone although one of them may have ended unseen.")
    var keepSessions = false

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let repository = try source.repository()
        guard let key = try secret.secretKey() else {
            throw CommandFault.usage(
                "Name the file of the secret key with --secret-key-file or \(BackupVariable.secretKeyFile): without it no "
                    + "backup can be opened.")
        }
        let settings = try storage.settings()
        let progress = StepProgress(isWanted: !output.isJSON)
        if let database = settings.database {
            return try restoreDump(into: database, settings, repository, key, progress)
        }
        guard !revocationsOnly else {
            throw CommandFault.usage(
                "--revocations-only is for a shared database, which --database names: a folder is restored as a whole.")
        }
        let folder = settings.dataFolder
        let report = try restored(progress) { tell throws(BackupFault) in
            // A server that starts meanwhile would make a new database.
            let hold = try RestoreHold(folder)
            defer { hold.release() }
            let backups = RestoreSource(repository, key: key, at: .current, tell: tell)
            guard let to else {
                return try RestoreBackup(from: backups)(
                    name, to: folder, journalOf: revocationsOf, keepsSessions: keepSessions)
            }
            return try RestoreReplica(from: backups)(
                to: folder, upTo: WireTime(to).map { Timestamp(milliseconds: $0.millisecondsSince1970) },
                journalOf: revocationsOf, keepsSessions: keepSessions)
        }
        guard !output.isJSON else { return Console.write(json: Output(report)) }
        show(report, in: folder)
        remind(folder, report.sealingKeys, settings)
    }

    /// Runs a restore with its progress.
    private func restored(
        _ progress: StepProgress,
        _ restore: (@escaping (RestoreBackup.Step, Int, Int) -> Void) throws(BackupFault) -> RestoreReport
    ) throws(CommandFault) -> RestoreReport {
        defer { progress.end() }
        do throws(BackupFault) {
            return try restore { progress.show($0.rawValue, $1, $2) }
        } catch {
            throw CommandFault(error)
        }
    }

    func validate() throws {
        guard !revocationsOnly || name == nil else {
            throw ValidationError("--revocations-only takes no backup's name: the database is there.")
        }
        guard let to else { return }
        guard name == nil else { throw ValidationError("--to takes no backup's name.") }
        guard to == "newest" || WireTime(to) != nil else {
            throw ValidationError("--to must be “newest” or a time such as 2026-11-23T04:15:42Z, not “\(to)”.")
        }
    }

    private func restoreDump(
        into database: PostgreSQLAddress, _ settings: ServerSettings, _ repository: any BackupRepository,
        _ key: BackupSecretKey, _ progress: StepProgress
    ) throws {
        guard to == nil else {
            throw CommandFault.usage(
                "--to is of a replica, which the embedded database has. A shared one goes back to a time by PostgreSQL's own "
                    + "recovery, and then by --revocations-only.")
        }
        var old: PostgreSQLAddress?
        if let revocationsOf {
            old = PostgreSQLAddress(revocationsOf)
            guard old != nil else {
                throw CommandFault.usage(
                    "--revocations-of must be the address of the database that was backed up: postgresql://….")
            }
        }
        let report = try restored(progress) { tell throws(BackupFault) in
            let restore = RestoreDump(from: RestoreSource(repository, key: key, at: .current, tell: tell))
            return revocationsOnly
                ? try restore.endRecovered(database, journalOf: old, keepsSessions: keepSessions)
                : try restore(
                    name, to: database, workFolder: try BackupVariable.workFolder(), journalOf: old,
                    keepsSessions: keepSessions)
        }
        guard !output.isJSON else { return Console.write(json: Output(report)) }
        show(report, in: "\(database)")
        let known = settings.sealingKey.flatMap { try? settings.sealingKeys.key(first: $0) }?.ids ?? []
        let missing = report.sealingKeys.filter { !known.contains($0) }
        if !missing.isEmpty {
            Console.write(
                "Every node needs the sealing key of the installation in \(Setting.sealingKey.variable) or "
                    + "\(Setting.sealingKeys.variable): a new one opens nothing that is sealed. The ids are "
                    + "\(missing.joined(separator: ", ")).")
        }
    }

    private func show(_ report: RestoreReport, in target: String) {
        let users = (report.rows["users"] ?? 0).counted("user")
        if let time = report.time?.localText {
            Console.write(
                report.name.map { "\($0), made on \(time), is restored into \(target): \(users)." }
                    ?? "The database of \(time) is restored into \(target): \(users).")
        } else {
            Console.write("The database \(target) has \(users).")
        }
        Console.write(
            "What ended since then is ended again: \(report.revocations.counted("row")) "
                + "\(report.revocations == 1 ? "was" : "were") removed or changed.")
        guard let doubt = report.doubt else { return }
        Console.write(
            report.endedAll
                ? "Not all may be known (\(doubt)): all sessions, codes, transfer codes, log-ins of admins and their API "
                    + "keys were ended. Device keys stay, so apps log in again by themselves. A user who was deleted, a device "
                    + "key, a password or an identity that was removed after that may be back."
                : "Not all may be known (\(doubt)), and sessions, codes and API keys were kept as --keep-sessions asks: "
                    + "something that had ended may be back.")
        Console.write(
            "So may an admin who was removed or had less to do, a role that was taken from a user, and the key of an "
                + "application or a protocol that was replaced: look at “okaeri admin list”, “okaeri application keys” and "
                + "the roles before the server starts.")
    }

    private func remind(_ folder: String, _ needed: [String], _ settings: ServerSettings) {
        let first = settings.sealingKey ?? FileManager.default.contents(atPath: folder + "/sealing.key").map(Array.init)
        // A key of another length opens nothing.
        let known = first.flatMap { try? settings.sealingKeys.key(first: $0) }?.ids ?? []
        let missing = needed.filter { !known.contains($0) }
        if first == nil || !missing.isEmpty {
            let ids =
                missing.isEmpty ? "" : " Its secrets need the keys with the ids \(missing.joined(separator: ", "))."
            Console.write(
                "Put the sealing key of the installation back as \(folder)/sealing.key, or set \(Setting.sealingKey.variable) "
                    + "and \(Setting.sealingKeys.variable), before the server starts: a new one opens nothing that is sealed."
                    + ids)
        }
        Console.write("Then “okaeri doctor --data \(folder)” looks at everything.")
    }

    private struct Output: Encodable {
        let name: String?
        /// When what is restored was so.
        let time: WireTime?
        let rows: [String: Int]
        let revocations: Int
        let isJournalComplete: Bool
        let endedAll: Bool
        let sealingKeys: [String]

        init(_ report: RestoreReport) {
            (name, time, rows) = (report.name, report.time?.wire, report.rows)
            (revocations, endedAll, sealingKeys) = (report.revocations, report.endedAll, report.sealingKeys)
            isJournalComplete = report.doubt == nil
        }
    }
}
