import ArgumentParser
import Domain
import HTTPSupport
import OkaeriWire

extension AdminPermission: ExpressibleByArgument {
    /// What help and errors name: the scopes that a key can have.
    package static var allValueStrings: [String] { AdminKey.offeredScopes.map(\.rawValue) }
}

/// `okaeri admin key …`
struct AdminKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make and end keys of the admin API, and say from where they count.",
        discussion: """
            A key belongs to an admin: it may do no more than the admin may do now, and ends with them.

            Examples:
              okaeri admin key list
              okaeri admin key create mika@example.com --name CI --scope users:read \\
                --network 10.0.0.0/8
              okaeri admin key confine 00VHk2mTn8sWq41c --network 10.0.0.0/8 \\
                --network 2001:db8::7
              okaeri admin key remove 00VHk2mTn8sWq41c
            """,
        subcommands: [
            ListAdminKeysCommand.self, CreateAdminKeyCommand.self, ConfineAdminKeyCommand.self,
            RemoveAdminKeyCommand.self,
        ])
}

/// `okaeri admin key list`
struct ListAdminKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all keys of the admin API, newest first, without their secrets.",
        discussion: """
            Examples:
              okaeri admin key list --json
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let keys = try await storage.perform(.listAdminKeys) { modules, who throws(DomainError) in
            try await modules.administration.keys.list()
        }
        guard !output.isJSON else { return Console.write(json: keys.map(AdminKeyOutput.init(_:))) }
        guard !keys.isEmpty else { return Console.write("There is no key yet.") }
        var table = TextTable("ID", "NAME", "SCOPES", "APPLICATIONS", "FROM", "OF", "GOOD UNTIL")
        for key in keys {
            table.add(
                key.id.rawValue, key.name, key.scopes.map(\.rawValue).sorted().joined(separator: " "),
                key.reach.applications.map { $0.map(\.rawValue).sorted().joined(separator: " ") } ?? "all",
                key.networksText, key.maker.name, key.expiresAt.localText)
        }
        Console.write(table.text())
    }
}

/// `okaeri admin key create`
struct CreateAdminKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a key for a program, in the name of an admin.",
        discussion: """
            The key is shown this once. Without --network it counts from anywhere.

            Examples:
              okaeri admin key create mika@example.com --name CI --scope users:read \\
                --days 30 --network 10.0.0.0/8
            """)

    @Argument(help: "The admin's name or id.")
    var admin: String

    @Option(help: "What the program is, so that the audit log can be read.")
    var name: String

    @Option(
        name: .customLong("scope"),
        help: ArgumentHelp("What it may do, such as users:read; again for more.", valueName: "scope"))
    var scopes: [AdminPermission]

    @Option(
        name: .customLong("application"),
        help: ArgumentHelp("An application that it may see; again for more. All without it.", valueName: "id"))
    var applications: [String] = []

    @OptionGroup var networks: NetworkOptions

    @Option(help: "How many days it lives, \(AdminKey.lifeDays.lowerBound) to \(AdminKey.lifeDays.upperBound).")
    var days: Int64 = 90

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let range = AdminKey.lifeDays
        guard range.contains(days) else {
            throw ValidationError("--days must be from \(range.lowerBound) to \(range.upperBound), not \(days).")
        }
    }

    func run() async throws {
        let (name, text) = (admin, networks.networks)
        let request = CreateAdminKey.Request(
            name: self.name, scopes: Set(scopes),
            applications: applications.isEmpty
                ? nil : Set(applications.map { Identifier<Application>(rawValue: $0) }),
            networks: text, life: .days(days))
        let (key, secret) = try await storage.perform(.createAdminKey) { modules, who throws(DomainError) in
            let admin = try await modules.administration.admins.find(name)
            return try await modules.administration.keys.create(
                request, of: AdminAccess(admin, authenticatedAt: nil), by: who)
        }
        guard !output.isJSON else {
            return Console.write(json: Output(key: AdminKeyOutput(key), secret: secret.revealed))
        }
        Console.write(
            """
            The key for \(key.name), which is not shown again:
              \(secret.revealed)
            It counts from \(key.networksText), until \(key.expiresAt.localText).
            """)
    }

    private struct Output: Encodable {
        let key: AdminKeyOutput
        let secret: String
    }
}

/// `okaeri admin key confine`
struct ConfineAdminKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confine", abstract: "Say from where a key counts. Without --network: from anywhere.",
        discussion: """
            It holds from the next request on. What was allowed before is replaced.

            Examples:
              okaeri admin key confine 00VHk2mTn8sWq41c --network 10.0.0.0/8 \\
                --network 2001:db8::7
            """)

    @Argument(help: "The key's id.")
    var key: String

    @OptionGroup var networks: NetworkOptions
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, networks) = (Identifier<AdminKey>(rawValue: key), networks.networks)
        let key: AdminKey
        do throws(CommandFault) {
            key = try await storage.perform(.changeAdminKey) { modules, who throws(DomainError) in
                try await modules.administration.keys.change(id, networks: networks, by: who)
            }
        } catch {
            throw error.ofMissingKey
        }
        guard !output.isJSON else { return Console.write(json: AdminKeyOutput(key)) }
        Console.write("The key \(key.name) counts from \(key.networksText) from now on.")
    }
}

/// `okaeri admin key remove`
struct RemoveAdminKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "End a key at once.",
        discussion: """
            Examples:
              okaeri admin key remove 00VHk2mTn8sWq41c
            """)

    @Argument(help: "The key's id.")
    var key: String

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let id = Identifier<AdminKey>(rawValue: key)
        do throws(CommandFault) {
            try await storage.perform(.removeAdminKey) { modules, who throws(DomainError) in
                try await modules.administration.keys.remove(id, by: who)
            }
        } catch {
            throw error.ofMissingKey
        }
        Console.write("The key is refused from now on.")
    }
}

/// From where a key counts.
struct NetworkOptions: ParsableArguments {
    @Option(
        name: .customLong("network"),
        help: ArgumentHelp(
            "An address or a network such as 10.0.0.0/8 that the key counts from; again for more.",
            valueName: "network"))
    var networks: [String] = []
}

private struct AdminKeyOutput: Encodable {
    let id: String
    let name: String
    let scopes: [String]
    let applications: [String]?
    let networks: [String]
    let createdBy: String
    let createdAt: WireTime
    let expiresAt: WireTime

    init(_ key: AdminKey) {
        id = key.id.rawValue
        name = key.name
        scopes = key.scopes.map(\.rawValue).sorted()
        applications = key.reach.applications?.map(\.rawValue).sorted()
        networks = key.reach.networks.map(\.text)
        createdBy = key.maker.name
        createdAt = key.createdAt.wire
        expiresAt = key.expiresAt.wire
    }
}

extension AdminKey {
    /// From where it counts, in words.
    fileprivate var networksText: String {
        reach.networks.isEmpty ? "anywhere" : reach.networks.map(\.text).joined(separator: " ")
    }
}

extension CommandFault {
    /// The fault, with the command that lists keys when there is no such key.
    fileprivate var ofMissingKey: CommandFault {
        saying(
            "There is no such key. “okaeri admin key list” shows those that there are.", of: .adminResourceUnknown)
    }
}
