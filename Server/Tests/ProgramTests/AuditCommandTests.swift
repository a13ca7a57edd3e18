import CSQLite
import Foundation
import OkaeriWire
import Testing

@Suite("The audit log's commands")
struct AuditCommandTests {
    private let folder = TestFolder()

    @Test("list who did what to whom, newest first, and a page at a time")
    func list() async throws {
        let (application, logIn) = try await endedSession()
        let listed: Entries = try await run(["audit", "list", "--application", application, "--json"]).json()
        #expect(listed.entries.map(\.action) == ["session.ended", "application.created"])
        #expect(listed.entries.map(\.target) == ["user:\(logIn.user.id)", "application:\(application)"])
        #expect(listed.entries.allSatisfy { $0.actor == "operator" && $0.result == "done" })
        let page: Entries = try await run(
            ["audit", "list", "--application", application, "--limit", "1", "--json"]
        ).json()
        let next = try #require(page.next)
        let rest: Entries = try await run(
            ["audit", "list", "--application", application, "--before", next, "--json"]
        ).json()
        #expect(rest.entries.map(\.action) == ["application.created"])
        let table = try await run(["audit", "list", "--application", application, "--action", "session.ended"])
        #expect(table.output.split(separator: "\n").count == 2)
    }

    @Test("verify a log that nobody touched, and tell its end")
    func untouched() async throws {
        let (application, _) = try await endedSession()
        let verified: Logs = try await run(["audit", "verify", "--json"]).json()
        #expect(verified.logs.map(\.application) == [application])
        #expect(verified.logs.first?.entries == 2)
        let last = try #require(verified.logs.first?.last)
        #expect(last.hasPrefix("2:"))
        let again = try await run(["audit", "verify", "--application", application, "--known", last])
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("2 entries, all as written. The last: \(last)"))
    }

    @Test("say “1 entry” of a log that has one")
    func one() async throws {
        #expect(try await run(["application", "create", "Demo"]).status == 0)
        let verified = try await run(["audit", "verify"])
        #expect(verified.output.contains(": 1 entry, all as written. The last: 1:"), "\(verified.output)")
    }

    @Test(
        "find what somebody with the database did to the log",
        arguments: [
            ("UPDATE audit_entries SET target = 'user:other' WHERE number = 2", "is not as it was written"),
            ("DELETE FROM audit_entries WHERE number = 1", "Entry 1 is missing."),
            ("DELETE FROM audit_entries WHERE number = 2", "Entry 2 is missing."),
            (
                """
                INSERT INTO audit_entries (application_id, id, happened_at, actor, action, result, seal)
                SELECT application_id, 'put-in', happened_at, actor, action, result, seal FROM audit_entries LIMIT 1
                """, "Entry 3 (put-in) is not as it was written."
            ),
        ])
    func tampered(_ statement: String, finding: String) async throws {
        _ = try await endedSession()
        #expect(try await run(["audit", "verify"]).status == 0)
        try change(statement)
        let verified = try await run(["audit", "verify"])
        #expect(verified.status == 1)
        #expect(verified.output.contains(finding), "\(verified.output)")
        #expect(verified.errors == "okaeri: The audit log was changed.\n")
    }

    @Test("read a log whose last entry is old, of which a server warns at its start: its clock may be ahead")
    func longPause() async throws {
        #expect(try await run(["application", "create", "Demo"]).status == 0)
        try change("UPDATE audit_entries SET happened_at = happened_at - 3456000000")
        let server = try await TestServer(data: folder.path)
        #expect(try await server.stop() == 0)
        #expect(
            server.process.errors.contains("nothing was recorded here for a long time"), "\(server.process.errors)")
    }

    private func endedSession() async throws -> (application: String, LogInResponse) {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication().id
        let logIn = try await Phone().loggedIn(at: server, application: application)
        _ = try await run(["session", "revoke", logIn.session.id, "--application", application])
        #expect(try await server.stop() == 0)
        return (application, logIn)
    }

    private func run(_ arguments: [String]) async throws -> Program.Finished {
        try await Program.run(arguments + ["--data", folder.path])
    }

    private func change(_ statement: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try #require(sqlite3_open(folder.path + "/okaeri.sqlite", &database) == SQLITE_OK)
        try #require(sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK)
    }

    private struct Entries: Decodable {
        let entries: [Entry]
        let next: String?

        struct Entry: Decodable {
            let actor: String
            let action: String
            let target: String?
            let result: String
        }
    }

    private struct Logs: Decodable {
        let logs: [Log]

        struct Log: Decodable {
            let application: String?
            let entries: Int
            let last: String?
        }
    }
}
