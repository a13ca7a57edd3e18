import Foundation
import Testing

@Suite("okaeri demo apple")
struct DemoAppleTests {
    private struct Steps: Decodable {
        let steps: [Step]
    }

    private struct Applications: Decodable {
        struct Application: Decodable {
            let id: String
        }

        let applications: [Application]
    }

    private struct Step: Decodable {
        let scene: String
        let outcome: String
        let user: String?
    }

    @Test("plays sign-up, log-in, link, taken, unlink and deletion with revocation against the fake Apple")
    func play() async throws {
        let folder = TestFolder()
        let server = try await TestServer(
            data: folder.path, options: ["--dev"], program: Program.developmentPath())
        #expect(server.process.errors.contains("a fake plays Apple"))
        let finished = try await Program.run(["demo", "apple", "--json", "--data", folder.path, "--locale", "en"])
        #expect(finished.status == 0, "\(finished.errors)")
        let steps = try finished.json(Steps.self).steps
        #expect(steps.map(\.scene) == ["sign-up", "log-in", "link", "taken", "unlink", "deletion"])
        #expect(
            steps.map(\.outcome) == [
                "Nice to meet you, 花!", "The same user as before.", "The same user as before.",
                "The same person: merged without asking Apple again.", "Apple has revoked the grant too.",
                "Apple has revoked the grant too.",
            ])
        #expect(steps[0].user == steps[1].user && steps[2].user == steps[4].user)
        #expect(steps[3].user == steps[0].user && steps[5].user == steps[0].user)
        // The check asks the same fake, not Apple.
        let list = try await Program.run("application", "list", "--json", "--data", folder.path)
        let application = try #require(try list.json(Applications.self).applications.first)
        let check = try await Program.run(
            "application", "apple", "check", application.id, "--json", "--data", folder.path)
        #expect(check.status == 0 && check.output.contains(#""isAccepted" : true"#), "\(check.output) \(check.errors)")
        try await server.stop()
    }

    @Test("needs the program for development: the other one has no fake, and says so")
    func noFake() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path, options: ["--dev"])
        #expect(server.process.errors.contains("“okaeri-dev serve --dev” has one"))
        let finished = try await Program.run("demo", "apple", "--data", folder.path)
        #expect(finished.status == 1 && finished.errors.contains("okaeri-dev serve --dev"))
        #expect(finished.errors.contains("The server at \(server.url)"), "\(finished.errors)")
        #expect(!finished.errors.contains("No server"), "\(finished.errors)")
        try await server.stop()
    }

    @Test("is linked with fakes in the program for development alone", arguments: ["okaeri", "okaeri-dev"])
    func linked(_ name: String) async throws {
        let folder = try URL(fileURLWithPath: Program.path()).deletingLastPathComponent()
        let program = try Data(contentsOf: folder.appendingPathComponent(name), options: .alwaysMapped)
        #expect((program.firstRange(of: Data("13FakeProviders".utf8)) != nil) == (name == "okaeri-dev"))
    }

    @Test("needs a server for development")
    func noServer() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let finished = try await Program.run("demo", "apple", "--data", folder.path)
        #expect(finished.status == 1 && finished.errors.contains("--dev"))
        try await server.stop()
    }

    @Test("is refused by a server that others can reach")
    func publicServer() async throws {
        let folder = TestFolder()
        let finished = try await Program.run(
            "serve", "--dev", "--listen", "0.0.0.0:0", environment: ["OKAERI_DATA": folder.path])
        #expect(finished.status == 2 && finished.errors.contains("loopback"), "\(finished.errors)")
    }
}
