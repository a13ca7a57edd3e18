import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// Somebody with a device, logged in on a test server.
struct Person: Sendable {
    let server: TestServer
    let device: ProofMaker
    let logIn: LogInResponse

    var token: String { logIn.session.token }

    /// Sends a request with the session token.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: [(String, String)] = [], body: String? = nil,
        bytes: [UInt8]? = nil, peer: String = "192.0.2.1"
    ) async throws -> Answer {
        try await server.send(
            method, path, [("Authorization", "Bearer \(token)")] + headers, body: body, bytes: bytes, peer: peer)
    }

    /// Sends a request with the session token and a proof.
    func send(
        _ method: HTTPRequest.Method, _ path: String, proof: String, scheme: String = "DPoP"
    ) async throws -> Answer {
        try await server.send(method, path, [("Authorization", "\(scheme) \(token)"), ("DPoP", proof)])
    }
}

extension TestServer {
    /// The address of a path as clients know it.
    func url(_ path: String) -> String { Self.url + path }

    /// Sends an automatic log-in with a right proof.
    func logIn(
        _ device: ProofMaker, _ headers: [(String, String)] = [], body: String? = nil, peer: String = "192.0.2.1"
    ) async throws -> Answer {
        let proof = try device.proof("POST", url(APIPath.logInAutomatically), at: clock.now)
        return try await send(
            .post, APIPath.logInAutomatically, [("DPoP", proof)] + headers, body: body, peer: peer)
    }

    /// A person whose log-in succeeded.
    func person(_ device: ProofMaker = ProofMaker(), body: String? = nil) async throws -> Person {
        let answer = try await logIn(device, body: body)
        return Person(server: self, device: device, logIn: try answer.read(LogInResponse.self))
    }
}

extension Answer {
    /// The problem's code, when the answer is one.
    var code: ErrorCode? {
        // An answer of another kind has no code.
        (try? read(Problem.self))?.code
    }
}

/// Expects an error answer by status and code.
func expect(
    _ answer: Answer, _ status: Int, _ code: ErrorCode, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.code == code, "\(answer.text)", sourceLocation: sourceLocation)
}
