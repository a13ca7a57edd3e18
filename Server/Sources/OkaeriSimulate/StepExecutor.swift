import TestWorld

/// Runs everything of a simulation on the thread that asks for it, one step at a time, in an order that a seed decides.
///
/// Unchecked: it is used on one thread only.
final class StepExecutor: TaskExecutor, @unchecked Sendable {
    private enum Step {
        case job(UnownedJob)
        case work(@Sendable () -> Void)
    }

    private var steps: [Step] = []
    private var generator: SeededGenerator
    private(set) var stepCount = 0

    init(seed: UInt64) { generator = SeededGenerator(state: seed) }

    func enqueue(_ job: consuming ExecutorJob) { steps.append(.job(UnownedJob(job))) }

    func add(_ work: @escaping @Sendable () -> Void) { steps.append(.work(work)) }

    /// - Returns: `false` when there is nothing to run.
    func runStep() -> Bool {
        guard !steps.isEmpty else { return false }
        let index = generator.number(below: steps.count)
        steps.swapAt(index, steps.count - 1)
        stepCount += 1
        switch steps.removeLast() {
        case .job(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .work(let work): work()
        }
        return true
    }

    /// Begins work whose steps come in their turns, and calls back when it has ended.
    func start(_ work: @escaping @Sendable () async -> Void, whenDone: @escaping @Sendable () -> Void) {
        // Waited for by `runStep`: the caller counts what it has started.
        Task(executorPreference: self) {
            await work()
            whenDone()
        }
    }
}
