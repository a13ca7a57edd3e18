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
            while try await Self.signUps(at: server)["408"] ?? 0 < 13 {}
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

    @Test("of one network give way before one of another that began earlier")
    func ofOneNetwork() async throws {
        let settings = [
            "request-timeout": "600", "idle-timeout": "600", "metrics-listen": "127.0.0.1:0",
            "trusted-proxies": "127.0.0.1",
        ]
        try await RunningServer.run(settings) { server in
            func client(at address: String) async throws -> MuteClient {
                let head = server.head(
                    "POST /v1/sign-up", "Content-Type: application/json", "Content-Length: 1048576",
                    "X-Forwarded-For: \(address)")
                let client = try await MuteClient(port: server.listening.port)
                client.send(head + "\r\n" + String(repeating: " ", count: 1_000_000))
                return client
            }
            var clients = [try await client(at: "198.51.100.7")]
            for network in 0..<80 { clients.append(try await client(at: "2001:db8:1:\(network)::1")) }
            // 64 MiB are 67 of them.
            while try await Self.signUps(at: server)["408"] ?? 0 < 14 {}
            clients[0].send(String(repeating: " ", count: 48_574) + "{}")
            var statuses: [String: Int] = [:]
            for _ in 0..<10_000 where statuses.count < 2 { statuses = try await Self.signUps(at: server) }
            #expect(statuses.count == 2 && statuses["408"] == 14, "\(statuses)")
            for client in clients { await client.close() }
        }
    }

    /// How many requests to sign up have had which status.
    private static func signUps(at server: RunningServer) async throws -> [String: Int] {
        let port = try #require(server.listening.metricsURL.flatMap { URL(string: $0)?.port })
        let metrics = try await server.exchange([server.lastHead("GET /metrics")], port: port)
        let lines = metrics.matches(
            of: #/okaeri_http_requests_total\{method="POST",route="/v1/sign-up",status="(\d+)"\} (\d+)/#)
        return Dictionary(lines.map { (String($0.output.1), Int($0.output.2) ?? 0) }, uniquingKeysWith: +)
    }

    @Test(
        "are refused beyond eight mebibytes, six of one application or four of one network, while their requests wait")
    func waiting() async throws {
        let passwords = HeldPasswords()
        let server = try await TestServer(passwords: passwords)
        let other = try await server.modules.applications.createApplication(name: "Other", by: .local).application
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for number in 0..<4 { group.addTask { try await Self.logIn(number, at: server, blanks: 1_000_000) } }
            while passwords.waiting < 4 { await Task.yield() }
            expect(try await Self.logIn(4, at: server, blanks: 1_000_000), 503, .busy)
            let another = "2001:db8:1:1::1"
            for number in 5..<7 {
                group.addTask { try await Self.logIn(number, at: server, blanks: 1_000_000, from: another) }
            }
            while passwords.waiting < 6 { await Task.yield() }
            let refused = try await Self.logIn(7, at: server, blanks: 1_000_000, from: "192.0.2.2")
            expect(refused, 503, .busy)
            #expect(refused.headers[.retryAfter] == "1")
            // What one application leaves is for others.
            for number in 8..<10 {
                group.addTask { try await Self.logIn(number, at: server, blanks: 1_000_000, from: another, to: other) }
            }
            while passwords.waiting < 8 { await Task.yield() }
            expect(try await Self.logIn(9, at: server, blanks: 1_000_000, from: "192.0.2.3", to: other), 503, .busy)
            for (number, blanks) in [(10, 0), (11, 60_000)] {
                group.addTask { try await Self.logIn(number, at: server, blanks: blanks) }
            }
            while passwords.waiting < 10 { await Task.yield() }
            passwords.gate.open()
            for try await answer in group { expect(answer, 401, .credentialRefused) }
        }
        // Who has a response takes no room any more.
        expect(try await Self.logIn(12, at: server, blanks: 1_000_000), 401, .credentialRefused)
    }

    @Test("leave shorter ones a room of their own, of which one network has half; those of sixteen kibibytes need none")
    func shortBodies() async throws {
        let passwords = HeldPasswords()
        let server = try await TestServer(passwords: passwords)
        try await withThrowingTaskGroup(of: Answer.self) { group in
            // Four mebibytes are 65 of them.
            for number in 0..<65 { group.addTask { try await Self.logIn(number, at: server, blanks: 64_000) } }
            while passwords.waiting < 65 { await Task.yield() }
            expect(try await Self.logIn(65, at: server, blanks: 64_000), 503, .busy)
            for (number, blanks) in [(66, 0), (67, 16_000), (68, 1_000_000)] {
                group.addTask { try await Self.logIn(number, at: server, blanks: blanks) }
            }
            group.addTask { try await Self.logIn(69, at: server, blanks: 64_000, from: "192.0.2.2") }
            while passwords.waiting < 69 { await Task.yield() }
            passwords.gate.open()
            for try await answer in group { expect(answer, 401, .credentialRefused) }
        }
        expect(try await Self.logIn(70, at: server, blanks: 64_000), 401, .credentialRefused)
    }

    private static func logIn(
        _ number: Int, at server: TestServer, blanks: Int, from peer: String = "192.0.2.1",
        to application: Domain.Application? = nil
    ) async throws -> Answer {
        let members = #""identifier":"hana\#(number)","password":"four quiet words""#
        return try await server.send(
            .post, APIPath.logInWithPassword,
            [("Okaeri-Application", (application ?? server.application).id.rawValue)],
            body: "{\(members)\(String(repeating: " ", count: blanks))}", peer: peer, isNamed: false)
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
