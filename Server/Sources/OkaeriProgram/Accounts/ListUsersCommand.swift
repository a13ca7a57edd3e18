import ArgumentParser
import Domain
import HTTPSupport
import OkaeriWire

/// `okaeri user list`
struct ListUsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show an application's users, a page at a time.",
        discussion: """
            Oldest first. When there are more, the last line tells how to go on; in JSON it is the member “next”.

            Examples:
              okaeri user list --application 00VHj9mrbT8wn7Qk
              okaeri user list --application 00VHj9mrbT8wn7Qk --limit 1000 --json
              okaeri user list --application 00VHj9mrbT8wn7Qk --after 00VHjA0kPq3ZsX1d
              okaeri user list --application 00VHj9mrbT8wn7Qk --kind registered --disabled
              okaeri user list --application 00VHj9mrbT8wn7Qk \\
                --identifier hana@example.com
            """)

    @OptionGroup var application: ApplicationOption

    @Option(
        help: ArgumentHelp("How many users to show, from 1 to \(ListUsers.maximumPageSize).", valueName: "number"))
    var limit = 100

    @Option(help: ArgumentHelp("Show the users that follow this one.", valueName: "id"))
    var after: String?

    @Option(help: "Only users of one kind: anonymous or registered.")
    var kind: Kind?

    @Flag(inversion: .prefixedNo, help: "Only users who are kept out, or only those who are not.")
    var disabled: Bool?

    @Flag(inversion: .prefixedNo, help: "Only users whose password is their user name, or only the others.")
    var weakPassword: Bool?

    @Option(help: ArgumentHelp("The user with this user name, mail address or phone number.", valueName: "text"))
    var identifier: String?

    /// What a user is, in a word.
    enum Kind: String, ExpressibleByArgument {
        case anonymous, registered
    }

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...ListUsers.maximumPageSize).contains(limit) else {
            throw ValidationError("--limit must be from 1 to \(ListUsers.maximumPageSize), not \(limit).")
        }
    }

    func run() async throws {
        let (id, limit) = (application.id, limit)
        let filter = ListUsers.Filter(
            isAnonymous: kind.map { $0 == .anonymous }, isDisabled: disabled, hasWeakPassword: weakPassword,
            identifier: identifier)
        let after = after.map(Identifier<User>.init(rawValue:))
        let (users, hasMore) = try await storage.perform(.listUsers, in: id) { modules, who throws(DomainError) in
            _ = try await modules.applications.findApplication(id)
            let users = try await modules.directory.listUsers(in: id, after: after, limit: limit, filter: filter)
            guard users.count == limit, let last = users.last else { return (users, false) }
            return (
                users, try await !modules.directory.listUsers(in: id, after: last.id, limit: 1, filter: filter).isEmpty
            )
        }
        let next = hasMore ? users.last?.id.rawValue : nil
        guard !output.isJSON else {
            return Console.write(json: Output(users: users.map(UserBody.init(_:)), next: next))
        }
        guard !users.isEmpty else {
            return Console.write(
                after == nil
                    ? filter == .init() ? "The application has no users yet." : "No user fits."
                    : "There are no more users.")
        }
        var table = TextTable("ID", "NAME", "KIND", "USER NAME", "MAIL OR PHONE", "CREATED", "LAST LOG-IN")
        for user in users {
            table.add(
                user.id.rawValue, user.displayName, user.kind, user.username, user.email ?? user.phone,
                user.createdAt.localText, user.lastLogInAt?.localText)
        }
        Console.write(table.text())
        if let next { Console.write("There are more: --after \(next)") }
    }

    private struct Output: Encodable {
        let users: [UserBody]
        let next: String?
    }
}

extension User {
    /// In a word, whether the user has a way in that a person could type.
    var kind: String {
        (isAnonymous ? "anonymous" : "registered") + (isDisabled ? ", disabled" : "")
            + (deletionRequestedAt == nil ? "" : ", deleted")
    }
}
