/// A command as the argument parser describes it, with those below it.
struct CommandTree: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let arguments: [Argument]?
    let subcommands: [CommandTree]?

    struct Argument: Decodable {
        let abstract: String?
        let valueName: String?
        let shouldDisplay: Bool
        /// `option`, `flag` or `positional`.
        let kind: String?
        let names: [Name]?

        struct Name: Decodable {
            let kind: String
            let name: String
        }
    }

    private struct Dump: Decodable {
        let command: CommandTree
    }

    /// Asked for once: with hundreds of commands it is seconds of work.
    private static let described = Task { try await Program.run("--experimental-dump-help").json(Dump.self).command }

    /// All commands, as the program itself describes them.
    static func root() async throws -> CommandTree { try await described.value }

    /// This command and all below it, but for the argument parser's own “help”.
    func all(below path: [String]) -> [(path: [String], command: CommandTree)] {
        let path = path + [commandName]
        return [(path, self)]
            + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { $0.all(below: path) }
    }

    /// What is wrong with the words behind the program's name: a command or an option that does not exist.
    func fault(in words: [String]) -> String? {
        if let first = words.first, let next = subcommands?.first(where: { $0.commandName == first }) {
            return next.fault(in: Array(words.dropFirst()))
        }
        let takesWords = (arguments ?? []).contains { $0.kind == "positional" }
        if let first = words.first, first.first?.isLetter == true, subcommands?.isEmpty == false, !takesWords {
            return "“\(commandName)” has no command “\(first)”"
        }
        let known = Set((arguments ?? []).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(\.name))
        let options = words.filter { $0.hasPrefix("--") }.map { word in
            String(word.dropFirst(2).prefix { $0.isLetter || $0 == "-" })
        }
        let unknown = options.first { !known.contains($0) && !$0.isEmpty }
        return unknown.map { "“\(commandName)” has no option “--\($0)”" }
    }
}
