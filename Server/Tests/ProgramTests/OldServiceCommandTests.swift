import Foundation
import Testing

@Suite("okaeri old-service")
struct OldServiceCommandTests {
    private let folder = TestFolder()

    private func application() async throws -> String {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        return try created.json(CreatedApplication.self).id
    }

    @Test("sets, lists and removes services, and shows no secret")
    func life() async throws {
        let id = try await application()
        func run(_ arguments: String...) async throws -> Program.Finished {
            try await Program.run(["old-service"] + arguments + ["--application", id, "--data", folder.path])
        }
        #expect(try await run("list").output.contains("no other service"))
        #expect(try await run("set", "firebase", "--project", "my-game").status == 0)
        let secret = "0123456789abcdef0123456789abcdef"
        let file = URL(fileURLWithPath: folder.path).appendingPathComponent("secret")
        try Data("\(secret)\n".utf8).write(to: file)
        let set = try await run(
            "set", "supabase", "--issuer", "https://abc.supabase.co/auth/v1", "--secret-file", file.path)
        #expect(set.status == 0, "\(set.errors)")
        let listed = try await run("list")
        #expect(listed.output.contains("my-game") && listed.output.contains("abc.supabase.co"))
        #expect(try await run("list", "--json").output.contains("hasSecret"))
        #expect(!listed.output.contains(secret))
        #expect(try await run("remove", "firebase").status == 0)
        #expect(try await run("remove", "firebase").status == 1)
    }

    @Test("refuses what breaks a rule, naming the field")
    func faults() async throws {
        let id = try await application()
        for (arguments, word) in [
            (["auth0"], "auth0"), (["firebase"], "--project"), (["firebase", "--client", "a"], "--client"),
            (["cognito", "--project", "a"], "--project"), (["supabase", "--issuer", "http://a.example.com"], "issuer"),
            (["cognito", "--issuer", "https://a.example.com"], "--client"),
        ] {
            let finished = try await Program.run(
                ["old-service", "set"] + arguments + ["--application", id, "--data", folder.path])
            #expect(finished.status == 2 && finished.errors.contains(word), "\(arguments): \(finished.errors)")
        }
    }
}
