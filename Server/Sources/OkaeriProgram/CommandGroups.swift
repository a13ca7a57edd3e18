import ArgumentParser

/// `okaeri application apple …`
struct AppleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple",
        abstract: "Settings for Sign in with Apple.",
        discussion: """
            Examples:
              okaeri application apple set 00VHj9mrbT8wn7Qk --team ABCDE12345 \\
                --bundle com.example.app \\
                --key-id KEY1234567 --key-file AuthKey_KEY1234567.p8
              okaeri application apple check 00VHj9mrbT8wn7Qk
            """,
        subcommands: [SetAppleCommand.self, CheckAppleCommand.self, TransferAppleCommand.self])
}

/// `okaeri application provider …`
struct ProviderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract:
            "Settings for Google, LINE, Yahoo! JAPAN ID, Kakao, Naver, Facebook, X, Game Center and OpenID Connect.",
        discussion: """
            Providers are google, line, yahoojapan, kakao, naver, facebook, twitter, gamecenter, and oidc:NAME with a name \
            of your own. Sign in with Apple has settings of its own kind: “okaeri application apple”.

            Examples:
              okaeri application provider set 00VHj9mrbT8wn7Qk google \\
                --client 123.apps.googleusercontent.com
              okaeri application provider list 00VHj9mrbT8wn7Qk
              okaeri application provider check 00VHj9mrbT8wn7Qk google
            """,
        subcommands: [
            SetProviderCommand.self, ListProvidersCommand.self, CheckProviderCommand.self, RemoveProviderCommand.self,
        ])
}

/// `okaeri user …`
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Show an application's users, make one, keep them out, let them in, delete them.",
        discussion: """
            Examples:
              okaeri user list --application 00VHj9mrbT8wn7Qk
              okaeri user show 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user create --email hana@example.com \\
                --application 00VHj9mrbT8wn7Qk
              okaeri user disable 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user delete 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [
            ListUsersCommand.self, ShowUserCommand.self, CreateUserCommand.self, ListUserSessionsCommand.self,
            DisableUserCommand.self,
            ListDeviceKeysCommand.self, ListPasskeysCommand.self, RemovePasskeyCommand.self,
            ListSecondFactorsCommand.self, ResetSecondFactorsCommand.self, RemoveDeviceKeyCommand.self,
            LogOutUserCommand.self, EnableUserCommand.self, DeleteUserCommand.self,
            RestoreUserCommand.self,
        ])
}

/// `okaeri session …`
struct SessionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session",
        abstract: "End sessions.",
        discussion: """
            A user's sessions are shown by “okaeri user show”.

            Example:
              okaeri session revoke 00VHjA0kd2Lw9TtB --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [RevokeSessionCommand.self])
}

/// `okaeri keys …`
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Change the keys that sign access tokens, and those that seal secrets at rest.",
        discussion: """
            Examples:
              okaeri keys rotate
              okaeri keys status
              okaeri keys reseal
            """,
        subcommands: [RotateKeysCommand.self, SealingStatusCommand.self, ResealCommand.self])
}

/// `okaeri mail …`
struct MailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail",
        abstract: "Look at mails that wait, send them again, and look at the outbox.",
        discussion: """
            Examples:
              okaeri mail queue --application 00VHj9mrbT8wn7Qk
              okaeri mail retry --application 00VHj9mrbT8wn7Qk
              okaeri mail outbox --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [
            MailQueueCommand.self, RetryMailCommand.self, DropMailCommand.self, MailOutboxCommand.self,
        ])
}

/// `okaeri events …`
struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Look at what happened to users, and send it to an app's backend again.",
        discussion: """
            Events are recorded where an application has an endpoint or its stream is switched on.

            Examples:
              okaeri events tail --application 00VHj9mrbT8wn7Qk --follow
              okaeri events replay 00VHjC2mXa7Kq1Zb --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [TailEventsCommand.self, ReplayEventsCommand.self])
}

/// `okaeri audit …`
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read the audit log, and see whether anybody tampered with it.",
        discussion: """
            The log holds what matters to a person's safety: who did what to whom, when, from where. Each application \
            has a chain of its own, whose entries each cover the one before.

            Examples:
              okaeri audit list --application 00VHj9mrbT8wn7Qk
              okaeri audit verify
            """,
        subcommands: [VerifyAuditCommand.self, ListAuditCommand.self])
}

/// `okaeri passwords …`
struct PasswordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwords",
        abstract: "Keep people from passwords that are known from leaks.",
        discussion: """
            Example:
              okaeri passwords build-filter pwned-passwords-sha1.txt \\
                --output passwords.filter
              OKAERI_PASSWORD_FILTER=passwords.filter okaeri serve
            """,
        subcommands: [BuildPasswordFilterCommand.self, CheckPasswordFilterCommand.self])
}
