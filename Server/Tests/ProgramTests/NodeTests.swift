import Foundation
import Okaeri
import OkaeriWire
import TestPostgreSQL
import TestWorld
import Testing

@Suite("Three nodes on one PostgreSQL database", .serialized)
struct NodeTests {
    @Test("refuse a session that ended on another node within 100 ms")
    func logOut() async throws {
        let nodes = try await Nodes(3, options: ["--rate-limits", "off"])
        // A crowded machine holds rounds up: what the nodes take at best is what they take.
        var delays: [Duration] = []
        for _ in 0..<10 where !Self.areQuick(delays) { delays = try await refusalDelays(nodes) }
        #expect(Self.areQuick(delays), "\(delays)")
    }

    /// A machine that builds something beside the tests may hold up one round.
    private static func areQuick(_ delays: [Duration]) -> Bool { delays.count { $0 < .milliseconds(100) } >= 11 }

    /// How long after the answer to each of twelve log-outs a request could still begin that another node let through.
    private func refusalDelays(_ nodes: Nodes) async throws -> [Duration] {
        var delays: [Duration] = []
        for round in 0..<12 {
            let token = try await nodes.loggedIn(at: round % 3).session.token
            try await nodes.warm(token)
            let answer = try await nodes.servers[round % 3].send(
                "POST", "/v1/log-out", application: nodes.application, token: token)
            #expect(answer.status == 204)
            let answered = ContinuousClock.now
            #expect(try await nodes.status(token, at: round % 3) == 401, "the node that answered still knows it")
            var stale = Duration.zero
            for other in [1, 2] {
                _ = try await eventually("the refusal by the other node") {
                    let begin = ContinuousClock.now
                    if try await nodes.status(token, at: (round + other) % 3) == 401 { return true }
                    stale = max(stale, answered.duration(to: begin))
                    return nil
                }
            }
            delays.append(stale)
        }
        return delays
    }

    @Test("refuse what a command ended, and sign with the key that a command made")
    func commands() async throws {
        let nodes = try await Nodes(2)
        let logIn = try await nodes.loggedIn(at: 0)
        try await nodes.warm(logIn.session.token)
        func keys(_ node: Int) async throws -> Set<String> {
            let page = try await nodes.servers[node].send("GET", "/.well-known/jwks.json")
            return Set(try JSONDecoder().decode(KeySet.self, from: page.body).keys.map(\.kid))
        }
        #expect(try await keys(0) == keys(1))
        let revoked = try await Program.run(
            "session", "revoke", logIn.session.id, "--application", nodes.application, environment: nodes.environment)
        #expect(revoked.status == 0, "\(revoked.errors)")
        let rotated = try await Program.run("keys", "rotate", "--json", environment: nodes.environment)
        let new = try rotated.json([String: String].self)["id"]
        for node in 0..<2 {
            _ = try await eventually("the news of both") {
                let status = try await nodes.status(logIn.session.token, at: node)
                let known = try await keys(node)
                return status == 401 && known.contains(new ?? "") ? true : nil
            }
        }
    }

    @Test("apply rules for fields that another node or a command has set")
    func fieldRules() async throws {
        let nodes = try await Nodes(2)
        let logIn = try await nodes.loggedIn(at: 0)
        func write(_ field: String, _ value: Int = 10, at node: Int) async throws -> String {
            let answer = try await nodes.servers[node].send(
                "PATCH", "/v1/user", application: nodes.application, token: logIn.session.token,
                body: #"{"fields": {"\#(field)": \#(value)}}"#)
            return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        }
        // Both nodes know the application before it changes. Later another value is sent: one that is there may be sent again.
        for node in 0..<2 { #expect(try await write("coins", 9, at: node).hasPrefix("200")) }
        let path = "/v1/admin/applications/\(nodes.application)/fields/coins"
        let changed = try await nodes.servers[0].send(
            "PUT", path, token: nodes.adminKey, body: #"{"type": "integer", "read": "public", "write": "server"}"#)
        #expect(changed.status == 200, "\(String(decoding: changed.body, as: UTF8.self))")
        #expect(try await write("coins", at: 0).contains("read_only"), "the node that answered does not heed it")
        let commanded = try await Program.run(
            "application", "fields", "set", nodes.application, "gems", "--write", "server",
            environment: nodes.environment)
        #expect(commanded.status == 0, "\(commanded.errors)")
        for node in 0..<2 {
            for field in ["coins", "gems"] {
                _ = try await eventually("node \(node) heeds the rule for \(field)") {
                    try await write(field, at: node).contains("read_only") ? true : nil
                }
            }
        }
        #expect(try await write("other", at: 1).hasPrefix("200"))
    }

    @Test("let thirty of thirty-one first launches through, whichever nodes they come to")
    func firstLaunches() async throws {
        let nodes = try await Nodes(3)
        let answers = try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            for number in 0..<31 {
                group.addTask {
                    let device = TestDevice()
                    while true {
                        let answer = try await nodes.logIn(device, at: number % 3)
                        // A crowded database is not always in time, and the phone asks again.
                        if answer.status != 503 { return answer }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { [200, 201].contains($0.status) }.count == 30)
        #expect(answers.filter { $0.status == 429 }.count == 1)
        #expect(try await nodes.logIn(at: 1).status == 429)
        let users = try await nodes.cluster.run("SELECT COUNT(*) FROM users", in: nodes.database)
        #expect(users == [["30"]])
    }

    @Test("take a proof once that is sent to two of them at once")
    func sameProof() async throws {
        let nodes = try await Nodes(2)
        for _ in 0..<10 {
            let proof = try nodes.proof(TestDevice())
            let answers = try await withThrowingTaskGroup(of: TransportResponse.self) { group in
                for server in nodes.servers {
                    group.addTask {
                        try await server.send(
                            "POST", "/v1/log-in/automatic", application: nodes.application, proof: proof, body: "{}")
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == [201, 401])
        }
    }

    @Test("believe no cache while their listeners are cut off, and catch up")
    func cutEars() async throws {
        let nodes = try await Nodes(2)
        let first = try await nodes.loggedIn(at: 0).session.token
        let second = try await nodes.loggedIn(at: 0).session.token
        for token in [first, second] {
            try await nodes.warm(token)
            try await nodes.cutConnections(where: Nodes.listeners)
            #expect(
                try await nodes.servers[0].send("POST", "/v1/log-out", application: nodes.application, token: token)
                    .status == 204)
            _ = try await eventually("the refusal") {
                try await nodes.status(token, at: 1) == 401 ? true : nil
            }
            for _ in 0..<20 { #expect(try await nodes.status(token, at: 1) == 401) }
        }
        try await nodes.warm(try await nodes.loggedIn(at: 0).session.token)
    }

    @Test("believe nothing after they stood still, and nothing that a node left behind that was killed")
    func stoppedAndKilled() async throws {
        let nodes = try await Nodes(2)
        let (stopped, killed) = (
            try await nodes.loggedIn(at: 0).session.token, try await nodes.loggedIn(at: 0).session.token
        )
        try await nodes.warm(stopped)
        try await nodes.warm(killed)
        nodes.servers[1].process.signal(SIGSTOP)
        _ = try await nodes.servers[0].send("POST", "/v1/log-out", application: nodes.application, token: stopped)
        // The lease of its cache, which is a second long, ends while it stands still.
        try await Task.sleep(for: .seconds(1))
        nodes.servers[1].process.signal(SIGCONT)
        #expect(try await nodes.status(stopped, at: 1) == 401, "the first answer after standing still was stale")

        try await nodes.warm(killed)
        let answer = try await nodes.servers[0].send(
            "POST", "/v1/log-out", application: nodes.application, token: killed)
        nodes.servers[0].process.signal(SIGKILL)
        #expect(answer.status == 204)
        _ = try await eventually("the refusal") {
            try await nodes.status(killed, at: 1) == 401 ? true : nil
        }
        #expect(try await nodes.loggedIn(at: 1).isNew)
    }
}

private struct KeySet: Decodable {
    let keys: [Key]

    struct Key: Decodable {
        let kid: String
    }
}
