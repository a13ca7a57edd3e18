import ArgumentParser
import Domain

/// `okaeri import users`
struct ImportUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Take users in from any service, as JSON lines or CSV.",
        discussion: """
            A record has id and, as far as the service knows them, username, email, emailVerified, phone, phoneVerified, \
            displayName, locale, createdAt, updatedAt, lastLogInAt, disabled, passwordHash, providers (an object: provider \
            and name there) and fields (an object). --mapping names a JSON file with other names or paths for these, such \
            as {"id": "uid", "email": "profile.mail", "providers": {"google": "google_id"}, "fields": {"score": "score"}, \
            "metadata": ["profile"], "times": "seconds"}.

            Hashes are Argon2, bcrypt, scrypt and PBKDF2 as PHC strings or in Django's forms. Fast ones are wrapped in \
            Argon2id: md5crypt, SHA-crypt, phpass, LDAP's {SSHA} and its like, and digests that the mapping describes, such \
            as "passwordDigest": {"function": "sha256", "salt": "salt_column", "saltAt": "start"}. A file whose name ends in .csv \
            has the columns' names in its first line.

            Examples:
              okaeri import users users.jsonl --application 00VHj9mrbT8wn7Qk --dry-run
              okaeri import users users.csv --mapping columns.json \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var users: ForeignUsersOptions

    @Option(help: ArgumentHelp("Where the parts of a user stand in a record, as JSON.", valueName: "file"))
    var mapping: String?

    func run() async throws {
        let mapping = try mapping.map { path in try RecordMapping(ForeignUsersOptions.smallFile(path)) } ?? .documented
        try await users.run { value, application, now throws(ImportFault) in
            let (imported, record) = try mapping.user(value, of: application, at: now)
            return imported.with(record)
        }
    }
}
