import ArgumentParser
import Domain
import Foundation
import OkaeriServer

/// `okaeri status`
struct StatusCommand: AsyncParsableCommand {
    private static let seconds = 1...3600

    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show a running server: users, log-ins a minute, waiting mails, connections, memory, disk.",
        discussion: """
            On a terminal it shows the numbers anew every two seconds until Ctrl-C; elsewhere, and with --once or --json, one \
            time. Log-ins are counted between two looks, so that the first numbers take as long as --every says.

            Give it the settings and the environment of the server. Users, mails and disk come from the database, the rest \
            from /metrics: by \(Setting.metricsKey.variable), at the address of \(Setting.metricsListen.variable), or where \
            neither is set by the file status.key, which the server writes into the data folder for its owner.

            Examples:
              okaeri status
              okaeri status --data /var/lib/okaeri --every 10
              okaeri status --json --every 60
            """)

    @Flag(help: "Show the numbers one time.")
    var once = false

    @Option(help: ArgumentHelp("How long to count log-ins, from 1 to 3600.", valueName: "seconds"))
    var every = 2

    @Option(
        help: ArgumentHelp(
            "The server's address. By default that of the server that runs on the data folder.", valueName: "url"))
    var server: String?

    @Option(.metricsListen) var metricsListen: GivenSetting?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard Self.seconds.contains(every) else {
            throw ArgumentParser.ValidationError("--every must be from 1 to 3600 seconds, not \(every).")
        }
    }

    func run() async throws {
        var values = storage.values
        values[Setting.metricsListen.name] = metricsListen?.value
        let settings = try ServerSettings.read(values)
        let address = try address(settings)
        var before = try await MetricsReading(of: settings, at: address)
        let showsAgain = !once && !output.isJSON && isatty(STDOUT_FILENO) == 1
        repeat {
            try await Task.sleep(for: .seconds(every))
            let now = try await MetricsReading(of: settings, at: address)
            let health = try await settings.perform(.readHealth) { modules, who throws(DomainError) in
                try await modules.administration.statistics.readHealth()
            }
            let status = ServerStatus(health, from: before, to: now, at: address, settings)
            if output.isJSON {
                Console.write(json: status)
            } else if showsAgain {
                Console.write(page: status.text + "\n\nCtrl-C ends it.")
            } else {
                Console.write(status.text)
            }
            before = now
        } while showsAgain
    }

    /// Where the server is.
    ///
    /// - Throws: `CommandFault` when none runs.
    private func address(_ settings: ServerSettings) throws(CommandFault) -> String {
        if let server { return server.hasSuffix("/") ? String(server.dropLast()) : server }
        guard settings.database != nil else { return try settings.requireRunningServer().url }
        return ServerInfoFile.read(in: settings.dataFolder)?.url ?? settings.url(port: settings.port)
    }
}
