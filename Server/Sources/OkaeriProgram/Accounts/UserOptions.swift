import ArgumentParser
import Domain

/// About which user a command is, where the user is stored, and how the result is printed.
struct UserOptions: ParsableArguments {
    @Argument(help: "The user's id.")
    var id: String

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    var user: Identifier<User> { Identifier(rawValue: id) }

    /// Does something with the user, or looks at them, under the policy of its action.
    ///
    /// - Throws: `CommandFault`.
    func perform<Value: Sendable>(
        _ action: AdminAction,
        _ work: (Modules, Identifier<User>, Application, Operator) async throws(DomainError) -> Value
    ) async throws(CommandFault) -> Value {
        try await storage.perform(action, in: application.id, on: user) { modules, who throws(DomainError) in
            try await work(modules, user, try await modules.applications.findApplication(application.id), who)
        }
    }
}
