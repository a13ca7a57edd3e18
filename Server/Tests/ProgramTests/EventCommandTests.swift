import CSQLite
import Foundation
import OkaeriWire
import Testing

@Suite("The commands of events")
struct EventCommandTests {
    private let folder = TestFolder()

    /// Runs a command, which knows that the key of the endpoint's secret, which no key sealed, is not there.
    private func run(_ arguments: [String]) async throws -> Program.Finished {
        try await Program.run(arguments + ["--data", folder.path], environment: ["OKAERI_SEALING_KEYS": "lost:00"])
    }

    private func change(_ statement: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try #require(sqlite3_open(folder.path + "/okaeri.sqlite", &database) == SQLITE_OK)
        // A command that follows writes now and then.
        sqlite3_busy_timeout(database, 10_000)
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
        let objects = try await run(["events", "tail", "--application", application, "--json"]).output
            .split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        let types = objects.map { object -> JSONValue? in
            guard case .object(let members) = object else { return nil }
            return members["type"]
        }
        #expect(types == ["user.created", "user.upgraded"])
        #expect(try await server.stop() == 0)
    }

    /// What a query counts.
    private func count(_ query: String) throws -> Int {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(database)
        }
        try #require(sqlite3_open(folder.path + "/okaeri.sqlite", &database) == SQLITE_OK)
        try #require(sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK)
        try #require(sqlite3_step(statement) == SQLITE_ROW)
        return Int(sqlite3_column_int64(statement, 0))
    }

    private func insert(_ id: String, _ type: String, number: Int, in application: String) throws {
        try change(
            """
            INSERT INTO events (application_id, id, type, user_id, happened_at, details, user_number)
            VALUES ('\(application)', '\(id)', '\(type)', 'hana', 1, '{}', \(number));
            """)
    }

    @Test("replay lets events wait again: all behind a position, or those that were given up")
    func replay() async throws {
        try folder.make()
        let application = try await run(["application", "create", "Demo", "--json"]).json(CreatedApplication.self).id
        try change(
            """
            INSERT INTO event_endpoints (application_id, id, url, types, includes_user, is_paused, created_at,
                sealed_secret, failures, resumes_at)
            VALUES ('\(application)', 'target', 'https://app.example.com', '[]', 0, 0, 0, x'00', 0, 0);
            """)
        try insert("a", "user.created", number: 1, in: application)
        try insert("b", "user.upgraded", number: 2, in: application)
        let replay = ["events", "replay", "target", "--application", application]
        let all = try await run(replay + ["--after", "0"])
        #expect(all.status == 0 && all.output.contains("2 events wait to be sent again"), "\(all.errors)")
        #expect(try count("SELECT COUNT(*) FROM event_deliveries WHERE is_given_up = 0") == 2)
        let rest = try await run(replay + ["--after", "1", "--json"])
        #expect(rest.status == 0 && rest.output.contains("1") && !rest.output.contains("wait"), "\(rest.output)")
        #expect(try await run(replay).output.contains("0 events"))
        try change("UPDATE event_deliveries SET is_given_up = 1, next_try_at = NULL WHERE position = 1;")
        #expect(try await run(replay).output.contains("1 event waits to be sent again"))
        #expect(try count("SELECT COUNT(*) FROM event_deliveries WHERE is_given_up = 1") == 0)
        let log = try await run(["audit", "list", "--application", application]).output
        #expect(log.components(separatedBy: "events.replayed").count == 5, "\(log)")
    }

    @Test("tail goes on with what happens until it is stopped")
    func follow() async throws {
        try folder.make()
        let application = try await run(["application", "create", "Demo", "--json"]).json(CreatedApplication.self).id
        try insert("a", "user.created", number: 1, in: application)
        let tail = try ChildProcess(
            try Program.path(),
            ["events", "tail", "--application", application, "--after", "0", "--follow", "--data", folder.path])
        _ = try await eventually("the first event") { tail.output.contains("user.created") ? true : nil }
        try insert("b", "user.upgraded", number: 2, in: application)
        _ = try await eventually("the next event") { tail.output.contains("user.upgraded") ? true : nil }
        #expect(tail.isRunning && tail.output.components(separatedBy: "user.created").count == 2)
        tail.signal(SIGTERM)
        _ = try await tail.status()
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
