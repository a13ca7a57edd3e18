import ArgumentParser
import Domain
import Foundation
import HTTPSupport
import OkaeriServer
import OkaeriWire

extension AdminRole: ExpressibleByArgument {}

/// How a link is shown.
struct LinkOptions: ParsableArguments {
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// Prints a link, or the token as JSON.
    ///
    /// - Parameters:
    ///   - made: The link.
    ///   - admin: Whose it is; `nil` for a new owner.
    /// - Throws: `CommandFault` for settings.
    func show(_ made: MakeAdminLink.Made, admin: Admin?) throws {
        let link = try storage.settings().adminLinkBesideServer(made.token)
        guard !output.isJSON else {
            return Console.write(
                json: Output(
                    admin: admin.map { AdminBody($0) }, link: link, token: made.token.revealed,
                    expiresAt: made.expiresAt.wire))
        }
        Console.write(
            """
            \(admin.map { "\($0.name) (\($0.role.rawValue))" } ?? "The one who opens it") sets up password and one-time \
            codes by this link:
              \(link)
            It counts once, until \(made.expiresAt.localText).
            """)
    }

    private struct Output: Encodable {
        let admin: AdminBody?
        let link: String
        let token: String
        let expiresAt: WireTime
    }
}

/// Whose standing changes.
struct AdminStandingOptions: ParsableArguments {
    @Argument(help: "The admin's name or id.")
    var admin: String

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// Changes it, and says so.
    ///
    /// - Throws: `CommandFault`.
    func set(isDisabled: Bool) async throws {
        let name = admin
        let admin = try await storage.perform(.changeAdmin) { modules, who throws(DomainError) in
            let admin = try await modules.administration.admins.find(name)
            return try await modules.administration.admins.change(
                admin.id, .init(isDisabled: isDisabled), version: nil, by: who)
        }
        guard !output.isJSON else { return Console.write(json: AdminBody(admin)) }
        Console.write(
            isDisabled ? "The admin \(admin.name) is kept out from now on." : "The admin \(admin.name) is let in again."
        )
    }
}

extension Admins {
    /// The admin with a name or id.
    ///
    /// - Throws: `administration(notFound)`, `storageUnavailable`.
    func find(_ text: String) async throws(DomainError) -> Admin {
        let folded = Admin.folded(text)
        let found = try await list().first { $0.foldedName == folded || $0.id.rawValue == text }
        guard let found else { throw .administration(.notFound) }
        return found
    }
}
