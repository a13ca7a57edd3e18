import Domain
import Foundation
import HTTPSupport
import Logging
import OkaeriServer
import Testing

/// The provider sends browsers back to the address that was registered there.
private let signOnSettings = ["admin-sign-on-issuer": "https://login.example.com", "admin-sign-on-client": "okaeri"]

@Suite("Settings")
final class SettingsTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("okaeri-settings-\(UUID().uuidString)")

    deinit {
        // Most tests make no file.
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("are all in the guides for operators, in both languages", arguments: ["docs", "docs/ja"])
    func guides(folder: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        var text = ""
        for name in ["running", "mail", "observability"] {
            let guide = root.appendingPathComponent("\(folder)/operations/\(name).md")
            text += try String(contentsOf: guide, encoding: .utf8)
        }
        for setting in Setting.all { #expect(text.contains("`\(setting.variable)`"), "\(setting.name)") }
    }

    @Test("has the documented defaults")
    func defaults() throws {
        let settings = try ServerSettings(environment: [:])
        #expect(settings.host == "127.0.0.1" && settings.port == 8080)
        #expect(settings.dataFolder == "okaeri-data")
        #expect(settings.publicURL == nil && settings.trustedProxies.isEmpty && settings.sealingKey == nil)
        #expect(settings.hasFirstPage && settings.hasRateLimits && settings.firstLaunchesPerHour == 30)
        #expect(settings.rightPasswordsPerHour == 3000 && settings.oldAppLimits.rightPasswords == .hourly(30_000))
        #expect(settings.sessionCache == .bytes(32_000_000) && settings.logLevel == .info)
        #expect(settings.maximumConnections == 10_000 && settings.maximumConnectionsPerAddress == 200)
        #expect(settings.idleTimeout == .seconds(30) && settings.writeTimeout == .seconds(30))
        #expect(settings.metricsAddress == nil && settings.metricsKey == nil)
    }

    @Test(
        "takes a public address as browsers write one",
        arguments: [
            "https://xn--r8jz45g.jp", "HTTPS://ID.example.com", "http://[2001:db8::1]:8080", "http://my_host:65535/id/",
        ])
    func publicAddress(text: String) throws {
        #expect(try ServerSettings(commandLine: ["public-url": text], environment: [:]).publicURL == text)
    }

    @Test(
        "lead admins to localhost on this machine, where browsers have passkeys, and else to where the server is",
        arguments: [
            ([:], "http://localhost:8080"), (["listen": "[::1]:8080"], "http://localhost:8080"),
            (["listen": "127.0.0.2:8080"], "http://127.0.0.2:8080"),
            (["listen": "0.0.0.0:8080"], "http://127.0.0.1:8080"),
            (["public-url": "https://id.example.com/"], "https://id.example.com"),
            (signOnSettings, "http://127.0.0.1:8080"),
            (signOnSettings.merging(["public-url": "https://id.example.com"]) { $1 }, "https://id.example.com"),
        ] as [([String: String], String)])
    func adminLink(values: [String: String], base: String) throws {
        let settings = try ServerSettings(commandLine: values, environment: [:])
        #expect(settings.adminLink(Secret("okl_1"), port: 8080) == "\(base)/dashboard/set-up?token=okl_1")
    }

    @Test("takes the metrics to an address of their own or gives them a key, and not both")
    func metrics() throws {
        let (address, key) = (("metrics-listen", "[::1]:9090"), ("metrics-key", "sixteen-letters!"))
        let own = try ServerSettings(commandLine: [address.0: address.1], environment: [:])
        #expect(own.metricsAddress?.host == "::1" && own.metricsAddress?.port == 9090)
        #expect(try ServerSettings(commandLine: [key.0: key.1], environment: [:]).metricsKey == Secret(key.1))
        for values in [
            [address, key], [("metrics-key", "fifteen-letters")], [("metrics-key", "has spaces in itself")],
        ] {
            let fault = #expect(throws: SettingFault.self) {
                try ServerSettings(
                    commandLine: Dictionary(uniqueKeysWithValues: values), environment: [:])
            }
            #expect(fault?.description.contains("metrics-key") == true)
            #expect(fault?.description.contains("letters") == false)
        }
    }

    @Test("takes the command line over the environment over the file")
    func precedence() throws {
        let file = try self.file(
            #"{"listen": "127.0.0.1:1", "first-launches": 7, "trusted-proxies": ["10.0.0.0/8", "::1"], "log-level": "debug", "log-format": "json"}"#
        )
        let settings = try ServerSettings(
            commandLine: ["listen": "127.0.0.1:3", "config": file],
            environment: ["OKAERI_LISTEN": "127.0.0.1:2", "OKAERI_LOG_LEVEL": "error"])
        #expect(settings.port == 3)
        #expect(settings.logLevel == .error && settings.logFormat == .json)
        #expect(try ServerSettings(environment: [:]).logFormat == .text)
        #expect(settings.firstLaunchesPerHour == 7)
        #expect(settings.trustedProxies.count == 2)
        #expect(try ServerSettings(environment: ["OKAERI_CONFIG": file]).port == 1)
    }

    @Test("takes numbers with a point from the file as from the environment, and names one that is none of a setting's")
    func fractions() throws {
        let collector = #""otlp-endpoint": "http://127.0.0.1:4318""#
        let half = try self.file("{\(collector), \"trace-ratio\": 0.5}")
        #expect(try ServerSettings(environment: ["OKAERI_CONFIG": half]).telemetry?.traceRatio == 0.5)
        let fault = #expect(throws: SettingFault.self) {
            try ServerSettings(environment: ["OKAERI_CONFIG": self.file(#"{"first-launches": 1.5}"#)])
        }
        #expect(fault?.description.contains("“1.5”") == true)
    }

    @Test(
        "names setting, source, value and rule of a bad value",
        arguments: [
            ("listen", "8080"), ("listen", "127.0.0.1:70000"), ("listen", "::1:8080"), ("listen", "example.test:80"),
            ("public-url", "id.example"), ("public-url", "ftp://id.example"), ("public-url", "https://id.example/?a=b"),
            ("public-url", "https://例え.jp"), ("public-url", "https://id example"),
            ("public-url", "https://id.example:"), ("public-url", "https://id.example:65536"),
            ("public-url", "https://[::1"), ("public-url", "https://id.example/é"),
            ("trusted-proxies", "10.0.0.0/33"), ("rate-limits", "no"), ("first-launches", "0"), ("first-page", "maybe"),
            ("first-launches", "many"), ("old-app-first-launches", "0"), ("old-app-password-failures", "-1"),
            ("right-passwords", "0"), ("old-app-right-passwords", "1000001"),
            ("old-app-mails", "0"), ("old-app-code-tries", "many"), ("old-app-provider-credentials", "1000001"),
            ("session-cache", "-1"), ("session-cache", "10000001"), ("session-cache", "64KB"), ("session-cache", "0MB"),
            ("session-cache", "64 MB"), ("session-cache", "100001GB"), ("session-cache", "9223372036854775807GiB"),
            ("log-level", "loud"), ("log-format", "JSON"), ("request-timeout", "0"),
            ("idle-timeout", "1.5"),
            ("search-time", "0"), ("search-readers", "0"), ("search-time-per-address", "0"),
            ("search-time-per-application", "1.5"),
            ("write-timeout", "0"), ("maximum-connections", "0"), ("maximum-connections-per-address", "none"),
            ("metrics-listen", "9090"), ("maximum-header-bytes", "1"), ("maximum-headers", "1"), ("data", ""),
        ])
    func badValues(name: String, value: String) throws {
        let setting = try #require(Setting.all.first { $0.name == name })
        let fault = #expect(throws: SettingFault.self) {
            try ServerSettings(environment: [setting.variable: value])
        }
        let words = try #require(fault?.description)
        for part in [name, setting.variable, "“\(value)”", setting.rule] { #expect(words.contains(part)) }
    }

    @Test(
        "takes the size of the session cache as a number of sessions or as an amount of memory",
        arguments: [
            ("0", SessionCacheSize.sessions(0)), ("2500", .sessions(2500)), ("64MB", .bytes(64_000_000)),
            ("1GiB", .bytes(1_073_741_824)), ("512MiB", .bytes(536_870_912)), ("2GB", .bytes(2_000_000_000)),
        ])
    func sessionCache(text: String, size: SessionCacheSize) throws {
        #expect(try ServerSettings(commandLine: ["session-cache": text], environment: [:]).sessionCache == size)
    }

    @Test("gives searches a time limit, readers and budgets; without rate limits no budgets")
    func searches() throws {
        #expect(try ServerSettings(environment: [:]).searchLimits == SearchLimits())
        let chosen = try ServerSettings(environment: [
            "OKAERI_SEARCH_TIME": "50", "OKAERI_SEARCH_READERS": "7", "OKAERI_SEARCH_TIME_PER_ADDRESS": "1",
            "OKAERI_SEARCH_TIME_PER_APPLICATION": "90",
        ])
        #expect(
            chosen.searchLimits
                == SearchLimits(
                    time: .milliseconds(50), readers: 7, perAddress: .seconds(1), perApplication: .seconds(90)))
        let off = try ServerSettings(environment: ["OKAERI_RATE_LIMITS": "off"]).searchLimits
        #expect(off == SearchLimits(perAddress: nil, perApplication: nil))
    }

    @Test(
        "never shows a name and a password in an address that is refused",
        arguments: [
            "smtp-url", "audit-stream", "text-message-webhook", "otlp-endpoint", "admin-sign-on-issuer", "public-url",
            "password-range-url",
        ])
    func passwordInAddress(name: String) throws {
        let setting = try #require(Setting.all.first { $0.name == name })
        for value in [
            "ftp://user:hunter2@host.example/x", "ftp://user:hun@ter2@host.example", "user:hunter2@host.example",
            "://hunter2@", "ftp://user:hunter2/@host.example",
        ] {
            let fault = #expect(throws: SettingFault.self) {
                try ServerSettings(environment: [setting.variable: value])
            }
            let words = try #require(fault?.description)
            #expect(!words.contains("hun") && !words.contains("ter2"), "\(words)")
        }
    }

    @Test(
        "refuses an address with a port that no server has, and names the setting",
        arguments: [
            ("smtp-url", "smtps://mail.example.com", ["mail-from": "a@example.com"]),
            ("public-url", "https://id.example.com", [:]), ("otlp-endpoint", "http://127.0.0.1", [:]),
            ("password-range-url", "https://range.example.com", [:]),
            ("audit-stream", "syslog+tcp://log.example.com", [:]),
            ("text-message-webhook", "https://sms.example.com", ["text-message-secret": "a secret of the webhook"]),
            ("admin-sign-on-issuer", "https://login.example.com", ["admin-sign-on-client": "okaeri"]),
        ] as [(String, String, [String: String])])
    func port(name: String, address: String, others: [String: String]) throws {
        func settings(_ port: Int) throws -> ServerSettings {
            try ServerSettings(
                commandLine: others.merging([name: "\(address):\(port)"]) { $1 }, environment: [:])
        }
        for port in [0, 65_536] {
            let fault = #expect(throws: SettingFault.self) { try settings(port) }
            #expect(fault?.description.hasPrefix("\(name) ") == true, "\(fault?.description ?? "")")
        }
        for port in [1, 65_535] { _ = try settings(port) }
    }

    @Test("finds networks that hold the internet, and a log-in at no mail server")
    func doubtful() throws {
        for (text, isDoubtful) in [
            ("0.0.0.0/0", true), ("::/0", true), ("10.0.0.0/8,::/0", true), ("0.0.0.0/1,128.0.0.0/1", true),
            ("2000::/3", true), ("::/64", true), ("10.0.0.0/8", false), ("fc00::/7", false), ("127.0.0.1,::1", false),
        ] {
            for setting in [Setting.trustedProxies, .privateNetworks] {
                let settings = try ServerSettings(environment: [setting.variable: text])
                #expect(settings.boundlessNetworks == (isDoubtful ? [setting] : []), "\(text)")
            }
        }
        let unused = try ServerSettings(environment: ["OKAERI_SMTP_USER": "u", "OKAERI_SMTP_PASSWORD": "p"])
        #expect(unused.unusedMailSettings.map(\.name) == ["smtp-user", "smtp-password"])
        #expect(try ServerSettings(environment: [:]).unusedMailSettings.isEmpty)
    }

    @Test("never shows the sealing key")
    func secretValue() throws {
        let fault = #expect(throws: SettingFault.self) {
            try ServerSettings(environment: ["OKAERI_SEALING_KEY": "c2hvcnQ="])
        }
        #expect(try #require(fault?.description).contains("c2hvcnQ") == false)
        let key = Data(repeating: 3, count: 32).base64EncodedString()
        #expect(try ServerSettings(environment: ["OKAERI_SEALING_KEY": key]).sealingKey?.count == 32)
    }

    @Test(
        "refuses to switch rate limits off while others can reach the server",
        arguments: [
            ("0.0.0.0:8080", false), ("[::]:8080", false), ("192.0.2.1:80", false), ("127.0.0.1:8080", true),
            ("[::1]:8080", true), ("localhost:8080", true), ("127.8.9.1:80", true),
        ])
    func limitsOff(listen: String, isAllowed: Bool) {
        let environment = ["OKAERI_LISTEN": listen, "OKAERI_RATE_LIMITS": "off"]
        // The error's words are checked above; here it counts whether there is one.
        #expect(((try? ServerSettings(environment: environment)) != nil) == isAllowed)
    }

    @Test(
        "refuses a file that is missing, no JSON, or has a name that is no setting",
        arguments: [
            nil, "{", "[]", #"{"lissten": "127.0.0.1:1"}"#, #"{"listen": {"port": 1}}"#, #"{"first-launches": 1.5}"#,
            #"{"listen": null}"#,
        ])
    func badFiles(text: String?) throws {
        let file = try text.map { try self.file($0) } ?? "missing-file.json"
        #expect(throws: SettingFault.self) {
            try ServerSettings(commandLine: ["config": file], environment: [:])
        }
    }

    @Test(
        "names the variable of a setting that another one asks for",
        arguments: [
            (
                ["smtp-url": "smtps://mail.example.com:465", "mail-from": "a@example.com", "smtp-user": "a"],
                "OKAERI_SMTP_PASSWORD"
            ),
            (["smtp-url": "smtps://mail.example.com:465"], "OKAERI_MAIL_FROM"),
            (["text-message-webhook": "https://sms.example.com"], "OKAERI_TEXT_MESSAGE_SECRET"),
        ])
    func missing(values: [String: String], variable: String) {
        let fault = #expect(throws: SettingFault.self) { try ServerSettings(commandLine: values, environment: [:]) }
        #expect(fault?.description.contains("(\(variable)) is missing") == true)
    }

    @Test("takes true and false in the file as on and off")
    func booleans() throws {
        let file = try self.file(#"{"first-page": false, "rate-limits": true, "first-launches": 1, "dev": true}"#)
        let settings = try ServerSettings(commandLine: ["config": file], environment: [:])
        #expect(!settings.hasFirstPage && settings.hasRateLimits && settings.isDevelopment)
        #expect(settings.firstLaunchesPerHour == 1)
        let wrong = try self.file(#"{"first-launches": true}"#)
        let fault = #expect(throws: SettingFault.self) {
            try ServerSettings(commandLine: ["config": wrong], environment: [:])
        }
        #expect(fault?.description.contains("“on”") == true)
    }

    @Test(
        "says that a file is no JSON, and where",
        arguments: [
            ("{\"listen\": \"127.0.0.1:1\",\n \"dev\" true}", "is no JSON: line 2, character 8."),
            ("", "ends too early"),
            ("the secret\n", "is no JSON: line 1, character 2."),
            ("{\"dev\": true,", "ends too early"), ("[1]", "must be one JSON object"),
        ])
    func noJSON(text: String, words: String) throws {
        let file = try self.file(text)
        let fault = #expect(throws: SettingFault.self) {
            try ServerSettings(commandLine: ["config": file], environment: [:])
        }
        let description = try #require(fault?.description)
        #expect(description.contains(words) && description.contains(file), "\(description)")
        #expect(!description.contains("Cocoa") && !description.contains("secret"))
    }

    @Test(
        "takes the provider of admins only whole, and never makes owners by it",
        arguments: [
            ["admin-sign-on-issuer": "https://login.example.com"], ["admin-sign-on-client": "okaeri"],
            ["admin-sign-on-secret": "secret"], ["admin-passwords": "off"],
            ["admin-sign-on-issuer": "http://login.example.com", "admin-sign-on-client": "okaeri"],
            ["admin-sign-on-issuer": "https://login.example.com?a=b", "admin-sign-on-client": "okaeri"],
            ["admin-sign-on-domain": "example.com"], ["admin-sign-on-role": "support"],
            ["admin-sign-on-domain": "example.com", "admin-sign-on-role": "owner"],
            ["admin-sign-on-domain": "@example.com", "admin-sign-on-role": "support"],
            ["admin-sign-on-secret-file": "/nowhere/at/all"],
        ])
    func signOn(values: [String: String]) throws {
        let isAlone = values.keys.contains("admin-sign-on-issuer") || values.count == 1
        let whole = ["admin-sign-on-issuer": "https://login.example.com", "admin-sign-on-client": "okaeri"]
        #expect(throws: SettingFault.self) {
            try ServerSettings(commandLine: isAlone ? values : values.merging(whole) { $1 }, environment: [:])
        }
        let file = try self.file("the secret\n")
        let settings = try ServerSettings(
            commandLine: whole.merging([
                "admin-sign-on-secret-file": file, "admin-sign-on-domain": "Example.com",
                "admin-sign-on-role": "support", "admin-passwords": "off",
            ]) { $1 }, environment: [:])
        let signOn = try #require(settings.adminSignOn)
        #expect(signOn.secret == Secret("the secret") && signOn.endsPasswords)
        #expect(signOn.joining?.domain == "example.com" && signOn.joining?.role == .support)
        #expect(try ServerSettings(environment: [:]).adminSignOn == nil)
    }

    @Test("describes every setting")
    func descriptions() {
        for setting in Setting.all {
            #expect(!setting.description.isEmpty && setting.variable.hasPrefix("OKAERI_"))
            // No network at all is a choice, too.
            #expect(
                setting.defaultValue?.isEmpty != true
                    || ["trusted-proxies", "admin-networks", "allow-private-networks", "trace-callers"]
                        .contains(setting.name)
            )
        }
        #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
    }

    /// A file that ends with the test.
    private func file(_ text: String) throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("\(UUID().uuidString).json")
        try Data(text.utf8).write(to: url)
        return url.path
    }
}
