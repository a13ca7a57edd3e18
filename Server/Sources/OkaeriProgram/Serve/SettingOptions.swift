import ArgumentParser
import OkaeriServer

/// Every setting of the server but its secrets, which would show in the list of processes.
struct SettingOptions: ParsableArguments {
    @Option(name: .customLong(Setting.listen.name), help: ArgumentHelp(.listen, valueName: "address:port"))
    var listen: String?

    @OptionGroup var storage: StorageOptions

    @Option(
        name: .customLong(Setting.databaseConnections.name),
        help: ArgumentHelp(.databaseConnections, valueName: "number"))
    var databaseConnections: String?

    @Option(name: .customLong(Setting.publicURL.name), help: ArgumentHelp(.publicURL, valueName: "url"))
    var publicURL: String?

    @Option(name: .customLong(Setting.trustedProxies.name), help: ArgumentHelp(.trustedProxies, valueName: "networks"))
    var trustedProxies: String?

    @Option(
        name: .customLong(Setting.privateNetworks.name), help: ArgumentHelp(.privateNetworks, valueName: "networks"))
    var privateNetworks: String?

    @Option(name: .customLong(Setting.firstPage.name), help: ArgumentHelp(.firstPage, valueName: "on|off"))
    var firstPage: String?

    @Option(name: .customLong(Setting.rateLimits.name), help: ArgumentHelp(.rateLimits, valueName: "on|off"))
    var rateLimits: String?

    @Option(name: .customLong(Setting.firstLaunches.name), help: ArgumentHelp(.firstLaunches, valueName: "number"))
    var firstLaunches: String?

    @Option(
        name: .customLong(Setting.passwordFailures.name), help: ArgumentHelp(.passwordFailures, valueName: "number"))
    var passwordFailures: String?

    @Option(
        name: .customLong(Setting.oldAppFirstLaunches.name),
        help: ArgumentHelp(.oldAppFirstLaunches, valueName: "number"))
    var oldAppFirstLaunches: String?

    @Option(
        name: .customLong(Setting.oldAppPasswordFailures.name),
        help: ArgumentHelp(.oldAppPasswordFailures, valueName: "number"))
    var oldAppPasswordFailures: String?

    @Option(name: .customLong(Setting.oldAppMails.name), help: ArgumentHelp(.oldAppMails, valueName: "number"))
    var oldAppMails: String?

    @Option(
        name: .customLong(Setting.oldAppCodeTries.name),
        help: ArgumentHelp(.oldAppCodeTries, valueName: "number"))
    var oldAppCodeTries: String?

    @Option(
        name: .customLong(Setting.oldAppProviderCredentials.name),
        help: ArgumentHelp(.oldAppProviderCredentials, valueName: "number"))
    var oldAppProviderCredentials: String?

    @Option(name: .customLong(Setting.searchTime.name), help: ArgumentHelp(.searchTime, valueName: "number"))
    var searchTime: String?

    @Option(name: .customLong(Setting.searchReaders.name), help: ArgumentHelp(.searchReaders, valueName: "number"))
    var searchReaders: String?

    @Option(
        name: .customLong(Setting.searchTimePerAddress.name),
        help: ArgumentHelp(.searchTimePerAddress, valueName: "number"))
    var searchTimePerAddress: String?

    @Option(
        name: .customLong(Setting.searchTimePerApplication.name),
        help: ArgumentHelp(.searchTimePerApplication, valueName: "number"))
    var searchTimePerApplication: String?

    @Option(
        name: .customLong(Setting.passwordThreads.name), help: ArgumentHelp(.passwordThreads, valueName: "number"))
    var passwordThreads: String?

    @Option(name: .customLong(Setting.passwordQueue.name), help: ArgumentHelp(.passwordQueue, valueName: "number"))
    var passwordQueue: String?

    @Option(name: .customLong(Setting.passwordFilter.name), help: ArgumentHelp(.passwordFilter, valueName: "file"))
    var passwordFilter: String?

    @Option(name: .customLong(Setting.passwordRangeURL.name), help: ArgumentHelp(.passwordRangeURL, valueName: "url"))
    var passwordRangeURL: String?

    @Option(
        name: .customLong(Setting.passwordListFailure.name),
        help: ArgumentHelp(.passwordListFailure, valueName: "answer"))
    var passwordListFailure: String?

    @Option(name: .customLong(Setting.sessionCache.name), help: ArgumentHelp(.sessionCache, valueName: "number"))
    var sessionCache: String?

    @Option(name: .customLong(Setting.logLevel.name), help: ArgumentHelp(.logLevel, valueName: "level"))
    var logLevel: String?

    @Option(name: .customLong(Setting.logFormat.name), help: ArgumentHelp(.logFormat, valueName: "form"))
    var logFormat: String?

    @Option(name: .customLong(Setting.requestTimeout.name), help: ArgumentHelp(.requestTimeout, valueName: "number"))
    var requestTimeout: String?

    @Option(name: .customLong(Setting.idleTimeout.name), help: ArgumentHelp(.idleTimeout, valueName: "number"))
    var idleTimeout: String?

    @OptionGroup(title: "Connections") var connections: ConnectionOptions

    @Option(
        name: .customLong(Setting.maximumHeaderBytes.name), help: ArgumentHelp(.maximumHeaderBytes, valueName: "number")
    )
    var maximumHeaderBytes: String?

    @Option(name: .customLong(Setting.maximumHeaders.name), help: ArgumentHelp(.maximumHeaders, valueName: "number"))
    var maximumHeaders: String?

    @Flag(
        name: .customLong(Setting.dev.name),
        help: ArgumentHelp("\(Setting.dev.description) Only on a loopback address. (\(Setting.dev.variable))"))
    var isDevelopment = false

    @Option(name: .customLong(Setting.appleURL.name), help: ArgumentHelp(.appleURL, valueName: "url"))
    var appleURL: String?

    @OptionGroup(title: "Mail") var mail: MailOptions

    @OptionGroup(title: "Single sign-on of admins") var signOn: SignOnOptions

    @OptionGroup(title: "Traces, metrics and audit log for others") var telemetry: TelemetryOptions

    /// All settings: these options over the environment over the configuration file.
    func settings() throws(CommandFault) -> ServerSettings {
        var values = storage.values
        values[Setting.listen.name] = listen
        values[Setting.databaseConnections.name] = databaseConnections
        values[Setting.publicURL.name] = publicURL
        values[Setting.trustedProxies.name] = trustedProxies
        values[Setting.privateNetworks.name] = privateNetworks
        values[Setting.firstPage.name] = firstPage
        values[Setting.rateLimits.name] = rateLimits
        values[Setting.firstLaunches.name] = firstLaunches
        values[Setting.passwordFailures.name] = passwordFailures
        values[Setting.oldAppFirstLaunches.name] = oldAppFirstLaunches
        values[Setting.oldAppPasswordFailures.name] = oldAppPasswordFailures
        values[Setting.oldAppMails.name] = oldAppMails
        values[Setting.oldAppCodeTries.name] = oldAppCodeTries
        values[Setting.oldAppProviderCredentials.name] = oldAppProviderCredentials
        values[Setting.searchTime.name] = searchTime
        values[Setting.searchReaders.name] = searchReaders
        values[Setting.searchTimePerAddress.name] = searchTimePerAddress
        values[Setting.searchTimePerApplication.name] = searchTimePerApplication
        values[Setting.passwordThreads.name] = passwordThreads
        values[Setting.passwordQueue.name] = passwordQueue
        values[Setting.passwordFilter.name] = passwordFilter
        values[Setting.passwordRangeURL.name] = passwordRangeURL
        values[Setting.passwordListFailure.name] = passwordListFailure
        values[Setting.sessionCache.name] = sessionCache
        values[Setting.logLevel.name] = logLevel
        values[Setting.logFormat.name] = logFormat
        values[Setting.requestTimeout.name] = requestTimeout
        values[Setting.idleTimeout.name] = idleTimeout
        values[Setting.maximumHeaderBytes.name] = maximumHeaderBytes
        values[Setting.maximumHeaders.name] = maximumHeaders
        if isDevelopment { values[Setting.dev.name] = "on" }
        values[Setting.appleURL.name] = appleURL
        values.merge(connections.values) { $1 }
        values.merge(mail.values) { $1 }
        values.merge(signOn.values) { $1 }
        values.merge(telemetry.values) { $1 }
        return try ServerSettings.read(values)
    }
}
