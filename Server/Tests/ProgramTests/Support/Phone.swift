import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestWorld

/// A device that logs in over HTTP without the SDK: it follows the server's clock as the SDK does, and repeats nothing else.
struct Phone: Sendable {
    let device = TestDevice()

    func proof(for server: TestServer, at time: WireTime? = nil) throws -> String {
        let now = time?.millisecondsSince1970 ?? Int64(Date().timeIntervalSince1970 * 1000)
        return try device.proof(
            target: server.url + "/v1/log-in/automatic", at: Timestamp(milliseconds: now))
    }

    /// One automatic log-in. When the server refuses the time of the proof and tells its own, as it does in the second of a
    /// restart (decision 0124), a second proof has the server's time.
    func logIn(
        at server: TestServer, application: String, body: String = "{}"
    ) async throws -> TransportResponse {
        func answer(at time: WireTime?) async throws -> TransportResponse {
            try await server.send(
                "POST", "/v1/log-in/automatic", application: application, proof: proof(for: server, at: time),
                body: body)
        }
        let first = try await answer(at: nil)
        guard first.status == 401, let problem = try? JSONDecoder().decode(Problem.self, from: first.body),
            problem.code == .clockSkew, let time = problem.serverTime
        else { return first }  // Any other answer is what the test asks for.
        return try await answer(at: time)
    }

    /// One automatic log-in that must succeed.
    func loggedIn(at server: TestServer, application: String, body: String = "{}") async throws -> LogInResponse {
        let answer = try await logIn(at: server, application: application, body: body)
        guard [200, 201].contains(answer.status) else {
            throw TestFault("log-in answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try JSONDecoder().decode(LogInResponse.self, from: answer.body)
    }

    /// Hands a token of Supabase over, which must succeed.
    func adopt(
        _ token: String, of service: String = "supabase", at server: TestServer, application: String
    ) async throws -> LogInResponse {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let answer = try await server.send(
            "POST", "/v1/log-in/adopt", application: application,
            proof: device.proof(target: server.url + "/v1/log-in/adopt", at: now),
            body: #"{"protocol":"\#(service)","token":"\#(token)"}"#)
        guard answer.status == 200 else {
            throw TestFault("adoption answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try JSONDecoder().decode(LogInResponse.self, from: answer.body)
    }
}
