import ArgumentParser
import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// `okaeri user show`
struct ShowUserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one user with identities and sessions.",
        discussion: """
            Examples:
              okaeri user show 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user show 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk --json
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        let (shown, sessions) = try await user.perform(.readUser) { modules, id, application, _ throws(DomainError) in
            (
                try await modules.directory.readUser(id, in: application.id),
                try await modules.sessions.listSessions(of: id, in: application)
            )
        }
        guard !user.output.isJSON else {
            return Console.write(
                json: Output(user: UserBody(shown), sessions: sessions.map(AdminSessionBody.init(_:))))
        }
        Console.write(try values(of: shown).text())
        if shown.identities.isEmpty {
            Console.write("\nThe user has no identity.")
        } else {
            var identities = TextTable("PROVIDER", "SUBJECT", "LINKED")
            for identity in shown.identities {
                identities.add(identity.provider.rawValue, identity.subject, identity.linkedAt.localText)
            }
            Console.write("\nIdentities\n\(identities.text(indentation: 2))")
        }
        guard !sessions.isEmpty else { return Console.write("\nThe user has no live session.") }
        Console.write("\nSessions\n\(sessions.table().text(indentation: 2))")
    }

    private func values(of user: User) throws -> TextTable {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return TextTable([
            "id": user.id.rawValue,
            "name": user.displayName,
            "kind": user.kind,
            "user name": user.username,
            "mail": user.email.map { user.emailVerifiedAt == nil ? "\($0) (not verified)" : $0 },
            "phone": user.phone.map { user.phoneVerifiedAt == nil ? "\($0) (not verified)" : $0 },
            "password": user.passwordSetAt.map {
                "set \($0.localText)" + (user.weakPasswordAt == nil ? "" : ", the same as the user name")
            },
            "disabled": user.disabledAt.map { "since \($0.localText)" },
            "deleted": user.deletionRequestedAt.map { "on \($0.localText)" },
            "locale": user.locale,
            "created": user.createdAt.localText,
            "changed": user.updatedAt.localText,
            "last log-in": user.lastLogInAt?.localText,
            "log-in before": user.previousLogInAt?.localText,
            "fields": String(decoding: try encoder.encode(user.fields), as: UTF8.self),
        ])
    }

    private struct Output: Encodable {
        let user: UserBody
        let sessions: [AdminSessionBody]
    }
}
