import Dispatch

/// Where a connection's work is done, one piece after the other: a queue of its own, or a simulator's list of steps.
package struct StepQueue: Sendable {
    /// Takes a step that is run later, never at once.
    package typealias Steps = @Sendable (@escaping @Sendable () -> Void) -> Void

    private let add: Steps

    /// - Parameters:
    ///   - label: Its name in the system's tools.
    ///   - steps: Who runs what is added; `nil` for a queue of its own.
    init(label: String, steps: Steps? = nil) {
        guard let steps else {
            let queue = DispatchQueue(label: label, qos: .userInitiated)
            add = { work in queue.async(execute: work) }
            return
        }
        add = steps
    }

    func async(_ work: @escaping @Sendable () -> Void) { add(work) }
}
