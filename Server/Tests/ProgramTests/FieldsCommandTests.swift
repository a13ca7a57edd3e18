import OkaeriWire
import Testing

@Suite("okaeri application fields")
struct FieldsCommandTests {
    private let folder = TestFolder()

    private func run(_ arguments: String...) async throws -> Program.Finished {
        try await Program.run(["application", "fields"] + arguments + ["--data", folder.path])
    }

    @Test(
        "explains itself with examples",
        arguments: [[], ["list"], ["set"], ["remove"], ["policy"]])
    func help(_ command: [String]) async throws {
        let finished = try await Program.run(["application", "fields"] + command + ["--help"])
        #expect(finished.status == 0)
        #expect(finished.output.contains("USAGE: okaeri application fields"))
    }

    @Test("sets, lists and removes rules, and refuses what makes no sense")
    func life() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        let set = try await run(
            "set", id, "coins", "--type", "integer", "--write", "server", "--default", "5", "--label", "ja=コイン")
        #expect(set.status == 0, "\(set.errors)")
        let closed = try await run("policy", id, "closed")
        #expect(closed.status == 0 && closed.output.contains("have a rule"))
        let list = try await run("list", id, "--json")
        let json = try JSONValue(parsing: Array(list.output.utf8))
        guard case .object(let members) = json, case .array(let fields)? = members["fields"] else {
            Issue.record("\(list.output)")
            return
        }
        #expect(members["policy"] == "closed")
        #expect(
            fields == [
                [
                    "name": "coins", "type": "integer", "read": "public", "write": "server", "required": false,
                    "default": 5, "label": ["ja": "コイン"],
                ]
            ])
        #expect(try await run("list", id).output.contains("coins"))
        for wrong in [
            ["--type", "text"], ["--read", "server"], ["--required", "--write", "server"], ["--default", "{"],
            ["--type", "date", "--default", "\"soon\""], ["--label", "ja"],
        ] {
            let finished = try await Program.run(
                ["application", "fields", "set", id, "other"] + wrong + ["--data", folder.path])
            #expect(finished.status != 0 && finished.errors.contains("okaeri:"), "\(wrong) \(finished.errors)")
        }
        #expect(try await run("remove", id, "coins").status == 0)
        #expect(try await run("remove", id, "coins").status == 2)
    }
}
