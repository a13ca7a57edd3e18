import ArgumentParser
import Domain

/// Which application a command is about.
struct ApplicationOption: ParsableArguments {
    @Option(name: .customLong("application"), help: ArgumentHelp("The application's id.", valueName: "id"))
    var application: String

    var id: Identifier<Application> { Identifier(rawValue: application) }
}
