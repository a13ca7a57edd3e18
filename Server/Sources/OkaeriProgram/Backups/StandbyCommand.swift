import ArgumentParser
import Backups
import Domain
import Foundation
import HTTPSupport
import OkaeriServer
@_spi(TotalConversions) import OkaeriWire
import Threads

/// `okaeri standby …`
struct StandbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "standby",
        abstract: "Follow a server's replica on a second machine, and take over.",
        discussion: """
            A server with \(Setting.replica.variable) stores what is written each second. “okaeri standby follow” keeps a copy \
            of it on this machine; “okaeri standby take-over” makes that the database, and the other server stops. The \
            sealing key is not in the replica: this machine needs it too.

            Examples:
              okaeri standby follow --data /var/lib/okaeri --from s3://replica/okaeri \\
                --secret-key-file okaeri-backup.secret
              okaeri standby serve --data /var/lib/okaeri --from s3://replica/okaeri \\
                --secret-key-file okaeri-backup.secret
              okaeri standby status --data /var/lib/okaeri
              okaeri standby take-over --data /var/lib/okaeri --from s3://replica/okaeri \\
                --secret-key-file okaeri-backup.secret
            """,
        subcommands: [
            FollowReplicaCommand.self, ServeStandbyCommand.self, StandbyStatusCommand.self, TakeOverCommand.self,
        ])
}

/// What a standby needs.
struct StandbyOptions: ParsableArguments {
    @OptionGroup var source: BackupSourceOptions
    @OptionGroup var secret: BackupSecretKeyOption
    @OptionGroup var storage: StorageOptions

    /// - Throws: `CommandFault`.
    func copy() throws(CommandFault) -> (copy: StandbyCopy, folder: String) {
        let repository = try source.repository()
        let key = try secret.replicaKey()
        let folder = try storage.settings().dataFolder
        if let server = ServerInfoFile.read(in: folder) {
            throw .failed("A server runs on \(folder), at \(server.url). A standby needs a folder of its own.")
        }
        return (StandbyCopy(in: folder, of: repository, key: key), folder)
    }
}

/// `okaeri standby follow`
struct FollowReplicaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Keep a copy of a replicated database on this machine.",
        discussion: """
            Looks each second for what is new, until Ctrl-C; with --once, one time. A repository that cannot be reached is \
            asked again.

            Examples:
              okaeri standby follow --data /var/lib/okaeri --from /mnt/replica \\
                --secret-key-file okaeri-backup.secret
              okaeri standby follow --once --data standby --from /mnt/replica \\
                --secret-key-file okaeri-backup.secret
            """)

    @OptionGroup var options: StandbyOptions

    @Flag(help: "Look one time.")
    var once = false

    func run() async throws {
        let (copy, folder) = try options.copy()
        let hold = try StandbyHold.ofCommand(folder)
        defer { hold.release() }
        var lastFault: String?
        while !hold.isAskedFor {
            do throws(BackupFault) {
                let time = try copy.follow()
                if once || lastFault != nil { Console.write("The copy is that of \(time.localText).") }
                lastFault = nil
            } catch {
                guard !once else { throw CommandFault(error) }
                if error.description != lastFault { Console.tell(error.description) }
                lastFault = error.description
            }
            if once { return }
            try await Task.sleep(for: .seconds(1))
        }
        Console.tell("This machine is to take over: the standby ends.")
    }
}

extension BackupSecretKeyOption {
    /// The key that opens a replica.
    ///
    /// - Throws: `CommandFault` without one.
    func replicaKey() throws(CommandFault) -> BackupSecretKey {
        guard let key = try secretKey() else {
            throw CommandFault.usage(
                "Name the file of the secret key with --secret-key-file or \(BackupVariable.secretKeyFile): without it the "
                    + "replica cannot be read.")
        }
        return key
    }
}

extension StandbyHold {
    /// Holds a folder as long as a command works.
    ///
    /// - Throws: `CommandFault`.
    static func ofCommand(_ folder: String) throws(CommandFault) -> StandbyHold {
        do throws(BackupFault) {
            return try take(folder)
        } catch {
            throw CommandFault(error)
        }
    }
}

/// `okaeri standby status`
struct StandbyStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how old a standby's copy is.",
        discussion: """
            While nothing is written the replica gets a part each minute, so that an age below that is none.

            Example:
              okaeri standby status --data /var/lib/okaeri --json
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let folder = try storage.settings().dataFolder
        guard let time = StandbyCopy.time(in: folder) else {
            throw CommandFault.failed("There is no standby's copy in \(folder). “okaeri standby follow” makes one.")
        }
        let age = (Timestamp.current - time) / .seconds(1)
        guard !output.isJSON else { return Console.write(json: Output(time: time.wire, ageSeconds: age)) }
        Console.write("The copy is that of \(time.localText), \(Int64(clamping: age).counted("second")) ago.")
    }

    private struct Output: Encodable {
        let time: WireTime
        let ageSeconds: Double
    }
}

/// `okaeri standby take-over`
struct TakeOverCommand: ParsableCommand {
    /// Longer than the old primary takes to look for a claim.
    private static let patience: Duration = .seconds(7)
    /// A process that follows looks each second whether it shall end, and then ends its requests.
    private static let (holdAttempts, holdPause): (Int, Duration) = (300, .milliseconds(200))

    static let configuration = CommandConfiguration(
        commandName: "take-over",
        abstract: "Make this machine the primary; the other server stops.",
        discussion: """
            Claims the replica, waits seven seconds while the old primary notices it and stores its last part, and makes the \
            copy the database. A process that follows the replica into the folder ends before, also one that serves. All sessions \
            and codes end, because one of them may have ended unseen; device keys stay, so \
            apps log in again by themselves. --keep-sessions leaves them. Start “okaeri serve” afterwards.

            What the old primary did not store is lost: stop it first where you can, and it stores what is left. If it runs \
            and cannot reach the repository it goes on answering until it can: stop it, or take its address away.

            In a folder that has a database, such as a restored one, only the claim is made.

            Example:
              okaeri standby take-over --data /var/lib/okaeri --from /mnt/replica \\
                --secret-key-file okaeri-backup.secret
            """)

    @OptionGroup var options: StandbyOptions

    @Flag(help: "Do not wait: the old primary is known to be gone.")
    var atOnce = false

    @Flag(help: "Leave sessions and codes alone although one of them may have ended unseen.")
    var keepSessions = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let (copy, folder) = try options.copy()
        let report: StandbyCopy.Report
        do throws(BackupFault) {
            let hold = try StandbyHold.takeOver(folder, attempts: Self.holdAttempts) {
                SystemThread.sleep(Self.holdPause)
            }
            defer { hold.release() }
            report = try copy.takeOver(keepsSessions: keepSessions, now: { .current }) {
                if !atOnce { SystemThread.sleep(Self.patience) }
            }
        } catch {
            throw CommandFault(error)
        }
        guard !output.isJSON else { return Console.write(json: Output(report)) }
        let state = report.time.map { "The database is that of \($0.localText)." } ?? "The folder's own database stays."
        Console.write("This machine is the primary by claim \(report.claim). \(state)")
        if report.endedAll {
            Console.write(
                "All sessions, codes, transfer codes and log-ins of admins were ended. API keys of admins stay: one that was "
                    + "removed in the last seconds may be back.")
        }
        Console.write("Start it: “okaeri serve --data \(folder)”.")
    }

    private struct Output: Encodable {
        let claim: Int
        let time: WireTime?
        let endedAll: Bool

        init(_ report: StandbyCopy.Report) {
            claim = report.claim
            time = report.time?.wire
            endedAll = report.endedAll
        }
    }
}
