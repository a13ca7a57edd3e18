import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestWorld
import Testing

@Suite("The commands for admins")
struct AdminCommandTests {
    private let folder = TestFolder()

    private struct Admin: Decodable {
        var id: String
        var name: String
        var role: String
        var isSetUp: Bool
        var isDisabled: Bool
        var lockedUntil: String?
    }

    private struct Link: Decodable {
        var link: String
        var token: String
    }

    private struct Opened: Decodable {
        var totpKey: String
    }

    private struct LogIn: Decodable {
        var token: String
    }

    private func run(_ arguments: String...) async throws -> Program.Finished {
        try await Program.run(["admin"] + arguments + ["--data", folder.path])
    }

    @Test("make, list and reset admins, and a server tells how the first one comes in")
    func life() async throws {
        let server = try await TestServer(data: folder.path)
        let output = try await eventually("the start message") {
            server.process.output.contains("There is no admin yet") ? server.process.output : nil
        }
        #expect(output.contains("okl_"))
        let made: Link = try await run("create", "mika@example.com", "--role", "support", "--json").json()
        #expect(made.token.hasPrefix("okl_"))
        let reset: Link = try await run("reset", "MIKA@example.com", "--json").json()
        #expect(reset.token != made.token)
        let admins: [Admin] = try await run("list", "--json").json()
        #expect(admins.map(\.name) == ["mika@example.com"] && admins[0].role == "support" && !admins[0].isSetUp)
        let link: Link = try await run("link", "--json").json()
        let opened = try await server.send(
            "POST", "/v1/admin/set-up/open", application: "", body: #"{"token": "\#(link.token)"}"#)
        #expect(opened.status == 200)
        #expect(try await run("reset", "nobody").status == 1)
        #expect(try await run("create", "mika@example.com").status == 1)
        try await server.stop()
    }

    @Test(
        "lead to the server that runs on the data folder, whose address the command does not have",
        arguments: [true, false])
    func links(hasPublicURL: Bool) async throws {
        let address = "https://id.example.com"
        let server = try await TestServer(data: folder.path, options: hasPublicURL ? ["--public-url", address] : [])
        let running = hasPublicURL ? address : "http://localhost:\(server.port)"
        for arguments in [["link"], ["create", "mika"], ["reset", "mika"]] {
            let link: Link = try await Program.run(["admin"] + arguments + ["--json", "--data", folder.path]).json()
            #expect(link.link == "\(running)/dashboard/set-up?token=\(link.token)")
        }
        let given: Link = try await Program.run(
            ["admin", "link", "--json", "--data", folder.path],
            environment: ["OKAERI_PUBLIC_URL": "https://other.example.com/"]
        ).json()
        #expect(given.link.hasPrefix("https://other.example.com/dashboard/"))
        try await server.stop()
        // Without a server it is the address where one would listen.
        let before: Link = try await run("link", "--json").json()
        #expect(before.link.hasPrefix("http://localhost:8080/dashboard/"))
    }

    @Test("remove an admin for good, whose name is asked for, and never the last owner")
    func removal() async throws {
        let server = try await TestServer(data: folder.path)
        let link: Link = try await run("link", "--json").json()
        let owner = try await setUp(link.token, name: "boss", on: server)
        for name in ["mika@example.com", "hana"] {
            let made: Link = try await run("create", name, "--role", "owner", "--json").json()
            if name == "hana" { _ = try await setUp(made.token, name: nil, on: server) }
        }

        let unasked = try await run("remove", "hana")
        #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked.errors)")
        let unknown = try await run("remove", "nobody", "--yes")
        #expect(unknown.status == 1 && unknown.errors.contains("There is no such admin"), "\(unknown.errors)")
        // An owner who was invited and never came looks after nobody.
        let removed: Admin = try await run("remove", "MIKA@example.com", "--yes", "--json").json()
        #expect(removed.name == "mika@example.com")
        #expect(try await send("GET", "me", owner, on: server) == 200)
        let admins: [Admin] = try await run("list", "--json").json()
        let boss = try #require(admins.first { $0.name == "boss" })
        #expect(try await run("remove", boss.id, "--yes").status == 0)
        #expect(try await send("GET", "me", owner, on: server) == 401)

        let last = try await run("remove", "hana", "--yes")
        #expect(last.status == 1 && last.errors.contains("One owner who is set up must stay"), "\(last.errors)")
        #expect(try await run("disable", "hana").status == 1)
        let left: [Admin] = try await run("list", "--json").json()
        #expect(left.map(\.name) == ["hana"])
        let audit = try await Program.run(["audit", "list", "--action", "admin.removed", "--data", folder.path])
        #expect(audit.output.contains("operator"), "\(audit.output)")
        try await server.stop()
    }

    @Test("make keys in the name of an admin, say from where they count, and end them")
    func keys() async throws {
        struct Key: Decodable {
            var id: String
            var networks: [String]
            var createdBy: String
        }
        struct Made: Decodable {
            var key: Key
            var secret: String
        }
        let server = try await TestServer(data: folder.path)
        let link: Link = try await run("link", "--json").json()
        _ = try await setUp(link.token, name: "boss", on: server)
        let made: Made = try await run(
            "key", "create", "BOSS", "--name", "CI", "--scope", "admins:read", "--network", "127.0.0.0/8", "--json"
        ).json()
        #expect(made.key.networks == ["127.0.0.0/8"] && made.key.createdBy == "boss")
        #expect(try await send("GET", "keys", made.secret, on: server) == 200)
        let confined: Key = try await run("key", "confine", made.key.id, "--network", "10.0.0.7/8", "--json").json()
        #expect(confined.networks == ["10.0.0.0/8"])
        #expect(try await send("GET", "keys", made.secret, on: server) == 401)
        let refused = try await run("key", "confine", made.key.id, "--network", "here")
        #expect(refused.status == 2, "\(refused.status): \(refused.errors)\(refused.output)")
        let listed: [Key] = try await run("key", "list", "--json").json()
        #expect(listed.map(\.networks) == [["10.0.0.0/8"]])
        #expect(try await run("key", "create", "nobody", "--name", "x", "--scope", "users:read").status == 1)
        let unknown = try await run("key", "create", "boss", "--name", "x", "--scope", "users:red")
        #expect(unknown.errors.contains("users:read") && !unknown.errors.contains("admins:write"), "\(unknown.errors)")
        #expect(try await run("key", "remove", made.key.id).status == 0)
        #expect(try await run("key", "list").output.contains("There is no key yet."))
        try await server.stop()
    }

    @Test("tell who is locked by wrong passwords, and let them in again")
    func unlock() async throws {
        let server = try await TestServer(data: folder.path)
        let link: Link = try await run("link", "--json").json()
        _ = try await setUp(link.token, name: "boss", on: server)
        func guess() async throws -> Int {
            try await server.send(
                "POST", "/v1/admin/log-in", application: "",
                body: #"{"name": "boss", "password": "wrong password here", "code": "000000"}"#
            ).status
        }
        for _ in 0..<5 { #expect(try await guess() == 401) }
        // Five failures make the next one wait; those that come meanwhile are not counted.
        let locked: [Admin] = try await run("list", "--json").json()
        if locked[0].lockedUntil != nil { #expect(try await run("list").output.contains("boss")) }
        #expect(try await run("unlock", "nobody").status == 1)
        #expect(try await run("unlock", "BOSS").output.contains("boss can log in again"))
        let free: [Admin] = try await run("list", "--json").json()
        #expect(free[0].lockedUntil == nil)
        for _ in 0..<5 { #expect(try await guess() == 401) }
        try await server.stop()
    }

    @Test("ask for the name on a terminal", arguments: [("Kenji", 0, 0), ("Kenj", 1, 1), ("", 1, 1)])
    func confirmation(typed: String, status: Int32, left: Int) async throws {
        let server = try await TestServer(data: folder.path)
        try await server.stop()
        #expect(try await run("create", "kenji").status == 0)
        let command = "'\(try Program.path())' admin remove kenji --data '\(folder.path)'"
        let asked = try await ChildProcess(
            "/bin/sh",
            ["-c", #"printf '%s\n' "$0" | script --quiet --return --command "$1" /dev/null"#, typed, command]
        ).finished()
        #expect(asked.status == status && asked.output.contains("Type the name to confirm"), "\(asked.output)")
        let admins: [Admin] = try await run("list", "--json").json()
        #expect(admins.count == left)
    }

    /// Sets an admin up as a person would, and returns the session's token.
    private func setUp(_ token: String, name: String?, on server: TestServer) async throws -> String {
        let opened = try await server.send("POST", "/v1/admin/set-up/open", body: #"{"token": "\#(token)"}"#)
        let key = try JSONDecoder().decode(Opened.self, from: opened.body).totpKey
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let code = try TestAuthenticator.code(for: key, at: now)
        let named = name.map { #""name": "\#($0)", "# } ?? ""
        let answer = try await server.send(
            "POST", "/v1/admin/set-up",
            body: #"{"token": "\#(token)", \#(named)"password": "eleven quiet rivers run", "code": "\#(code)"}"#)
        return try JSONDecoder().decode(LogIn.self, from: answer.body).token
    }

    private func send(_ method: String, _ path: String, _ token: String, on server: TestServer) async throws -> Int {
        try await server.send(method, "/v1/admin/\(path)", token: token).status
    }
}
