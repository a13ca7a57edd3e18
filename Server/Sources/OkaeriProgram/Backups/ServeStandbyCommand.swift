import ArgumentParser
import Backups
import Domain
import Foundation
import HTTPSupport
import OkaeriServer

/// `okaeri standby serve`
struct ServeStandbyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Follow a replica, and answer what needs no write.",
        discussion: """
            Keeps a copy as “okaeri standby follow” does, and answers from it: who a session belongs to, what a token is worth, \
            the keys that verify tokens, health and metrics, and the same of old services' protocols. Everything that writes is \
            answered 503 “standby”, with the address of --primary-url in the header Okaeri-Primary; so is a request with a proof \
            of its device, which only the primary can count. Nothing is ever written.

            A session that ended is refused as soon as the part of the replica with its end is here, a second or two as a rule. \
            When the copy is older than --max-lag nothing is answered from it any more, so that no session is taken for good for \
            longer than that, and by as much as the clocks of the two machines differ. While nothing is written the primary \
            stores a part each \(Setting.replicaHeartbeat.variable) seconds: choose that number smaller than --max-lag.

            “okaeri standby take-over” in the same folder ends it, and makes this machine the primary.

            Example:
              okaeri standby serve --data /var/lib/okaeri --listen 127.0.0.1:8081 \\
                --from s3://replica/okaeri \\
                --secret-key-file okaeri-backup.secret \\
                --primary-url https://id.example.com
            """)

    @OptionGroup var source: BackupSourceOptions
    @OptionGroup var secret: BackupSecretKeyOption

    @Option(help: ArgumentHelp("How old the copy may be, 2 to 3600.", valueName: "seconds"))
    var maxLag = 90

    @Option(help: ArgumentHelp("The address of the primary, for clients.", valueName: "url"))
    var primaryUrl: String?

    @OptionGroup var options: SettingOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (2...3600).contains(maxLag) else { throw ValidationError("--max-lag must be from 2 to 3600 seconds.") }
        if let primaryUrl, PublicAddress(primaryUrl, proxies: TrustedProxies([])) == nil {
            throw ValidationError("--primary-url must be \(Setting.publicURL.rule).")
        }
    }

    func run() async throws {
        let (repository, key, settings) = (try source.repository(), try secret.replicaKey(), try options.settings())
        let folder = settings.dataFolder
        if let server = ServerInfoFile.read(in: folder) {
            throw CommandFault.failed(
                "A server runs on \(folder), at \(server.url). A standby needs a folder of its own.")
        }
        guard !FileManager.default.fileExists(atPath: StorageInspection.path(in: folder)) else {
            throw CommandFault.failed(
                "The folder \(folder) has a database of its own: “okaeri serve --data \(folder)” serves it. A standby needs an "
                    + "empty folder.")
        }
        let hold = try StandbyHold.ofCommand(folder)
        let standby = StandbyServing(
            in: folder, of: repository, key: key, hold: hold, maximumLag: .seconds(maxLag), primary: primaryUrl,
            now: { .current })
        let isJSON = output.isJSON
        do throws(StartFault) {
            try await ServerProgram(
                settings: settings, logger: ServerProgram.logger(settings), providers: nil, standby: standby
            ).run { listening, _ in
                guard !isJSON else { return Console.write(json: Output(url: listening.url, dataFolder: folder)) }
                Console.write(
                    "Okaeri \(OkaeriCommand.version) answers at \(listening.url) what needs no write. Ctrl-C stops it.")
            }
        } catch {
            hold.release()
            throw CommandFault(error)
        }
    }

    private struct Output: Encodable {
        let url: String
        let dataFolder: String
    }
}
