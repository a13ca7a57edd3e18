import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Admins who are disabled")
struct DisabledAdminTests {
    private let world: AdminWorld
    private let id: Identifier<Admin>
    /// What was shown when the admin set up a password.
    private let recoveryCodes: [String]

    init() async throws {
        world = try await AdminWorld(roles: [])
        let admins = world.server.modules.administration.admins
        id = try await admins.create(name: "second", role: .owner, applications: nil, by: .local).id
        let token = try await admins.makeLink(for: id, by: .local).token.revealed
        let opened = try await world.send(nil, .post, "set-up/open", body: #"{"token": "\#(token)"}"#).json
        let code = try AdminWorld.code(try #require(opened["totpKey"]), at: world.server.clock.now)
        let made = try await world.send(
            nil, .post, "set-up",
            body: #"{"token": "\#(token)", "password": "\#(AdminWorld.password)", "code": "\#(code)"}"#)
        recoveryCodes = try made.json["recoveryCodes"]?.list.compactMap(\.text) ?? []
    }

    private func logIn(_ number: Int) async throws -> Answer {
        try #require(recoveryCodes.indices.contains(number))
        return try await world.send(
            nil, .post, "log-in",
            body: #"{"name": "second", "password": "\#(AdminWorld.password)", "code": "\#(recoveryCodes[number])"}"#)
    }

    private func change(isDisabled: Bool) async throws {
        let listed = try await world.send("owner", .get, "admins").json["admins"]?.list ?? []
        let version = try #require(listed.first { $0["id"]?.text == id.rawValue }?["etag"]?.text)
        world.server.clock.advance(by: .seconds(1))
        let changed = try await world.send(
            "owner", .patch, "admins/\(id)", [("If-Match", version)], body: #"{"isDisabled": \#(isDisabled)}"#)
        #expect(changed.status == 200, "\(changed.text)")
    }

    @Test("come in by nothing of before once they have a link, also after they are let in again to use it")
    func link() async throws {
        #expect(try await logIn(0).status == 200)
        try await change(isDisabled: true)
        let made = try await world.send("owner", .post, "admins/\(id)/link")
        let token = try #require(try made.json["token"]?.text ?? made.json["link"]?["token"]?.text)
        try await change(isDisabled: false)
        #expect(try await logIn(1).status == 401)
        let listed = try await world.send("owner", .get, "admins").json["admins"]?.list ?? []
        #expect(listed.first { $0["id"]?.text == id.rawValue }?["isSetUp"] == false)
        _ = try await AdminWorld.setUp(Secret(token), name: nil, on: world.server)
    }

    @Test("come in by what they had when they are let in again and nobody made a link")
    func noLink() async throws {
        try await change(isDisabled: true)
        #expect(try await logIn(0).status != 200)
        try await change(isDisabled: false)
        #expect(try await logIn(1).status == 200)
    }
}
