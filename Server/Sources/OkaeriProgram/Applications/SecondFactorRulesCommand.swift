import ArgumentParser
import Domain
import HTTPSupport

extension SecondFactorRules.Mode: ExpressibleByArgument {}

/// `okaeri application second-factors`
struct SecondFactorRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "second-factors",
        abstract: "Show or change what an application has decided of second factors.",
        discussion: """
            Without options it shows the present rules. --demanded-for can be given several times and takes the place of the \
            whole list; an empty text empties it.

            Examples:
              okaeri application second-factors 00VHj9mrbT8wn7Qk
              okaeri application second-factors 00VHj9mrbT8wn7Qk --mode optional \\
                --demanded-for password_changed
              okaeri application second-factors 00VHj9mrbT8wn7Qk --no-device-keys-count \\
                --no-transfer-codes-count
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(help: "off, optional or required.")
    var mode: SecondFactorRules.Mode?

    @Option(
        help: ArgumentHelp("A change of an account that needs the second factor, by its name.", valueName: "change"))
    var demandedFor: [String] = []

    @Flag(inversion: .prefixedNo, help: "A device whose key leads to the user counts as the second factor.")
    var deviceKeysCount: Bool?

    @Flag(inversion: .prefixedNo, help: "A transfer code lets a user with a second factor in without it.")
    var transferCodesCount: Bool?

    @Flag(inversion: .prefixedNo, help: "Old protocols, whose apps cannot ask for it, log users in without it.")
    var exemptsOldProtocols: Bool?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let names = AccountChange.demandable.map(\.rawValue).sorted()
        for name in demandedFor where !name.isEmpty && !names.contains(name) {
            throw ValidationError(
                "--demanded-for \(name) is no change that can demand it: \(names.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let change = Change(
            mode: mode,
            demandedFor: demandedFor.isEmpty ? nil : Set(demandedFor.compactMap(AccountChange.init(rawValue:))),
            flags: [
                (\.deviceKeysCount, deviceKeysCount), (\.transferCodesCount, transferCodesCount),
                (\.exemptsOldProtocols, exemptsOldProtocols),
            ])
        let rules = try await storage.perform(.changeSettings) { modules, who throws(DomainError) in
            try await modules.applications.changeApplication(id, isCurrent: { _ in true }, by: who) { application in
                change.apply(to: &application.settings.secondFactors)
            }.settings.secondFactors
        }
        if rules.mode == .required, mode != nil || exemptsOldProtocols != nil { Console.tell(Self.remark(rules)) }
        guard !output.isJSON else { return Console.write(json: SecondFactorRulesBody(rules)) }
        func word(_ truth: Bool) -> String { truth ? "yes" : "no" }
        let demanded = rules.demandedFor.map(\.rawValue).sorted().joined(separator: ", ")
        Console.write(
            TextTable([
                "second factors": rules.mode.rawValue, "demanded for": demanded.isEmpty ? "none" : demanded,
                "device keys count": word(rules.deviceKeysCount),
                "transfer codes count": word(rules.transferCodesCount),
                "old protocols are exempt": word(rules.exemptsOldProtocols),
            ]).text())
    }

    /// What happens to users, now that each of them needs a second factor.
    private static func remark(_ rules: SecondFactorRules) -> String {
        let oldProtocols =
            rules.exemptsOldProtocols
            ? "Old protocols are exempt: a password alone logs in there."
            : "Apps of old protocols can log no registered user in, unless --exempts-old-protocols is set."
        return """
            Registered users without a second factor must add one at their next log-in by hand; open sessions stay. An app that \
            does not know second_factor_enrolment_required cannot log them in: bring its new version out first, with \
            --mode optional.
            \(oldProtocols)
            Who loses the authenticator app and the recovery codes needs okaeri user reset-second-factors.
            """
    }

    private struct Change: Sendable {
        let mode: SecondFactorRules.Mode?
        let demandedFor: Set<AccountChange>?
        let flags: [(any WritableKeyPath<SecondFactorRules, Bool> & Sendable, Bool?)]

        func apply(to rules: inout SecondFactorRules) {
            if let mode { rules.mode = mode }
            if let demandedFor { rules.demandedFor = demandedFor }
            for case (let path, let value?) in flags { rules[keyPath: path] = value }
        }
    }
}
