package import Domain

/// What is counted of calls of hooks.
package final class HookMetrics: Sendable {
    private let points: [(point: HookPoint, counts: Counts)] = HookPoint.allCases.map { ($0, Counts()) }

    private final class Counts: Sendable {
        let results = HookCall.Result.allCases.map { ($0, Counter()) }
        let durations = Histogram()
    }

    package init() {}

    package func note(_ call: HookCall) {
        for (point, counts) in points where point == call.point {
            for (result, counter) in counts.results where result == call.result { counter.add() }
            if let duration = call.duration { counts.durations.note(duration) }
        }
    }

    /// The hooks that something had to ask since the start.
    package var families: [MetricFamily] {
        var calls = MetricFamily(
            "okaeri_hook_calls_total", .counter, "Requests that have to ask a hook, by the hook and what became of it.")
        var durations = MetricFamily(
            "okaeri_hook_duration_seconds", .histogram, "Time of a call of a hook, by the hook.")
        for (point, counts) in points {
            let label = MetricLabel("point", point.rawValue)
            guard counts.results.contains(where: { $0.1.value > 0 }) else { continue }
            for (result, counter) in counts.results {
                calls.add([label, MetricLabel("result", result.rawValue)], .count(counter.value))
            }
            durations.add([label], counts.durations.value)
        }
        return [calls, durations]
    }
}
