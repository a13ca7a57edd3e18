import Foundation
import OkaeriWire
import Testing

@Suite("okaeri role and okaeri group")
struct RoleCommandTests {
    private let folder = TestFolder()

    @Test(
        "explain themselves with examples", arguments: ["role", "group"],
        [[], ["list"], ["create"], ["change"], ["remove"], ["give"], ["take"], ["users"]])
    func help(_ kind: String, _ command: [String]) async throws {
        let finished = try await Program.run([kind] + command + ["--help"])
        #expect(finished.status == 0 && finished.output.contains("USAGE: okaeri \(kind)"))
        #expect(finished.output.contains("Example"))
    }

    @Test("give and take, and print with --json what the user has then")
    func given() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        func run(_ arguments: String...) async throws -> Program.Finished {
            try await Program.run(arguments + ["--application", id, "--data", folder.path])
        }
        let file = "\(folder.path)/users.json"
        try Data(#"{"id":"1","username":"hana"}"#.utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await run("import", "users", file).status == 0)
        #expect(try await run("role", "create", "editor").status == 0)
        #expect(try await run("group", "create", "staff").status == 0)
        struct Given: Decodable, Equatable {
            let id: String
            let roles: [String]
            let groups: [String]
        }
        let role: Given = try await run("role", "give", "editor", "1", "--json").json()
        #expect(role == Given(id: "1", roles: ["editor"], groups: []))
        let group: Given = try await run("group", "give", "staff", "1", "--json").json()
        #expect(group == Given(id: "1", roles: ["editor"], groups: ["staff"]))
        let taken: Given = try await run("role", "take", "editor", "1", "--json").json()
        #expect(taken == Given(id: "1", roles: [], groups: ["staff"]))
        #expect(try await run("group", "take", "staff", "1").output == "The user 1 does not have the group staff.\n")
    }

    @Test("make, list, change and remove roles and groups, and refuse what there is not")
    func life() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        func run(_ arguments: String...) async throws -> Program.Finished {
            try await Program.run(arguments + ["--application", id, "--data", folder.path])
        }
        let made = try await run("role", "create", "editor", "--permission", "posts:write")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try await run("group", "create", "staff", "--role", "editor").status == 0)
        #expect(try await run("group", "list").output.contains("editor"))
        #expect(try await run("role", "change", "editor", "--name", "writer").status == 0)
        let unchanged = try await run("role", "change", "writer")
        #expect(unchanged.status == 2, "\(unchanged)")
        #expect(unchanged.errors.contains("--name, --nothing, or --permission"), "\(unchanged)")
        #expect(try await run("group", "change", "staff").errors.contains("--name, --nothing, or --role"))
        let list = try await run("role", "list", "--json")
        #expect(list.output.contains("writer") && list.output.contains("posts:write"))
        let users = try await run("role", "users", "writer", "--json").output
        #expect(users.filter { !$0.isWhitespace }.contains("[]"), "\(users)")
        for wrong in [
            ["role", "create", "WRITER"], ["role", "create", "a b"], ["group", "create", "x", "--role", "unknown"],
            ["role", "create", "x", "--role", "writer"], ["role", "give", "writer", "nobody"],
            ["role", "remove", "unknown"],
        ] {
            let finished = try await Program.run(wrong + ["--application", id, "--data", folder.path])
            #expect(finished.status != 0, "\(wrong)")
        }
        #expect(try await run("role", "remove", "writer").status == 0)
        #expect(try await run("role", "list").output.contains("no role"))
    }
}
