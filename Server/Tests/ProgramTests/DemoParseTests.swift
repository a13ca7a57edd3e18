import Foundation
import Testing

@Suite("okaeri demo parse")
struct DemoParseTests {
    private struct Steps: Decodable {
        let steps: [Step]
    }

    private struct Step: Decodable {
        let scene: String
        let outcome: String
        let user: String
    }

    @Test("plays an anonymous user's life in Parse's words, and takes it over into Okaeri's SDK")
    func play() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let finished = try await Program.run(["demo", "parse", "--json", "--data", folder.path, "--locale", "en"])
        #expect(finished.status == 0, "\(finished.errors)")
        let steps = try finished.json(Steps.self).steps
        #expect(steps.map(\.scene) == ["anonymous", "token", "upgrade", "second-device", "adopt", "automatic"])
        #expect(Set(steps.map(\.user)).count == 1)
        #expect(!steps.contains { $0.outcome.contains("another user") })
        try await server.stop()
    }
}
