import ArgumentParser
import Domain
import Foundation
import HTTPSupport
import OkaeriServer

/// `okaeri admin remove`
struct RemoveAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an admin for good: sessions, links and API keys end at once.",
        discussion: """
            What the admin did stays in the audit log. One owner who is set up always stays. “okaeri admin disable” keeps somebody out who may come back.

            On a terminal the admin's name is asked for once more; elsewhere --yes must be given.

            Examples:
              okaeri admin remove mika@example.com
              okaeri admin remove 00VHk2mTn8sWq41c --yes --json
            """)

    @Argument(help: "The admin's name or id.")
    var admin: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let name = admin
        let found = try await storage.perform(.listAdmins) { modules, who throws(DomainError) in
            try await modules.administration.admins.find(name)
        }
        if !yes { try confirm(found) }
        try await storage.perform(.removeAdmin) { modules, who throws(DomainError) in
            try await modules.administration.admins.remove(found.id, by: who)
        }
        guard !output.isJSON else { return Console.write(json: AdminBody(found)) }
        Console.write("The admin \(found.name) is removed.")
    }

    /// Shows who it is and wants the name typed.
    ///
    /// - Throws: `CommandFault` when it is not, or nobody is there to ask.
    private func confirm(_ admin: Admin) throws(CommandFault) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage("Nobody is there to confirm the removal. Give --yes to remove without asking.")
        }
        Console.tell(
            "The admin \(admin.name) (\(admin.role.rawValue), \(admin.id)) will be removed for good.\n"
                + "Type the name to confirm:")
        guard readLine().map(Admin.folded) == admin.foldedName else {
            throw .failed("That is not the name. Nothing was changed.")
        }
    }
}
