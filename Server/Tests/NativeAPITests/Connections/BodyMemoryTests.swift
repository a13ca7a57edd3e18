import Domain
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import TestWorld
import Testing

/// What the bodies of requests take in memory while many come at the same time.
@Suite("Long bodies of many connections", .timeLimit(.minutes(5)))
struct BodyMemoryTests {
    @Test("that do not come to their end make room for others, and one that comes at once is read")
    func unfinished() async throws {
        let settings = ["request-timeout": "600", "idle-timeout": "600", "metrics-listen": "127.0.0.1:0"]
        try await RunningServer.run(settings) { server in
            let head = server.head(
                "POST /v1/sign-up", "Content-Type: application/json", "Content-Length: 1048576")
            let part = head + "\r\n" + String(repeating: " ", count: 1_000_000)
            var clients: [MuteClient] = []
            for _ in 0..<80 {
                let client = try await MuteClient(port: server.listening.port)
                client.send(part)
                clients.append(client)
            }
            // 64 MiB are 67 of them.
            let port = try #require(server.listening.metricsURL.flatMap { URL(string: $0)?.port })
            var cut = 0
            while cut < 13 {
                let metrics = try await server.exchange([server.lastHead("GET /metrics")], port: port)
                cut =
                    metrics.matches(
                        of: #/okaeri_http_requests_total\{method="POST",route="/v1/sign-up",status="408"\} (\d+)/#
                    ).compactMap { Int($0.output.1) }.first ?? 0
            }
            let whole = String(repeating: " ", count: 200_000) + "{}"
            let answer = try await server.exchange([
                server.head(
                    "POST /v1/sign-up", "Content-Type: application/json", "Content-Length: \(whole.utf8.count)",
                    "Connection: close") + "\r\n" + whole
            ])
            #expect(answer.hasPrefix("HTTP/1.1 4") && !answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
            for client in clients { await client.close() }
        }
    }

    @Test("are refused beyond eight mebibytes while their requests wait for responses, and short ones are not")
    func waiting() async throws {
        let passwords = HeldPasswords()
        let server = try await TestServer(passwords: passwords)
        @Sendable func logIn(_ number: Int, blanks: Int = 0) async throws -> Answer {
            let members = #""identifier":"hana\#(number)","password":"four quiet words""#
            return try await server.send(
                .post, APIPath.logInWithPassword, body: "{\(members)\(String(repeating: " ", count: blanks))}")
        }
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<8 { group.addTask { try await logIn(number, blanks: 1_000_000) } }
            while passwords.waiting < 8 { await Task.yield() }
            let refused = try await logIn(8, blanks: 1_000_000)
            expect(refused, 503, .busy)
            #expect(refused.headers[.retryAfter] == "1")
            group.addTask { try await logIn(9) }
            while passwords.waiting < 9 { await Task.yield() }
            passwords.gate.open()
            for try await answer in group { expect(answer, 401, .credentialRefused) }
        }
        // Who has a response takes no room any more.
        expect(try await logIn(10, blanks: 1_000_000), 401, .credentialRefused)
    }

    /// Compares no password before the test lets it.
    private final class HeldPasswords: PasswordHashing {
        let gate = Gate()

        var waiting: Int { gate.waiting }

        func hash(_ password: Password, for share: PasswordShare) async throws(DomainError) -> PasswordHash {
            CountingPasswords.hash(password)
        }

        func compare(
            _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme>,
            for share: PasswordShare
        ) async throws(DomainError) -> PasswordVerdict {
            await gate.pass()
            return .refused
        }

        func canTry(_ hash: PasswordHash) -> Bool { true }
    }
}
