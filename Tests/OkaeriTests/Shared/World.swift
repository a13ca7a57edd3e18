import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire

/// A server, a device's vault and a clock that stands still.
struct World {
    let clock = TestClock()
    let randomness = TestRandomness(seed: 7)
    let server: InMemoryServer
    let vault = TestVault()

    init() {
        server = InMemoryServer(clock: clock)
    }

    /// One launch of the app.
    func launch(
        vault: (any CredentialVault)? = nil, inBackground: Bool = true, retry: RetryPolicy = RetryPolicy(),
        application: String? = nil
    ) -> OkaeriClient {
        OkaeriClient(
            server: server.url, application: application ?? server.application, vault: vault ?? self.vault,
            transport: server,
            configuration: OkaeriConfiguration(
                retry: retry, worksInBackground: inBackground,
                device: DeviceInfo(name: "Hana's phone", system: "TestOS 1")),
            clock: clock, randomness: randomness)
    }

    /// One launch of the app, in a network that gives a request up when its caller is cancelled, as the system's does.
    func launchInSystemNetwork() -> OkaeriClient {
        OkaeriClient(
            server: server.url, application: server.application, vault: vault,
            transport: CancellableNetwork(server: server),
            configuration: OkaeriConfiguration(worksInBackground: false), clock: clock, randomness: randomness)
    }

    /// How often clients asked to log in.
    var logInCount: Int { server.requests(to: APIPath.logInAutomatically).count }
}

/// Requests have their effect; the response to a caller who was cancelled does not arrive.
private struct CancellableNetwork: Transport {
    let server: InMemoryServer

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let response = try await server.send(request)
        if Task.isCancelled { throw .cancelled }
        return response
    }
}

/// A folder for one test, gone with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("okaeri-\(ProcessInfo.processInfo.globallyUniqueString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // What is left over in the system's temporary folder harms nobody.
        try? FileManager.default.removeItem(at: url)
    }
}

extension OkaeriClient {
    /// Waits for a state.
    func reaches(_ isWanted: (OkaeriState) -> Bool) async -> OkaeriState? {
        for await state in states where isWanted(state) { return state }
        return nil
    }

    /// Waits until somebody is logged in with values that the server has confirmed.
    func becomesFresh() async -> OkaeriState? {
        await reaches {
            guard case .loggedIn(_, .fresh) = $0 else { return false }
            return true
        }
    }
}
