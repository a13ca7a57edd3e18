import Foundation
import Okaeri
import OkaeriTesting

/// A server, a device's vault and a clock that stands still.
struct World {
    let clock = TestClock()
    let server: InMemoryServer
    let vault = MemoryVault()
    let randomness = TestRandomness(seed: 7)

    init() {
        server = InMemoryServer(clock: clock)
    }

    /// One launch of the app.
    func launch(vault: (any CredentialVault)? = nil, inBackground: Bool = true) -> OkaeriClient {
        OkaeriClient(
            server: server.url, application: server.application, vault: vault ?? self.vault, transport: server,
            configuration: OkaeriConfiguration(
                worksInBackground: inBackground, device: DeviceInfo(name: "Hana's phone", system: "TestOS 1")),
            clock: clock, randomness: randomness)
    }
}
