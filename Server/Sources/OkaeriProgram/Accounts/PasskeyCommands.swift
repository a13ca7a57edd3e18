import ArgumentParser
import Domain
import HTTPSupport

/// `okaeri user passkeys`
struct ListPasskeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        abstract: "Show a user's passkeys.",
        discussion: """
            The kind is the AAGUID, as the authenticator says itself. A counter of 0 is that of an authenticator that does not \
            count.

            Examples:
              okaeri user passkeys 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user passkeys 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk --json
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        let passkeys = try await user.perform(.readUser) { modules, id, application, _ throws(DomainError) in
            try await modules.passkeys.managePasskeys.list(of: id, in: application.id)
        }
        guard !user.output.isJSON else {
            return Console.write(json: Output(passkeys: passkeys.map(AdminPasskeyBody.init(_:))))
        }
        guard !passkeys.isEmpty else { return Console.write("The user has no passkey.") }
        var table = TextTable("ID", "NAME", "KIND", "SYNCHRONISED", "COUNTER", "ADDED", "LAST USED")
        for passkey in passkeys {
            table.add(
                passkey.id, passkey.name, passkey.aaguid, passkey.isBackedUp ? "yes" : "no",
                String(passkey.signCount), passkey.createdAt.localText, passkey.lastUsedAt?.localText ?? "–")
        }
        Console.write(table.text())
    }

    private struct Output: Encodable {
        let passkeys: [AdminPasskeyBody]
    }
}

/// `okaeri user remove-passkey`
struct RemovePasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-passkey",
        abstract: "Remove one passkey of a user.",
        discussion: """
            The sessions that passkeys opened end, and the user gets a mail. The last way into an account stays.

            Examples:
              okaeri user remove-passkey 00VHjA0kPq3ZsX1d mZ0fOR20ybL94Op7GBibow \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var user: UserOptions

    @Argument(help: "The passkey's id, as “okaeri user passkeys” tells it.")
    var passkey: String

    func run() async throws {
        let passkey = passkey
        try await user.perform(.removePasskey) { modules, id, application, who throws(DomainError) in
            try await modules.passkeys.managePasskeys.remove(passkey, of: id, in: application, by: .operator(who))
        }
        guard !user.output.isJSON else { return Console.write(json: Output(removed: passkey)) }
        Console.write("The passkey was removed.")
    }

    private struct Output: Encodable {
        let removed: String
    }
}
