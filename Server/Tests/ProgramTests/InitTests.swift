import Foundation
import Testing

@Suite("okaeri init")
struct InitTests {
    private let folder = TestFolder()

    private struct Report: Decodable {
        struct Application: Decodable {
            let id: String
            let name: String
            let adminKey: String
        }

        let configuration: String
        let secrets: String?
        let application: Application?
        let next: [String]
    }

    init() throws { try folder.make() }

    private var file: String { "\(folder.path)/okaeri.json" }

    private func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Program.Finished {
        try await Program.run(["init", "--file", file] + arguments, environment: environment)
    }

    private func values(_ path: String? = nil) throws -> [String: String] {
        let bytes = try #require(FileManager.default.contents(atPath: path ?? file))
        return try JSONDecoder().decode([String: String].self, from: bytes)
    }

    private func rights(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    /// Runs the command on a terminal, where somebody types the answers.
    private func typing(_ answers: String, _ options: String = "") async throws -> Program.Finished {
        let command = "'\(try Program.path())' init --file '\(file)' \(options)"
        return try await ChildProcess(
            "/bin/sh", ["-c", #"printf "$0" | script --quiet --return --command "$1" /dev/null"#, answers, command]
        ).finished()
    }

    @Test("writes by options alone what a server starts with, and makes the first application")
    func options() async throws {
        let data = "\(folder.path)/my data"
        let report: Report = try await run("--data", data, "--application", "星", "--listen", "127.0.0.1:0", "--json")
            .json()
        #expect(report.configuration == file && report.secrets == nil && report.application?.name == "星")
        #expect(report.application?.adminKey.hasPrefix("oka_") == true)
        #expect(report.next == ["okaeri serve --config \(file)"])
        #expect(try values() == ["data": data, "listen": "127.0.0.1:0"])
        let server = try ChildProcess(Program.path(), ["serve", "--config", file, "--json"])
        let output = try await eventually("the start") { server.output.contains("url") ? server.output : nil }
        #expect(output.contains(data))
        let list = try await Program.run("application", "list", "--config", file)
        let id = try #require(report.application?.id)
        #expect(list.output.contains(id))
        server.signal(SIGTERM)
        #expect(try await server.status() == 0)
    }

    @Test("keeps secrets in a file that its owner alone can read, and never in the settings")
    func secrets() async throws {
        let database = "postgresql://okaeri:p%40ss@db.example.com/okaeri"
        let password = #"a"b\c$(touch x)`d' e"#
        let report: Report = try await run(
            "--database", database, "--public-url", "https://id.example.com", "--smtp-url",
            "smtps://mail.example.com:465",
            "--smtp-user", "id", "--mail-from", "id@example.com", "--application", "It's mine", "--json",
            environment: ["OKAERI_SMTP_PASSWORD": password]
        ).json()
        let env = try #require(report.secrets)
        #expect(env == "\(folder.path)/okaeri.env")
        #expect(try rights(env) == 0o600)
        let settings = try #require(
            FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) })
        #expect(!settings.contains("p%40ss") && !settings.contains("touch"))
        #expect(try values()["trusted-proxies"] == "127.0.0.1,::1")
        #expect(report.application == nil)
        #expect(
            report.next == [
                "set -a; . \(env); set +a", "okaeri migrate --config \(file)",
                #"okaeri application create 'It'\''s mine' --config "# + file, "okaeri serve --config \(file)",
            ])
        // A shell reads what was meant, and runs nothing of it.
        let shown = try await ChildProcess(
            "/bin/sh",
            ["-c", #"cd "$1"; set -a; . "$0"; env -0; ls"#, env, folder.path]
        ).finished()
        let variables = shown.output.components(separatedBy: "\0")
        #expect(variables.contains("OKAERI_SMTP_PASSWORD=\(password)"), "\(shown.output)")
        #expect(variables.contains("OKAERI_DATABASE=\(database)"))
        let key = try #require(
            variables.first { $0.hasPrefix("OKAERI_SEALING_KEY=") }?.split(separator: "=", maxSplits: 1)[1])
        #expect(Data(base64Encoded: String(key))?.count == 32)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/x"))
        // Another installation has another key.
        let other = try await Program.run(
            ["init", "--file", "\(folder.path)/other.json", "--database", database, "--yes"])
        #expect(other.status == 0)
        let second = FileManager.default.contents(atPath: "\(folder.path)/other.env").map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(second?.contains(key) == false)
    }

    @Test("speaks of the sealing key in the file of secrets only where the key is in it")
    func sealingKeyRemark() async throws {
        for (options, isThere) in [
            (["--data", "\(folder.path)/data"], false), (["--database", "postgresql://x/y"], true),
        ] {
            let path = "\(folder.path)/\(isThere)"
            let mail = [
                "--smtp-url", "smtps://mail.example.com:465", "--mail-from", "a@example.com", "--smtp-user", "a",
            ]
            let done = try await Program.run(
                ["init", "--yes", "--file", "\(path).json"] + options + mail,
                environment: ["OKAERI_SMTP_PASSWORD": "secret"])
            #expect(done.status == 0, "\(done.errors)")
            let text = try String(contentsOfFile: "\(path).env", encoding: .utf8)
            #expect(text.contains("OKAERI_SEALING_KEY") == isThere && text.contains("Keep a copy") == isThere)
        }
    }

    @Test("overwrites neither settings nor secrets", arguments: ["okaeri.json", "okaeri.env"])
    func overwriting(name: String) async throws {
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        let finished = try await run("--yes", "--data", "\(folder.path)/data")
        #expect(finished.status == 1 && finished.errors.contains("is there already"))
        #expect(finished.errors.contains("okaeri doctor --config"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [name])
    }

    @Test(
        "holds answers to the rules of serve, and writes nothing when one breaks them",
        arguments: [
            ["--public-url", "ftp://id.example.com"], ["--database", "mysql://x"], ["--listen", "here"],
            ["--smtp-url", "smtp://mail.example.com"], ["--smtp-url", "http://x", "--mail-from", "a@example.com"],
            ["--smtp-url", "smtp://x:587", "--mail-from", "a@example.com", "--smtp-user", "id"],
            ["--application", ""], ["--application", String(repeating: "x", count: 101)],
        ])
    func badAnswers(arguments: [String]) async throws {
        let finished = try await Program.run(["init", "--file", file, "--data", "\(folder.path)/data"] + arguments)
        #expect(finished.status == 2 && finished.errors.hasPrefix("okaeri: "), "\(finished.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("leaves no file when the first application cannot be made, so that it can be called again")
    func unmadeApplication() async throws {
        let blocker = "\(folder.path)/blocker"
        try Data().write(to: URL(fileURLWithPath: blocker))
        let data = ["--application", "My app", "--data", "\(blocker)/data"]
        let mail = ["--smtp-url", "smtps://mail.example.com:465", "--mail-from", "a@example.com", "--smtp-user", "a"]
        for _ in 0..<2 {
            let failed = try await Program.run(
                ["init", "--yes", "--file", file] + data + mail, environment: ["OKAERI_SMTP_PASSWORD": "secret"])
            #expect(failed.status == 1 && failed.errors.contains(blocker), "\(failed.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["blocker"])
        }
    }

    @Test(
        "asks nothing on a terminal when an option breaks its rule, which no answer could mend",
        arguments: ["--public-url id.example.com", "--smtp-url smtp://mail.example.com:587"])
    func badOptionOnTerminal(option: String) async throws {
        let finished = try await typing(#"\n\n\n\n"#, option)
        #expect(finished.status == 2 && finished.output.contains("must be"), "\(finished.output)")
        for number in 1...4 { #expect(!finished.output.contains("\(number). "), "\(finished.output)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("asks four questions on a terminal, again where an answer cannot be used")
    func terminal() async throws {
        let finished = try await typing(
            #"ftp://x\nhttps://id.example.com\n\#(folder.path)/data\nhttp://x\nsmtp://mail.example.com:587\nnobody\n\n"#
                + #"smtp://mail.example.com:587\nid@example.com\n\nMy app\n"#)
        #expect(finished.status == 0, "\(finished.output)")
        #expect(finished.output.contains("public-url") && finished.output.contains("mail-from"))
        // A mail server that cannot be is asked for again at once, before its sender and password.
        let refused = try #require(finished.output.range(of: "“http://x”")?.lowerBound)
        let sender = try #require(finished.output.range(of: "From which address")?.lowerBound)
        #expect(refused < sender)
        for number in 1...4 { #expect(finished.output.contains("\(number). ")) }
        #expect(
            try values() == [
                "data": "\(folder.path)/data", "listen": "127.0.0.1:8080", "public-url": "https://id.example.com",
                "smtp-url": "smtp://mail.example.com:587", "mail-from": "id@example.com",
                "trusted-proxies": "127.0.0.1,::1",
            ])
        #expect(finished.output.contains("My app") && finished.output.contains("okaeri serve --config \(file)"))
    }

    @Test(
        "asks again for a sender alone, for nothing of a mail that an option says, and takes a password from the terminal"
    )
    func mailOnTerminal() async throws {
        let finished = try await typing(
            #"\nsmtps://mail.example.com:465\nnobody\nid@example.com\nid\nfour quiet words\n\n"#,
            "--data '\(folder.path)/data'")
        #expect(finished.status == 0, "\(finished.output)")
        #expect(finished.output.ranges(of: "3. ").count == 1 && finished.output.ranges(of: "From which").count == 2)
        #expect(try values()["mail-from"] == "id@example.com")
        let secrets = try String(contentsOfFile: "\(folder.path)/okaeri.env", encoding: .utf8)
        #expect(secrets.contains("OKAERI_SMTP_PASSWORD=\"four quiet words\""))
        for path in [file, "\(folder.path)/okaeri.env"] { try FileManager.default.removeItem(atPath: path) }
        let options = "--data '\(folder.path)/data' --mail-from id@example.com --smtp-user id"
        let asked = try await typing(#"\nsmtps://mail.example.com:465\nfour quiet words\n\n"#, options)
        #expect(asked.status == 0 && !asked.output.contains("From which"), "\(asked.output)")
        #expect(try values()["smtp-user"] == "id")
    }

    @Test("writes nothing when the answers end at the password, and asks nothing where no file can be made")
    func earlyEnd() async throws {
        let data = "--data '\(folder.path)/data'"
        let ended = try await typing(#"\nsmtps://mail.example.com:465\nid@example.com\nid\n\004\n\n"#, data)
        #expect(ended.status == 1 && ended.output.contains("The answers ended early"), "\(ended.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        let nowhere = try await typing(#"\n\n\n\n"#, "\(data) --file '\(folder.path)/nowhere/okaeri.json'")
        #expect(nowhere.status == 1 && nowhere.output.contains("nowhere/okaeri.json cannot be written"))
        #expect(!nowhere.output.contains("1. "), "\(nowhere.output)")
    }

    @Test("takes Enter for the default, asks nothing that an option says, and nothing at all with --yes")
    func defaults() async throws {
        let asked = try await typing(#"\n\n\n"#, "--data '\(folder.path)/data'")
        #expect(asked.status == 0 && !asked.output.contains("2. "), "\(asked.output)")
        #expect(try values() == ["data": "\(folder.path)/data", "listen": "127.0.0.1:8080"])
        try FileManager.default.removeItem(atPath: file)
        let unasked = try await typing("", "--yes --data '\(folder.path)/data'")
        #expect(unasked.status == 0 && !unasked.output.contains("1. "), "\(unasked.output)")
    }
}
