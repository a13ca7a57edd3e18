import Foundation
import TestPostgreSQL
import Testing

@Suite("okaeri migrate", .serialized)
struct MigrateTests {
    private struct Answer: Decodable {
        let before: Int
        let after: Int
        let statements: [String]
    }

    @Test("makes the tables once, when ten nodes ask for them at once")
    func tenAtOnce() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        let environment = Nodes.environment(cluster.networkURL(database))
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    let finished = try await Program.run("migrate", "--json", environment: environment)
                    guard finished.status == 0 else { throw TestFault(finished.errors) }
                    return try finished.json()
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.before == 0 }.count == 1)
        #expect(answers.filter { $0.before == $0.after }.count == 9)
        let steps = try await cluster.run("SELECT COUNT(*), MAX(version) FROM schema_migrations", in: database)
        #expect(steps == [[String(answers[0].after), String(answers[0].after)]])
        let text = try await Program.run("migrate", environment: environment)
        #expect(text.output.contains("the newest"))
    }

    @Test("prints the SQL and changes nothing with --dry-run; what it prints makes the tables")
    func dryRun() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let database = try await cluster.makeDatabase()
        let environment = Nodes.environment(cluster.networkURL(database))
        let rehearsal = try await Program.run("migrate", "--dry-run", environment: environment)
        #expect(rehearsal.status == 0, "\(rehearsal.errors)")
        #expect(try await cluster.run("SELECT to_regclass('users') IS NULL", in: database) == [["t"]])
        try await cluster.run(rehearsal.output, in: database)
        let made = try await Program.run("application", "create", "Demo", environment: environment)
        #expect(made.status == 0, "\(made.errors)")
        let nothing = try await Program.run("migrate", "--dry-run", "--json", environment: environment)
        #expect(try nothing.json(Answer.self).statements.isEmpty)
    }

    @Test("refuses a newer schema, and undoes all of a step that fails")
    func refusals() async throws {
        let cluster = try await TestPostgreSQL.cluster()
        let newer = try await cluster.makeMigratedDatabase()
        try await cluster.run("INSERT INTO schema_migrations VALUES (999, 'from the future')", in: newer)
        let refused = try await Program.run("migrate", environment: Nodes.environment(cluster.networkURL(newer)))
        #expect(refused.status == 1)
        #expect(refused.errors.contains("made by a newer Okaeri"))
        let taken = try await cluster.makeDatabase()
        try await cluster.run("CREATE TABLE identities (something TEXT)", in: taken)
        let failed = try await Program.run("migrate", environment: Nodes.environment(cluster.networkURL(taken)))
        #expect(failed.status == 1)
        #expect(failed.errors.contains("already exists"), "\(failed.errors)")
        #expect(try await cluster.run("SELECT to_regclass('applications') IS NULL", in: taken) == [["t"]])
    }

    @Test("tells the embedded database's version, and doctor a shared one's")
    func otherStorage() async throws {
        let folder = TestFolder()
        let rehearsal = try await Program.run("migrate", "--dry-run", "--json", "--data", folder.path)
        #expect(try rehearsal.json(Answer.self).before == 0)
        let made = try await Program.run("migrate", "--json", "--data", folder.path)
        #expect(made.status == 0 && made.errors.contains("\(folder.path) is new"), "\(made.errors)")
        let again = try await Program.run("migrate", "--data", folder.path)
        #expect(again.status == 0 && again.errors.isEmpty && again.output.contains("the newest"), "\(again.errors)")
        let cluster = try await TestPostgreSQL.cluster()
        let environment = Nodes.environment(cluster.networkURL(try await cluster.makeDatabase()))
        let before = try await Program.run("doctor", environment: environment)
        #expect(before.status == 1)
        #expect(before.output.contains("no schema of Okaeri yet"), "\(before.output)")
        _ = try await Program.run("migrate", environment: environment)
        let after = try await Program.run("doctor", environment: environment)
        #expect(after.status == 0, "\(after.output)")
        for words in ["takes reads and writes", "A node gets the 11 connections", "fsync = off", "the newest"] {
            #expect(after.output.contains(words), "\(after.output)")
        }
    }
}
