import Domain
import FakeProviders
import Logging
import OkaeriServer

/// Plays identity providers beside a server for development, on a loopback port of their own.
struct DevelopmentProviders: ProviderStandIn {
    func run(
        clock: any WallClock, logger: Logger,
        _ body: @escaping @Sendable (_ apple: String) async throws(StartFault) -> Void
    ) async throws(StartFault) {
        do {
            let server = FakeProviderServer()
            server.add(try FakeApple(clock: clock), named: "apple")
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
