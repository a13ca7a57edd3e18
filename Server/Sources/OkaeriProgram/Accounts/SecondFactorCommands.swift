import ArgumentParser
import Domain
import HTTPSupport
import OkaeriWire

/// `okaeri user second-factors`
struct ListSecondFactorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "second-factors",
        abstract: "Show a user's second factors.",
        discussion: """
            Authenticator apps, and how many recovery codes are left. Keys and codes are shown to nobody.

            Examples:
              okaeri user second-factors 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk
              okaeri user second-factors 00VHjA0kPq3ZsX1d --application 00VHj9mrbT8wn7Qk \\
                --json
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        let list = try await user.perform(.readUser) { modules, id, application, _ throws(DomainError) in
            try await modules.secondFactors.manageSecondFactors.list(of: id, in: application.id)
        }
        guard !user.output.isJSON else {
            return Console.write(
                json: SecondFactorListResponse(
                    factors: list.factors.map { factor in
                        SecondFactorBody(
                            id: factor.id.rawValue, name: factor.name, createdAt: factor.createdAt.wire,
                            lastUsedAt: factor.lastUsedAt?.wire)
                    }, recoveryCodesLeft: list.recoveryCodesLeft))
        }
        guard !list.factors.isEmpty else { return Console.write("The user has no second factor.") }
        var table = TextTable("ID", "NAME", "ADDED", "LAST USED")
        for factor in list.factors {
            table.add(
                factor.id.rawValue, factor.name, factor.createdAt.localText, factor.lastUsedAt?.localText ?? "–")
        }
        Console.write(table.text() + "\nRecovery codes left: \(list.recoveryCodesLeft)")
    }
}

/// `okaeri user reset-second-factors`
struct ResetSecondFactorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-second-factors",
        abstract: "Remove all second factors of a user who has lost them.",
        discussion: """
            Recovery codes go too, and the user gets a mail. Be sure who asks: the password alone lets in \
            afterwards.

            Examples:
              okaeri user reset-second-factors 00VHjA0kPq3ZsX1d \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var user: UserOptions

    func run() async throws {
        try await user.perform(.resetSecondFactors) { modules, id, application, who throws(DomainError) in
            try await modules.secondFactors.manageSecondFactors.removeAll(of: id, in: application, by: who)
        }
        guard !user.output.isJSON else { return Console.write(json: Output(reset: user.id)) }
        Console.write("The user has no second factor any more.")
    }

    private struct Output: Encodable {
        let reset: String
    }
}
