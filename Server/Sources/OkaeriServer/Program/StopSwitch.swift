import ServiceLifecycle

/// Ends the services around it when it is pressed.
struct StopSwitch: Service {
    private let presses: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (presses, continuation) = AsyncStream.makeStream()
    }

    func press() {
        continuation.yield()
    }

    func run() async {
        for await _ in presses.cancelOnGracefulShutdown() { return }
    }
}
