import ArgumentParser
import Foundation
import Okaeri
import OkaeriWire

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

    /// The language that was asked for, or that of the environment.
    var language: DemoLanguage {
        locale ?? DemoLanguage(environment: ProcessInfo.processInfo.environment)
    }

    /// Where the app lives.
    ///
    /// - Throws: `CommandFault`.
    func target() throws(CommandFault) -> DemoTarget {
        try DemoTarget(server: server, application: application, state: state, settings: try storage.settings())
    }

    /// An app on a device.
    static func client(at target: DemoTarget, vault: any CredentialVault) -> OkaeriClient {
        var device = DeviceInfo.thisDevice
        device.appVersion = "okaeri demo \(OkaeriCommand.version)"
        // Somebody waits at a terminal: one more try, soon, is all.
        let retry = RetryPolicy(maximumTries: 2, firstDelay: .milliseconds(200))
        return OkaeriClient(
            server: target.server, application: target.application, vault: vault, transport: CurlTransport.shared,
            configuration: OkaeriConfiguration(requestTimeout: patience, retry: retry, device: device))
    }

    /// The app on the device that the state folder stands for.
    func client() throws(CommandFault) -> OkaeriClient {
        let target = try target()
        return Self.client(at: target, vault: FileVault(directory: target.state))
    }
}

extension CommandFault {
    /// What an error of the SDK means to the person at the terminal.
    ///
    /// - Parameters:
    ///   - error: Of the server, as a rule: an application's own settings may refuse what a demo sends.
    ///   - language: That of the sentence; fields and rules are the server's words.
    init(_ error: OkaeriError, in language: DemoLanguage) {
        let sentence = "\(error.message(in: [language.rawValue])) (\(error.code))"
        var problems: [FieldProblem] = []
        if case .invalidValues(let found) = error { problems = found }
        let lines = [sentence] + problems.map { "  \($0.field.printable): \($0.detail.printable)" }
        self = .failed(lines.joined(separator: "\n"))
    }
}

/// A language that the demo speaks.
enum DemoLanguage: String, CaseIterable, ExpressibleByArgument {
    case japanese = "ja"
    case korean = "ko"
    case english = "en"

    /// The language that the environment asks for (POSIX: `LC_ALL` over `LC_MESSAGES` over `LANG`), else English.
    init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        let language = locale?.prefix { $0.isLetter }.lowercased()
        self = language.flatMap(Self.init(rawValue:)) ?? .english
    }
}
