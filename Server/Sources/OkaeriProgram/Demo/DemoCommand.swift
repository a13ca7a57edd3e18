import ArgumentParser
import Foundation
import Okaeri

/// `okaeri demo`
struct DemoCommand: AsyncParsableCommand {
    /// How long to wait for one answer of the server.
    private static let patience: Duration = .seconds(10)

    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Play an installed app that logs in by itself.",
        discussion: """
            Each call is one launch of the app. The first makes an account without asking anything; the next ones greet \
            the same user, with the time of the launch before. It is the SDK that does this, over HTTP, with a key that \
            stays in the state folder.

            Without options it plays the application that “make run” has made, at the server that runs.

            Examples:
              okaeri demo
              okaeri demo --locale ja
              okaeri demo --state /tmp/another-phone
              okaeri demo --server http://127.0.0.1:8080 --application 00VHj9mrbT8wn7Qk
              okaeri demo --reset
              okaeri demo apple
            """,
        subcommands: [DemoAppleCommand.self])

    @Option(
        help: ArgumentHelp(
            "The server's address. (default: that of the server on the data folder)", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The application's id. (default: the one in demo/application.json in the data folder)", valueName: "id"))
    var application: String?

    @Option(
        help: ArgumentHelp(
            "The folder that stands for the device's storage. (default: demo/device in the data folder)",
            valueName: "folder"))
    var state: String?

    @Option(help: "The language. (default: that of LC_ALL, LC_MESSAGES or LANG, else English)")
    var locale: DemoLanguage?

    @Flag(help: "Forget the device, as if the app and everything it stored were removed.")
    var reset = false

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let place = try DemoPlace(
            server: server, application: application, state: state, settings: try storage.settings())
        let language = locale ?? DemoLanguage(environment: ProcessInfo.processInfo.environment)
        let okaeri = client(at: place)
        do throws(OkaeriError) {
            if reset {
                try await okaeri.forgetDevice()
                return tellForgotten(language.texts)
            }
            let launch = try await DemoLaunch(okaeri, locale: language.rawValue)
            tell(launch, language.texts)
        } catch {
            throw CommandFault.failed("\(error.message(in: [language.rawValue])) (\(error.code))")
        }
    }

    private func client(at place: DemoPlace) -> OkaeriClient {
        var device = DeviceInfo.thisDevice
        device.appVersion = "okaeri demo \(OkaeriCommand.version)"
        // Somebody waits at a terminal: one more try, soon, is all.
        let retry = RetryPolicy(maximumTries: 2, firstDelay: .milliseconds(200))
        return OkaeriClient(
            server: place.server, application: place.application, vault: FileVault(directory: place.state),
            configuration: OkaeriConfiguration(requestTimeout: Self.patience, retry: retry, device: device))
    }

    private func tell(_ launch: DemoLaunch, _ texts: DemoTexts) {
        output.isJSON ? Console.write(json: launch.answer(texts)) : Console.write(launch.screen(texts))
    }

    private func tellForgotten(_ texts: DemoTexts) {
        output.isJSON ? Console.write(json: ["isForgotten": true]) : Console.write(texts.forgotten)
    }
}
