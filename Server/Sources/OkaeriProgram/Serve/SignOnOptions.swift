import ArgumentParser
import OkaeriServer

/// The settings of the provider of admins. Its secret comes from the environment, the configuration file or a file of its
/// own.
struct SignOnOptions: ParsableArguments {
    @Option(name: .customLong(Setting.adminSignOnIssuer.name), help: ArgumentHelp(.adminSignOnIssuer, valueName: "url"))
    var issuer: String?

    @Option(name: .customLong(Setting.adminSignOnClient.name), help: ArgumentHelp(.adminSignOnClient, valueName: "id"))
    var client: String?

    @Option(
        name: .customLong(Setting.adminSignOnSecretFile.name),
        help: ArgumentHelp(.adminSignOnSecretFile, valueName: "file"))
    var secretFile: String?

    @Option(
        name: .customLong(Setting.adminSignOnDomain.name), help: ArgumentHelp(.adminSignOnDomain, valueName: "domain"))
    var domain: String?

    @Option(name: .customLong(Setting.adminSignOnRole.name), help: ArgumentHelp(.adminSignOnRole, valueName: "role"))
    var role: String?

    @Option(name: .customLong(Setting.adminPasswords.name), help: ArgumentHelp(.adminPasswords, valueName: "on|off"))
    var passwords: String?

    /// What the options say, by setting name.
    var values: [String: String] {
        var values: [String: String] = [:]
        values[Setting.adminSignOnIssuer.name] = issuer
        values[Setting.adminSignOnClient.name] = client
        values[Setting.adminSignOnSecretFile.name] = secretFile
        values[Setting.adminSignOnDomain.name] = domain
        values[Setting.adminSignOnRole.name] = role
        values[Setting.adminPasswords.name] = passwords
        return values
    }
}
