import Foundation
import Okaeri
@_spi(TotalConversions) import OkaeriWire
import Synchronization

/// How far long work of several steps is, with the time that is left of a step.
final class StepProgress: Sendable {
    private struct State: Sendable {
        var step = ""
        var begun = Date.distantPast
        /// What of the step was done when it was first heard of: work that goes on has not done that now.
        var shareAtBegin = 0.0
        var lastShown = Date.distantPast
    }

    private let line: ProgressLine
    private let clock = SystemClock()
    private let state = Mutex(State())

    init(isWanted: Bool) {
        line = ProgressLine(isWanted: isWanted)
    }

    /// - Parameters:
    ///   - name: The step.
    ///   - done: How much of it is done.
    ///   - all: How much it is.
    ///   - part: What of the step is being done.
    func show(_ name: String, _ done: Int, _ all: Int, of part: String? = nil) {
        let now = clock.now
        let share = all > 0 ? min(1, Double(done) / Double(all)) : 1
        let left = state.withLock { state -> Double?? in
            if name != state.step {
                state = State(step: name, begun: now, shareAtBegin: share)
            }
            guard now.timeIntervalSince(state.lastShown) > 0.2 else { return nil }
            state.lastShown = now
            let (elapsed, worked) = (now.timeIntervalSince(state.begun), share - state.shareAtBegin)
            return .some(elapsed > 3 && worked > 0.02 && share < 1 ? elapsed * (1 - share) / worked : nil)
        }
        guard let left else { return }
        let words = left.map { ", about \(Int64(clamping: $0)) s left" } ?? ""
        line.show("\(name)\(part.map { " \($0)" } ?? ""): \(Int64(clamping: share * 100)) %\(words)")
    }

    func end() { line.end() }
}
