import ArgumentParser
import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// `okaeri user delete`
struct DeleteUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a user: with grace, or at once and for good.",
        discussion: """
            Sessions end at the user's next request. When the application's grace period is over, everything stored about \
            the user is erased but the audit log, and providers are asked to end their grants. Until then “user restore” \
            brings the user back, and so does a log-in with the header Okaeri-Restore. With --now nothing does.

            On a terminal the user's id is asked for once more; elsewhere --yes must be given.

            Examples:
              okaeri user delete 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user delete 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk --yes \\
                --json
              okaeri user delete 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk --now
            """)

    @Argument(help: "The user's id.")
    var id: String

    @Flag(help: "Erase at once, without grace.")
    var now = false

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (id, applicationId, isAtOnce) = (Identifier<User>(rawValue: id), application.id, now)
        if !yes { try await confirm(id, in: applicationId) }
        let erasedAt = try await storage.perform(isAtOnce ? .eraseUser : .deleteUser) {
            modules, who throws(DomainError) -> Timestamp? in
            let application = try await modules.applications.findApplication(applicationId)
            guard !isAtOnce else {
                try await modules.deletion.eraseUser(id, in: applicationId, by: who)
                return nil
            }
            return try await modules.deletion.deleteUser(id, in: application, by: who)
        }
        guard !output.isJSON else {
            return Console.write(json: Output(id: id.rawValue, isErased: isAtOnce, erasedAt: erasedAt?.wire))
        }
        Console.write(
            erasedAt.map {
                "The user \(id) is deleted, and erased on \($0.localText). “okaeri user restore” undoes it."
            }
                ?? "The user \(id) is erased.")
    }

    /// Shows who it is and wants the id typed.
    ///
    /// - Throws: `CommandFault` when it is not, or nobody is there to ask.
    private func confirm(_ id: Identifier<User>, in application: Identifier<Application>) async throws(CommandFault) {
        guard isatty(STDIN_FILENO) == 1 else {
            throw .usage("Nobody is there to confirm the deletion. Give --yes to delete without asking.")
        }
        let user = try await storage.perform(.readUser, in: application, on: id) { modules, who throws(DomainError) in
            try await modules.directory.readUser(id, in: application)
        }
        let name = user.displayName ?? user.username ?? user.email ?? user.phone ?? "without a name"
        Console.tell(
            "The user \(id) (\(name), \(user.kind)) will be \(now ? "erased at once, for good" : "deleted").\n"
                + "Type the id to confirm:")
        guard readLine()?.withoutBlanks == id.rawValue else {
            throw .failed("That is not the id. Nothing was changed.")
        }
    }

    private struct Output: Encodable {
        let id: String
        let isErased: Bool
        let erasedAt: WireTime?
    }
}
