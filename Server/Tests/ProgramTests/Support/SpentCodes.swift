import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestMailServer
import TestWorld
import Testing

/// Codes that were given out before a backup was made, and used after it: none of them may count again once the backup is restored.
/// Those of one more user were not used, and still count.
struct SpentCodes {
    static let mailOptions = ["--smtp-tls", "off", "--mail-from", "noreply@example.com"]

    private struct Codes {
        let transferCode: String
        let ticket: String
        let mailedCode: String
        let resetToken: String
    }

    private let application: String
    private let used: Codes
    private let unused: Codes

    /// Brings two users in, and lets them order codes.
    ///
    /// - Parameters:
    ///   - server: A server that sends mails.
    ///   - mail: Where these arrive.
    ///   - application: Of the users.
    ///   - importUsers: Runs “okaeri import users” with a file.
    /// - Throws: `TestFault` when there is no user, or no code.
    init(
        at server: TestServer, _ mail: MailServer, _ application: String,
        importUsers: (String) async throws -> Program.Finished
    ) async throws {
        self.application = application
        let folder = TestFolder()
        try folder.make()
        let file = folder.path + "/users.jsonl"
        let lines = ["used", "unused"].map {
            #"{"id":"\#($0)","username":"\#($0)","email":"\#($0)@example.com","emailVerified":true}"# + "\n"
        }
        try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try await importUsers(file)
        guard imported.status == 0 else { throw TestFault(imported.errors) }
        used = try await Self.codes(of: "used@example.com", server, mail, application)
        unused = try await Self.codes(of: "unused@example.com", server, mail, application)
    }

    /// Uses those of one user.
    func spend(at server: TestServer) async throws {
        #expect(try await statuses(of: used, at: server) == [200, 200, 204])
    }

    /// None of these counts again; the others count.
    func check(at server: TestServer) async throws {
        let again = try await statuses(of: used, at: server)
        #expect(again.allSatisfy { (400..<500).contains($0) && $0 != 429 }, "\(again)")
        #expect(try await statuses(of: unused, at: server) == [200, 200, 204])
    }

    /// Of a transfer code, a code from a mail, and a token for a new password: it comes last, as it ends the others.
    private func statuses(of codes: Codes, at server: TestServer) async throws -> [Int] {
        [
            try await Self.redeem(codes.transferCode, at: server, application),
            try await server.send(
                "POST", "/v1/log-in/code", application: application,
                body: #"{"ticket":"\#(codes.ticket)","code":"\#(codes.mailedCode)"}"#
            ).status,
            try await server.send(
                "POST", "/v1/password-reset", application: application,
                body: #"{"token":"\#(codes.resetToken)","newPassword":"a long enough secret"}"#
            ).status,
        ]
    }

    private static func codes(
        of address: String, _ server: TestServer, _ mail: MailServer, _ application: String
    ) async throws -> Codes {
        func received<Value>(_ what: String, _ find: (ReceivedMail) -> Value?) async throws -> Value {
            try await eventually(what) {
                mail.mails.filter { $0.headers["x-test-to"] == address }.lazy.compactMap(find).first
            }
        }
        let ordered = try await server.send(
            "POST", "/v1/log-in/code/request", application: application, body: #"{"email":"\#(address)"}"#)
        let ticket = try JSONDecoder().decode(LogInCodeRequestResponse.self, from: ordered.body).ticket
        let first = try await received("the first code", \.code)
        let answer = try await server.send(
            "POST", "/v1/log-in/code", application: application, body: #"{"ticket":"\#(ticket)","code":"\#(first)"}"#)
        let logIn = try JSONDecoder().decode(LogInResponse.self, from: answer.body)
        let issued = try await server.send(
            "POST", "/v1/user/transfer-code", application: application, token: logIn.session.token, body: "{}")
        let transferCode = try JSONDecoder().decode(TransferCodeResponse.self, from: issued.body).code
        let again = try await server.send(
            "POST", "/v1/log-in/code/request", application: application, body: #"{"email":"\#(address)"}"#)
        let reset = try await server.send(
            "POST", "/v1/password-reset/request", application: application, body: #"{"email":"\#(address)"}"#)
        #expect(again.status == 202 && reset.status == 202)
        return Codes(
            transferCode: transferCode,
            ticket: try JSONDecoder().decode(LogInCodeRequestResponse.self, from: again.body).ticket,
            mailedCode: try await received("the second code") { $0.code == first ? nil : $0.code },
            resetToken: try await received("the token", \.token))
    }

    /// Redeems a transfer code on a new device, by the server's time when it asks for that (decision 0124).
    private static func redeem(_ code: String, at server: TestServer, _ application: String) async throws -> Int {
        let device = TestDevice()
        func answer(at time: WireTime?) async throws -> TransportResponse {
            let now = time?.millisecondsSince1970 ?? Int64(Date().timeIntervalSince1970 * 1000)
            let proof = try device.proof(
                target: server.url + "/v1/log-in/transfer-code", at: Timestamp(milliseconds: now))
            return try await server.send(
                "POST", "/v1/log-in/transfer-code", application: application, proof: proof,
                body: #"{"code":"\#(code)"}"#)
        }
        let first = try await answer(at: nil)
        guard first.status == 401, let problem = try? JSONDecoder().decode(Problem.self, from: first.body),
            problem.code == .clockSkew, let time = problem.serverTime
        else { return first.status }
        return try await answer(at: time).status
    }
}
