import Foundation
import Testing

@Suite("The simulator")
struct SimulatorTests {
    private func simulate(_ seed: Int, _ operations: Int = 400) async throws -> Program.Finished {
        let program = try URL(fileURLWithPath: Program.path()).deletingLastPathComponent()
            .appendingPathComponent("okaeri-simulate").path
        return try await ChildProcess(
            program, ["--seed", String(seed), "--operations", String(operations)], environment: [:]
        ).finished()
    }

    private func digest(of finished: Program.Finished) throws -> Substring {
        try #require(finished.output.split(separator: "\n").first { $0.hasPrefix("digest ") })
    }

    @Test("prints the same history for the same seed, and another for another one")
    func repeatable() async throws {
        let (first, again, other) = (try await simulate(7), try await simulate(7), try await simulate(8))
        #expect(first.status == 0 && first.output == again.output)
        #expect(try digest(of: first) != digest(of: other))
    }

    @Test("loses power on the way, and finds nothing wrong", arguments: [1, 2])
    func faults(_ seed: Int) async throws {
        let finished = try await simulate(seed, 2_000)
        #expect(finished.status == 0, "\(finished.output)")
        #expect(!finished.output.contains(" 0 losses of power"))
    }
}
