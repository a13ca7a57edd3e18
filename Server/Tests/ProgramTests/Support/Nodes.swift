import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestPostgreSQL
import TestWorld

/// Servers in processes of their own, on one PostgreSQL database.
struct Nodes: Sendable {
    /// The address that all nodes go by, so that one proof fits each.
    static let publicURL = "https://id.example.com"
    private static let metricsKey = "key-of-the-metrics"

    let cluster: TestPostgreSQL
    let database: String
    let environment: [String: String]
    private(set) var servers: [TestServer] = []
    let application: String
    /// The application's own admin key.
    let adminKey: String
    private let folders: [TestFolder]

    /// Starts nodes on a new database with one application.
    init(_ count: Int, options: [String] = []) async throws {
        cluster = try await TestPostgreSQL.cluster()
        database = try await cluster.makeMigratedDatabase()
        environment = Self.environment(cluster.networkURL(database))
        let created = try await Program.run(
            "application", "create", "Demo", "--json", environment: environment)
        guard created.status == 0 else { throw TestFault(created.errors) }
        let made = try created.json(CreatedApplication.self)
        (application, adminKey) = (made.id, made.adminKey)
        folders = (0..<count).map { _ in TestFolder() }
        for folder in folders {
            try folder.make()
            servers.append(
                try await TestServer(
                    data: folder.path, options: ["--public-url", Self.publicURL] + options, environment: environment))
        }
    }

    static func environment(_ url: String) -> [String: String] {
        [
            "OKAERI_DATABASE": url, "OKAERI_SEALING_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            "OKAERI_METRICS_KEY": metricsKey,
        ]
    }

    func proof(_ device: TestDevice) throws -> String {
        try device.proof(
            target: Self.publicURL + "/v1/log-in/automatic",
            at: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
    }

    /// One automatic log-in at a node.
    func logIn(_ device: TestDevice = TestDevice(), at node: Int) async throws -> TransportResponse {
        try await servers[node].send(
            "POST", "/v1/log-in/automatic", application: application, proof: proof(device), body: "{}")
    }

    /// One automatic log-in that must succeed.
    func loggedIn(_ device: TestDevice = TestDevice(), at node: Int) async throws -> LogInResponse {
        let answer = try await logIn(device, at: node)
        guard [200, 201].contains(answer.status) else {
            throw TestFault("log-in answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try JSONDecoder().decode(LogInResponse.self, from: answer.body)
    }

    /// The status of a request with a session token.
    func status(_ token: String, at node: Int) async throws -> Int {
        try await servers[node].send("GET", "/v1/user", application: application, token: token).status
    }

    /// Asks with a token until every node keeps its session in memory.
    func warm(_ token: String) async throws {
        for (node, server) in servers.enumerated() {
            _ = try await eventually("a trusted cache") { () -> Bool? in
                guard try await status(token, at: node) == 200 else { throw TestFault("the session is refused") }
                let metrics = try await server.send("GET", "/metrics", token: Self.metricsKey)
                let page = String(decoding: metrics.body, as: UTF8.self)
                let line = page.split(separator: "\n").first { $0.hasPrefix("okaeri_session_cache_entries ") }
                return line?.hasSuffix(" 0") == false ? true : nil
            }
        }
    }

    /// Ends all connections of the nodes, or some.
    func cutConnections(where condition: String = "true") async throws {
        try await cluster.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)' AND \(condition)",
            in: "postgres")
    }

    /// The listeners of the nodes for each other's news.
    static let listeners = "query LIKE '%pg_notify%' AND state = 'idle'"
}
