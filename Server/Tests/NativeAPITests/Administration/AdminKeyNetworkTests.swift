import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@testable import NativeAPI

/// Keys that count from some networks only. Tests come from 192.0.2.1 where nothing else is said.
@Suite("A key of the admin API that is confined to networks")
struct AdminKeyNetworkTests {
    private func key(_ networks: [String], in world: AdminWorld) async throws -> (id: String, secret: String) {
        let list = networks.map { "\"\($0)\"" }.joined(separator: ",")
        let made = try await world.send(
            "owner", .post, "keys",
            body: #"{"name": "CI", "scopes": ["users:read"], "days": 9, "networks": [\#(list)]}"#)
        try #require(made.status == 201, "\(made.text)")
        let json = try made.json
        return (try #require(json["key"]?["id"]?.text), try #require(json["secret"]?.text))
    }

    private func ask(
        _ key: String, _ world: AdminWorld, from peer: String, _ headers: [(String, String)] = []
    ) async throws -> Answer {
        try await world.server.send(
            .get, "/v1/admin/\(world.path("/users"))", [("Authorization", "Bearer \(key)")] + headers, peer: peer,
            isNamed: false)
    }

    @Test(
        "is taken from within, and refused from elsewhere as a key that there is not",
        arguments: [
            (["192.0.2.0/24"], "192.0.2.200", true), (["192.0.2.0/24"], "192.0.3.1", false),
            (["192.0.2.7"], "192.0.2.7", true), (["192.0.2.7"], "192.0.2.8", false),
            (["192.0.2.77/24"], "192.0.2.1", true), (["0.0.0.0/0"], "203.0.113.9", true),
            (["0.0.0.0/0"], "2001:db8::1", false), (["2001:db8::/32"], "2001:db8:ffff::1", true),
            (["2001:db8::/32"], "2001:db9::1", false), (["2001:db8::/32"], "192.0.2.1", false),
            (["10.0.0.0/8", "2001:db8::7"], "2001:db8::7", true), (["192.0.2.0/24"], "::ffff:192.0.2.9", true),
            ([], "203.0.113.9", true),
        ] as [([String], String, Bool)])
    func networks(networks: [String], peer: String, isTaken: Bool) async throws {
        let world = try await AdminWorld(roles: [])
        let key = try await key(networks, in: world).secret
        let answer = try await ask(key, world, from: peer)
        guard !isTaken else {
            #expect(answer.status == 200, "\(answer.text)")
            return
        }
        expect(answer, 401, .adminRequired)
        let unknown = try await ask("oka_" + String(repeating: "A", count: 43), world, from: peer)
        #expect(try answer.read(Problem.self).title == unknown.read(Problem.self).title)
        #expect(answer.headers[.wwwAuthenticate] == unknown.headers[.wwwAuthenticate])
    }

    @Test("believes no header that nobody who is listed wrote")
    func forged() async throws {
        let world = try await AdminWorld(roles: [])
        let key = try await key(["10.0.0.0/8", "192.0.2.0/24"], in: world).secret
        for header in ["X-Forwarded-For", "X-Real-IP", "Forwarded"] {
            expect(try await ask(key, world, from: "203.0.113.9", [(header, "10.0.0.1")]), 401, .adminRequired)
        }
        // A proxy that is not listed hides who asks, although it is within itself.
        expect(try await ask(key, world, from: "192.0.2.1", [("X-Forwarded-For", "10.0.0.1")]), 401, .adminRequired)
        #expect(try await ask(key, world, from: "192.0.2.1").status == 200)
    }

    @Test("leaves an entry in the audit log once an hour for an address, and for ten addresses")
    func audit() async throws {
        let world = try await AdminWorld(roles: [])
        let (id, key) = try await key(["10.0.0.0/8"], in: world)
        func entries() async throws -> [AuditEntry] {
            try await world.server.modules.administration.audit.list(
                in: AuditEntry.server, matching: .init(action: .adminKeyUsed), limit: 100)
        }
        for _ in 0..<5 { expect(try await ask(key, world, from: "203.0.113.9"), 401, .adminRequired) }
        let first = try await entries()
        #expect(first.count == 1 && first.first?.origin.address == "203.0.113.9")
        #expect(first.first?.target?.rawValue == "admin-key:\(id)" && first.first?.result == .refused)
        for number in 10..<40 { _ = try await ask(key, world, from: "203.0.113.\(number)") }
        #expect(try await entries().count == 10)
        // Another key has a count of its own, and so has another hour.
        _ = try await ask(try await self.key(["10.0.0.0/8"], in: world).secret, world, from: "203.0.113.9")
        #expect(try await entries().count == 11)
        world.server.clock.advance(by: .seconds(3600))
        _ = try await ask(key, world, from: "203.0.113.9")
        #expect(try await entries().count == 12)
        // What nobody has leaves nothing.
        _ = try await ask("oka_" + String(repeating: "A", count: 43), world, from: "203.0.113.9")
        #expect(try await entries().count == 12)
    }

    @Test("is confined and set free later on, and says from where it counts")
    func change() async throws {
        let world = try await AdminWorld(roles: [.auditor])
        let (id, key) = try await key([], in: world)
        #expect(try await ask(key, world, from: "203.0.113.9").status == 200)
        let body = #"{"networks": ["10.0.0.7/8", "10.0.0.0/8", "2001:DB8::7"]}"#
        let changed = try await world.send("owner", .patch, "keys/\(id)", body: body)
        #expect(changed.status == 200)
        let expected: JSONValue = .array([.string("10.0.0.0/8"), .string("2001:db8::7/128")])
        #expect(try changed.json["networks"] == expected)
        let listed = try await world.send("auditor", .get, "keys").json["keys"]?.list.first
        #expect(listed?["networks"] == expected)
        expect(try await ask(key, world, from: "203.0.113.9"), 401, .adminRequired)
        #expect(try await ask(key, world, from: "10.200.0.1").status == 200)
        expect(try await world.send("auditor", .patch, "keys/\(id)", body: body), 403, "not_allowed")
        expect(try await world.send("owner", .patch, "keys/none", body: body), 404, "not_found")
        #expect(try await world.send("owner", .patch, "keys/\(id)", body: #"{"networks": []}"#).status == 200)
        #expect(try await ask(key, world, from: "203.0.113.9").status == 200)
        let actions = try await world.server.modules.administration.audit.list(
            in: AuditEntry.server, matching: .init(action: .adminKeyChanged), limit: 9)
        // Both in the same moment.
        #expect(Set(actions.map(\.details["networks"])) == ["anywhere", "10.0.0.0/8 2001:db8::7/128"])
    }

    @Test(
        "takes no list that it cannot read",
        arguments: [
            ["10.0.0.0/33"], [""], ["example.com"], ["10.0.0.0/8/8"], ["::/129"], ["10.0.0.0/-1"], ["10.0.0.0/+8"],
            (0..<33).map { "10.0.0.\($0)" },
        ] as [[String]])
    func malformed(networks: [String]) async throws {
        let world = try await AdminWorld(roles: [])
        let id = try await key(["10.0.0.0/8"], in: world).id
        let list = networks.map { "\"\($0)\"" }.joined(separator: ",")
        let refused = try await world.send("owner", .patch, "keys/\(id)", body: #"{"networks": [\#(list)]}"#)
        #expect(refused.status == 400 || refused.status == 422, "\(refused.text)")
        #expect(refused.text.contains("networks"))
        let made = try await world.send(
            "owner", .post, "keys",
            body: #"{"name": "CI", "scopes": ["users:read"], "days": 9, "networks": [\#(list)]}"#)
        #expect(made.status == refused.status)
        let keys = try await world.server.modules.administration.keys.list()
        #expect(keys.map { $0.reach.networks.map(\.text) } == [["10.0.0.0/8"]])
    }

    @Test("is made, shown and changed in the dashboard, which it opens to nobody")
    func dashboard() async throws {
        let world = try await AdminWorld(roles: [])
        let browser = world.browser()
        let address = "/dashboard/keys"
        let token = try await browser.get(address).token
        let fields = [
            "name": "CI", "days": "2", "scope.users:read": "yes", "applications": "all",
            "networks": "10.0.0.0/8,\r\n 2001:db8::7",
        ]
        let made = try await browser.post(address, fields, token: token)
        let secret = String(try #require(made.html.firstMatch(of: /(oka_[A-Za-z0-9_-]+)/)?.output.1))
        #expect(try await browser.get(address).html.contains("10.0.0.0/8 2001:db8::7/128"))
        expect(try await ask(secret, world, from: "192.0.2.1"), 401, .adminRequired)
        let thief = Browser(world.server, peer: "10.0.0.1")
        thief.plant(secret, name: "admin")
        #expect(try await thief.get("/dashboard/applications").location?.hasPrefix("/dashboard/log-in") == true)
        let id = try #require(try await world.server.modules.administration.keys.list().first).id
        let wrong = try await browser.post("\(address)/\(id)/networks", ["networks": "here"], token: token)
        #expect(wrong.status == 422 && wrong.html.contains("here</textarea>"))
        let right = try await browser.post("\(address)/\(id)/networks", ["networks": "192.0.2.1"], token: token)
        #expect(right.location == "\(address)?done=changed")
        #expect(try await ask(secret, world, from: "192.0.2.1").status == 200)
        #expect(try await browser.post("\(address)/none/networks", ["networks": ""], token: token).status == 404)
    }

    @Test("ends with its maker, also when the maker goes while it is made")
    func maker() async throws {
        let world = try await AdminWorld(roles: [.operator])
        let rules = world.server.modules.administration
        let admin = try #require(try await rules.admins.list().first { $0.role == .operator })
        try await rules.admins.remove(admin.id, by: .local)
        await #expect(throws: DomainError.administration(.notFound)) {
            try await rules.keys.create(
                .init(name: "late", scopes: [.readUsers], applications: nil, networks: [], life: .days(1)),
                of: AdminAccess(admin, authenticatedAt: nil), by: .local)
        }
        #expect(try await rules.keys.list().isEmpty)
    }
}
