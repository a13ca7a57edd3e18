import ArgumentParser
import Domain
import HTTPSupport
import OkaeriWire

extension HookPoint: ExpressibleByArgument {}
extension Hook.WhenDown: ExpressibleByArgument {}

/// A day or an instant, in UTC.
struct HookTime: ExpressibleByArgument {
    let time: Timestamp

    /// `nil` for what is neither.
    init?(argument: String) {
        guard let wire = WireTime(argument) ?? WireTime("\(argument)T00:00:00Z") else { return nil }
        time = Timestamp(milliseconds: wire.millisecondsSince1970)
    }
}

/// `okaeri hook …`
struct HookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook",
        abstract: "Hooks: addresses of an app's backend that are asked before something happens.",
        discussion: """
            A hook is asked before a sign-up, before an upgrade of an anonymous user, before an access token, or at a log-in with \
            a password that is not right here, and allows or refuses it; docs/hooks.md tells more. A running server obeys at its next request.

            Examples:
              okaeri hook set sign-up --url https://a.example.com --when-down refuse \\
                --application 00VHj9mrbT8wn7Qk
              okaeri hook test sign-up --application 00VHj9mrbT8wn7Qk
              okaeri hook list --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [
            SetHookCommand.self, ListHooksCommand.self, RemoveHookCommand.self, TestHookCommand.self,
        ])
}

/// `okaeri hook set`
struct SetHookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a hook, or change one.",
        discussion: """
            The secret of a new hook is shown once; the backend verifies signatures by it. A hook that is changed keeps its \
            secret. With --new-secret those before sign too, for a day at the most or for --overlap-hours.

            Examples:
              okaeri hook set sign-up --url https://a.example.com --when-down refuse \\
                --application 00VHj9mrbT8wn7Qk
              okaeri hook set sign-up --url https://a.example.com --when-down allow \\
                --guests --application 00VHj9mrbT8wn7Qk
              okaeri hook set upgrade --url https://a.example.com --when-down allow \\
                --new-secret --application 00VHj9mrbT8wn7Qk
              okaeri hook set log-in --url https://a.example.com --when-down refuse \\
                --until 2027-03-31 --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "sign-up, upgrade, access-token, log-in or adoption.")
    var hook: HookPoint

    @Option(help: ArgumentHelp("The address that is asked.", valueName: "url"))
    var url: String

    @Option(help: "What happens while the hook gives no valid response: allow or refuse.")
    var whenDown: Hook.WhenDown

    @Option(
        help: ArgumentHelp(
            "How long a response may take, \(Hook.timeouts.lowerBound) to \(Hook.timeouts.upperBound).",
            valueName: "milliseconds"))
    var timeout: Int64 = Hook.standardTimeout

    @Flag(help: "Ask about anonymous users too, at each first launch; for sign-up alone.")
    var guests = false

    @Flag(
        help:
            "Switch it off: nobody is asked, and address and secret stay. Setting it again without this switches it on."
    )
    var paused = false

    @Option(
        help: ArgumentHelp(
            "From when on it is asked, such as 2026-12-01 or 2026-12-01T09:00:00Z; for log-in alone.", valueName: "time"
        ))
    var from: HookTime?

    @Option(help: ArgumentHelp("Until when it is asked; log-in needs it.", valueName: "time"))
    var until: HookTime?

    @Flag(help: "Make another secret.")
    var newSecret = false

    @Option(
        help: ArgumentHelp(
            "How long those before sign too, 0 to 168; with 0 the new one signs alone. For --new-secret.",
            valueName: "hours"))
    var overlapHours: Int64?

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if hook == .logIn, until == nil {
            throw ValidationError("--until says when the log-in hook ends: name a time.")
        }
        if hook != .logIn, from != nil || until != nil {
            throw ValidationError("--from and --until are for log-in alone.")
        }
        if overlapHours != nil, !newSecret { throw ValidationError("--overlap-hours is for --new-secret alone.") }
    }

    func run() async throws {
        let (id, hook, newSecret, hours) = (application.id, hook, newSecret, overlapHours)
        let draft = ManageHooks.Draft(
            url: url, timeoutMilliseconds: timeout, whenDown: whenDown, asksGuests: guests, isPaused: paused,
            window: Hook.Window(from: from?.time, until: until?.time))
        let set = try await storage.perform(.changeHooks, in: id) {
            modules, who throws(DomainError) -> (hook: Hook, secret: Secret?) in
            let (manage, overlap) = (modules.hooks.manage, try SecretOverlap(hours: hours))
            let set = try await manage.set(hook, to: draft, in: id, by: who)
            guard newSecret, set.secret == nil else { return set }
            let rotated = try await manage.rotate(hook, in: id, overlap: overlap, by: who)
            return (rotated.hook, rotated.secret)
        }
        guard !output.isJSON else { return Console.write(json: HookSettingsBody(set.hook, secret: set.secret)) }
        Console.write("The hook \(hook.rawValue) is set\(paused ? ", and switched off" : "").")
        if let secret = set.secret { Console.write("Its secret, which is shown once: \(secret.revealed)") }
    }
}

/// `okaeri hook list`
struct ListHooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print an application's hooks.",
        discussion: """
            Example:
              okaeri hook list --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = application.id
        let hooks = try await storage.perform(.readSettings, in: id) { modules, _ throws(DomainError) in
            try await modules.hooks.manage.list(in: id)
        }
        guard !output.isJSON else { return Console.write(json: HooksBody(hooks)) }
        guard !hooks.isEmpty else { return Console.write("The application has no hook.") }
        var table = TextTable("HOOK", "STATE", "WHEN DOWN", "MILLISECONDS", "GUESTS", "UNTIL", "ADDRESS")
        for hook in hooks {
            table.add(
                hook.point.rawValue, hook.isPaused ? "off" : "on", hook.whenDown.rawValue,
                String(hook.timeoutMilliseconds), hook.asksGuests ? "yes" : "no",
                hook.window.until?.wire.description ?? "–", hook.url)
        }
        Console.write(table.text())
    }
}

/// `okaeri hook remove`
struct RemoveHookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a hook: from then on nobody is asked.",
        discussion: """
            Example:
              okaeri hook remove sign-up --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "sign-up, upgrade, access-token, log-in or adoption.")
    var hook: HookPoint

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (id, hook) = (application.id, hook)
        do throws(CommandFault) {
            try await storage.perform(.changeHooks, in: id) { modules, who throws(DomainError) in
                try await modules.hooks.manage.remove(hook, in: id, by: who)
            }
        } catch {
            throw error.ofMissing(hook)
        }
        Console.write("The hook \(hook.rawValue) is removed.")
    }
}

/// `okaeri hook test`
struct TestHookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Ask a hook about a user who does not exist, and show what it decides.",
        discussion: """
            The question has “isTest”. Nothing happens, whatever the response is. Exit status 1 without a valid response.

            Example:
              okaeri hook test sign-up --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "sign-up, upgrade, access-token, log-in or adoption.")
    var hook: HookPoint

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, hook) = (application.id, hook)
        let outcome: HookOutcome
        do throws(CommandFault) {
            outcome = try await storage.perform(.testHook, in: id) { modules, who throws(DomainError) in
                try await modules.hooks.test(hook, in: id, by: who)
            }
        } catch {
            throw error.ofMissing(hook)
        }
        if output.isJSON { Console.write(json: HookTestBody(outcome)) }
        switch outcome {
        case .allowed(let fields, let claims):
            guard !output.isJSON else { return }
            let added = (fields.keys.sorted() + claims.keys.sorted()).joined(separator: ", ")
            Console.write(TextTable(["decision": "allow", "adds": added]).text())
        case .refused(let message):
            guard !output.isJSON else { return }
            Console.write(TextTable(["decision": "refuse", "message": message]).text())
        case .malformed(let reason), .silent(let reason), .busy(let reason):
            throw CommandFault.failed("The hook \(hook.rawValue) gives no valid response: \(reason).")
        }
    }
}

extension CommandFault {
    /// The fault, with the command that lists hooks when there is none for the point.
    fileprivate func ofMissing(_ hook: HookPoint) -> CommandFault {
        saying(
            "The application has no hook \(hook.rawValue). “okaeri hook list” shows those that it has.",
            of: .adminResourceUnknown)
    }
}
