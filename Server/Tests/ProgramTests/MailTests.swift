import CSQLite
import Foundation
import Okaeri
import OkaeriWire
import TestMailServer
import Testing

@Suite("Mails of a running server")
struct MailTests {
    private let folder = TestFolder()

    private static let plain = ["--smtp-tls", "off", "--mail-from", "noreply@example.com"]

    /// A server with a mail server, an application, and users whose addresses are verified.
    private func start(_ mail: MailServer, users: [String]) async throws -> (server: TestServer, application: String) {
        let server = try await TestServer(data: folder.path, options: ["--smtp-url", mail.url] + Self.plain)
        let application = try await server.makeApplication().id
        for email in users { try await makeUser(email, at: server, application) }
        return (server, application)
    }

    /// Makes a user and verifies the address by hand: signing up and verifying are other tests' matter.
    private func makeUser(_ email: String, at server: TestServer, _ application: String) async throws {
        let logIn = try await Phone().loggedIn(at: server, application: application)
        try Database(folder.path + "/okaeri.sqlite").run(
            """
            UPDATE users SET email = '\(email)', email_verified_at = 1 WHERE id = '\(logIn.user.id)';
            INSERT INTO identifiers (application_id, kind, value, user_id)
            VALUES ('\(application)', 'email', '\(email)', '\(logIn.user.id)');
            """)
    }

    private func order(_ email: String, at server: TestServer, _ application: String) async throws -> String {
        let answer = try await server.send(
            "POST", "/v1/log-in/code/request", application: application, body: #"{"email": "\#(email)"}"#)
        #expect(answer.status == 202)
        return try JSONDecoder().decode(LogInCodeRequestResponse.self, from: answer.body).ticket
    }

    private func logIn(
        _ ticket: String, _ code: String, at server: TestServer, _ application: String
    ) async throws -> Int {
        try await server.send(
            "POST", "/v1/log-in/code", application: application,
            body: #"{"ticket": "\#(ticket)", "code": "\#(code)"}"#
        ).status
    }

    private struct Queue: Decodable {
        let mails: [Mail]

        struct Mail: Decodable {
            let id: String
            let kind: String
            let attempts: Int
            let isGivenUp: Bool
            let lastFault: String?
        }
    }

    private func queue(_ application: String) async throws -> [Queue.Mail] {
        let finished = try await Program.run(
            "mail", "queue", "--application", application, "--json", "--data", folder.path)
        return try finished.json(Queue.self).mails
    }

    @Test("arrive at a real mail server at once, and the code in them works")
    func delivery() async throws {
        let mail = try await MailServer()
        let (server, application) = try await start(mail, users: ["hana@example.com"])
        let ticket = try await order("hana@example.com", at: server, application)
        let received = try await eventually("the mail") { mail.mails.first }
        #expect(received.sender.contains("Demo") && received.headers["x-test-to"] == "hana@example.com")
        let code = try #require(received.code)
        #expect(received.html.contains(code))
        #expect(try await logIn(ticket, code, at: server, application) == 200)
        #expect(try await queue(application).isEmpty)
        #expect(!server.process.errors.contains(code))
        try await server.stop()
        // What went through the database was sealed, and is gone.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
            #expect(bytes.range(of: Data(code.utf8)) == nil, "\(name)")
            #expect(bytes.range(of: Data(code.replacing(" ", with: "").utf8)) == nil, "\(name)")
            #expect(bytes.range(of: Data(ticket.utf8)) == nil, "\(name)")
        }
    }

    @Test("wait for a mail server that is down, also over a crash of the server, and arrive when it is back")
    func mailServerDown() async throws {
        let first = try await MailServer()
        try await first.stop()
        let (server, application) = try await start(first, users: ["hana@example.com"])
        let ticket = try await order("hana@example.com", at: server, application)
        let waiting = try await eventually("the first failure") {
            try await queue(application).first { $0.lastFault != nil }
        }
        #expect(!waiting.isGivenUp && waiting.kind == "log-in-code")
        #expect(!server.process.errors.contains("hana@"))
        server.process.signal(SIGKILL)
        _ = try await server.process.status()

        // Another process may have the port for a while.
        let back = try await eventually("the port") { try? await MailServer(port: first.port) }
        let again = try await TestServer(data: folder.path, options: ["--smtp-url", back.url] + Self.plain)
        let received = try await eventually("the mail") { back.mails.first }
        #expect(try await logIn(ticket, received.code ?? "", at: again, application) == 200)
    }

    @Test("inform users also of what a command does beside a server, which alone knows of the mail server")
    func command() async throws {
        let mail = try await MailServer()
        try await mail.stop()
        let (server, application) = try await start(mail, users: ["hana@example.com"])
        let users = try await Program.run("user", "list", "--application", application, "--json", "--data", folder.path)
        let user = try #require(try users.json(Users.self).users.first).id
        let done = try await Program.run("user", "disable", user, "--application", application, "--data", folder.path)
        #expect(done.status == 0, "\(done.errors)")
        #expect(try await queue(application).map(\.kind) == ["account-disabled"])
        try await server.stop()
        // Nobody is there who would send it.
        for action in ["enable", "disable"] {
            let again = try await Program.run(
                "user", action, user, "--application", application, "--data", folder.path)
            #expect(again.status == 0, "\(again.errors)")
        }
        #expect(try await queue(application).count == 1)
    }

    private struct Users: Decodable {
        let users: [User]

        struct User: Decodable { let id: String }
    }

    @Test("are given up when they are refused, tried again when there is hope, and hold nobody up")
    func refusals() async throws {
        let mail = try await MailServer()
        let names = ["refused", "busy", "slow", "greylist", "hana"].map { "\($0)@example.com" }
        let (server, application) = try await start(mail, users: names)
        for name in names { _ = try await order(name, at: server, application) }
        _ = try await eventually("the mails that can be sent") { mail.mails.count == 2 ? true : nil }
        let recipients = Set(mail.mails.compactMap { $0.headers["x-test-to"] })
        #expect(recipients == ["greylist@example.com", "hana@example.com"])
        let queue = try await eventually("both refusals") { () -> [Queue.Mail]? in
            let mails = try await self.queue(application)
            let isBusy = mails.contains { !$0.isGivenUp && $0.lastFault?.contains("451") == true }
            return isBusy && mails.contains { $0.isGivenUp } ? mails : nil
        }
        #expect(queue.filter(\.isGivenUp).map(\.lastFault).allSatisfy { $0?.contains("550") == true })
        #expect(queue.contains { !$0.isGivenUp && $0.lastFault?.contains("451") == true })
        let text = try await Program.run("mail", "queue", "--application", application, "--data", folder.path)
        #expect(text.output.contains("given up") && !text.output.contains("@example.com"))
        func change(_ arguments: String...) async throws -> Program.Finished {
            try await Program.run(["mail"] + arguments + ["--application", application, "--data", folder.path])
        }
        let dead = try #require(queue.first { $0.isGivenUp }).id
        let again = try await change("retry", dead)
        #expect(again.status == 0 && again.output.contains("1 mail."), "\(again.errors)")
        struct Retried: Decodable { let count: Int }
        let retried: Retried = try await change("retry", "--json").json()
        #expect(retried.count >= 0)
        #expect(try await change("drop", dead).status == 0)
        let gone = try await change("retry", dead)
        #expect(gone.status == 1 && gone.errors.contains("okaeri mail queue"), "\(gone.errors)")
        let answer = try await server.send("GET", "/health/ready")
        #expect(answer.status == 200)
    }

    @Test("go into the outbox of a server under development")
    func outbox() async throws {
        let server = try await TestServer(data: folder.path, options: ["--dev"])
        #expect(server.process.errors.contains("for development"))
        let application = try await server.makeApplication().id
        let changed = try await Program.run(
            "application", "mail", application, "--sender-name", "花アプリ", "--data", folder.path)
        #expect(changed.status == 0)
        try await makeUser("hana@example.com", at: server, application)
        let ticket = try await order("hana@example.com", at: server, application)
        let arguments = ["mail", "outbox", "--application", application, "--data", folder.path]
        struct Outbox: Decodable {
            let mails: [Mail]
            struct Mail: Decodable {
                let to: String
                let from: String
                let text: String
            }
        }
        let found = try await eventually("the mail") {
            try await Program.run(arguments + ["--json"]).json(Outbox.self).mails.first
        }
        #expect(found.to == "hana@example.com" && found.from == "花アプリ")
        let code = try #require(found.text.firstMatch(of: /\d{4} \d{4}/).map { String($0.0) })
        #expect(try await Program.run(arguments).output.contains(code))
        #expect(try await logIn(ticket, code, at: server, application) == 200)
    }

    @Test("say what the application wants them to say, and refuse what would not work")
    func templates() async throws {
        let server = try await TestServer(data: folder.path, options: ["--dev"])
        let application = try await server.makeApplication().id
        let file = folder.path + "/mail.json"
        func change(_ options: String...) async throws -> Program.Finished {
            try await Program.run(["application", "mail", application, "--data", folder.path] + options)
        }
        try #"{"log-in-code": {"en": {"subject": "Hi", "text": "no code"}}}"#.write(
            toFile: file, atomically: true, encoding: .utf8)
        let refused = try await change("--templates", file)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("mail.templates.log-in-code.en.text shows neither {{code}} nor {{link}}."))
        #expect(try await change("--reset-url", "http://example.com/r").status == 2)
        try #"{"log-in": {}}"#.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try await change("--templates", file).errors.contains("no kind of mail"))
        try #"{"log-in-code": {"en": {"subject": "Hi", "text": "own: {{code}}"}}}"#.write(
            toFile: file, atomically: true, encoding: .utf8)
        let taken = try await change("--templates", file, "--reset-url", "https://app.example.com/r", "--json")
        #expect(taken.output.contains("log-in-code/en") && taken.output.contains("https://app.example.com/r"))
        try await makeUser("hana@example.com", at: server, application)
        _ = try await order("hana@example.com", at: server, application)
        _ = try await eventually("the mail") {
            try await Program.run("mail", "outbox", "--application", application, "--data", folder.path)
                .output.contains("own: ") ? true : nil
        }
        #expect(try await change("--templates", "", "--reset-url", "").output.contains("–"))
    }

    @Test(
        "are refused settings that cannot work",
        arguments: [
            ["--dev", "--listen", "0.0.0.0:0"], ["--smtp-url", "http://mail.example.com"],
            ["--smtp-url", "smtp://user:word@mail.example.com", "--mail-from", "a@example.com"],
            ["--smtp-url", "smtp://mail.example.com"], ["--smtp-url", "smtp://m.example", "--mail-from", "nobody"],
            ["--smtp-url", "smtp://m.example", "--mail-from", "a@example.com", "--smtp-user", "a"],
            ["--smtp-url", "smtp://m.example", "--mail-from", "花@example.com"],
            ["--smtp-certificates", "/nowhere.pem"], ["--smtp-tls", "maybe"],
        ])
    func badSettings(_ options: [String]) async throws {
        let finished = try await Program.run(["serve", "--data", folder.path] + options)
        #expect(finished.status == 2, "\(finished.output) \(finished.errors)")
        #expect(finished.errors.hasPrefix("okaeri: "))
    }

    @Test("go to a remote server with a password only when that is encrypted")
    func passwordInTheClear() async throws {
        let finished = try await Program.run(
            [
                "serve", "--data", folder.path, "--smtp-url", "smtp://mail.example.com", "--mail-from",
                "a@example.com", "--smtp-user", "okaeri", "--smtp-tls", "off",
            ], environment: ["OKAERI_SMTP_PASSWORD": "geheim"])
        #expect(finished.status == 2)
        #expect(finished.errors.contains("smtp-tls") && !finished.errors.contains("geheim"))
    }

    @Test("are looked after by the doctor")
    func doctor() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        func examine(_ options: [String], _ environment: [String: String] = [:]) async throws -> Program.Finished {
            try await Program.run(["doctor", "--data", folder.path] + options, environment: environment)
        }
        #expect(try await examine([]).output.contains("mail_unavailable"))
        #expect(try await examine(["--dev"]).output.contains("outbox"))
        let mail = try await MailServer(.startTLS, credentials: ("okaeri", "secret"))
        let options = [
            "--smtp-url", mail.url, "--mail-from", "noreply@example.com", "--smtp-user", "okaeri",
            "--smtp-certificates", mail.certificate ?? "",
        ]
        // A proxy of the environment is not asked.
        let right = try await examine(
            options, ["OKAERI_SMTP_PASSWORD": "secret", "all_proxy": "http://127.0.0.1:9", "no_proxy": ""])
        #expect(right.status == 0 && right.output.contains("takes mails from noreply@example.com"))
        let wrong = try await examine(options, ["OKAERI_SMTP_PASSWORD": "wrong"])
        #expect(wrong.status == 1 && wrong.output.contains("cannot be used") && !wrong.output.contains("wrong"))
        try await mail.stop()
        #expect(try await examine(options, ["OKAERI_SMTP_PASSWORD": "secret"]).status == 1)
    }
}

/// The server's database, opened beside it.
private struct Database {
    private let path: String

    init(_ path: String) {
        self.path = path
    }

    func run(_ statements: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw TestFault("\(path) cannot be opened")
        }
        sqlite3_busy_timeout(handle, 60_000)
        guard sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK else {
            throw TestFault(String(cString: sqlite3_errmsg(handle)))
        }
    }
}
