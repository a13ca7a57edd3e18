import ArgumentParser
import Domain

/// `okaeri role …`
struct RoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Roles of an application's users: what they permit, and who has them.",
        discussion: """
            Roles are in access tokens, so that an app's own backend knows what a user may; docs/claims.md tells more. A running \
            server obeys at its next request.

            Examples:
              okaeri role create editor --permission posts:write \\
                --application 00VHj9mrbT8wn7Qk
              okaeri role give editor 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri role users editor --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [
            ListGrantsCommand<RoleWords>.self, CreateGrantCommand<RoleWords>.self, ChangeGrantCommand<RoleWords>.self,
            RemoveGrantCommand<RoleWords>.self, GiveGrantCommand<RoleWords>.self, TakeGrantCommand<RoleWords>.self,
            ListMembersCommand<RoleWords>.self,
        ])
}

/// `okaeri group …`
struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Groups of an application's users: which roles they give, and who is in them.",
        discussion: """
            Examples:
              okaeri group create staff --role editor --application 00VHj9mrbT8wn7Qk
              okaeri group give staff 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [
            ListGrantsCommand<GroupWords>.self, CreateGrantCommand<GroupWords>.self,
            ChangeGrantCommand<GroupWords>.self, RemoveGrantCommand<GroupWords>.self,
            GiveGrantCommand<GroupWords>.self, TakeGrantCommand<GroupWords>.self, ListMembersCommand<GroupWords>.self,
        ])
}

/// What distinguishes the commands of roles from those of groups.
protocol GrantWords: Sendable {
    static var kind: Grant.Kind { get }
    /// A name for examples.
    static var example: String { get }
    /// What it gives, for examples.
    static var content: String { get }
}

enum RoleWords: GrantWords {
    static let kind = Grant.Kind.role
    static let example = "editor"
    static let content = "--permission posts:write"
}

enum GroupWords: GrantWords {
    static let kind = Grant.Kind.group
    static let example = "staff"
    static let content = "--role editor"
}

extension GrantWords {
    fileprivate static func configuration(
        _ name: String, _ abstract: String, example arguments: String
    ) -> CommandConfiguration {
        let (call, application) = ("okaeri \(kind.rawValue) \(name) \(arguments)", "--application 00VHj9mrbT8wn7Qk")
        let isShort = call.count + application.count <= 76
        return CommandConfiguration(
            commandName: name, abstract: abstract,
            discussion: "Example:\n  \(call)\(isShort ? "" : "\\\n    ")\(application)")
    }
}

/// What a role or group gives, by names.
struct GrantContentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What a role permits; may be repeated.", valueName: "name"))
    var permission: [String] = []

    @Option(help: ArgumentHelp("A role that a group gives; may be repeated.", valueName: "name"))
    var role: [String] = []

    var isEmpty: Bool { permission.isEmpty && role.isEmpty }

    /// - Throws: `fieldsRefused` for a role that the application has not.
    func content(_ kind: Grant.Kind, _ rules: AccessRules) throws(DomainError) -> Grant.Content {
        guard kind == .group else { return .role(permissions: Set(permission)) }
        var roles: Set<Identifier<Grant>> = []
        for name in role { roles.insert(try rules.required(name, .role).id) }
        return .group(roles: roles)
    }

    func check(_ kind: Grant.Kind) throws {
        if kind == .role, !role.isEmpty { throw ValidationError("--role is for groups.") }
        if kind == .group, !permission.isEmpty { throw ValidationError("--permission is for roles.") }
    }
}

extension AccessRules {
    /// - Throws: `fieldsRefused` for a name that the application has not.
    fileprivate func required(_ name: String, _ kind: Grant.Kind) throws(DomainError) -> Grant {
        guard let grant = named(name, kind) else {
            throw .fieldsRefused([Domain.ValidationError(field: "\(kind.rawValue) \(name)", rule: .notListed)])
        }
        return grant
    }

    /// Permissions of a role, or the names of a group's roles.
    fileprivate func contents(of grant: Grant) -> [String] {
        grant.permissions + grant.roles.compactMap { self[$0]?.name }.sorted()
    }
}

/// A role or group, as commands print it.
private struct GrantOutput: Encodable {
    let id: String
    let name: String
    let permissions: [String]?
    let roles: [String]?

    init(_ grant: Grant, in rules: AccessRules) {
        id = grant.id.rawValue
        name = grant.name
        permissions = grant.kind == .role ? grant.permissions : nil
        roles = grant.kind == .group ? rules.contents(of: grant) : nil
    }
}

/// `okaeri role list` and `okaeri group list`
struct ListGrantsCommand<Words: GrantWords>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Words.configuration("list", "Print all of them, and what they give.", example: "")
    }

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = application.id
        let rules = try await storage.perform(.listRoles, in: id) { modules, _ throws(DomainError) in
            try await modules.applications.findApplication(id).settings.access
        }
        let grants = rules.sorted(Words.kind)
        guard !output.isJSON else { return Console.write(json: grants.map { GrantOutput($0, in: rules) }) }
        guard !grants.isEmpty else { return Console.write("The application has no \(Words.kind.rawValue).") }
        var table = TextTable("NAME", "ID", "GIVES")
        for grant in grants {
            table.add(grant.name, grant.id.rawValue, rules.contents(of: grant).joined(separator: " "))
        }
        Console.write(table.text())
    }
}

/// `okaeri role create` and `okaeri group create`
struct CreateGrantCommand<Words: GrantWords>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Words.configuration("create", "Make one.", example: "\(Words.example) \(Words.content) ")
    }

    @Argument(help: "The name: letters and digits of ASCII, and - _ . : / *.")
    var name: String

    @OptionGroup var content: GrantContentOptions
    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws { try content.check(Words.kind) }

    func run() async throws {
        let (id, name, content) = (application.id, name, content)
        let (made, rules) = try await storage.perform(.changeRoles, in: id) { modules, who throws(DomainError) in
            let rules = try await modules.applications.findApplication(id).settings.access
            let made = try await modules.applications.changeAccessRules.create(
                name, try content.content(Words.kind, rules), in: id, by: who)
            return (made, rules)
        }
        guard !output.isJSON else { return Console.write(json: GrantOutput(made, in: rules)) }
        Console.write("The \(Words.kind.rawValue) \(made.name) is there: \(made.id).")
    }
}

/// `okaeri role change` and `okaeri group change`
struct ChangeGrantCommand<Words: GrantWords>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Words.configuration(
            "change", "Give one another name, or replace what it gives.", example: "\(Words.example) \(Words.content) ")
    }

    @Argument(help: "The name.")
    var name: String

    @Option(name: .customLong("name"), help: ArgumentHelp("Another name.", valueName: "name"))
    var newName: String?

    @Flag(help: "It gives nothing any more.")
    var nothing = false

    @OptionGroup var content: GrantContentOptions
    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions

    func validate() throws {
        try content.check(Words.kind)
        if nothing, !content.isEmpty { throw ValidationError("--nothing goes with no --permission and no --role.") }
        guard newName != nil || nothing || !content.isEmpty else {
            throw ValidationError(
                "Say what changes: --name, --nothing, or \(Words.kind == .role ? "--permission" : "--role").")
        }
    }

    func run() async throws {
        let (id, name, newName, content) = (application.id, name, newName, content)
        let replaces = nothing || !content.isEmpty
        let changed = try await storage.perform(.changeRoles, in: id) { modules, who throws(DomainError) in
            let rules = try await modules.applications.findApplication(id).settings.access
            return try await modules.applications.changeAccessRules.change(
                try rules.required(name, Words.kind).id, name: newName,
                replaces ? try content.content(Words.kind, rules) : nil, Words.kind, in: id, by: who)
        }
        Console.write("The \(Words.kind.rawValue) \(changed.name) is changed.")
    }
}

/// `okaeri role remove` and `okaeri group remove`
struct RemoveGrantCommand<Words: GrantWords>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Words.configuration(
            "remove", "Remove one. Nobody has it any more, also if another one gets its name.",
            example: "\(Words.example) ")
    }

    @Argument(help: "The name.")
    var name: String

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (id, name) = (application.id, name)
        try await storage.perform(.changeRoles, in: id) { modules, who throws(DomainError) in
            let rules = try await modules.applications.findApplication(id).settings.access
            try await modules.applications.changeAccessRules.remove(
                try rules.required(name, Words.kind).id, Words.kind, in: id, by: who)
        }
        Console.write("The \(Words.kind.rawValue) \(name) is removed.")
    }
}

/// `okaeri role give` and `okaeri group give`
struct GiveGrantCommand<Words: GrantWords>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Words.configuration("give", "Give it to a user.", example: "\(Words.example) 00VHjA0kPq3ZsX1d ")
    }

    @Argument(help: "The name.")
    var name: String

    @OptionGroup var user: UserOptions

    func run() async throws {
        try await user.change(
            name, Words.kind, saying: "The user \(user.id) has the \(Words.kind.rawValue) \(name)."
        ) { .init(adding: [$0]) }
    }
}

/// `okaeri role take` and `okaeri group take`
struct TakeGrantCommand<Words: GrantWords>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Words.configuration("take", "Take it from a user.", example: "\(Words.example) 00VHjA0kPq3ZsX1d ")
    }

    @Argument(help: "The name.")
    var name: String

    @OptionGroup var user: UserOptions

    func run() async throws {
        try await user.change(
            name, Words.kind, saying: "The user \(user.id) does not have the \(Words.kind.rawValue) \(name)."
        ) { .init(removing: [$0]) }
    }
}

extension UserOptions {
    fileprivate func change(
        _ name: String, _ kind: Grant.Kind, saying sentence: String,
        _ change: (Identifier<Grant>) -> ChangeUserRoles.Change
    ) async throws {
        let granted = try await perform(.assignRoles) { modules, id, application, who throws(DomainError) in
            let rules = application.settings.access
            let grant = try rules.required(name, kind)
            let user = try await modules.accounts.changeUserRoles(change(grant.id), of: id, in: application, by: who)
            return UserGrantsOutput(user, in: rules)
        }
        guard !output.isJSON else { return Console.write(json: granted) }
        Console.write(sentence)
    }
}

/// The names of what a user was given.
private struct UserGrantsOutput: Encodable, Sendable {
    let id: String
    let roles: [String]
    let groups: [String]

    init(_ user: User, in rules: AccessRules) {
        id = user.id.rawValue
        roles = rules.sorted(.role).filter { user.grants.contains($0.id) }.map(\.name)
        groups = rules.sorted(.group).filter { user.grants.contains($0.id) }.map(\.name)
    }
}

/// `okaeri role users` and `okaeri group users`
struct ListMembersCommand<Words: GrantWords>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        Words.configuration("users", "Print the ids of those who were given it.", example: "\(Words.example) ")
    }

    @Argument(help: "The name.")
    var name: String

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, name) = (application.id, name)
        let members = try await storage.perform(.listMembers, in: id) { modules, _ throws(DomainError) -> [String] in
            let rules = try await modules.applications.findApplication(id).settings.access
            let grant = try rules.required(name, Words.kind)
            var (members, last) = ([String](), Identifier<User>?.none)
            repeat {
                let page = try await modules.directory.listMembers(
                    of: grant.id, in: id, for: .unrestricted, after: last, limit: ListMembers.maximumPageSize)
                members += page.users.map(\.id.rawValue)
                last = page.next
            } while last != nil
            return members
        }
        guard !output.isJSON else { return Console.write(json: members) }
        for member in members { Console.write(member) }
    }
}
