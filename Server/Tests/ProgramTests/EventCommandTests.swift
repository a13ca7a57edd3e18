import CSQLite
import Foundation
import Testing

@Suite("The commands of events")
struct EventCommandTests {
    private let folder = TestFolder()

    private func run(_ arguments: [String]) async throws -> Program.Finished {
        try await Program.run(arguments + ["--data", folder.path])
    }

    private func change(_ statement: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try #require(sqlite3_open(folder.path + "/okaeri.sqlite", &database) == SQLITE_OK)
        try #require(sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK)
    }

    @Test("tail shows what happened beside a running server, in order, and says when nothing is recorded")
    func tail() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication().id
        let silent = try await run(["events", "tail", "--application", application])
        #expect(silent.status == 0 && silent.output.contains("No events are recorded"))
        // As the admin API does; its own tests switch the stream on.
        try change(
            """
            INSERT INTO events (application_id, id, type, user_id, happened_at, details, user_number)
            VALUES ('\(application)', 'b', 'user.upgraded', 'hana', 2, '{}', 2),
                ('\(application)', 'c', 'user.created', 'hana', 1, '{"anonymous":"yes"}', 1);
            """)
        let lines = try await run(["events", "tail", "--application", application, "--after", "0"]).output
            .split(separator: "\n").filter { $0.contains("hana") }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("user.created") == true && lines.first?.contains("anonymous=yes") == true)
        #expect(lines.last?.hasPrefix("2  ") == true && lines.last?.contains("user.upgraded") == true)
        #expect(try await server.stop() == 0)
    }

    @Test("replay fails for an endpoint that there is not, and tail for an application that there is not")
    func unknown() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication().id
        let replayed = try await run(["events", "replay", "nothing", "--application", application])
        #expect(replayed.status == 1)
        #expect(try await run(["events", "tail", "--application", "nothing"]).status == 1)
        #expect(try await run(["events", "tail", "--application", application, "--limit", "0"]).status == 2)
        #expect(try await server.stop() == 0)
    }
}
