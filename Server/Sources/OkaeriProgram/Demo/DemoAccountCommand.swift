import ArgumentParser
import Okaeri

/// `okaeri demo account`
struct DemoAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Play a life of accounts: sign-up, wrong password, log-in, upgrade, log-out.",
        discussion: """
            Three new phones that are forgotten afterwards: on one somebody signs up; on another they log in, first with a \
            wrong password, and later log out; on the third an anonymous user is upgraded. Each call makes two users.

            Examples:
              okaeri demo account
              okaeri demo account --locale ko
              okaeri demo account --server http://127.0.0.1:8080 \\
                --application 00VHj9mrbT8wn7Qk --json
            """)

    @OptionGroup var options: DemoOptions

    func run() async throws {
        let target = try options.target()
        let language = options.language
        do throws(OkaeriError) {
            let scenes = try await DemoAccount(language: language) {
                DemoOptions.client(at: target, vault: MemoryVault())
            }.play()
            guard !options.output.isJSON else { return Console.write(json: scenes) }
            for scene in scenes { Console.write("\(scene.title)\n  \(scene.text)") }
        } catch {
            throw CommandFault(error, in: language)
        }
    }
}
