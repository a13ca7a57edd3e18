import ArgumentParser
import Domain
import Foundation
import Okaeri
import OkaeriServer

/// `okaeri demo apple`
struct DemoAppleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
        abstract: "Play Sign in with Apple against the fake Apple of a server for development.",
        discussion: """
            Sign-up, log-in, link, a taken identity and the merge of both users, unlink and deletion with revocation, each by the SDK over HTTP, with devices \
            that last as long as the command. The server is okaeri-dev with --dev on the data folder; the demo makes an \
            application of its own and sets it up, as an operator would.

            Examples:
              okaeri-dev serve --dev
              okaeri demo apple
              okaeri demo apple --locale ja
            """)

    @Option(help: "The language. (default: that of LC_ALL, LC_MESSAGES or LANG, else English)")
    var locale: DemoLanguage?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try storage.settings()
        guard let running = ServerInfoFile.read(in: settings.dataFolder), let server = URL(string: running.url) else {
            throw CommandFault.failed(
                "No server for development runs on the data folder \(settings.dataFolder). Start one with “okaeri-dev serve "
                    + "--dev --data \(settings.dataFolder)”, or name another folder with --data.")
        }
        guard let apple = running.fakeApple else {
            throw CommandFault.failed(
                "The server at \(running.url) has nothing that plays Apple: “okaeri-dev serve --dev” has. Stop the server with "
                    + "“kill \(running.pid)”, and start that one in its place.")
        }
        let fake = DemoApple(address: apple)
        let application = try await makeApplication(fake)
        let language = locale ?? DemoLanguage(environment: ProcessInfo.processInfo.environment)
        let play = DemoApplePlay(server: server, application: application, fake: fake, language: language)
        var steps: [DemoApplePlay.Step]
        do throws(OkaeriError) {
            let (done, phone) = try await play.steps()
            steps = done
            let (user, revoked) = try await play.requestDeletion(on: phone)
            // What the server does by itself when the grace is over.
            try await erase(user, of: application)
            steps.append(try await play.erased(user, after: revoked))
        } catch {
            throw CommandFault(error, in: language)
        }
        guard !output.isJSON else { return Console.write(json: ["steps": steps]) }
        for step in steps { Console.write("\(step.title)\n  \(step.outcome)") }
    }

    private func erase(_ user: String, of application: String) async throws(OkaeriError) {
        do throws(CommandFault) {
            try await storage.withStorage { modules throws(DomainError) in
                try await modules.deletion.eraseUser(
                    Identifier(rawValue: user), in: Identifier(rawValue: application), by: .local)
            }
        } catch {
            Console.tellFault(error.description)
            throw .userChanged
        }
    }

    /// An application with a key that the fake Apple knows.
    private func makeApplication(_ fake: DemoApple) async throws -> String {
        let key = DemoApple.Key()
        try await fake.register(key)
        return try await storage.withStorage { modules throws(DomainError) in
            let application = try await modules.applications.createApplication(name: "Demo of Apple", by: .local)
                .application
            try await modules.providers.setProvider(
                ProviderSettings(
                    provider: .apple, audiences: [DemoApple.bundle], teamId: DemoApple.team, keyId: DemoApple.keyId),
                secret: Domain.Secret(key.privatePEM), of: application.id, by: .local)
            return application.id.rawValue
        }
    }
}
