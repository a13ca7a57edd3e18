import ArgumentParser
import OkaeriServer

/// Every setting of the server but its secrets, which would show in the list of processes.
///
/// A class, because four commands hold it: code that copies so many options as values was 0.6 MB of the program.
final class SettingOptions: ParsableArguments, SettingHolder {
    @OptionGroup(title: "What most servers set") var main: MainOptions
    @Option(.databaseConnections) var databaseConnections: GivenSetting?
    @Option(.adminNetworks) var adminNetworks: GivenSetting?
    @Option(.privateNetworks) var privateNetworks: GivenSetting?
    @Option(.parsePaths) var parsePaths: GivenSetting?
    @Option(.firstPage) var firstPage: GivenSetting?
    @Option(.rateLimits) var rateLimits: GivenSetting?
    @Option(.firstLaunches) var firstLaunches: GivenSetting?
    @Option(.passwordFailures) var passwordFailures: GivenSetting?
    @Option(.rightPasswords) var rightPasswords: GivenSetting?
    @Option(.oldAppFirstLaunches) var oldAppFirstLaunches: GivenSetting?
    @Option(.oldAppPasswordFailures) var oldAppPasswordFailures: GivenSetting?
    @Option(.oldAppRightPasswords) var oldAppRightPasswords: GivenSetting?
    @Option(.oldAppMails) var oldAppMails: GivenSetting?
    @Option(.oldAppCodeTries) var oldAppCodeTries: GivenSetting?
    @Option(.oldAppProviderCredentials) var oldAppProviderCredentials: GivenSetting?
    @Option(.searchTime) var searchTime: GivenSetting?
    @Option(.searchReaders) var searchReaders: GivenSetting?
    @Option(.searchTimePerAddress) var searchTimePerAddress: GivenSetting?
    @Option(.searchTimePerApplication) var searchTimePerApplication: GivenSetting?
    @Option(.passwordThreads) var passwordThreads: GivenSetting?
    @Option(.passwordQueue) var passwordQueue: GivenSetting?
    @Option(.passwordFilter) var passwordFilter: GivenSetting?
    @Option(.passwordRangeURL) var passwordRangeURL: GivenSetting?
    @Option(.passwordListFailure) var passwordListFailure: GivenSetting?
    @Option(.sessionCache) var sessionCache: GivenSetting?
    @Option(.logLevel) var logLevel: GivenSetting?
    @Option(.logFormat) var logFormat: GivenSetting?
    @Option(.requestTimeout) var requestTimeout: GivenSetting?
    @Option(.idleTimeout) var idleTimeout: GivenSetting?
    @OptionGroup(title: "Connections") var connections: ConnectionOptions
    @Option(.maximumHeaderBytes) var maximumHeaderBytes: GivenSetting?
    @Option(.maximumHeaders) var maximumHeaders: GivenSetting?
    @Option(.replica) var replica: GivenSetting?
    @Option(.replicaKey) var replicaKey: GivenSetting?
    @Option(.replicaDays) var replicaDays: GivenSetting?
    @Option(.replicaHeartbeat) var replicaHeartbeat: GivenSetting?

    @Option(.appleURL) var appleURL: GivenSetting?
    @OptionGroup(title: "Mail") var mail: MailOptions

    @OptionGroup(title: "Single sign-on of admins") var signOn: SignOnOptions

    @OptionGroup(title: "Traces, metrics and audit log for others") var telemetry: TelemetryOptions

    /// All settings: these options over the environment over the configuration file.
    func settings() throws(CommandFault) -> ServerSettings {
        var values = given
        values["config"] = main.storage.configurationFile
        if main.isDevelopment { values[Setting.dev.name] = "on" }
        return try ServerSettings.read(values)
    }
}

/// The settings that come first in the help, because servers differ in them.
struct MainOptions: ParsableArguments, SettingHolder {
    @Option(.listen) var listen: GivenSetting?
    @OptionGroup var storage: StorageOptions
    @Option(.publicURL) var publicURL: GivenSetting?
    @Option(.trustedProxies) var trustedProxies: GivenSetting?

    @Flag(
        name: .customLong(Setting.dev.name),
        help: ArgumentHelp("\(Setting.dev.description) Only on a loopback address. (\(Setting.dev.variable))"))
    var isDevelopment = false
}

/// How many connections there can be, and where the metrics are. The key of the metrics comes from the environment or the
/// configuration file alone.
struct ConnectionOptions: ParsableArguments, SettingHolder {
    @Option(.writeTimeout) var writeTimeout: GivenSetting?
    @Option(.maximumConnections) var maximumConnections: GivenSetting?
    @Option(.maximumConnectionsPerAddress) var maximumConnectionsPerAddress: GivenSetting?
    @Option(.metricsListen) var metricsListen: GivenSetting?
}

/// The settings of the mail server and of text messages. Their secrets come from the environment or the configuration
/// file alone.
struct MailOptions: ParsableArguments, SettingHolder {
    @Option(.smtpURL) var smtpURL: GivenSetting?
    @Option(.smtpUser) var smtpUser: GivenSetting?
    @Option(.smtpTLS) var smtpTLS: GivenSetting?
    @Option(.smtpCertificates) var smtpCertificates: GivenSetting?
    @Option(.mailFrom) var mailFrom: GivenSetting?
    @Option(.textMessageWebhook) var textMessageWebhook: GivenSetting?
}

/// The settings of the provider of admins. Its secret comes from the environment, the configuration file or a file of its
/// own.
struct SignOnOptions: ParsableArguments, SettingHolder {
    @Option(.adminSignOnIssuer) var issuer: GivenSetting?
    @Option(.adminSignOnClient) var client: GivenSetting?
    @Option(.adminSignOnSecretFile) var secretFile: GivenSetting?
    @Option(.adminSignOnDomain) var domain: GivenSetting?
    @Option(.adminSignOnRole) var role: GivenSetting?
    @Option(.adminPasswords) var passwords: GivenSetting?
}

/// Where traces, metrics and a copy of the audit log are sent. Their secrets come from the environment or the configuration
/// file alone.
struct TelemetryOptions: ParsableArguments, SettingHolder {
    @Option(.otlpEndpoint) var endpoint: GivenSetting?
    @Option(.otlpSignals) var signals: GivenSetting?
    @Option(.otlpResource) var resource: GivenSetting?
    @Option(.otlpMetricsInterval) var metricsInterval: GivenSetting?
    @Option(.traceRatio) var traceRatio: GivenSetting?
    @Option(.traceCallers) var traceCallers: GivenSetting?
    @Option(.auditStream) var auditStream: GivenSetting?
}
