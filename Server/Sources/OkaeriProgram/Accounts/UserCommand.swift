import ArgumentParser

/// `okaeri user …`
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Show an application's users, keep them out, let them in, delete them.",
        discussion: """
            Examples:
              okaeri user list --application 00VHj9mrbT8wn7Qk
              okaeri user show 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user disable 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user delete 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [
            ListUsersCommand.self, ShowUserCommand.self, ListUserSessionsCommand.self, DisableUserCommand.self,
            ListDeviceKeysCommand.self,
            RemoveDeviceKeyCommand.self, LogOutUserCommand.self, EnableUserCommand.self, DeleteUserCommand.self,
            RestoreUserCommand.self,
        ])
}
