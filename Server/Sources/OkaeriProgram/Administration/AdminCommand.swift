import ArgumentParser
import Domain
import HTTPSupport
import OkaeriServer
import OkaeriWire

/// `okaeri admin …`
struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Look after those who look after users: make admins, let them in again, keep them out.",
        discussion: """
            There is no admin to begin with and no default password. The first owner comes in by a one-time link, which \
            “okaeri serve” prints while there is none, and which “okaeri admin link” makes anew.

            Examples:
              okaeri admin link
              okaeri admin create mika@example.com --role support \\
                --application 00VHj9mrbT8wn7Qk
              okaeri admin list
              okaeri admin reset mika@example.com
              okaeri admin unlock mika@example.com
              okaeri admin disable mika@example.com
              okaeri admin remove mika@example.com
            """,
        subcommands: [
            ListAdminsCommand.self, AdminLinkCommand.self, CreateAdminCommand.self, ResetAdminCommand.self,
            UnlockAdminCommand.self, DisableAdminCommand.self, EnableAdminCommand.self, RemoveAdminCommand.self,
            AdminKeyCommand.self,
        ])
}

/// `okaeri admin list`
struct ListAdminsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all admins.",
        discussion: """
            Examples:
              okaeri admin list --json
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (admins, locks) = try await storage.perform(.listAdmins) { modules, who throws(DomainError) in
            (try await modules.administration.admins.list(), try await modules.administration.admins.listLocks())
        }
        guard !output.isJSON else {
            return Console.write(json: admins.map { AdminBody($0, lockedUntil: locks[$0.id]) })
        }
        guard !admins.isEmpty else {
            return Console.write("There is no admin yet. “okaeri admin link” makes the first.")
        }
        var table = TextTable("ID", "NAME", "ROLE", "APPLICATIONS", "STATE", "LAST LOG-IN")
        for admin in admins {
            table.add(
                admin.id.rawValue, admin.name, admin.role.rawValue,
                admin.applications.map { $0.map(\.rawValue).sorted().joined(separator: " ") } ?? "all",
                Self.state(of: admin, isLocked: locks[admin.id] != nil), admin.lastLogInAt?.localText)
        }
        Console.write(table.text())
    }

    private static func state(of admin: Admin, isLocked: Bool) -> String {
        switch admin.standing {
        case .disabled: "disabled"
        case _ where isLocked: "locked"
        case .active: "active"
        case .withoutAuthenticator: "no authenticator"
        case .invited: "invited"
        }
    }
}

/// `okaeri admin link`
struct AdminLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Make a one-time link by which a new owner sets up name and password.",
        discussion: """
            The link is good for a day and replaces earlier ones. The one who opens it becomes an owner: send it with care.

            Examples:
              okaeri admin link
            """)

    @OptionGroup var link: LinkOptions

    func run() async throws {
        let made = try await link.storage.perform(.createAdminLink) { modules, who throws(DomainError) in
            try await modules.administration.admins.makeLink(for: nil, by: who)
        }
        try link.show(made, admin: nil)
    }
}

/// `okaeri admin create`
struct CreateAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make an admin, who sets a password by a one-time link.",
        discussion: """
            Roles: owner (everything), operator (everything about applications and users), support (sees users, with \
            what is personal masked), auditor (sees settings, figures and the audit log).

            Examples:
              okaeri admin create mika@example.com --role operator
              okaeri admin create help --role support --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "What is typed at log-in: a word or a mail address.")
    var name: String

    @Option(help: "owner, operator, support or auditor.")
    var role: AdminRole = .operator

    @Option(
        name: .customLong("application"),
        help: ArgumentHelp("An application that the admin may see; again for more. All without it.", valueName: "id"))
    var applications: [String] = []

    @OptionGroup var link: LinkOptions

    func run() async throws {
        let (name, role) = (name, role)
        let seen = applications.isEmpty ? nil : Set(applications.map { Identifier<Application>(rawValue: $0) })
        let (admin, made) = try await link.storage.perform(.createAdmin) { modules, who throws(DomainError) in
            let admin = try await modules.administration.admins.create(
                name: name, role: role, applications: seen, by: who)
            return (admin, try await modules.administration.admins.makeLink(for: admin.id, by: who))
        }
        try link.show(made, admin: admin)
    }
}

/// `okaeri admin reset`
struct ResetAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Make a one-time link by which an admin sets a new password and new codes.",
        discussion: """
            Sessions of the admin end at once. The old password holds until the link is used.

            Examples:
              okaeri admin reset mika@example.com
            """)

    @Argument(help: "The admin's name or id.")
    var admin: String

    @OptionGroup var link: LinkOptions

    func run() async throws {
        let name = admin
        let (admin, made) = try await link.storage.perform(.createAdminLink) { modules, who throws(DomainError) in
            let admin = try await modules.administration.admins.find(name)
            return (admin, try await modules.administration.admins.makeLink(for: admin.id, by: who))
        }
        try link.show(made, admin: admin)
    }
}

/// `okaeri admin unlock`
struct UnlockAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Let an admin log in again at once after wrong passwords.",
        discussion: """
            Wrong passwords for a name make the next try wait, from any sender. Another owner can end the wait in the \
            dashboard, too.

            Examples:
              okaeri admin unlock mika@example.com
            """)

    @Argument(help: "The admin's name or id.")
    var admin: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let name = admin
        let admin = try await storage.perform(.unlockAdmin) { modules, who throws(DomainError) in
            let admin = try await modules.administration.admins.find(name)
            try await modules.administration.admins.unlock(admin.id, by: who)
            return admin
        }
        guard !output.isJSON else { return Console.write(json: AdminBody(admin)) }
        Console.write("The admin \(admin.name) can log in again.")
    }
}

/// `okaeri admin disable`
struct DisableAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Keep an admin out: sessions and API keys end at once, log-ins are refused.",
        discussion: """
            Examples:
              okaeri admin disable mika@example.com
            """)

    @OptionGroup var standing: AdminStandingOptions

    func run() async throws { try await standing.set(isDisabled: true) }
}

/// `okaeri admin enable`
struct EnableAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Let a disabled admin in again.",
        discussion: """
            Examples:
              okaeri admin enable mika@example.com
            """)

    @OptionGroup var standing: AdminStandingOptions

    func run() async throws { try await standing.set(isDisabled: false) }
}
