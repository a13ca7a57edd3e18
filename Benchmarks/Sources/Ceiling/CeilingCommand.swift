import ArgumentParser

/// What the server is held against: the parts of its work alone, done as fast as they can be.
@main
struct CeilingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ceiling",
        abstract: "The parts of the server's work, each alone.",
        subcommands: [
            BareCommand.self, BareNIOCommand.self, SignatureCommand.self, RowsCommand.self, PasswordCommand.self,
        ])
}
