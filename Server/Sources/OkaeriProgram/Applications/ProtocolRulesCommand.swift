import ArgumentParser
import Domain
import HTTPSupport

/// `okaeri application rules`
struct ProtocolRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Show or change an application's rules for a foreign protocol.",
        discussion: """
            Without options it shows the present rules. At first they are those that the protocol's own service had; a \
            longer life or more devices cure what its users complained of, without a new version of the app.

            Examples:
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb --idle-hours 8760 --sessions-per-user 5
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb --no-anonymous --readable-by-all
              okaeri application rules 00VHj9mrbT8wn7Qk ncmb --host old.example.com
              okaeri application rules 00VHj9mrbT8wn7Qk parse --master-network 10.0.0.0/8
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "ncmb, parse, kii or envelope.")
    var protocolName: ProtocolArgument

    @Option(help: ArgumentHelp("Sessions end after so many hours without a request.", valueName: "hours"))
    var idleHours: Int64?

    @Option(help: ArgumentHelp("How many sessions a user can have at once.", valueName: "count"))
    var sessionsPerUser: Int?

    @Flag(inversion: .prefixedNo, help: "Whether an id that the client made up logs in (NCMB, Parse).")
    var anonymous: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether everybody can read users without an access list.")
    var readableByAll: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether passwords may stand in addresses (NCMB's log-in by GET).")
    var passwordsInAddresses: Bool?

    @Option(
        help: ArgumentHelp(
            "How far a signed request's time may be from the server's; 0 for any distance (NCMB).",
            valueName: "seconds"))
    var timestampWindow: Int64?

    @Option(
        help: ArgumentHelp(
            "A name that signatures may be made for, beside the server's own; repeat it for several (NCMB).",
            valueName: "name"))
    var host: [String] = []

    @Flag(inversion: .prefixedNo, help: "Whether a log-in by password needs a verified mail address (Parse).")
    var logInVerified: Bool?

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

    @Flag(inversion: .prefixedNo, help: "Whether a mail address alone can sign up (NCMB).")
    var signUpByMail: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a mail address counts only once it was verified (Kii).")
    var verifiedEmail: Bool?

    @Flag(inversion: .prefixedNo, help: "Whether a phone number counts only once it was verified (Kii).")
    var verifiedPhone: Bool?

    @Option(
        help: ArgumentHelp(
            "Log-ins come with refresh tokens, and their tokens live so long; 0 for tokens without (Kii).",
            valueName: "seconds"))
    var refreshedTokenSeconds: Int64?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let idleHours, !(1...10_000_000).contains(idleHours) {
            throw ValidationError("--idle-hours must be 1 or more.")
        }
        if let refreshedTokenSeconds, !(0...10_000_000_000).contains(refreshedTokenSeconds) {
            throw ValidationError("--refreshed-token-seconds must be 0 or more.")
        }
        if let timestampWindow, timestampWindow < 0 {
            throw ValidationError("--timestamp-window must be 0 or more.")
        }
        for network in masterNetwork where IPNetwork(network) == nil {
            throw ValidationError("--master-network must be an address or a network such as 10.0.0.0/8.")
        }
    }

    func run() async throws {
        let name = protocolName.name
        let (idleHours, sessionsPerUser, anonymous, readableByAll) = (
            idleHours, sessionsPerUser, anonymous, readableByAll
        )
        let (inAddresses, window, hosts, retires) = (
            passwordsInAddresses, timestampWindow, host, retireWeakPasswords
        )
        let (byMail, refreshed, verified, verifiedPhone) = (
            signUpByMail, refreshedTokenSeconds, verifiedEmail, verifiedPhone
        )
        let (logInVerified, policy, ignoresCase, networks) = (
            logInVerified, passwordPolicy, ignoreCase, masterNetwork
        )
        let id = Identifier<Application>(rawValue: id)
        let application = try await storage.withStorage { useCases throws(DomainError) in
            try await useCases.foreign.changeProtocolRules(name, of: id) { rules, options in
                if let idleHours { rules.idleLifetime = .seconds(idleHours * 3600) }
                if let sessionsPerUser { rules.maximumPerUser = sessionsPerUser }
                if let anonymous { options.allowsAnonymous = anonymous }
                if let readableByAll { options.isReadableByAll = readableByAll }
                if let inAddresses { options.takesPasswordsInAddresses = inAddresses }
                if let window { options.timestampWindow = window == 0 ? nil : .seconds(window) }
                if !hosts.isEmpty { options.hosts = hosts }
                if let retires { options.retiresWeakPasswords = retires }
                if let byMail { options.allowsSignUpByMail = byMail }
                if let verified { options.demandsVerifiedEmail = verified }
                if let verifiedPhone { options.demandsVerifiedPhone = verifiedPhone }
                if let refreshed { options.refreshedTokenLifetime = refreshed == 0 ? nil : .seconds(refreshed) }
                if let logInVerified { options.needsVerifiedEmail = logInVerified }
                if let policy { options.hasPasswordPolicy = policy }
                if let ignoresCase { options.ignoresCase = ignoresCase }
                if !networks.isEmpty { options.administratorNetworks = networks }
            }
        }
        let answer = Answer(
            application.settings.sessionRules(of: name), application.settings.foreignOptions(of: name))
        output.isJSON ? Console.write(json: answer) : Console.write(answer.table)
    }

    private struct Answer: Encodable {
        let idleHours: Int64
        let sessionsPerUser: Int?
        let anonymous: Bool
        let readableByAll: Bool
        let passwordsInAddresses: Bool
        let timestampWindowSeconds: Int64?
        let hosts: [String]
        let retireWeakPasswords: Bool
        let signUpByMail: Bool
        let verifiedEmail: Bool
        let verifiedPhone: Bool
        let refreshedTokenSeconds: Int64?
        let logInVerified: Bool
        let passwordPolicy: Bool
        let ignoreCase: Bool
        let masterNetworks: [String]

        init(_ rules: SessionRules, _ options: ForeignOptions) {
            idleHours = rules.idleLifetime.components.seconds / 3600
            sessionsPerUser = rules.maximumPerUser
            anonymous = options.allowsAnonymous
            readableByAll = options.isReadableByAll
            passwordsInAddresses = options.takesPasswordsInAddresses
            timestampWindowSeconds = options.timestampWindow?.components.seconds
            hosts = options.hosts
            retireWeakPasswords = options.retiresWeakPasswords
            signUpByMail = options.allowsSignUpByMail
            verifiedEmail = options.demandsVerifiedEmail
            verifiedPhone = options.demandsVerifiedPhone
            refreshedTokenSeconds = options.refreshedTokenLifetime?.components.seconds
            logInVerified = options.needsVerifiedEmail
            passwordPolicy = options.hasPasswordPolicy
            ignoreCase = options.ignoresCase
            masterNetworks = options.administratorNetworks
        }

        var table: String {
            TextTable([
                "idle hours": String(idleHours), "sessions per user": sessionsPerUser.map(String.init) ?? "no limit",
                "anonymous": anonymous ? "yes" : "no", "readable by all": readableByAll ? "yes" : "no",
                "passwords in addresses": passwordsInAddresses ? "yes" : "no",
                "timestamp window": timestampWindowSeconds.map { "\($0) s" } ?? "any",
                "hosts": hosts.joined(separator: " "),
                "retire weak passwords": retireWeakPasswords ? "yes" : "no",
                "sign-up by mail": signUpByMail ? "yes" : "no",
                "verified mail": verifiedEmail ? "demanded" : "not demanded",
                "verified phone": verifiedPhone ? "demanded" : "not demanded",
                "refreshed tokens": refreshedTokenSeconds.map { "live \($0) s" } ?? "no",
                "log-in verified": logInVerified ? "yes" : "no", "password policy": passwordPolicy ? "yes" : "no",
                "ignore case": ignoreCase ? "yes" : "no", "master networks": masterNetworks.joined(separator: " "),
            ]).text()
        }
    }
}
