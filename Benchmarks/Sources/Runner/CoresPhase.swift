import Measuring

/// Does one node use every processor that it is given?
///
/// A machine with two has none left for the load, so that both share both: what the load takes of them is taken off. The
/// rate of two processors is that of requests for which the server took its time, if all of the busy time were the
/// server's. What idles, because a thread waits for another one, counts against it.
struct CoresPhase {
    let workbench: Workbench
    let isQuick: Bool

    private var seconds: Double { isQuick ? 1 : 4 }
    private var rounds: Int { isQuick ? 1 : 5 }

    func measure(into report: inout Report) throws {
        let seeded = try workbench.seeded(users: isQuick ? 1_000 : 100_000)
        for (scenario, name) in [("session-check", "session check"), ("log-in", "log-in of a known device")] {
            var (ratios, details): ([Double], [String]) = ([], [])
            var last: (one: LoadResult, two: LoadResult)?
            for _ in 0..<rounds {
                let one = try run(
                    scenario, on: seeded, server: Workbench.serverProcessor, load: Workbench.otherProcessor)
                let two = try run(scenario, on: seeded, server: Workbench.anyProcessor, load: Workbench.anyProcessor)
                let busy = two.serverShare + two.generatorShare
                let rate = busy * 1_000_000 / two.serverMicrosecondsPerRequest
                ratios.append(rate / one.requestsPerSecond)
                details.append("\(Int(rate)) ÷ \(Int(one.requestsPerSecond)), \(Int(busy * 50)) % busy")
                last = (one, two)
            }
            if let last {
                report.add("\(name), one processor", last.one)
                report.add("\(name), two beside the load", last.two)
            }
            report.add(
                ratio: "\(name), two processors ÷ one", ratios.median, details.joined(separator: "; "))
        }
    }

    private func run(_ scenario: String, on seeded: SeededData, server: String, load: String) throws -> LoadResult {
        let data = try seeded.copy(to: workbench.folder + "/run")
        let node = try ServerUnderTest.okaeri(workbench, on: data, processor: server)
        defer { node.child.stop() }
        return try node.load(
            scenario,
            LoadRun(
                seconds: seconds, requests: Int((seconds + 1) * 9_000),
                // Sessions that are in the session cache, as in the phase of the paths; devices each another one.
                spread: isQuick ? 500 : scenario == "session-check" ? 2_000 : 20_000, processor: load)
        )
    }
}
