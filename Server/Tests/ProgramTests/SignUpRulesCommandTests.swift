import OkaeriWire
import Testing

@Suite("okaeri application sign-up")
struct SignUpRulesCommandTests {
    private let folder = TestFolder()

    @Test("shows and changes what sign-up demands, and refuses what makes no sense")
    func life() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        func run(_ options: String...) async throws -> Program.Finished {
            try await Program.run(["application", "sign-up", id] + options + ["--data", folder.path])
        }
        #expect(try await run().output.contains("1 characters"))
        let set = try await run(
            "--username-minimum-characters", "3", "--email-required", "--asks-phone", "--json")
        #expect(
            try JSONValue(parsing: Array(set.output.utf8)) == [
                "usernameMinimumCharacters": 3, "emailRequired": true, "asksPhone": true, "asksDisplayName": false,
                "oldProtocols": false,
            ], "\(set.errors)")
        let again = try await run("--no-email-required")
        #expect(again.output.contains("3 characters") && again.output.contains("optional"), "\(again.errors)")
        for wrong in ["0", "65", "9223372036854775807"] {
            #expect(try await run("--username-minimum-characters", wrong).status != 0, "\(wrong)")
        }
    }
}
