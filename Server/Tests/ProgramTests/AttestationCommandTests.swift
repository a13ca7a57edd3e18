import OkaeriWire
import Testing

@Suite("okaeri application attestation")
struct AttestationCommandTests {
    private let folder = TestFolder()

    @Test("shows and changes what first launches need, and refuses what breaks a rule")
    func rules() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        func run(_ options: String...) async throws -> Program.Finished {
            try await Program.run(["application", "attestation", id] + options + ["--data", folder.path])
        }
        #expect(try await run().output.contains("off"))
        let set = try await run(
            "--mode", "limited", "--apple-app", "TEAM123456.com.example.app", "--takes-development", "--unattested",
            "5", "50", "--proof-of-work-bits", "12", "--json")
        let expected: JSONValue = [
            "mode": "limited", "appleApps": ["TEAM123456.com.example.app"], "playApps": [],
            "takesDevelopment": true,
            "attested": ["perAddress": 300, "perApplication": 100_000],
            "unattested": ["perAddress": 5, "perApplication": 50],
            "refused": ["perAddress": 20, "perApplication": 10_000], "proofOfWorkBits": 12,
        ]
        #expect(try JSONValue(parsing: Array(set.output.utf8)) == expected, "\(set.errors)")
        #expect(try JSONValue(parsing: Array(try await run("--json").output.utf8)) == expected)
        let text = try await run("--no-takes-development")
        #expect(text.output.contains("12 bits") && text.output.contains("5 of an address"), "\(text.errors)")
        for wrong in [
            ["--proof-of-work-bits", "9"], ["--apple-app", "com.example.app"], ["--attested", "0", "1"],
            ["--mode", "some"], ["--refused", "5"],
        ] {
            let finished = try await Program.run(
                ["application", "attestation", id] + wrong + ["--data", folder.path])
            #expect(finished.status != 0, "\(wrong)")
        }
        #expect(try await run("--mode", "required", "--apple-app", "").status != 0)
        let budget = try await run("--refused", "5")
        #expect(budget.status == 2 && budget.errors.contains("--refused must be two numbers"), "\(budget.errors)")
    }
}
