import ArgumentParser
import Foundation
import Okaeri

/// `okaeri demo`
struct DemoCommand: AsyncParsableCommand {
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
              okaeri demo transfer
              okaeri demo --reset
              okaeri demo account
              okaeri demo apple
              okaeri demo ncmb
              okaeri demo kii
              okaeri demo parse
            """,
        subcommands: [
            DemoAccountCommand.self, DemoTransferCommand.self, DemoAppleCommand.self, DemoNCMBCommand.self,
            DemoKiiCommand.self, DemoParseCommand.self,
        ])

    @OptionGroup var options: DemoOptions

    @Flag(help: "Forget the device, as if the app and everything it stored were removed.")
    var reset = false

    func run() async throws {
        let language = options.language
        let okaeri = try options.client()
        do throws(OkaeriError) {
            if reset {
                try await okaeri.forgetDevice()
                return tellForgotten(language.texts)
            }
            let launch = try await DemoLaunch(okaeri, locale: language.rawValue)
            tell(launch, language.texts)
            await tellNotices(okaeri, launch)
        } catch {
            throw CommandFault(error, in: language)
        }
    }

    /// Tells what happened on other phones, as an app would.
    private func tellNotices(_ okaeri: OkaeriClient, _ launch: DemoLaunch) async {
        guard !launch.isFirstVisit, !launch.isOffline, !options.output.isJSON else { return }
        // The greeting stands without them; what cannot be asked now is shown at the next launch.
        let notices = (try? await okaeri.pendingNotices()) ?? []
        if notices.contains(where: { $0.kind == .deviceAdded }) {
            Console.write(options.language.transferTexts.deviceAdded)
        }
    }

    private func tell(_ launch: DemoLaunch, _ texts: DemoTexts) {
        options.output.isJSON ? Console.write(json: launch.answer(texts)) : Console.write(launch.screen(texts))
    }

    private func tellForgotten(_ texts: DemoTexts) {
        options.output.isJSON ? Console.write(json: ["isForgotten": true]) : Console.write(texts.forgotten)
    }
}
