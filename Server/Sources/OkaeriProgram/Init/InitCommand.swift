import ArgumentParser
import Domain
import Foundation
import OkaeriServer

/// `okaeri init`
struct InitCommand: AsyncParsableCommand, SettingHolder {
    /// What a proxy on this machine connects from.
    private static let loopback = "127.0.0.1,::1"

    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Ask four questions and write the configuration of a server.",
        discussion: """
            Asks for the address by which apps reach the server, where the data are, the mail server, and the name of the \
            first application. What is given as an option is not asked; without a terminal, and with --yes, nothing is.

            Each answer must keep the rules of “okaeri serve”. Settings go to a JSON file, secrets to a file beside it that its \
            owner alone can read; its lines are variables for a shell, and for EnvironmentFile= of systemd. The password of \
            the mail server comes from \(Setting.smtpPassword.variable), or is asked for where the mail server is. Nothing is \
            overwritten, and what fails leaves no file.

            With the embedded database the first application is made at once.

            Examples:
              okaeri init
              okaeri init --yes --data /var/lib/okaeri --application "My app"
              okaeri init --yes --public-url https://id.example.com \\
                --file /etc/okaeri/okaeri.json
            """)

    @Option(help: ArgumentHelp("The configuration file to write.", valueName: "file"))
    var file = "okaeri.json"

    @Option(.listen) var listen: GivenSetting?
    @Option(.publicURL) var publicURL: GivenSetting?
    @Option(.data) var data: GivenSetting?
    @Option(.database) var database: GivenSetting?
    @Option(.smtpURL) var smtpURL: GivenSetting?
    @Option(.smtpUser) var smtpUser: GivenSetting?
    @Option(.mailFrom) var mailFrom: GivenSetting?

    @Option(help: ArgumentHelp("The name of the first application.", valueName: "name"))
    var application: String?

    @Flag(help: "Ask nothing: what is not given is as it is by default.")
    var yes = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let files = ConfigurationFiles(path: file)
        try files.requireFree()
        var questions = InitQuestions(values: answers, application: application)
        if !yes, isatty(STDIN_FILENO) == 1 {
            // What an option says is not asked again, whatever is answered.
            _ = try questions.check()
            try questions.ask()
        }
        let values = Self.completed(questions.values, isLoopback: try questions.check().isLoopback)
        try files.save(values)
        let settings = try ServerSettings.read(values, environment: [:])
        var made: CreateApplication.Made?
        if let name = questions.application, settings.database == nil {
            do {
                made = try await settings.perform(.createApplication, makesDatabase: true) {
                    modules, who throws(DomainError) in
                    try await modules.applications.createApplication(name: name, by: who)
                }
            } catch {
                // The same command can be called again.
                files.remove()
                throw error
            }
        }
        let report = InitReport(
            files, made, waitingApplication: made == nil ? questions.application : nil,
            isShared: settings.database != nil)
        if output.isJSON { Console.write(json: report) } else { Console.write(report.text) }
    }

    /// What the options say, by setting name, with the password that no option says.
    private var answers: [String: String] {
        var values = given
        if smtpUser != nil {
            values[Setting.smtpPassword.name] = ProcessInfo.processInfo.environment[Setting.smtpPassword.variable]
        }
        return values
    }

    /// The answers with what follows from them.
    private static func completed(_ answers: [String: String], isLoopback: Bool) -> [String: String] {
        var values = answers
        values[Setting.listen.name] = answers[Setting.listen.name] ?? Setting.listen.defaultValue
        // The same folder, wherever the server is started.
        let folder = answers[Setting.data.name] ?? Setting.data.defaultValue ?? ""
        values[Setting.data.name] = URL(fileURLWithPath: folder).standardizedFileURL.path
        if answers[Setting.database.name] != nil {
            values[Setting.data.name] = nil
            // A key of one node's own would seal what the others cannot open.
            values[Setting.sealingKey.name] = SealingKey.newText()
        }
        if isLoopback, answers[Setting.publicURL.name]?.lowercased().hasPrefix("https:") == true {
            // The server speaks no TLS, and only this machine reaches it: what connects is a proxy here.
            values[Setting.trustedProxies.name] = loopback
        }
        return values
    }
}

/// What was written, and what to do next.
private struct InitReport: Encodable {
    let configuration: String
    /// Absent without secrets.
    let secrets: String?
    let application: Made?
    /// Commands for a shell.
    let next: [String]

    struct Made: Encodable {
        let id: String
        let name: String
        let adminKey: String
    }

    init(_ files: ConfigurationFiles, _ made: CreateApplication.Made?, waitingApplication: String?, isShared: Bool) {
        configuration = files.settingsPath
        secrets = files.hasSecrets ? files.secretsPath : nil
        application = made.map {
            Made(id: $0.application.id.rawValue, name: $0.application.name, adminKey: $0.adminKey.revealed)
        }
        let file = ShellWord(files.settingsPath)
        let read = secrets.map { ["set -a; . \(ShellWord($0)); set +a"] } ?? []
        let migrate = isShared ? ["okaeri migrate --config \(file)"] : []
        let create = waitingApplication.map { ["okaeri application create \(ShellWord($0)) --config \(file)"] } ?? []
        next = read + migrate + create + ["okaeri serve --config \(file)"]
    }

    var text: String {
        var table = TextTable()
        table.add("settings", configuration)
        if let secrets { table.add("secrets", "\(secrets) (for its owner alone)") }
        if let application {
            table.add("application", "\(application.name), \(application.id)")
            table.add("admin key", "\(application.adminKey) (it is not shown again)")
        }
        return """
            The configuration is written.
            \(table.text(indentation: 2))
            Next:
            \(next.map { "  \($0)" }.joined(separator: "\n"))
            """
    }
}

/// A word as a shell takes it.
private struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || "/._-".utf8.contains(byte)
        }
        description = isPlain && !text.isEmpty ? text : "'" + text.replacing(signs: ["'": #"'\''"#]) + "'"
    }
}
