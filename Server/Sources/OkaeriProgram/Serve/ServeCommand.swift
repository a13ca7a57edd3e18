import ArgumentParser
import Domain
import Foundation
import OkaeriServer

/// `okaeri serve`
struct ServeCommand: AsyncParsableCommand {
    /// How far `--next-free-port` looks.
    private static let portsTried = 100

    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Start the server.",
        discussion: """
            Serves until Ctrl-C or SIGTERM. Then requests under way end, and the database is left tidy. The log goes to \
            standard error. While the server runs, the file server.json in the data folder tells its process and address.

            With --database any number of servers share one PostgreSQL database; “okaeri migrate” makes its tables.

            Settings come from the command line, else from the environment, else from the configuration file. The key \
            that seals secrets at rest is read from \(Setting.sealingKey.variable) or from the file sealing.key in the \
            data folder, which is made at the first start.

            Secrets are no options, which every user of the machine could read in the list of processes. They come from \
            the environment or the configuration file: \(Setting.withoutOptions.map(\.variable).joined(separator: ", ")).

            Examples:
              okaeri serve
              okaeri serve --listen 127.0.0.1:9000 --data /var/lib/okaeri
              okaeri serve --database postgresql://okaeri@db.example.com/okaeri
              okaeri serve --public-url https://id.example.com --trusted-proxies ::1
              OKAERI_LOG_LEVEL=debug okaeri serve --next-free-port
            """)

    @OptionGroup var options: SettingOptions

    @Flag(help: "When the port is taken, take the next one that is free.")
    var nextFreePort = false

    @OptionGroup var output: OutputOptions

    func run() async throws { try await run(with: nil) }

    /// - Parameter providers: What plays identity providers under development.
    /// - Throws: `CommandFault` when a setting is wrong or the server cannot start.
    func run(with providers: (any ProviderStandIn)?) async throws {
        var settings = try options.settings()
        let wanted = settings.port
        let lastPort = nextFreePort ? min(wanted + Self.portsTried, 65_535) : wanted
        let logger = ServerProgram.logger(settings)
        UnknownVariable.warn(in: ProcessInfo.processInfo.environment, beside: BackupVariable.all, logger)
        while true {
            let (location, isJSON) = (settings.storageLocation, output.isJSON)
            do throws(StartFault) {
                try await ServerProgram(settings: settings, logger: logger, providers: providers).run {
                    listening, composition in
                    let link = await composition.firstAdminLink(port: listening.port)
                    Started(listening, wanted: wanted, location, link).tell(asJSON: isJSON)
                }
                return
            } catch {
                guard case .addressInUse = error else { throw CommandFault(error) }
                guard settings.port < lastPort else { throw portTaken(error, tried: settings.port - wanted + 1) }
                settings.port += 1
            }
        }
    }

    private func portTaken(_ fault: StartFault, tried: Int) -> CommandFault {
        nextFreePort
            ? .failed("\(fault.description) No port of \(tried) was free; choose another address with --listen.")
            : .failed(
                "\(fault.description) Choose another address with --listen, or take the next free port with "
                    + "--next-free-port.")
    }
}

/// What a server that has started tells.
private struct Started: Encodable {
    let url: String
    let pid: Int32
    /// The folder of the embedded database.
    let dataFolder: String?
    /// Hosts and name of a shared database.
    let database: String?
    /// Where the metrics are, when they have an address of their own.
    let metricsUrl: String?
    /// The port that should have been, if another program has it.
    let portTaken: Int?
    /// By which the first admin is made, while there is none.
    let setUpLink: String?
    /// Whose link it is: an owner who came in without an authenticator app while the server was for development.
    let setUpOwner: String?
    private let port: Int

    init(
        _ listening: ServerProgram.Listening, wanted: Int, _ location: ServerSettings.StorageLocation,
        _ link: FirstAdminLink?
    ) {
        (setUpLink, setUpOwner) = (link?.url, link?.owner)
        url = listening.url
        metricsUrl = listening.metricsURL
        pid = getpid()
        switch location {
        case .folder(let folder): (dataFolder, database) = (URL(fileURLWithPath: folder).standardizedFileURL.path, nil)
        case .database(let name): (dataFolder, database) = (nil, name)
        }
        portTaken = wanted != 0 && wanted != listening.port ? wanted : nil
        port = listening.port
    }

    func tell(asJSON isJSON: Bool) {
        guard !isJSON else {
            Console.write(json: self)
            return
        }
        var lines: [String] = []
        if let portTaken {
            lines.append("Port \(portTaken) is taken by another program; the server takes \(port) instead.")
        }
        let table = TextTable([
            "address": url, (database == nil ? "data folder" : "database"): dataFolder ?? database,
            "process": String(pid),
        ])
        lines += ["Okaeri \(OkaeriCommand.version) is serving.", table.text(indentation: 2), "Ctrl-C stops it."]
        if let metricsUrl { lines.append("The metrics are at \(metricsUrl).") }
        if let setUpLink {
            let reason =
                setUpOwner.map {
                    "The owner \($0) came in without an authenticator app, which only a server for development allows. "
                        + "Set it up"
                } ?? "There is no admin yet. Make one"
            lines += ["\(reason) with this link, which counts once:", "  \(setUpLink)"]
        }
        // At once: who reads the first line can rely on the others.
        Console.write(lines.joined(separator: "\n"))
    }
}
