import ArgumentParser
import Foundation
import Okaeri

/// Where the demo's app lives, and how it speaks.
struct DemoOptions: ParsableArguments {
    /// How long to wait for one answer of the server.
    private static let patience: Duration = .seconds(10)

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

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    var language: DemoLanguage { locale ?? DemoLanguage(environment: ProcessInfo.processInfo.environment) }

    /// The app on its device.
    func client() throws -> OkaeriClient {
        let place = try DemoPlace(
            server: server, application: application, state: state, settings: try storage.settings())
        // Somebody waits at a terminal: one more try, soon, is all.
        let retry = RetryPolicy(maximumTries: 2, firstDelay: .milliseconds(200))
        return OkaeriClient(
            server: place.server, application: place.application, vault: FileVault(directory: place.state),
            configuration: OkaeriConfiguration(requestTimeout: Self.patience, retry: retry, device: Self.device))
    }

    /// What sessions remember of the device.
    static var device: DeviceInfo {
        var device = DeviceInfo.thisDevice
        device.appVersion = "okaeri demo \(OkaeriCommand.version)"
        return device
    }

    /// What an error means to the person at the terminal.
    func fault(_ error: OkaeriError) -> CommandFault {
        .failed("\(error.message(in: [language.rawValue])) (\(error.code))")
    }
}
