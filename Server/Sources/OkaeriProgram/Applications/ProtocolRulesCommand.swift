import ArgumentParser
package import Domain
@_spi(TotalConversions) import enum OkaeriWire.JSONValue

/// `okaeri application rules`
struct ProtocolRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Show or change an application's rules for a foreign protocol.",
        discussion: """
            Without options it shows the present rules. At first they are those that the protocol's own service had; a \
            longer life or more devices cure what its users complained of, without a new version of the app. Options of \
            rules that the protocol does not heed are refused.

            Examples:
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb --idle-hours 8760 \\
                --sessions-per-user 5
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb --no-anonymous \\
                --readable-by-all
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb --host old.example.com
              okaeri application rules 00VHj9mrbT8wn7Qk parse --master-network 10.0.0.0/8
              okaeri application rules 00VHj9mrbT8wn7Qk parse \\
                --parse-upstream https://parse.example.com/parse
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "ncmb, parse, kii or envelope.")
    var protocolName: ProtocolArgument

    @Option(
        help: ArgumentHelp(
            "Sessions end after so many hours without a request; none for sessions that this never ends.",
            valueName: "hours"))
    var idleHours: NumberOrNone?

    @Option(
        help: ArgumentHelp("How many sessions a user can have at once; none for no limit.", valueName: "count"))
    var sessionsPerUser: NumberOrNone?

    @Flag(inversion: .prefixedNo, help: "Whether an id that the client made up logs in (NCMB, Parse).")
    var anonymous: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether everybody can read users without an access list.")
    var readableByAll: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether passwords may stand in addresses (NCMB's log-in by GET).")
    var passwordsInAddresses: Bool?

    @Option(
        help: ArgumentHelp(
            "How far a signed request's time may be from the server's; none for any distance (NCMB).",
            valueName: "seconds"))
    var timestampWindow: NumberOrNone?

    @Option(
        help: ArgumentHelp(
            "A name that signatures may be made for, beside the server's own; repeat it for several (NCMB).",
            valueName: "name"))
    var host: [String] = []

    @Flag(inversion: .prefixedNo, help: "Whether a log-in by password needs a verified mail address (Parse).")
    var logInVerified: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a new mail address gets a mail to confirm it (Parse).")
    var verifyEmail: Bool?

    @Option(
        help: ArgumentHelp(
            "The app's own Parse Server, to which everything but users and sessions goes; empty for none (Parse).",
            valueName: "URL"))
    var parseUpstream: String?

    @Flag(inversion: .prefixedNo, help: "Whether new passwords must keep Okaeri's own rules (Parse).")
    var passwordPolicy: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether capitals make no difference at log-in (Parse).")
    var ignoreCase: Bool?

    @Option(
        help: ArgumentHelp(
            "A network from which the master key is taken; repeat it for several. At first this machine alone (Parse).",
            valueName: "network"))
    var masterNetwork: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Whether a password that is the user name goes once a device key leads to the user.")
    var retireWeakPasswords: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether a log-in moves updateDate; off for apps that show it as the last log-in (NCMB).")
    var logInMovesUpdateDate: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a mail address alone can sign up (NCMB).")
    var signUpByMail: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a mail address counts only once it was verified (Kii).")
    var verifiedEmail: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a phone number counts only once it was verified (Kii).")
    var verifiedPhone: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether new users get ids of hexadecimal digits with dashes (Kii).")
    var dashedIds: Bool?

    @Option(
        help: ArgumentHelp(
            "Log-ins come with refresh tokens, and their tokens live so long; none for tokens without (Kii).",
            valueName: "seconds"))
    var refreshedTokenSeconds: NumberOrNone?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    /// What was given, by the options' names.
    private var given: [String: ProtocolRule.Value] {
        let numbers = [
            "idle-hours": idleHours, "sessions-per-user": sessionsPerUser, "timestamp-window": timestampWindow,
            "refreshed-token-seconds": refreshedTokenSeconds,
        ]
        let truths = [
            "anonymous": anonymous, "readable-by-all": readableByAll, "passwords-in-addresses": passwordsInAddresses,
            "log-in-verified": logInVerified, "verify-email": verifyEmail, "password-policy": passwordPolicy,
            "ignore-case": ignoreCase,
            "retire-weak-passwords": retireWeakPasswords, "sign-up-by-mail": signUpByMail,
            "log-in-moves-update-date": logInMovesUpdateDate,
            "verified-email": verifiedEmail, "verified-phone": verifiedPhone,
            "dashed-ids": dashedIds,
        ]
        var texts = ["host": host, "master-network": masterNetwork].filter { !$0.value.isEmpty }
        if let parseUpstream { texts["parse-upstream"] = parseUpstream.isEmpty ? [] : [parseUpstream] }
        return numbers.compactMapValues { $0.map { .number($0.number) } }
            .merging(truths.compactMapValues { $0.map { .truth($0) } }) { $1 }
            .merging(texts.mapValues { .texts($0) }) { $1 }
    }

    /// The rules that change, by their own names and in their own units.
    private var changes: [(rule: ProtocolRule, value: ProtocolRule.Value)] {
        let given = given
        return ProtocolRule.all.compactMap { rule in
            given[rule.option].map { (rule, rule.value(ofOption: $0)) }
        }
    }

    func validate() throws {
        let heeded = Set(ProtocolRule.heeded(by: protocolName.profile).map(\.id))
        for (rule, value) in changes {
            guard heeded.contains(rule.id) else {
                throw ValidationError("--\(rule.option) says nothing to \(protocolName.name.rawValue).")
            }
            guard var fault = rule.faults(of: value).first else { continue }
            fault.field = "--\(rule.option)"
            if case .outOfRange(let range) = fault.rule {
                let (least, most) = (range.lowerBound, range.upperBound / rule.optionUnit)
                fault.rule = .outOfRange(least...most)
            }
            throw ValidationError(fault.sentence)
        }
    }

    func run() async throws {
        let (profile, id) = (protocolName.profile, Identifier<Application>(rawValue: id))
        let wanted = Dictionary(changes.map { ($0.rule.name, $0.value) }, uniquingKeysWith: { $1 })
        let application = try await storage.perform(.loosenProtocolRules) { modules, who throws(DomainError) in
            try await modules.applications.changeProtocolRules(
                profile.name, of: id, to: wanted, mayLoosen: true, isCurrent: { _ in true }, by: who)
        }
        let rules = ProtocolRule.heeded(by: profile).map { ($0, $0.value(for: profile, in: application.settings)) }
        guard !output.isJSON else {
            return Console.write(json: Dictionary(rules.map { ($0.name, JSONValue($1)) }, uniquingKeysWith: { $1 }))
        }
        Console.write(TextTable(rules.map { ($0.option, $0.text(of: $1)) }).text())
    }
}

/// A number, or `none`, as the command shows them. 0 stands for none where there may be none.
struct NumberOrNone: ExpressibleByArgument {
    let number: Int64?

    init?(argument: String) {
        number = Int64(argument, radix: 10)
        if number == nil, argument != "none" { return nil }
    }
}

extension ProtocolRule {
    /// The option of `okaeri application rules`, without its hyphens.
    package var option: String {
        switch id {
        case .idleSeconds: "idle-hours"
        case .sessionsPerUser: "sessions-per-user"
        case .allowsAnonymous: "anonymous"
        case .isReadableByAll: "readable-by-all"
        case .takesPasswordsInAddresses: "passwords-in-addresses"
        case .timestampWindowSeconds: "timestamp-window"
        case .hosts: "host"
        case .retiresWeakPasswords: "retire-weak-passwords"
        case .logInMovesUpdateTime: "log-in-moves-update-date"
        case .allowsSignUpByMail: "sign-up-by-mail"
        case .demandsVerifiedEmail: "verified-email"
        case .demandsVerifiedPhone: "verified-phone"
        case .hasDashedIds: "dashed-ids"
        case .refreshedTokenSeconds: "refreshed-token-seconds"
        case .verifiesEmails: "verify-email"
        case .needsVerifiedEmail: "log-in-verified"
        case .hasPasswordPolicy: "password-policy"
        case .ignoresCase: "ignore-case"
        case .administratorNetworks: "master-network"
        case .upstream: "parse-upstream"
        }
    }

    /// How many of the rule's own unit one of the option's is.
    package var optionUnit: Int64 { id == .idleSeconds ? 3600 : 1 }

    /// An option's value in the rule's own unit: a number that is too large for it stays too large, and none is endless where
    /// there has to be a number.
    fileprivate func value(ofOption value: Value) -> Value {
        guard case .number(let number) = value else { return value }
        return .number(number?.multipliedWithSaturation(by: optionUnit) ?? (isOptional ? nil : Self.endless))
    }

    /// A value as the option takes it.
    fileprivate func text(of value: Value) -> String {
        switch value {
        case .truth(let truth): truth ? "yes" : "no"
        case .number(let number?): number == Self.endless ? "none" : String(number / optionUnit)
        case .number(nil): "none"
        case .texts(let texts): texts.joined(separator: " ")
        }
    }
}

extension JSONValue {
    /// A value as the admin API tells it.
    fileprivate init(_ value: ProtocolRule.Value) {
        self =
            switch value {
            case .truth(let truth): .bool(truth)
            case .number(let number): number.map { .integer($0) } ?? .null
            case .texts(let texts): .array(texts.map { .string($0) })
            }
    }
}
