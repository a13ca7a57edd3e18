import Foundation
import Testing

@Suite("The simulator")
struct SimulatorTests {
    private func simulate(_ seed: Int, _ operations: Int = 400, nodes: Int = 1) async throws -> Program.Finished {
        let program = try URL(fileURLWithPath: Program.path()).deletingLastPathComponent()
            .appendingPathComponent("okaeri-simulate").path
        return try await ChildProcess(
            program, ["--seed", String(seed), "--operations", String(operations), "--nodes", String(nodes)],
            environment: [:]
        ).finished()
    }

    private func digest(of finished: Program.Finished) throws -> Substring {
        try #require(finished.output.split(separator: "\n").first { $0.hasPrefix("digest ") })
    }

    @Test("prints the same history for the same seed, and another for another one", arguments: [1, 3])
    func repeatable(nodes: Int) async throws {
        let (first, again) = (try await simulate(7, nodes: nodes), try await simulate(7, nodes: nodes))
        let other = try await simulate(8, nodes: nodes)
        #expect(first.status == 0 && first.output == again.output)
        #expect(try digest(of: first) != digest(of: other))
    }

    @Test("loses power on the way, and finds nothing wrong", arguments: [1, 2])
    func faults(_ seed: Int) async throws {
        let finished = try await simulate(seed, 2_000)
        #expect(finished.status == 0, "\(finished.output)")
        #expect(!finished.output.contains(" 0 losses of power"))
    }

    @Test("cuts nodes off, kills and replaces them, and finds that all hear of what ended in time", arguments: [1, 2])
    func nodes(_ seed: Int) async throws {
        let finished = try await simulate(seed, 2_000, nodes: 3)
        #expect(finished.status == 0, "\(finished.output)")
        #expect(!finished.output.contains(", 3 nodes, ") && !finished.output.contains(" 0 notices"))
    }
}
