import FakeProviders
import Logging

/// Plays identity providers beside a server for development, on a loopback port of their own.
enum DevelopmentProviders {
    /// Plays while `body` lasts.
    ///
    /// - Parameters:
    ///   - logger: The log.
    ///   - body: Is given the address of the fake Apple.
    /// - Throws: what `body` throws, and `StartFault.cannotListen`.
    static func run(
        logger: Logger, _ body: @escaping @Sendable (_ apple: String) async throws(StartFault) -> Void
    ) async throws(StartFault) {
        do {
            let server = FakeProviderServer()
            server.add(try FakeApple(clock: SystemClock()), named: "apple")
            let (addresses, continuation) = AsyncStream<String>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { continuation.finish() }
                    try await server.run(logger: logger) { continuation.yield($0) }
                }
                guard let address = await addresses.first(where: { _ in true }) else {
                    throw StartFault.cannotListen("The fake Apple cannot listen.")
                }
                defer { group.cancelAll() }
                try await body("\(address)/apple")
            }
        } catch let fault as StartFault {
            throw fault
        } catch {
            throw .cannotListen("The fake Apple cannot be played: \(error)")
        }
    }
}
