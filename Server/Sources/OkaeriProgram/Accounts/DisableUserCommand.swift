import ArgumentParser
import Domain

/// `okaeri user disable` and `okaeri user enable`
struct DisableUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Keep a user out: sessions and log-ins are refused at once.",
        discussion: """
            A running server refuses the user's next request. Sessions, device keys, codes and tickets end; only the last way \
            into an account that has no other stays, and is let in again by “user enable”.

            Examples:
              okaeri user disable 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        try await user.set(isDisabled: true)
    }
}

/// `okaeri user enable`
struct EnableUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Let a disabled user in again.",
        discussion: """
            Examples:
              okaeri user enable 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        try await user.set(isDisabled: false)
    }
}

extension UserOptions {
    /// Keeps the user out or lets them in again, and says so.
    ///
    /// - Throws: `CommandFault`.
    fileprivate func set(isDisabled: Bool) async throws {
        let changed = try await perform(isDisabled ? .disableUser : .enableUser) {
            modules, id, application, who throws(DomainError) in
            try await modules.accounts.setUserDisabled(id, in: application, isDisabled: isDisabled, by: who)
        }
        guard !output.isJSON else {
            return Console.write(json: Output(id: changed.id.rawValue, isDisabled: changed.isDisabled))
        }
        Console.write(isDisabled ? "The user \(id) is kept out from now on." : "The user \(id) is let in again.")
    }
}

private struct Output: Encodable {
    let id: String
    let isDisabled: Bool
}
