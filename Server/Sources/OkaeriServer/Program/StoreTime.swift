import ServiceLifecycle

/// How long a store of backups has once the server stops: who waits for the process ends it soon.
enum StoreTime {
    /// For what is under way and what is left.
    private static let stop: Duration = .seconds(10)
    /// The same where those that stop before have taken all the time that a stop has.
    private static let overdue: Duration = .seconds(5)

    /// Does something that asks a store.
    ///
    /// - Parameters:
    ///   - end: Called as soon as the server stops, with the time after which nothing is waited for.
    ///   - work: What to do.
    /// - Returns: what the work returns.
    static func bounded<Value: Sendable>(
        by end: @escaping @Sendable (Duration) -> Void, _ work: () async -> Value
    ) async -> Value {
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler(operation: work) { end(stop) }
        } onCancel: {
            end(overdue)
        }
    }
}
