import FakeProviders
import Foundation
import Logging

/// The fakes' server: one for the process, on a loopback port, with a path for each test.
enum FakePlace {
    private static let server = FakeProviderServer()

    /// Runs until the process ends: nobody awaits it, and it holds nothing but its port.
    private static let address = Task<String, Never> {
        let (addresses, continuation) = AsyncStream<String>.makeStream()
        Task.detached {
            try await server.run(logger: Logger(label: "fake") { _ in SwiftLogNoOpLogHandler() }) {
                continuation.yield($0)
            }
        }
        return await addresses.first { _ in true } ?? "http://127.0.0.1:9"
    }

    /// Puts a provider at an address of its own.
    static func address(of provider: any FakeProvider) async -> String {
        let name = UUID().uuidString
        server.add(provider, named: name)
        return "\(await address.value)/\(name)"
    }
}
