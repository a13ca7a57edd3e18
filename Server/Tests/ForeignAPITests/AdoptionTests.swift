import Domain
import Okaeri
import OkaeriWire
import TestWorld
import Testing

@Suite("An app that goes over to Okaeri's SDK")
struct AdoptionTests {
    private static let deviceId = "9C1C1B0E-4A4D-4F0B-9A53-0D6C62B1B8F1"

    /// A member of the sample of automatic log-in: the device's id is name and password.
    private func member(of world: ForeignWorld) async throws -> Door.Pass {
        let made = try await world.ncmb(
            "POST", "/users", #"{"userName":"\#(Self.deviceId)","password":"\#(Self.deviceId)","score":3}"#)
        return Door.Pass(token: try made.text("sessionToken"), id: try made.text("objectId"))
    }

    @Test("takes the member of an NCMB session over, who has a device key from then on")
    func ncmbSession() async throws {
        let world = try await ForeignWorld()
        let member = try await member(of: world)
        let device = try world.device()
        let adopted = try await device.adopt(ncmbSession: member.token)
        #expect(adopted.user.id == member.id && adopted.user.fields["score"] == .integer(3))
        let launched = try await device.logInAutomatically()
        #expect(launched.user.id == member.id && !launched.isNew)
        // The unchanged app on the same phone goes on.
        #expect(try await Door.ncmb.read(world, member)?.id == member.id)
    }

    @Test("takes the member of a name and a password over, in one call")
    func password() async throws {
        let world = try await ForeignWorld()
        let member = try await member(of: world)
        let device = try world.device()
        #expect(try await device.adopt(username: Self.deviceId, password: Self.deviceId).user.id == member.id)
        #expect(try await device.logInAutomatically().user.id == member.id)
    }

    @Test("takes a pseudo user over, so that a lost token is no lost account")
    func kiiToken() async throws {
        let world = try await ForeignWorld()
        let pseudo = try await world.pseudoUser(#"{"HighScore":12000}"#)
        let device = try world.device()
        let adopted = try await device.adopt(kiiToken: pseudo.token)
        #expect(adopted.user.id == pseudo.id && adopted.user.fields["HighScore"] == .integer(12000))
        #expect(try await device.logInAutomatically().user.id == pseudo.id)
    }

    @Test("carries a pseudo user to another phone by a transfer code")
    func transferCode() async throws {
        let world = try await ForeignWorld()
        let pseudo = try await world.pseudoUser(#"{"HighScore":12000}"#)
        let (old, new) = (try world.device(), try world.device())
        try await old.adopt(kiiToken: pseudo.token)
        let code = try await old.issueTransferCode()
        let redeemed = try await new.redeemTransferCode(code.code)
        #expect(redeemed.user.id == pseudo.id)
        #expect(try await new.logInAutomatically().user.id == pseudo.id)
    }

    @Test("cannot take over by a token that has ended, is nobody's, or is of another application")
    func refused() async throws {
        let (world, device) = (try await ForeignWorld(), try await ForeignWorld().device())
        let member = try await member(of: world)
        #expect(try await world.ncmb("GET", "/logout", token: member.token).status == 200)
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(ncmbSession: member.token) }
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(kiiToken: "made-up") }
        let pseudo = try await world.pseudoUser()
        await #expect(throws: OkaeriError.self) { try await device.adopt(kiiToken: pseudo.token) }
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(ncmbSession: pseudo.token) }
    }

    @Test("cannot take over when the user is disabled, or the protocol was switched off")
    func shut() async throws {
        let world = try await ForeignWorld()
        let pseudo = try await world.pseudoUser()
        let id = Identifier<Domain.User>(rawValue: pseudo.id)
        try await world.useCases.setUserDisabled(id, in: world.application.id, isDisabled: true)
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(kiiToken: pseudo.token) }
        try await world.useCases.setUserDisabled(id, in: world.application.id, isDisabled: false)
        #expect(try await world.useCases.disableProtocol(.kii, of: world.application.id))
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(kiiToken: pseudo.token) }
    }
}

@Suite("A password that is the user name")
struct WeakPasswordTests {
    private static let id = "9C1C1B0E-4A4D-4F0B-9A53-0D6C62B1B8F1"
    private static let body = #"{"userName":"\#(id)","password":"\#(id)"}"#

    private func marked(in world: ForeignWorld) async throws -> WeakPasswords {
        let entries = try await world.useCases.listApplications()
        return try #require(entries.first { $0.application.id == world.application.id }).weakPasswords
    }

    @Test("is marked at sign-up, whichever the protocol", arguments: [Door.ncmb, .kii, .envelope])
    func signUp(door: Door) async throws {
        let world = try await ForeignWorld()
        _ = try await door.register(world, "hana_0001", "hana_0001")
        _ = try await door.register(world, "taro_0001", "another 1")
        #expect(try await marked(in: world) == WeakPasswords(users: 1, usersWithoutDeviceKey: 1))
        let weak = try await world.useCases.listUsers(
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
        let user = try #require(try await world.useCases.listUsers(in: world.application.id).first)
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
    }
}
