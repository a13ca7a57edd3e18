package import Domain
import Foundation
import HTTPSupport
package import Logging
package import OutboundServices
package import StoragePostgreSQL

/// Every setting's value. What each one means stands in `Setting`.
package struct ServerSettings: Sendable {
    package var host: String
    package var port: Int
    package var dataFolder: String
    /// Where the shared database is; `nil` for the embedded one.
    package var database: PostgreSQLAddress?
    package var databaseConnections: Int
    package var publicURL: String?
    package var trustedProxies: [IPNetwork]
    /// Where admins are; empty for anywhere.
    package var adminNetworks: [IPNetwork]
    /// What is no public address and may be asked all the same.
    package var privateNetworks: [IPNetwork]
    /// Where the API of Parse is served.
    package var parsePaths: [String]
    /// Whether `/` is a page.
    package var hasFirstPage: Bool
    package var hasRateLimits: Bool
    package var firstLaunchesPerHour: Int
    package var passwordFailuresPerHour: Int
    package var rightPasswordsPerHour: Int
    package var oldAppLimits: OldAppLimits
    package var searchLimits: SearchLimits
    package var passwordThreads: Int
    package var passwordQueue: Int
    /// What is known of leaked passwords.
    package var passwordLists: PasswordListSettings
    package var sessionCache: SessionCacheSize
    package var logLevel: Logger.Level
    package var logFormat: SystemLog.Form
    package var requestTimeout: Duration
    package var idleTimeout: Duration
    package var writeTimeout: Duration
    package var maximumConnections: Int
    package var maximumConnectionsPerAddress: Int
    package var maximumHeaderBytes: Int
    package var maximumHeaders: Int
    /// Where `/metrics` is served by itself; `nil` when it is not.
    package var metricsAddress: (host: String, port: Int)?
    /// What `/metrics` asks for beside the API; `nil` when it is not served there.
    package var metricsKey: Secret?
    /// The same for `okaeri status` alone, where the operator set nothing: drawn at each start, and kept in `status.key`.
    var statusKey: Secret?
    package var isDevelopment: Bool
    /// Where identity providers are.
    package var providers: ProviderAddresses
    /// 32 bytes; `nil` to take the file in the data folder.
    package var sealingKey: [UInt8]?
    /// Which keys there are beside it, and which one seals.
    package var sealingKeys: SealingKeysSettings
    /// Where the embedded database is replicated; `nil` when it is not.
    package var replica: ReplicaSettings?
    /// The mail server; `nil` without one.
    package var smtp: SMTPSettings?
    /// Whether these are a command's, and the server beside it sends mails.
    var isBesideMailingServer = false
    /// What is set for the log-in at a mail server although none is named.
    package var unusedMailSettings: [Setting]
    /// Where text messages go; `nil` when none are sent.
    package var textMessages: TextMessageSettings?
    /// The provider of admins; `nil` without one.
    package var adminSignOn: AdminSignOnSettings?
    /// The collector of traces and metrics; `nil` without one.
    package var telemetry: TelemetrySettings?
    /// Where a copy of the audit log is sent; `nil` when none is.
    package var auditStream: AuditStreamSettings?

    /// Reads all settings.
    ///
    /// - Parameters:
    ///   - commandLine: Values by setting name, without hyphens in front; `config` names a JSON file.
    ///   - environment: The process's environment variables.
    /// - Throws: `SettingFault`, which names setting, source, value and rule.
    package init(commandLine: [String: String] = [:], environment: [String: String]) throws(SettingFault) {
        let reader = SettingReader(
            sources: try SettingSources(commandLine: commandLine, environment: environment))
        (host, port) = try reader.required(.listen, Self.address)
        dataFolder = try reader.required(.data) { $0.isEmpty ? nil : $0 }
        database = try reader.optional(.database) { PostgreSQLAddress($0) }
        databaseConnections = try reader.number(.databaseConnections, 1...1000)
        publicURL = try reader.optional(.publicURL) { text in
            guard PublicAddress(text, proxies: TrustedProxies([])) != nil,
                EgressPolicy.isPort(URLComponents(string: text)?.port)
            else { return nil }
            return text
        }
        trustedProxies = try reader.required(.trustedProxies, Self.networks)
        adminNetworks = try reader.required(.adminNetworks, Self.networks)
        privateNetworks = try reader.required(.privateNetworks, Self.networks)
        parsePaths = try reader.required(.parsePaths, Self.paths)
        hasFirstPage = try reader.required(.firstPage) { ["on": true, "off": false][$0] }
        hasRateLimits = try reader.required(.rateLimits) { ["on": true, "off": false][$0] }
        firstLaunchesPerHour = try reader.number(.firstLaunches, 1...1_000_000)
        passwordFailuresPerHour = try reader.number(.passwordFailures, 1...1_000_000)
        rightPasswordsPerHour = try reader.number(.rightPasswords, 1...1_000_000)
        oldAppLimits = try reader.oldAppLimits(areOn: hasRateLimits)
        searchLimits = SearchLimits(
            time: .milliseconds(try reader.number(.searchTime, 10...60_000)),
            readers: try reader.number(.searchReaders, 1...64),
            perAddress: .seconds(try reader.number(.searchTimePerAddress, 1...3600)),
            perApplication: .seconds(try reader.number(.searchTimePerApplication, 1...3600)))
        if !hasRateLimits { (searchLimits.perAddress, searchLimits.perApplication) = (nil, nil) }
        passwordThreads = try reader.number(.passwordThreads, 1...256)
        passwordQueue = try reader.number(.passwordQueue, 1...100_000)
        passwordLists = try PasswordListSettings(reader)
        sessionCache = try reader.required(.sessionCache, Self.cacheSize)
        logLevel = try reader.required(.logLevel) { Logger.Level(rawValue: $0) }
        logFormat = try reader.required(.logFormat) { SystemLog.Form(rawValue: $0) }
        requestTimeout = .seconds(try reader.number(.requestTimeout, 1...3600))
        idleTimeout = .seconds(try reader.number(.idleTimeout, 1...3600))
        writeTimeout = .seconds(try reader.number(.writeTimeout, 1...3600))
        maximumConnections = try reader.number(.maximumConnections, 1...1_000_000)
        maximumConnectionsPerAddress = try reader.number(.maximumConnectionsPerAddress, 1...1_000_000)
        maximumHeaderBytes = try reader.number(.maximumHeaderBytes, 4096...1_048_576)
        maximumHeaders = try reader.number(.maximumHeaders, 16...1000)
        metricsAddress = try reader.optional(.metricsListen, Self.address)
        metricsKey = try reader.optional(.metricsKey, Self.bearerToken)
        if metricsAddress != nil, metricsKey != nil {
            throw SettingFault("\(Setting.metricsKey.name) is set, but must be \(Setting.metricsKey.rule).")
        }
        isDevelopment = try reader.required(.dev) { ["on": true, "off": false][$0] }
        providers = ProviderAddresses()
        providers.apple = try reader.required(.appleURL) { text in
            let url = text.hasSuffix("/") ? String(text.dropLast()) : text
            return EgressPolicy.isOperatorURL(url) ? url : nil
        }
        sealingKey = try SealingKeySource.key(reader, environment)
        sealingKeys = try SealingKeysSettings(reader, environment)
        replica = try ReplicaSettings(reader, hasDatabase: database != nil)
        smtp = try SMTPSettings(reader)
        unusedMailSettings = smtp == nil ? try SMTPSettings.logIn(reader) : []
        textMessages = try TextMessageSettings(reader)
        adminSignOn = try AdminSignOnSettings(reader)
        telemetry = try TelemetrySettings(reader)
        auditStream = try AuditStreamSettings(reader)
        if isDevelopment && !isLoopback {
            throw SettingFault(.dev, value: "on", source: "while listening on \(host)")
        }
        if !hasRateLimits && !isLoopback {
            throw SettingFault(.rateLimits, value: "off", source: "while listening on \(host)")
        }
    }

    /// All connections to the shared database that a node makes: for transactions, for searches and for news.
    package var allDatabaseConnections: Int { databaseConnections + searchLimits.readers + 1 }

    /// Where the data is, in words that may be shown.
    package enum StorageLocation: Hashable, Sendable {
        case folder(String)
        case database(String)
    }

    /// Where the data is.
    package var storageLocation: StorageLocation {
        database.map { .database($0.description) } ?? .folder(dataFolder)
    }

    /// Whether only this machine can reach the server.
    package var isLoopback: Bool {
        host == "localhost" || IPAddress(host)?.isLoopback == true
    }

    /// Whom the server may ask at addresses that tenants give. In development the fakes are on this machine.
    package func egress(to providers: ProviderAddresses) -> EgressPolicy {
        EgressPolicy(
            privateNetworks: privateNetworks + (isDevelopment ? IPNetwork.loopback : []),
            operatorURLs: providers.changed + (adminSignOn.map { [$0.operatorURL] } ?? []))
    }

    /// Whether clients come by a proxy that is not listed: the server itself speaks no TLS.
    package var hidesProxy: Bool { trustedProxies.isEmpty && isPublicURLEncrypted }

    /// Whether the public address is one of https.
    package var isPublicURLEncrypted: Bool { publicURL?.lowercased().hasPrefix("https:") == true }

    /// The lists of networks that hold the internet.
    package var boundlessNetworks: [Setting] {
        [(Setting.trustedProxies, trustedProxies), (.privateNetworks, privateNetworks)].filter {
            $0.1.contains(where: \.isBoundless)
        }.map(\.0)
    }

    private static func address(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...], radix: 10),
            (0...65_535).contains(port)
        else { return nil }
        let host = text[..<colon]
        if host == "localhost" { return ("localhost", port) }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host
        // An IPv6 address needs its brackets, or its last group would be taken for the port.
        guard IPAddress(bare) != nil,
            bare.utf8.contains(UInt8(ascii: ":")) == (bare.count != host.count)
        else { return nil }
        return (String(bare), port)
    }

    private static func bearerToken(_ text: String) -> Secret? {
        (16...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            ? Secret(text) : nil
    }

    /// A number of sessions, or an amount of memory.
    private static func cacheSize(_ text: String) -> SessionCacheSize? {
        if let count = Int(text, radix: 10) { return (0...10_000_000).contains(count) ? .sessions(count) : nil }
        let units = [("MB", 1_000_000), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        guard let (name, bytes) = units.first(where: { text.hasSuffix($0.0) }),
            let number = Int(text.dropLast(name.count), radix: 10), (1...100_000).contains(number)
        else { return nil }
        return .bytes(number * bytes)
    }

    /// Paths of one segment, which none of the other protocols has.
    private static func paths(_ text: String) -> [String]? {
        let others = ["v1", "api", "user", "health", "metrics", "2013-09-01", "dashboard"]
        let paths = text.split(separator: ",").map { $0.withoutBlanks }
        let areFree = paths.allSatisfy { path in
            path.hasPrefix("/") && (2...64).contains(path.utf8.count) && !others.contains(String(path.dropFirst()))
                && path.dropFirst().utf8.allSatisfy { byte in
                    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                        || byte < 0x80 && (Character(Unicode.Scalar(byte)).isLetter || (0x30...0x39).contains(byte))
                }
        }
        return areFree && Set(paths).count == paths.count ? paths : nil
    }

    static func networks(_ text: String) -> [IPNetwork]? {
        let names = text.split(separator: ",").map { $0.withoutBlanks }
        let networks = names.compactMap { IPNetwork($0) }
        // A list of nothing but commas was meant to name something: for who may come in, none at all stands for everybody.
        guard !names.isEmpty || text.isEmpty else { return nil }
        return networks.count == names.count ? networks : nil
    }
}

extension ServerSettings {
    /// How much the rules let through.
    var domainLimits: DomainWorld.Limits {
        func hourly(_ maximum: Int) -> RateLimit? { hasRateLimits ? .hourly(maximum) : nil }
        return DomainWorld.Limits(
            firstLaunches: hourly(firstLaunchesPerHour), passwordFailures: hourly(passwordFailuresPerHour),
            rightPasswords: hourly(rightPasswordsPerHour), oldApps: oldAppLimits, hasPasswordDelays: hasRateLimits,
            hasRateLimits: hasRateLimits,
            sessionCache: sessionCache, searches: searchLimits)
    }
}

/// Reads values by their rules.
struct SettingReader {
    let sources: SettingSources

    func optional<Value>(_ setting: Setting, _ parse: (String) -> Value?) throws(SettingFault) -> Value? {
        guard let (text, source) = try sources.value(of: setting) else { return nil }
        guard let value = parse(text) else { throw SettingFault(setting, value: text, source: source) }
        return value
    }

    func required<Value>(_ setting: Setting, _ parse: (String) -> Value?) throws(SettingFault) -> Value {
        if let value = try optional(setting, parse) { return value }
        guard let text = setting.defaultValue, let value = parse(text) else {
            throw SettingFault("\(setting.name) is missing and has no default.")
        }
        return value
    }

    func number(_ setting: Setting, _ range: ClosedRange<Int>) throws(SettingFault) -> Int {
        try required(setting) { text in
            Int(text, radix: 10).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// What apps of old protocols may do from one address.
    func oldAppLimits(areOn: Bool) throws(SettingFault) -> OldAppLimits {
        func limit(_ setting: Setting) throws(SettingFault) -> RateLimit? {
            let maximum = try number(setting, 1...1_000_000)
            return areOn ? .hourly(maximum) : nil
        }
        var limits = OldAppLimits()
        limits.firstLaunches = try limit(.oldAppFirstLaunches)
        limits.passwordFailures = try limit(.oldAppPasswordFailures)
        limits.rightPasswords = try limit(.oldAppRightPasswords)
        limits.mails = try limit(.oldAppMails)
        limits.codeTries = try limit(.oldAppCodeTries)
        limits.providerCredentials = try limit(.oldAppProviderCredentials)
        return limits
    }
}
