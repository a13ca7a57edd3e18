import Foundation
import Testing

@Suite("okaeri demo kii")
struct DemoKiiTests {
    private struct Steps: Decodable {
        let steps: [Step]
    }

    private struct Step: Decodable {
        let scene: String
        let outcome: String
        let user: String
    }

    @Test("plays a pseudo user's life: register, come back by token, upgrade, find it on a second device")
    func play() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let finished = try await Program.run(["demo", "kii", "--json", "--data", folder.path, "--locale", "en"])
        #expect(finished.status == 0, "\(finished.errors)")
        let steps = try finished.json(Steps.self).steps
        #expect(steps.map(\.scene) == ["register", "token", "upgrade", "second-device"])
        #expect(Set(steps.map(\.user)).count == 1)
        #expect(!steps.contains { $0.outcome.contains("another user") })
        try await server.stop()
    }

    @Test("needs a server")
    func noServer() async throws {
        let folder = TestFolder()
        _ = try await Program.run("application", "create", "App", environment: ["OKAERI_DATA": folder.path])
        let finished = try await Program.run("demo", "kii", "--data", folder.path)
        #expect(finished.status == 1 && finished.errors.contains("okaeri serve"))
    }
}
