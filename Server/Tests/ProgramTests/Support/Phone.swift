import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestWorld

/// A device that logs in over HTTP without the SDK, so that nothing is repeated or renewed silently.
struct Phone: Sendable {
    let device = TestDevice()

    func proof(for server: TestServer) throws -> String {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        return try device.proof(target: server.url + "/v1/log-in/automatic", at: now)
    }

    /// One automatic log-in.
    func logIn(
        at server: TestServer, application: String, body: String = "{}",
        by transport: URLSessionTransport = URLSessionTransport()
    ) async throws -> TransportResponse {
        try await server.send(
            "POST", "/v1/log-in/automatic", application: application, proof: proof(for: server), body: body,
            by: transport)
    }

    /// One automatic log-in that must succeed.
    func loggedIn(at server: TestServer, application: String, body: String = "{}") async throws -> LogInResponse {
        let answer = try await logIn(at: server, application: application, body: body)
        guard [200, 201].contains(answer.status) else {
            throw TestFault("log-in answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try JSONDecoder().decode(LogInResponse.self, from: answer.body)
    }
}
