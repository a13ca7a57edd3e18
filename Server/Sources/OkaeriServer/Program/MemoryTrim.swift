import CMalloc
import Logging
import ServiceLifecycle

/// Gives memory back, once, that only starting the server needed: free pages of the heap, and pages of the program that are
/// only used at the start (decision 0149).
struct MemoryTrim: Service {
    /// How long after the start, so that it meets neither the start itself nor the requests that waited for it.
    static let delay: Duration = .seconds(2)

    let logger: Logger

    func run() async throws {
        // A server that stops earlier has nothing to give back.
        guard (try? await cancelWhenGracefulShutdown({ try await Task.sleep(for: Self.delay) })) != nil else { return }
        let before = ProcessMemory.residentBytes
        give_back_heap()
        _ = give_back_program()
        logger.debug(
            "memory is given back",
            metadata: [
                "before": "\(before ?? 0)", "after": "\(ProcessMemory.residentBytes ?? 0)",
            ])
        // A service that ends by itself while the others stop is a fault of the group.
        try? await gracefulShutdown()
    }
}
