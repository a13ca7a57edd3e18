import ArgumentParser
import OkaeriServer

/// How many connections there can be, and where the metrics are. The key of the metrics comes from the environment or the
/// configuration file alone.
struct ConnectionOptions: ParsableArguments {
    @Option(name: .customLong(Setting.writeTimeout.name), help: ArgumentHelp(.writeTimeout, valueName: "number"))
    var writeTimeout: String?

    @Option(
        name: .customLong(Setting.maximumConnections.name), help: ArgumentHelp(.maximumConnections, valueName: "number")
    )
    var maximumConnections: String?

    @Option(
        name: .customLong(Setting.maximumConnectionsPerAddress.name),
        help: ArgumentHelp(.maximumConnectionsPerAddress, valueName: "number"))
    var maximumConnectionsPerAddress: String?

    @Option(
        name: .customLong(Setting.metricsListen.name), help: ArgumentHelp(.metricsListen, valueName: "address:port"))
    var metricsListen: String?

    /// What the options say, by setting name.
    var values: [String: String] {
        var values: [String: String] = [:]
        values[Setting.writeTimeout.name] = writeTimeout
        values[Setting.maximumConnections.name] = maximumConnections
        values[Setting.maximumConnectionsPerAddress.name] = maximumConnectionsPerAddress
        values[Setting.metricsListen.name] = metricsListen
        return values
    }
}
