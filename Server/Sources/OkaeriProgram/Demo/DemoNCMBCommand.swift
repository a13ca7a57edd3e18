import ArgumentParser
import Domain
import Foundation
import NCMBAPI
import Okaeri

/// `okaeri demo ncmb`
struct DemoNCMBCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ncmb",
        abstract: "Play an app that was built with NCMB's SDK, and its way to Okaeri's.",
        discussion: """
            The app is NCMB's own sample of automatic log-in: a device id is user name and password. A log-in is refused, a \
            sign-up follows, updateDate is saved as the time of the log-in; each launch after that greets with the one \
            before. Then the app gets Okaeri's SDK, \
            which takes the session over: the same user, now with a device key.

            Everything goes over HTTP to the server that runs on the data folder. The demo makes an application of its own.

            Examples:
              okaeri serve
              okaeri demo ncmb
              okaeri demo ncmb --locale ja
            """)

    @Option(help: "The language. (default: that of LC_ALL, LC_MESSAGES or LANG, else English)")
    var locale: DemoLanguage?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    struct Step: Encodable {
        /// The step's stable name.
        let scene: String
        let title: String
        let outcome: String
        let user: String?
    }

    func run() async throws {
        let server = try storage.runningServer()
        let language = locale ?? DemoLanguage(environment: ProcessInfo.processInfo.environment)
        let made = try await storage.withStorage { modules throws(DomainError) in
            try await modules.applications.createApplication(name: "Demo of NCMB", protocols: [.ncmb: [:]], by: .local)
        }
        guard let keys = made.protocols.first?.keys, let applicationKey = keys[.applicationKey],
            let clientKey = keys[.clientKey]
        else { throw CommandFault.failed("The application has no keys for NCMB.") }
        let app = DemoNCMBApp(
            server: server, applicationKey: applicationKey.revealed, clientKey: clientKey.revealed)
        var steps = try await launches(app, language.ncmbTexts)
        steps += try await adoption(app, server, made.application.id.rawValue, language)
        guard !output.isJSON else { return Console.write(json: ["steps": steps]) }
        for step in steps { Console.write("\(step.title)\n  \(step.outcome)") }
    }

    /// The unchanged app, started three times: only the third launch shows whether a log-in moves `updateDate`.
    private func launches(_ app: DemoNCMBApp, _ texts: DemoNCMBTexts) async throws -> [Step] {
        let refused = try await app.logIn()
        guard refused.code == "E401002" else { throw CommandFault.failed("The first log-in was not refused.") }
        let member = try await app.signUp()
        var saved = try await app.saveLastLogIn(of: member)
        var steps = [
            Step(
                scene: "first-launch", title: texts.firstLaunch, outcome: texts.signedUp(refused.code ?? ""),
                user: member.id)
        ]
        for (scene, title) in [("next-launch", texts.nextLaunch), ("third-launch", texts.thirdLaunch)] {
            guard let known = try await app.logIn().member, known.id == member.id, let greeted = known.lastLogIn,
                greeted == saved
            else { throw CommandFault.failed("The launch does not show the one before it.") }
            steps.append(Step(scene: scene, title: title, outcome: texts.greets(greeted), user: known.id))
            saved = try await app.saveLastLogIn(of: known)
            guard saved > greeted else { throw CommandFault.failed("The log-in has not moved updateDate.") }
        }
        return steps
    }

    /// The app with Okaeri's SDK.
    private func adoption(
        _ app: DemoNCMBApp, _ server: URL, _ application: String, _ language: DemoLanguage
    ) async throws -> [Step] {
        let texts = language.ncmbTexts
        guard let member = try await app.logIn().member else {
            throw CommandFault.failed("The member cannot log in any more.")
        }
        func device() -> OkaeriClient {
            OkaeriClient(
                server: server, application: application, vault: MemoryVault(), transport: CurlTransport.shared)
        }
        let okaeri = device()
        do throws(OkaeriError) {
            let adopted = try await okaeri.adopt(ncmbSession: member.token).user
            let launched = try await okaeri.logInAutomatically().user
            let byPassword = try await device().adopt(username: app.deviceId, password: app.deviceId).user
            return [
                Step(
                    scene: "adopt", title: texts.adopt, outcome: texts.sameUser(adopted.id == member.id),
                    user: adopted.id),
                Step(
                    scene: "automatic", title: texts.automatic, outcome: texts.sameUser(launched.id == member.id),
                    user: launched.id),
                Step(
                    scene: "adopt-by-password", title: texts.adoptByPassword,
                    outcome: texts.sameUser(byPassword.id == member.id), user: byPassword.id),
            ]
        } catch {
            throw CommandFault(error, in: language)
        }
    }
}
