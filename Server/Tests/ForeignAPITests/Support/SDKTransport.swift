import Domain
import Foundation
import HTTPTypes
import Okaeri
import OkaeriWire
import TestWorld
import Testing

/// Carries the SDK's requests straight to the server in the test.
struct SDKTransport: Transport {
    let world: ForeignWorld

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let path = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        let target = (path?.percentEncodedPath ?? "/") + (path?.percentEncodedQuery.map { "?\($0)" } ?? "")
        do {
            let answer = try await world.send(
                request.method, target, request.headers.all.map { ($0.key, $0.value) },
                bytes: request.body.map { Array($0) })
            return TransportResponse(
                status: answer.status,
                headers: HeaderFields(
                    Dictionary(
                        answer.headers.map { ($0.name.rawName, $0.value) }, uniquingKeysWith: { first, _ in first })),
                body: Data(answer.body))
        } catch {
            throw .unreachable("\(error)")
        }
    }
}

/// The server's clock, for the SDK.
struct SDKClock: Okaeri.WallClock {
    let clock: StandingClock

    var now: Date { Date(timeIntervalSince1970: Double(clock.now.milliseconds) / 1000) }

    func sleep(for duration: Duration) async throws(CancellationError) {
        throw CancellationError()
    }
}

extension ForeignWorld {
    /// A device with Okaeri's SDK and a vault of its own.
    func device() throws -> OkaeriClient {
        OkaeriClient(
            server: try #require(URL(string: "http://\(Self.host)")), application: application.id.rawValue,
            vault: MemoryVault(), transport: SDKTransport(world: self), clock: SDKClock(clock: clock))
    }
}
