import Foundation
import Okaeri
import OkaeriWire
import Testing

@Suite("Commands")
struct CommandTests {
    private let folder = TestFolder()

    @Test("tell the version")
    func version() async throws {
        let finished = try await Program.run("--version")
        #expect(finished.status == 0)
        #expect(finished.output.split(separator: ".").count == 3)
    }

    @Test(
        "leave nothing open in the process that ran them",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc")))
    func openFiles() async throws {
        _ = try await Program.run("--version")
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { descriptor in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        }
        // Those of programs that run beside this test still have their names.
        #expect(open.filter { $0.hasSuffix("/output (deleted)") || $0.hasSuffix("/errors (deleted)") } == [])
    }

    @Test(
        "fail when what they print is not taken, as on a full disk",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() async throws {
        let printed = try await ChildProcess("/bin/sh", ["-c", #"exec "$0" --version > /dev/full"#, Program.path()])
            .finished()
        #expect(printed.status == 1 && printed.errors.contains("Standard output did not take everything"))
    }

    @Test("refuse words and settings of a terminal that is not set to UTF-8, before a name or folder is made of them")
    func otherEncoding() async throws {
        for words in [#"application create "$word" --data "$1""#, #"application create A --data "$1/$word""#] {
            let refused = try await ChildProcess(
                "/bin/sh", ["-c", #"word=$(printf '\202\240'); exec "$0" "# + words, Program.path(), folder.path]
            ).finished()
            #expect(refused.status == 2 && refused.errors.contains("not written in UTF-8"), "\(refused.errors)")
        }
        let variable = #"export OKAERI_DATA="$1/$(printf '\202\240')"; exec "$0" application create A"#
        let named = try await ChildProcess("/bin/sh", ["-c", variable, Program.path(), folder.path]).finished()
        #expect(named.status == 2 && named.errors.contains("OKAERI_DATA is not written in UTF-8"), "\(named.errors)")
        // A connection string has a password, which stands in no message.
        let address = #"word=$(printf '\202\240'); exec "$0" migrate --database "postgresql://a:secret$word@localhost""#
        let refused = try await ChildProcess("/bin/sh", ["-c", address, Program.path()]).finished()
        #expect(refused.status == 2 && refused.errors.contains("Word 3 behind “okaeri”"), "\(refused.errors)")
        #expect(!refused.errors.contains("secret") && !refused.output.contains("secret"))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test(
        "let nothing through that steers a terminal, in sentences and in JSON",
        arguments: ["\u{1B}[2J", "\u{9B}2J", "\u{7}", "\r", "\u{7F}", "\u{202E}"])
    func hostileTexts(mark: String) async throws {
        let path = "\(folder.path)/a\(mark)b"
        let missing = try await Program.run("backup", "list", "--from", path)
        #expect(missing.status == 1 && missing.errors.contains("/a\u{FFFD}"), "\(missing.errors)")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let empty = try await Program.run("backup", "list", "--from", path)
        #expect(empty.status == 0 && empty.output.contains("/a\u{FFFD}"), "\(empty.output)")
        // A program reads it as it is.
        let file = "\(path)/okaeri-1.backup"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        let list = try await Program.run("backup", "list", "--from", path, "--json")
        #expect(try list.json([Faulty].self).first?.fault.contains(file) == true, "\(list.output)")
        for text in [missing.errors, empty.output, list.output] {
            #expect(!text.unicodeScalars.contains { $0 == mark.unicodeScalars.first }, "\(text)")
        }
    }

    private struct Faulty: Decodable {
        let fault: String
    }

    @Test("show first in the help of serve what most servers set")
    func firstOptions() async throws {
        let lines = try await Program.run("serve", "--help").output.split(separator: "\n").map(String.init)
        let options = lines.filter { $0.hasPrefix("  --") }.compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(
            Array(options.prefix(7)) == [
                "--listen", "--data", "--database", "--config", "--public-url", "--trusted-proxies", "--dev",
            ])
    }

    @Test("take every setting but secrets as an option of serve")
    func settingOptions() async throws {
        let lines = try await Program.run("serve", "--help").output
        let help = lines.split { $0.isWhitespace }.joined(separator: " ")
        for option in [
            "listen <address:port>", "data <folder>", "database <url>", "config <file>",
            "database-connections <number>",
            "public-url <url>", "trusted-proxies <networks>", "allow-private-networks <networks>",
            "parse-paths <paths>", "first-page <on|off>", "rate-limits <on|off>", "first-launches <number>",
            "password-failures <number>", "right-passwords <number>", "old-app-first-launches <number>",
            "old-app-password-failures <number>", "old-app-right-passwords <number>",
            "old-app-mails <number>", "old-app-code-tries <number>", "old-app-provider-credentials <number>",
            "search-time <number>", "search-readers <number>", "search-time-per-address <number>",
            "search-time-per-application <number>", "password-threads <number>", "password-queue <number>",
            "password-filter <file>", "password-range-url <url>", "password-list-failure <answer>",
            "session-cache <size>", "log-level <level>", "log-format <form>", "request-timeout <number>",
            "idle-timeout <number>", "write-timeout <number>", "maximum-connections <number>",
            "maximum-connections-per-address <number>", "metrics-listen <address:port>",
            "maximum-header-bytes <number>", "maximum-headers <number>", "replica <repository>", "replica-key <key>",
            "replica-days <number>", "apple-url <url>", "smtp-url <url>", "smtp-user <name>",
            "smtp-tls <required|off>", "smtp-certificates <file>", "mail-from <address>",
            "text-message-webhook <url>", "admin-sign-on-issuer <url>", "admin-sign-on-client <id>",
            "admin-sign-on-secret-file <file>", "admin-sign-on-domain <domain>", "admin-sign-on-role <role>",
            "admin-passwords <on|off>", "otlp-endpoint <url>", "otlp-signals <signals>", "otlp-resource <pairs>",
            "otlp-metrics-interval <number>", "trace-ratio <ratio>", "trace-callers <networks>", "audit-stream <url>",
        ] {
            #expect(help.contains("--\(option)"), "\(option)")
        }
        #expect(help.contains("OKAERI_REQUEST_TIMEOUT; default: 10") && help.contains("--dev "))
        for secret in [
            "sealing-key", "metrics-key", "smtp-password", "text-message-secret", "admin-sign-on-secret ",
            "otlp-headers", "audit-stream-secret",
        ] {
            #expect(!help.contains("--\(secret)"), "\(secret)")
            let name = secret.replacing("-", with: "_").trimmingCharacters(in: .whitespaces)
            #expect(help.contains("OKAERI_\(name.uppercased())"), "\(secret)")
        }
    }

    @Test("take what the guides call a setting as an option of serve, and name it as a secret where there is none")
    func documentedSettings() async throws {
        let lines = try await Program.run("serve", "--help").output
        let help = lines.split { $0.isWhitespace }.joined(separator: " ")
        let guides = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../docs/operations").standardizedFileURL
        var count = 0
        for guide in ["running", "mail", "observability"] {
            let text = try String(contentsOf: guides.appendingPathComponent("\(guide).md"), encoding: .utf8)
            for row in text.split(separator: "\n") where row.hasPrefix("| `OKAERI_") {
                for match in row.dropFirst().prefix(while: { $0 != "|" }).matches(of: /OKAERI_([A-Z_]+)/) {
                    count += 1
                    let (variable, name) = (match.output.0, match.output.1.lowercased().replacing("_", with: "-"))
                    // Behind an option the variable stands in parentheses; in the sentence about secrets it does not.
                    let isSecret = help.contains("\(variable),") || help.contains("\(variable). ")
                    #expect(help.contains("--\(name) ") || isSecret, "\(variable)")
                }
            }
        }
        #expect(count > 60)
    }

    @Test(
        "say which option has a value that cannot be",
        arguments: [
            "listen", "database", "database-connections", "public-url", "trusted-proxies", "allow-private-networks",
            "parse-paths", "first-page", "rate-limits", "first-launches", "password-failures",
            "right-passwords", "old-app-right-passwords",
            "old-app-first-launches", "old-app-password-failures", "old-app-mails", "old-app-code-tries",
            "old-app-provider-credentials", "search-time", "search-readers", "search-time-per-address",
            "search-time-per-application", "password-threads", "password-queue", "password-list-failure",
            "session-cache", "log-level", "log-format", "request-timeout", "idle-timeout", "write-timeout",
            "maximum-connections", "maximum-connections-per-address", "metrics-listen", "maximum-header-bytes",
            "maximum-headers", "replica-days", "replica-heartbeat", "apple-url",
        ])
    func wrongSettings(name: String) async throws {
        // The option goes before the environment.
        let finished = try await Program.run(
            ["routes", "--\(name)", "nonsense"], environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 2 && finished.output.isEmpty)
        #expect(finished.errors.contains("\(name) (--\(name)) is "), "\(finished.errors)")
    }

    @Test("serve the API of Parse where an option says so")
    func parsePaths() async throws {
        let finished = try await Program.run("routes", "--surface", "parse", "--parse-paths", "/old,/older")
        #expect(finished.status == 0 && finished.output.contains(" /old/users"), "\(finished.output)")
        #expect(finished.output.contains(" /older/users") && !finished.output.contains(" /parse/users"))
    }

    @Test(
        "name the option whose number is out of its range, and the range",
        arguments: ["--session-idle-days", "--session-days", "--deletion-grace-days", "--erase-idle-days"])
    func daysOutOfRange(option: String) async throws {
        let finished = try await run(["application", "create", "Demo", option, "0"])
        #expect(finished.status == 2)
        #expect(finished.errors.contains("\(option) must be from 1 to 36500 days, not 0."), "\(finished.errors)")
    }

    @Test(
        "end with status 2 when they are called wrongly",
        arguments: [
            ["nothing"], ["application", "create"], ["application", "create", "Demo", "--session-days", "0"],
            ["application", "create", "Demo", "--session-days", "many"], ["application", "create", " \u{7}"],
            ["application", "show"], ["user", "list"], ["user", "list", "--application", "x", "--limit", "0"],
            ["user", "show", "x"], ["session", "revoke", "--application", "x"], ["keys", "rotate", "now"],
            ["audit", "verify", "--known", "1:x"], ["audit", "list", "--limit", "0"], ["demo", "--locale", "fr"],
            ["demo", "transfer", "CODE", "--undo"],
            ["demo", "--application", "x", "--server", "here"],
        ])
    func wrongCalls(_ arguments: [String]) async throws {
        let finished = try await Program.run(arguments, environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("okaeri: "), "\(finished.errors)")
    }

    @Test(
        "end with status 1 and a sentence when there is no such thing",
        arguments: [
            ("application show nobody", "There is no such application."),
            ("user list --application nobody", "There is no such application."),
            ("user show nobody --application nobody", "There is no such application."),
            ("user show nobody --application HERE", "There is no such user"),
            ("session revoke nobody --application nobody", "There is no such application."),
            ("session revoke nobody --application HERE", "There is no such session"),
        ])
    func unknownThings(_ command: String, sentence: String) async throws {
        let application = try await makeApplication()
        let words = command.replacing("HERE", with: application.id).split(separator: " ").map(String.init)
        let finished = try await run(words)
        #expect(finished.status == 1)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("okaeri: \(sentence)"), "\(finished.errors)")
        #expect(finished.errors.split(separator: "\n").count == 1)
    }

    @Test("show names without what would steer the terminal, and aligned")
    func hostileNames() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await makeApplication().id
        // Turned writing direction; then a name of wide characters, and one whose parts must stay joined.
        for name in ["gro\u{202E}lla", "花子", "👨‍👩‍👧"] {
            _ = try await Phone().loggedIn(
                at: server, application: application, body: #"{"user":{"displayName":"\#(name)"}}"#)
        }
        let table = try await run(["user", "list", "--application", application]).output
        #expect(!table.contains("\u{202E}"))
        #expect(table.contains("gro\u{FFFD}lla  anonymous"))
        #expect(table.contains("花子     anonymous"))
        #expect(table.contains("👨‍👩‍👧       anonymous"), "\(table)")
    }

    @Test("make no database where there is none, but for application create")
    func noDatabase() async throws {
        let list = try await run(["application", "list"])
        #expect(list.status == 1)
        #expect(list.errors.hasPrefix("okaeri: There is no Okaeri database in the data folder"))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(try await makeApplication().name == "Demo")
    }

    @Test(
        "make no folder for an application that is refused",
        arguments: [[""], ["Demo", "--transfer-link", "https://a.example/"], ["Demo", "--audience", ""]])
    func refusedInNewFolder(_ arguments: [String]) async throws {
        let refused = try await run(["application", "create"] + arguments)
        #expect(refused.status == 2 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.hasPrefix("okaeri: \(arguments.dropFirst().first ?? "name")"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("make applications, list and show them")
    func applications() async throws {
        let plain = try await makeApplication()
        #expect(plain.adminKey.hasPrefix("oka_"))
        let created = try await run([
            "application", "create", "銀行", "--proof-required", "--session-idle-days", "7", "--session-days", "30",
            "--audience", "https://a.example", "--audience", "https://b.example",
        ])
        #expect(created.status == 0, "\(created.errors)")

        let listed: ApplicationList = try await run(["application", "list", "--json"]).json()
        #expect(listed.applications.map(\.name) == ["Demo", "銀行"])
        let bank = try #require(listed.applications.last)
        let shown: ShownApplication = try await run(["application", "show", bank.id, "--json"]).json()
        #expect(shown == bank)
        #expect(shown.proofRequired)
        #expect((shown.sessionIdleDays, shown.sessionDays) == (7, 30))
        #expect(shown.audiences == ["https://a.example", "https://b.example"])
        let table = try await run(["application", "list"]).output.split(separator: "\n").map(String.init)
        // A wide character takes two columns, so “銀行” stands as wide as “Demo”.
        #expect(table[1].contains("Demo  0 ") && table[2].contains("銀行  0 "), "\(table)")
        #expect(try await run(["application", "show", bank.id]).output.contains("session, unused       7 days"))
    }

    @Test("make an application that a running server knows at its next request")
    func applicationBesideServer() async throws {
        let server = try await TestServer(data: folder.path)
        #expect(try await Phone().logIn(at: server, application: "00000000").status == 401)
        let application = try await makeApplication()
        #expect(try await Phone().loggedIn(at: server, application: application.id).isNew)
    }

    @Test("end a session so that a running server refuses it at its next request")
    func revokeBesideServer() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await makeApplication().id
        let logIn = try await Phone().loggedIn(at: server, application: application)
        let token = logIn.session.token
        // Asked before, so that it is in the server's memory.
        #expect(try await server.send("GET", "/v1/user", application: application, token: token).status == 200)
        let revoked = try await run(["session", "revoke", logIn.session.id, "--application", application])
        #expect(revoked.status == 0, "\(revoked.errors)")
        #expect(try await server.send("GET", "/v1/user", application: application, token: token).status == 401)
        let again = try await run(["session", "revoke", logIn.session.id, "--application", application, "--json"])
        #expect(again.status == 1)
    }

    @Test("show users a page at a time, and one with identities and sessions")
    func users() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await makeApplication().id
        var logIns: [LogInResponse] = []
        for _ in 0..<3 { logIns.append(try await Phone().loggedIn(at: server, application: application)) }
        let ids = logIns.map(\.user.id).sorted()

        let base = ["user", "list", "--application", application]
        let first: UserList = try await run(base + ["--limit", "2", "--json"]).json()
        #expect(first.users.map(\.id) == Array(ids.prefix(2)))
        #expect(first.next == ids[1])
        let second: UserList = try await run(base + ["--limit", "2", "--after", ids[1], "--json"]).json()
        #expect(second.users.map(\.id) == [ids[2]])
        #expect(second.next == nil)
        #expect(try await run(base + ["--limit", "1"]).output.hasSuffix("There are more: --after \(ids[0])\n"))

        let logIn = logIns[0]
        let show = ["user", "show", logIn.user.id, "--application", application]
        let shown: UserView = try await run(show + ["--json"]).json()
        #expect(shown.user == logIn.user)
        #expect(shown.sessions.map(\.id) == [logIn.session.id])
        let text = try await run(show).output
        #expect(text.contains("anonymous") && text.contains("device") && text.contains(logIn.session.id), "\(text)")
    }

    @Test("rotate the keys of access tokens, and a running server shows the new one")
    func rotation() async throws {
        let server = try await TestServer(data: folder.path)
        #expect(try await server.send("GET", "/.well-known/jwks.json").status == 200)
        let rotated: Rotated = try await run(["keys", "rotate", "--json"]).json()
        let keys = try await server.send("GET", "/.well-known/jwks.json").body
        #expect(String(decoding: keys, as: UTF8.self).contains(rotated.id))
        let early = try await run(["keys", "rotate"])
        #expect(early.status == 1)
        #expect(early.errors.hasPrefix("okaeri: It is too early for that. Try again in "))
    }

    private func run(_ arguments: [String]) async throws -> Program.Finished {
        try await Program.run(arguments + ["--data", folder.path])
    }

    private func makeApplication() async throws -> CreatedApplication {
        try await run(["application", "create", "Demo", "--json"]).json()
    }

    private struct ApplicationList: Decodable {
        let applications: [ShownApplication]
    }

    private struct ShownApplication: Decodable, Equatable {
        let id: String
        let name: String
        let users: Int
        let proofRequired: Bool
        let sessionIdleDays: Double
        let sessionDays: Double
        let audiences: [String]
    }

    private struct UserView: Decodable {
        let user: UserBody
        let sessions: [Session]

        struct Session: Decodable {
            let id: String
        }
    }

    private struct Rotated: Decodable {
        let id: String
    }
}
