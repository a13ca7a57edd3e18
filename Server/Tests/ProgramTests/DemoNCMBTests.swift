import Foundation
import Testing

@Suite("okaeri demo ncmb")
struct DemoNCMBTests {
    private struct Steps: Decodable {
        let steps: [Step]
    }

    private struct Step: Decodable {
        let scene: String
        let outcome: String
        let user: String?
    }

    @Test("plays the sample of automatic log-in, and its way to Okaeri's SDK, as one user")
    func play() async throws {
        let folder = TestFolder()
        let server = try await TestServer(data: folder.path)
        let finished = try await Program.run(["demo", "ncmb", "--json", "--data", folder.path, "--locale", "en"])
        #expect(finished.status == 0, "\(finished.errors)")
        let steps = try finished.json(Steps.self).steps
        #expect(
            steps.map(\.scene) == [
                "first-launch", "next-launch", "third-launch", "adopt", "automatic", "adopt-by-password",
            ])
        #expect(Set(steps.map(\.user)).count == 1)
        #expect(steps[0].outcome.contains("E401002") && steps[1].outcome.hasPrefix("Welcome back. Last log-in 20"))
        // Each launch shows the one before it, not the first.
        #expect(steps[2].outcome.hasPrefix("Welcome back. Last log-in 20") && steps[1].outcome < steps[2].outcome)
        try await server.stop()
    }
}
