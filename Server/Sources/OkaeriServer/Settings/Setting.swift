/// One thing that an operator can decide: how it is called everywhere, and what it means.
package struct Setting: Hashable, Sendable {
    /// The name on the command line (`--public-url`) and in the configuration file (`"public-url"`).
    package let name: String
    /// The value when nothing sets it, as it would be written; `nil` when there is none.
    package let defaultValue: String?
    /// The unit of the value, for example `seconds`.
    package let unit: String?
    /// What stands for its value in the help of a command, for example `number`; `nil` for what is no option with a value.
    package let form: String?
    /// What it decides, in a sentence.
    package let description: String
    /// What a value must be, to end the sentence "must be …".
    package let rule: String
    /// Whether its value must never be shown.
    package let isSecret: Bool

    private init(
        _ name: String, default defaultValue: String?, unit: String? = nil, form: String? = nil,
        _ description: String, rule: String, isSecret: Bool = false
    ) {
        self.name = name
        self.defaultValue = defaultValue
        self.unit = unit
        self.form = form
        self.description = description
        self.rule = rule
        self.isSecret = isSecret
    }

    /// The environment variable: `OKAERI_PUBLIC_URL`.
    package var variable: String {
        "OKAERI_" + name.uppercased().replacing("-", with: "_")
    }
}

extension Setting {
    package static let listen = Setting(
        "listen", default: "127.0.0.1:8080", form: "address:port", "Where the server listens.",
        rule: "an address and a port, such as 127.0.0.1:8080 or [::]:8080; port 0 takes any free one")
    package static let data = Setting(
        "data", default: "okaeri-data", form: "folder",
        "The folder of the embedded database and the server's own files.",
        rule: "the path of a folder; it is made when it is missing")
    package static let database = Setting(
        "database", default: nil, form: "url",
        "A PostgreSQL database that any number of nodes share, in place of the embedded one.",
        rule:
            "a connection string such as postgresql://okaeri@db.example.com/okaeri, with % and two digits for what is "
            + "special in it",
        isSecret: true)
    package static let databaseConnections = Setting(
        "database-connections", default: "8", unit: "connections", form: "number",
        "How many connections a node has to PostgreSQL; one more is for news of other nodes, and some for searches.",
        rule: "a whole number from 1 to 1000")
    package static let publicURL = Setting(
        "public-url", default: nil, form: "url",
        "The address by which clients reach the server. When set, proofs must name it, whatever Host a request has.",
        rule:
            "an http or https address such as https://id.example.com, with a host of other letters in its form with "
            + "xn--")
    package static let trustedProxies = Setting(
        "trusted-proxies", default: "", form: "networks", "Whose X-Forwarded-For, -Proto and -Host are believed.",
        rule: "addresses and networks with commas between, such as 10.0.0.0/8,2001:db8::1")
    package static let adminNetworks = Setting(
        "admin-networks", default: "", form: "networks",
        "From which networks the dashboard and the admin API are reached, also with keys; nobody else sees that they are "
            + "there. Empty for any.",
        rule: "addresses and networks with commas between, such as 10.8.0.0/16,2001:db8::1")
    package static let privateNetworks = Setting(
        "allow-private-networks", default: "", form: "networks",
        "Which networks the server may ask, by https or http, for providers that applications name, although they are not "
            + "the public internet.",
        rule: "addresses and networks with commas between, such as 10.20.0.0/16,fd00::/8")
    package static let parsePaths = Setting(
        "parse-paths", default: "/parse,/1", form: "paths", "Where the API of Parse is served.",
        rule: "paths with commas between, each a slash and one segment that nothing else has, such as /parse,/1")
    package static let firstPage = Setting(
        "first-page", default: "on", form: "on|off", "Whether / shows a page that says what this server is.",
        rule: "on or off")
    package static let rateLimits = Setting(
        "rate-limits", default: "on", form: "on|off",
        "Whether rate limits hold. Off is for load tests on this machine.",
        rule: "on or off; off only while listening on a loopback address")
    package static let firstLaunches = Setting(
        "first-launches", default: "30", unit: "an hour", form: "number",
        "How many new users one address (IPv6: one /64 network) can make.", rule: "a whole number from 1 to 1000000")
    package static let passwordFailures = Setting(
        "password-failures", default: "120", unit: "an hour", form: "number",
        "How many wrong passwords one address (IPv6: one /64 network) can send.",
        rule: "a whole number from 1 to 1000000")
    package static let rightPasswords = Setting(
        "right-passwords", default: "3000", unit: "an hour", form: "number",
        "How many right passwords, and new ones, one address (IPv6: one /64 network) can send.",
        rule: "a whole number from 1 to 1000000")
    package static let oldAppFirstLaunches = Setting(
        "old-app-first-launches", default: "3000", unit: "an hour", form: "number",
        "The same of new users by apps of NCMB, Parse, Kii and AuthService, which are counted apart.",
        rule: "a whole number from 1 to 1000000")
    package static let oldAppPasswordFailures = Setting(
        "old-app-password-failures", default: "3000", unit: "an hour", form: "number",
        "The same of wrong passwords by apps of NCMB, Parse, Kii and AuthService, which are counted apart.",
        rule: "a whole number from 1 to 1000000")
    package static let oldAppRightPasswords = Setting(
        "old-app-right-passwords", default: "30000", unit: "an hour", form: "number",
        "The same of right passwords by apps of NCMB, Parse, Kii and AuthService, which are counted apart.",
        rule: "a whole number from 1 to 1000000")
    package static let oldAppMails = Setting(
        "old-app-mails", default: "300", unit: "an hour", form: "number",
        "How many mails and text messages such apps can order from one address (IPv6: one /64 network).",
        rule: "a whole number from 1 to 1000000")
    package static let oldAppCodeTries = Setting(
        "old-app-code-tries", default: "600", unit: "an hour", form: "number",
        "How many mailed codes such apps can try from one address (IPv6: one /64 network).",
        rule: "a whole number from 1 to 1000000")
    package static let oldAppProviderCredentials = Setting(
        "old-app-provider-credentials", default: "3000", unit: "an hour", form: "number",
        "How many credentials of identity providers such apps can present from one address (IPv6: one /64 network).",
        rule: "a whole number from 1 to 1000000")
    package static let searchTime = Setting(
        "search-time", default: "300", unit: "milliseconds", form: "number",
        "How long the searches of one request may take before they are stopped.",
        rule: "a whole number from 10 to 60000")
    package static let searchReaders = Setting(
        "search-readers", default: "2", unit: "readers", form: "number",
        "How many searches run at a time; with PostgreSQL that many connections more.",
        rule: "a whole number from 1 to 64")
    package static let searchTimePerAddress = Setting(
        "search-time-per-address", default: "6", unit: "seconds a minute", form: "number",
        "How long clients of one address (IPv6: one /64 network) may search in one application.",
        rule: "a whole number from 1 to 3600")
    package static let searchTimePerApplication = Setting(
        "search-time-per-application", default: "30", unit: "seconds a minute", form: "number",
        "How long all clients of one application may search.", rule: "a whole number from 1 to 3600")
    package static let passwordThreads = Setting(
        "password-threads", default: "2", unit: "threads", form: "number",
        "How many passwords are hashed at a time; each takes 19 MiB while it is.", rule: "a whole number from 1 to 256")
    package static let passwordQueue = Setting(
        "password-queue", default: "64", unit: "passwords", form: "number",
        "How many passwords may wait to be hashed, half of them of one application, before further ones are refused.",
        rule: "a whole number from 1 to 100000")
    package static let passwordFilter = Setting(
        "password-filter", default: nil, form: "file",
        "A file of leaked passwords, made by “okaeri passwords build-filter”: nobody can choose one of them any more.",
        rule: "the path of a password filter that can be read")
    package static let passwordRangeURL = Setting(
        "password-range-url", default: nil, form: "url",
        "A service that is asked whether new passwords are known from leaks, by the first five digits of their SHA-1 digests.",
        rule: "an https address, or an http address of this machine, such as https://api.pwnedpasswords.com/range/")
    package static let passwordListFailure = Setting(
        "password-list-failure", default: "accept", form: "answer",
        "What happens to a new password when password-filter or password-range-url gives no answer.",
        rule: "accept, or refuse for an answer that asks to try again")
    package static let sessionCache = Setting(
        "session-cache", default: "32MB", form: "size",
        "How much memory the sessions may take that are kept in it, or how many they may be, whatever their users hold.",
        rule: "a whole number from 0 to 10000000, or a number from 1 to 100000 with MB, GB, MiB or GiB behind it")
    package static let logLevel = Setting(
        "log-level", default: "info", form: "level", "What is logged.",
        rule: "one of trace, debug, info, notice, warning, error, critical")
    package static let logFormat = Setting(
        "log-format", default: "text", form: "form", "How the lines of the log are written.",
        rule: "text, or json for one object a line")
    package static let requestTimeout = Setting(
        "request-timeout", default: "10", unit: "seconds", form: "number", "How long a client may take to send a body.",
        rule: "a whole number from 1 to 3600")
    package static let idleTimeout = Setting(
        "idle-timeout", default: "30", unit: "seconds", form: "number",
        "How long a connection may take to send the head of a request, and stay open without one. Those of "
            + "trusted proxies may stay 620 seconds.",
        rule: "a whole number from 1 to 3600")
    package static let writeTimeout = Setting(
        "write-timeout", default: "30", unit: "seconds", form: "number",
        "How long a client may take no part of an answer that waits for it, or less than 1000 bytes a second.",
        rule: "a whole number from 1 to 3600")
    package static let maximumConnections = Setting(
        "maximum-connections", default: "10000", unit: "connections", form: "number",
        "How many connections can be open; fewer when the system gives the process fewer files.",
        rule: "a whole number from 1 to 1000000")
    package static let maximumConnectionsPerAddress = Setting(
        "maximum-connections-per-address", default: "200", unit: "connections", form: "number",
        "How many connections one address (IPv6: one /64 network) can have. This machine and trusted proxies have no "
            + "such limit.",
        rule: "a whole number from 1 to 1000000")
    package static let maximumHeaderBytes = Setting(
        "maximum-header-bytes", default: "16384", unit: "bytes", form: "number",
        "How long all headers of a request can be together.",
        rule: "a whole number from 4096 to 1048576")
    package static let maximumHeaders = Setting(
        "maximum-headers", default: "64", unit: "headers", form: "number", "How many headers a request can have.",
        rule: "a whole number from 16 to 1000")
    package static let metricsListen = Setting(
        "metrics-listen", default: nil, form: "address:port",
        "Where /metrics is served by itself, to everybody who can connect there. The other address then has no /metrics.",
        rule: "an address and a port, such as 127.0.0.1:9090 or [::1]:9090")
    package static let metricsKey = Setting(
        "metrics-key", default: nil,
        "The bearer token that /metrics asks for where the server listens. Without it, and without metrics-listen, nobody "
            + "reads /metrics.",
        rule: "at least 16 printable ASCII characters without spaces; metrics-listen must not be set", isSecret: true)
    package static let dev = Setting(
        "dev", default: "off",
        "Whether the server serves development: mails go to an outbox, and in okaeri-dev a fake plays Apple.",
        rule: "on or off; on only while listening on a loopback address")
    package static let appleURL = Setting(
        "apple-url", default: "https://appleid.apple.com", form: "url",
        "Apple's server for Sign in with Apple. Another one is for development, where a fake plays Apple.",
        rule: "an https address, or an http address of this machine")
    package static let sealingKey = Setting(
        "sealing-key", default: nil,
        "The key that seals secrets at rest; with PostgreSQL the same for all nodes. With the embedded database it can be "
            + "left out for the file sealing.key in the data folder, made at the first start.",
        rule:
            "32 bytes in base64, or where they are: file:PATH, credential:NAME of systemd, or command:PROGRAM ARGUMENTS",
        isSecret: true)
    package static let sealingKeys = Setting(
        "sealing-keys", default: nil,
        "Several sealing keys: the first one seals, all of them open. Left out for sealing-key alone, from which digests "
            + "derive for ever.",
        rule:
            "items as sealing-key has them, with commas between, the word sealing-key for that key, and lost:ID for a key "
            + "that is given up", isSecret: true)

    package static let replica = Setting(
        "replica", default: nil, form: "repository",
        "Where the embedded database is replicated, each second: a folder, or s3://bucket/prefix. Without one it is not.",
        rule: "a folder that is there, or s3://bucket/prefix; replica-key must be set too, and database must not")
    package static let replicaKey = Setting(
        "replica-key", default: nil, form: "key", "The public key that the replica is sealed to.",
        rule: "a key as “okaeri backup new-key” prints it, and replica must be set too")
    package static let replicaDays = Setting(
        "replica-days", default: "7", unit: "days", form: "number", "How far back the replica goes.",
        rule: "a whole number from 1 to 3650")
    package static let replicaHeartbeat = Setting(
        "replica-heartbeat", default: "60", unit: "seconds", form: "number",
        "After how long a part is stored though nothing was written. A standby's copy is no younger while nothing is.",
        rule: "a whole number from 1 to 60")

    package static let smtpURL = Setting(
        "smtp-url", default: nil, form: "url",
        "The mail server. Without one, what needs a mail is answered with mail_unavailable.",
        rule: "smtp://host:587 for STARTTLS or smtps://host:465 for TLS, without path, user and password")
    package static let smtpUser = Setting(
        "smtp-user", default: nil, form: "name", "The name by which the server logs in to the mail server.",
        rule: "a name, and smtp-password must be set too")
    package static let smtpPassword = Setting(
        "smtp-password", default: nil, "The password that goes with smtp-user.",
        rule: "a password, and smtp-user must be set too", isSecret: true)
    package static let smtpTLS = Setting(
        "smtp-tls", default: "required", form: "required|off",
        "Whether mails to smtp:// go out encrypted or not at all; off is for a mail server on a network of your own.",
        rule: "required or off; required when there is a password, unless the mail server is on this machine")
    package static let smtpCertificates = Setting(
        "smtp-certificates", default: nil, form: "file", "A PEM file of certificates to trust instead of the system's.",
        rule: "the path of a file that can be read")
    package static let mailFrom = Setting(
        "mail-from", default: nil, form: "address", "The address that mails come from.",
        rule: "a mail address in ASCII; it must be set when smtp-url is")

    package static let textMessageWebhook = Setting(
        "text-message-webhook", default: nil, form: "url",
        "Where text messages are handed over. Without one, what needs a text message is refused.",
        rule: "an https address, or an http address of this machine; text-message-secret must be set too")
    package static let textMessageSecret = Setting(
        "text-message-secret", default: nil, "What signs the calls of text-message-webhook.",
        rule: "at least 16 characters, and text-message-webhook must be set too", isSecret: true)

    package static let adminSignOnIssuer = Setting(
        "admin-sign-on-issuer", default: nil, form: "url",
        "The OpenID Connect provider by which admins log in to the dashboard. Without one there is no single sign-on.",
        rule: "an https address, or an http address of this machine, and admin-sign-on-client must be set too")
    package static let adminSignOnClient = Setting(
        "admin-sign-on-client", default: nil, form: "id", "The client id of this server at admin-sign-on-issuer.",
        rule: "1 to 200 characters, and admin-sign-on-issuer must be set too")
    package static let adminSignOnSecret = Setting(
        "admin-sign-on-secret", default: nil,
        "The client secret that goes with admin-sign-on-client. Without one this server is a public client.",
        rule: "a secret; admin-sign-on-issuer must be set, and admin-sign-on-secret-file must not", isSecret: true)
    package static let adminSignOnSecretFile = Setting(
        "admin-sign-on-secret-file", default: nil, form: "file",
        "A file that holds that secret instead, read at the start.",
        rule: "the path of a file of at most 4096 bytes that can be read; admin-sign-on-issuer must be set")
    package static let adminSignOnDomain = Setting(
        "admin-sign-on-domain", default: nil, form: "domain",
        "The domain of mail addresses, verified by the provider, whose people become admins at their first log-in.",
        rule: "a domain such as example.com; admin-sign-on-issuer and admin-sign-on-role must be set too")
    package static let adminSignOnRole = Setting(
        "admin-sign-on-role", default: nil, form: "role", "The role of those admins. Owners are never made so.",
        rule: "operator, support or auditor, and admin-sign-on-domain must be set too")
    package static let adminPasswords = Setting(
        "admin-passwords", default: "on", form: "on|off",
        "Whether admins log in by password. Off holds as soon as an owner is linked to admin-sign-on-issuer; "
            + "“okaeri admin reset” lets anybody in again.",
        rule: "on or off; off only with admin-sign-on-issuer")

    package static let otlpEndpoint = Setting(
        "otlp-endpoint", default: nil, form: "url",
        "The collector that traces and metrics are sent to, by OTLP over HTTP. Without one no traces are made.",
        rule: "an http or https address such as http://127.0.0.1:4318, without query, name and password")
    package static let otlpSignals = Setting(
        "otlp-signals", default: "traces,metrics", form: "signals", "What is sent to otlp-endpoint.",
        rule: "traces, metrics, or both with a comma between")
    package static let otlpHeaders = Setting(
        "otlp-headers", default: nil, "Headers for otlp-endpoint, by which the collector knows the server.",
        rule:
            "name=value with commas between, with % and two digits for what is special in a value; otlp-endpoint must be "
            + "set, and be https or on this machine", isSecret: true)
    package static let otlpResource = Setting(
        "otlp-resource", default: nil, form: "pairs",
        "What the collector learns of this server, beside service.name, service.version and service.instance.id.",
        rule: "name=value with commas between, with % and two digits for what is special in a value, such as "
            + "deployment.environment.name=production")
    package static let otlpMetricsInterval = Setting(
        "otlp-metrics-interval", default: "60", unit: "seconds", form: "number",
        "How often metrics are sent to otlp-endpoint.",
        rule: "a whole number from 5 to 3600")
    package static let traceRatio = Setting(
        "trace-ratio", default: "0.1", form: "ratio", "Which part of the traces that begin at this server is recorded.",
        rule: "a number from 0 to 1, such as 0.05")
    package static let traceCallers = Setting(
        "trace-callers", default: "", form: "networks",
        "Whose traceparent is believed: their traces go on here, and they decide whether those are recorded.",
        rule: "addresses and networks with commas between, such as 10.0.0.0/8,2001:db8::1")

    package static let auditStream = Setting(
        "audit-stream", default: nil, form: "url",
        "Where a copy of the audit log is sent, an object of JSON for each entry.",
        rule:
            "syslog+udp://host:514, syslog+tcp://host:601, syslog+unix:///dev/log, or for a webhook an https address or "
            + "an http address of this machine")
    package static let auditStreamSecret = Setting(
        "audit-stream-secret", default: nil, "What signs the calls of a webhook that audit-stream names.",
        rule: "at least 16 characters, and audit-stream must be a webhook", isSecret: true)

    /// All settings, in the order of the documentation.
    package static let all: [Setting] = [
        listen, data, database, databaseConnections, publicURL, trustedProxies, adminNetworks, privateNetworks,
        parsePaths,
        firstPage, rateLimits, firstLaunches, passwordFailures, rightPasswords, oldAppFirstLaunches,
        oldAppPasswordFailures, oldAppRightPasswords, oldAppMails, oldAppCodeTries, oldAppProviderCredentials,
        searchTime, searchReaders,
        searchTimePerAddress, searchTimePerApplication, passwordThreads, passwordQueue, passwordFilter,
        passwordRangeURL, passwordListFailure, sessionCache, logLevel, logFormat,
        requestTimeout, idleTimeout,
        writeTimeout, maximumConnections, maximumConnectionsPerAddress, maximumHeaderBytes, maximumHeaders,
        metricsListen, metricsKey, appleURL, sealingKey, sealingKeys, replica, replicaKey, replicaDays,
        replicaHeartbeat, dev, smtpURL,
        smtpUser, smtpPassword, smtpTLS,
        smtpCertificates, mailFrom, textMessageWebhook, textMessageSecret, adminSignOnIssuer,
        adminSignOnClient, adminSignOnSecret, adminSignOnSecretFile, adminSignOnDomain, adminSignOnRole, adminPasswords,
        otlpEndpoint, otlpSignals, otlpHeaders, otlpResource, otlpMetricsInterval, traceRatio, traceCallers,
        auditStream, auditStreamSecret,
    ]

    /// Secrets that the environment and the configuration file alone can say.
    package static let withoutOptions = all.filter { $0.isSecret && $0.form == nil }

    /// The variable that names the configuration file, as `--config` does.
    package static let fileVariable = "OKAERI_CONFIG"
}

/// A setting that cannot be used, in words for the operator.
package struct SettingFault: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    /// A setting that another one asks for.
    init(missing setting: Setting) {
        description = "\(setting.name) (\(setting.variable)) is missing; it must be \(setting.rule)."
    }

    init(_ setting: Setting, value: String, source: String) {
        let shown = setting.isSecret ? "‹secret›" : "“\(Self.masked(value, of: setting))”"
        description = "\(setting.name) (\(source)) is \(shown), but must be \(setting.rule)."
    }

    /// The value of an address without the name and the password in it, whatever else may be wrong with it.
    private static func masked(_ value: String, of setting: Setting) -> String {
        guard setting.form == "url" || value.contains("://"), let end = value.lastIndex(of: "@") else { return value }
        let scheme = value[..<end].firstRange(of: "://").map { value[..<$0.upperBound] } ?? ""
        return "\(scheme)‹secret›\(value[end...])"
    }
}
