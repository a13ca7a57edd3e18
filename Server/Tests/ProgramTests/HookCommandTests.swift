import Testing

@Suite("okaeri hook")
struct HookCommandTests {
    private let folder = TestFolder()

    @Test("sets, lists and removes hooks, and shows a secret once")
    func life() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        func run(_ arguments: String...) async throws -> Program.Finished {
            try await Program.run(["hook"] + arguments + ["--application", id, "--data", folder.path])
        }
        #expect(try await run("list").output.contains("no hook"))
        let set = ["set", "sign-up", "--url", "https://hooks.example.invalid/a", "--when-down"]
        let made = try await run(set[0], set[1], set[2], set[3], set[4], "refuse", "--guests")
        #expect(made.status == 0 && made.output.contains("whsec_"), "\(made.errors)")
        let changed = try await run(set[0], set[1], set[2], set[3], set[4], "allow", "--timeout", "50")
        #expect(changed.status == 0 && !changed.output.contains("whsec_"))
        let again = try await run(set[0], set[1], set[2], set[3], set[4], "allow", "--new-secret", "--json")
        #expect(again.output.contains("formerSecretUntil") && again.output.contains("whsec_"))
        let alone = try await run(
            set[0], set[1], set[2], set[3], set[4], "allow", "--new-secret", "--overlap-hours", "0")
        #expect(alone.status == 0 && alone.output.contains("whsec_"), "\(alone.errors)")
        let listed = try await run("list")
        #expect(listed.output.contains("sign-up") && listed.output.contains("allow"))
        #expect(!listed.output.contains("whsec_"))
        #expect(try await run(set[0], set[1], set[2], set[3], set[4], "allow", "--paused").output.contains("off"))
        #expect(try await run("list").output.contains("off"))
        let logIn = try await run("set", "log-in", set[2], set[3], set[4], "refuse", "--until", "2030-01-01")
        #expect(logIn.status == 0, "\(logIn.errors)")
        #expect(try await run("list").output.contains("2030-01-01T00:00:00.000Z"))
        // Nobody has a name under “invalid”.
        let tested = try await run("test", "sign-up")
        #expect(tested.status == 1 && tested.errors.contains("no valid response"))
        #expect(try await run("remove", "sign-up").status == 0)
        #expect(try await run("remove", "sign-up").status == 1)
        #expect(try await run("test", "sign-up").status == 1)
    }

    @Test("refuses what breaks a rule, naming the field")
    func faults() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        for (arguments, word) in [
            (["log-out", "--url", "https://a.example.com", "--when-down", "allow"], "log-out"),
            (["log-in", "--url", "https://a.example.com", "--when-down", "allow"], "--until"),
            (["log-in", "--url", "https://a.example.com", "--when-down", "allow", "--until", "soon"], "soon"),
            (
                [
                    "log-in", "--url", "https://a.example.com", "--when-down", "allow", "--from", "2030-01-02",
                    "--until",
                    "2030-01-01",
                ], "until"
            ),
            (
                ["upgrade", "--url", "https://a.example.com", "--when-down", "allow", "--until", "2030-01-01"],
                "--until"
            ),
            (["upgrade", "--url", "https://a.example.com", "--when-down", "maybe"], "maybe"),
            (["upgrade", "--url", "https://a.example.com"], "when-down"),
            (["upgrade", "--url", "http://a.example.com", "--when-down", "allow"], "url"),
            (["upgrade", "--url", "https://a.example.com", "--when-down", "allow", "--timeout", "9"], "timeout"),
            (["upgrade", "--url", "https://a.example.com", "--when-down", "allow", "--guests"], "asksGuests"),
            (["upgrade", "--url", "https://a.example.com", "--when-down", "allow", "--overlap-hours", "1"], "--new"),
            (
                [
                    "upgrade", "--url", "https://a.example.com", "--when-down", "allow", "--new-secret",
                    "--overlap-hours", "169",
                ], "overlapHours"
            ),
        ] {
            let finished = try await Program.run(
                ["hook", "set"] + arguments + ["--application", id, "--data", folder.path])
            #expect(finished.status == 2 && finished.errors.contains(word), "\(arguments): \(finished.errors)")
        }
    }
}
