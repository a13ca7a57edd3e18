import Domain
import Foundation
import HTTPTypes
import Okaeri
import OkaeriWire
import Testing

/// The SDK against the real routes.
enum SDKClient {
    static func make(_ server: TestServer, _ vault: MemoryVault = MemoryVault()) throws -> OkaeriClient {
        OkaeriClient(
            server: try #require(URL(string: TestServer.url)), application: server.application.id.rawValue,
            vault: vault, transport: Wire(server: server),
            configuration: OkaeriConfiguration(worksInBackground: false), clock: Now(server: server))
    }

    /// Carries the SDK's requests to the server under test.
    private struct Wire: Transport {
        let server: TestServer

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
            let path = (parts?.percentEncodedPath ?? "/") + (parts?.percentEncodedQuery.map { "?\($0)" } ?? "")
            do {
                let answer = try await server.send(
                    HTTPRequest.Method(rawValue: request.method) ?? .get, path,
                    request.headers.all.map { ($0.key, $0.value) }, bytes: request.body.map(Array.init),
                    isNamed: false)
                var headers = HeaderFields()
                for field in answer.headers { headers[field.name.canonicalName] = field.value }
                return TransportResponse(status: answer.status, headers: headers, body: Data(answer.text.utf8))
            } catch {
                throw .unreachable("\(error)")
            }
        }
    }

    private struct Now: Okaeri.WallClock {
        let server: TestServer
        var now: Date { Date(timeIntervalSince1970: Double(server.clock.now.milliseconds) / 1000) }
        func sleep(for duration: Duration) async throws(CancellationError) {}
    }
}
