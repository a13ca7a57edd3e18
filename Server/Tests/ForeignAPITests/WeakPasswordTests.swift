import Domain
import NCMBAPI
import Okaeri
import OkaeriWire
import TestWorld
import Testing

@Suite("A password that is the user name")
struct WeakPasswordTests {
    private static let id = "9C1C1B0E-4A4D-4F0B-9A53-0D6C62B1B8F1"
    private static let body = #"{"userName":"\#(id)","password":"\#(id)"}"#

    private func marked(in world: ForeignWorld) async throws -> WeakPasswords {
        let entries = try await world.modules.applications.listApplications()
        return try #require(entries.first { $0.application.id == world.application.id }).weakPasswords
    }

    @Test("is marked at sign-up, whichever the protocol", arguments: [SpokenProtocol.ncmb, .kii, .envelope])
    func signUp(spoken: SpokenProtocol) async throws {
        let world = try await ForeignWorld()
        _ = try await spoken.register(world, "hana_0001", "hana_0001")
        _ = try await spoken.register(world, "taro_0001", "another 1")
        #expect(try await marked(in: world) == WeakPasswords(users: 1, usersWithoutDeviceKey: 1))
        let weak = try await world.modules.directory.listUsers(
            in: world.application.id, filter: ListUsers.Filter(hasWeakPassword: true))
        #expect(weak.map(\.username) == ["hana_0001"])
    }

    @Test("is no mark any more after another password was set")
    func changed() async throws {
        let world = try await ForeignWorld()
        let user = try await world.kiiUser("hana_0001", "hana_0001")
        #expect(try await marked(in: world).users == 1)
        let changed = try await world.kii(
            "PUT", "/users/me/password", #"{"oldPassword":"hana_0001","newPassword":"another 1"}"#, token: user.token)
        #expect(changed.status == 204)
        #expect(try await marked(in: world).users == 0)
    }

    @Test("is marked at the first log-in of a user who came with a hash")
    func imported() async throws {
        let world = try await ForeignWorld()
        _ = try await world.ncmb("POST", "/users", Self.body)
        let user = try #require(try await world.modules.directory.listUsers(in: world.application.id).first)
        try await world.importing { transaction throws(DomainError) in
            try transaction.markPassword(of: user.id, in: user.application, weakSince: nil)
        }
        #expect(try await marked(in: world).users == 0)
        #expect(try await world.ncmb("POST", "/login", Self.body).status == 200)
        #expect(try await marked(in: world).users == 1)
    }

    @Test("counts as left behind once a device key leads to the user")
    func adopted() async throws {
        let world = try await ForeignWorld()
        let made = try await world.ncmb("POST", "/users", Self.body)
        try await world.device().adopt(ncmbSession: made.text("sessionToken"))
        #expect(try await marked(in: world) == WeakPasswords(users: 1, usersWithoutDeviceKey: 0))
        #expect(try await world.ncmb("POST", "/login", Self.body).status == 200)
    }

    @Test("goes with the first device key, where the application wants that", arguments: [true, false])
    func retired(bySession: Bool) async throws {
        var settings = ApplicationSettings()
        settings.foreignOptions[.ncmb] = ForeignOptions(retiresWeakPasswords: true)
        let world = try await ForeignWorld(settings)
        let made = try await world.ncmb("POST", "/users", Self.body)
        let device = try world.device()
        if bySession {
            try await device.adopt(ncmbSession: made.text("sessionToken"))
        } else {
            try await device.adopt(username: Self.id, password: Self.id)
        }
        #expect(try await marked(in: world).users == 0)
        #expect(try await world.ncmb("POST", "/login", Self.body).status == 401)
        #expect(try await device.logInAutomatically().user.id == made.text("objectId"))
        let entry = try #require(
            try await world.modules.administration.audit.list(in: world.application.id).first {
                $0.action.rawValue == "password.retired"
            })
        let id = Identifier<Domain.User>(rawValue: try made.text("objectId"))
        #expect(entry.actor == .server && entry.target == .user(id))
        #expect(entry.origin.address == "192.0.2.1" && entry.origin.requestId != nil)
    }
}
