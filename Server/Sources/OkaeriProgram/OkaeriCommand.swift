import ArgumentParser
import CGlibc
import Foundation
import HTTPSupport
package import OkaeriServer

/// The program `okaeri`: every command it knows, and how each one ends.
struct OkaeriCommand: AsyncParsableCommand {
    static let version = ProgramVersion.current

    static let configuration = CommandConfiguration(
        commandName: "okaeri",
        abstract: "Accounts for mobile apps, without forms: おかえり, “welcome back”.",
        discussion: """
            Okaeri is an identity backend that you host yourself. A person opens your app and has an account.

            Examples:
              okaeri init                         ask questions, write a configuration
              okaeri serve                        start the server
              okaeri application create "My app"  make an application for an app
              okaeri demo                         play an app that logs in by itself
              okaeri doctor                       see whether all is as it should be
              okaeri status                       see how a running server does

            Commands that read or change data work beside a running server as well as without one. Every setting can \
            also be given as an environment variable; “okaeri serve --help” lists them.

            A shell completes commands and options after, for bash, zsh or fish:
              okaeri --generate-completion-script bash > \\
                ~/.local/share/bash-completion/completions/okaeri

            The exit status is 0 for success, 1 when a command failed, and 2 when it was called wrongly.
            """,
        version: version,
        subcommands: [
            InitCommand.self, ServeCommand.self, StatusCommand.self, ApplicationCommand.self, UserCommand.self,
            RoleCommand.self, GroupCommand.self, SessionCommand.self, KeysCommand.self, PasswordsCommand.self,
            MailCommand.self, EventsCommand.self, HookCommand.self, OldServiceCommand.self, AuditCommand.self,
            AdminCommand.self,
            MigrateCommand.self,
            CopyCommand.self,
            BackupCommand.self,
            RestoreCommand.self, StandbyCommand.self,
            DoctorCommand.self, RoutesCommand.self,
            DemoCommand.self, ImportCommand.self, ExportCommand.self, PolicyCommand.self,
        ])

    /// Runs one command and tells on standard error what went wrong.
    ///
    /// - Parameters:
    ///   - arguments: What stands behind the program's name.
    ///   - providers: What plays identity providers for `serve --dev`.
    /// - Returns: The exit status.
    static func status(of arguments: [String], providers: (any ProviderStandIn)?) async -> Int32 {
        let status = await outcome(of: arguments, providers: providers)
        guard status == 0, let fault = Console.outputFault else { return status }
        // A key that is shown once, or half a list, must not pass for all of it.
        Console.tellFault(
            "Standard output did not take everything: \(fault). What the command was to do is done; what it printed is "
                + "lost.")
        return 1
    }

    private static func outcome(of arguments: [String], providers: (any ProviderStandIn)?) async -> Int32 {
        if let name = notInUTF8(arguments) {
            Console.tellFault(
                "\(name) is not written in UTF-8. Set the terminal to UTF-8, or give the folder or file a name in "
                    + "UTF-8.")
            return 2
        }
        do {
            var command = try parseAsRoot(withLeadingHyphensLast(arguments))
            if let serve = command as? ServeCommand {
                try await serve.run(with: providers)
            } else if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch let fault as CommandFault {
            Console.tellFault(fault.description)
            return fault.isUsage ? 2 : 1
        } catch {
            return status(of: error, arguments)
        }
    }

    /// The word of the command line, or the setting of the environment, whose bytes are no text. They arrive as one sign, which nobody's
    /// name has, and a folder whose name has them is another one. The word itself may hold a password, and stands in no message.
    private static func notInUTF8(_ arguments: [String]) -> String? {
        func isBroken(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }
        if let index = arguments.firstIndex(where: isBroken) { return "Word \(index + 1) behind “okaeri”" }
        return ProcessInfo.processInfo.environment
            .filter { $0.key.hasPrefix("OKAERI_") && isBroken($0.value) }.keys.min()
    }

    /// The words with those behind `--` that begin with a hyphen and are no options: one in 64 thumbprints of device keys and ids of
    /// passkeys does (base64url), and `--` says that what follows is taken as it stands.
    private static func withLeadingHyphensLast(_ arguments: [String]) -> [String] {
        let words = arguments.prefix { $0 != "--" }
        let moved = words.filter(isOpaqueId)
        guard !moved.isEmpty else { return arguments }
        return words.filter { !isOpaqueId($0) } + ["--"] + moved + arguments.dropFirst(words.count + 1)
    }

    /// No option is as long, and none has capitals or digits; what is as random as an id has both.
    private static func isOpaqueId(_ word: String) -> Bool {
        word.utf8.count >= 22 && word.wholeMatch(of: /-[A-Za-z0-9_\-]+/) != nil && word.contains(/[0-9]/)
            && word.contains(/[A-Z]/)
    }

    /// The command that was meant by a word that is none, with those that lead to it; `nil` when each word is one.
    private static func meant(by arguments: [String]) -> String? {
        var (path, present): ([String], any ParsableCommand.Type) = (["okaeri"], Self.self)
        for word in arguments.prefix(while: { !$0.hasPrefix("-") }) {
            let names = present.configuration.subcommands.compactMap { $0.configuration.commandName }
            guard !names.isEmpty else { return nil }
            guard let next = present.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { return Spelling.nearest(to: word, among: names).map { (path + [$0]).joined(separator: " ") } }
            (path, present) = (path + [word], next)
        }
        return nil
    }

    /// What the argument parser has to say: a request for help, or a mistake in the arguments.
    private static func status(of error: any Error, _ arguments: [String]) -> Int32 {
        let words = fullMessage(for: error)
        switch exitCode(for: error) {
        case .success:
            Console.write(words)
            return 0
        case .validationFailure:
            var lines = (words.hasPrefix("Error: ") ? String(words.dropFirst("Error: ".count)) : words)
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            if let meant = meant(by: arguments) {
                lines.insert("Did you mean “\(meant)”?", at: min(1, lines.count))
            }
            Console.tellFault(lines.joined(separator: "\n"))
            return 2
        case let code:
            if !words.isEmpty { Console.tellFault(words) }
            return code.rawValue
        }
    }
}

/// Runs the command that the arguments of the process name.
///
/// - Parameter providers: What plays identity providers for `serve --dev`; `nil` in the program for use.
/// - Returns: The exit status of the process.
package func runProgram(providers: (any ProviderStandIn)?) async -> Int32 {
    // Two arenas instead of eight for each processor: memory that one thread gives back serves the others, which keeps a
    // server under load smaller. Set in the environment, MALLOC_ARENA_MAX has the last word.
    if getenv("MALLOC_ARENA_MAX") == nil { limit_arenas(2) }
    // Large blocks are rare here, and would stay: exports of 20,000 users took 25 MiB for good, and take 6.
    if getenv("MALLOC_MMAP_THRESHOLD_") == nil { give_back_from(1 << 20, 4 << 20) }
    return await OkaeriCommand.status(of: Array(CommandLine.arguments.dropFirst()), providers: providers)
}
