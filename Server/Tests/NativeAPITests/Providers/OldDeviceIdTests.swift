import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("A device id of Nakama")
struct OldDeviceIdTests {
    private static let device = "8f0e1a5c-3f77-4f0a-9a3e-0c6d2b1f7e55"
    private static let second = "1B4E28BA-2FA1-11D2-883F-0016D3CCA427"
    private static let hana = Identifier<User>(rawValue: "6f3f8c1e-5f0b-4b5e-9d5e-2b7f7b1f0c11")

    /// A server that has taken a user in whom device ids led to, and takes such ids.
    private func world(
        isSet: Bool = true, devices: [String] = [OldDeviceIdTests.device, OldDeviceIdTests.second],
        _ change: (inout User) -> Void = { _ in }
    ) async throws -> OldServiceWorld {
        let world = try await OldServiceWorld(isSet: false)
        let now = world.server.clock.now
        var user = User(
            id: Self.hana, application: world.server.application.id, displayName: "Hana", createdAt: now, updatedAt: now
        )
        user.username = "aBcDeFgHiJ"
        user.identities = try devices.map { try #require(OldDeviceId($0)).identity(linkedAt: now) }
        change(&user)
        let outcomes = try await world.server.modules.imports.importUsers(
            [ImportedUser(user: user)], into: world.server.application.id, of: .native, isRehearsal: false)
        #expect(outcomes == [.imported])
        if isSet { try await world.set(.nakama, .init()) }
        return world
    }

    @Test("leads to the user who was imported with it, whose device logs in by its key from then on")
    func adoption() async throws {
        let world = try await world()
        let device = ProofMaker()
        let answer = try await world.adopt("nakama", Self.device, on: device)
        #expect(
            try answer.status == 200 && answer.read(LogInResponse.self).user.id == Self.hana.rawValue, "\(answer.text)")
        let launched = try await world.server.logIn(device).read(LogInResponse.self)
        #expect(launched.user.id == Self.hana.rawValue)
        // Nobody who may read the database learns the id.
        #expect(!answer.text.contains(Self.device))
    }

    @Test(
        "counts once: for the first device alone, which may repeat it, also after years; another id of the user goes on"
    )
    func once() async throws {
        let world = try await world()
        let device = ProofMaker()
        #expect(try await world.adopt("nakama", Self.device, on: device).status == 200)
        #expect(try await world.adopt("nakama", Self.device, on: device).status == 200)
        expect(try await world.adopt("nakama", Self.device), 401, .providerTokenReplayed)
        world.server.clock.advance(by: .seconds(3 * 365 * 86_400))
        expect(try await world.adopt("nakama", Self.device), 401, .providerTokenReplayed)
        #expect(try await world.adopt("nakama", Self.second).status == 200)
    }

    @Test("is refused while the application does not take such ids, as an unknown protocol is")
    func off() async throws {
        let world = try await world(isSet: false)
        let answer = try await world.adopt("nakama", Self.device)
        #expect(answer.status == 400 && answer.text.contains("\"protocol\""), "\(answer.text)")
    }

    @Test(
        "that nobody has, or that can be guessed, leads to nobody",
        arguments: [
            "", "my-device-0001", "8f0e1a5c3f774f0a9a3e0c6d2b1f7e55", "8F0E1A5C-3F77-4F0A-9A3E-0C6D2B1F7E55",
            "00000000-0000-0000-0000-000000000000", "8f0e1a5c-3f77-4f0a-9a3e-0c6d2b1f7e55 ",
        ])
    func nobody(text: String) async throws {
        let world = try await world()
        expect(try await world.adopt("nakama", text), 401, .credentialRefused)
        #expect(OldDeviceId("my-device-0001") == nil)
    }

    @Test(
        "has a form that nobody guesses",
        arguments: [
            ("8f0e1a5c-3f77-4f0a-9a3e-0c6d2b1f7e55", true), ("8F0E1A5C-3F77-4F0A-9A3E-0C6D2B1F7E55", true),
            ("3f2a9c0de1b4587766554433221100ff", true), ("0123456789abcdef0123456789abcdef01234567", true),
            ("00000000-0000-0000-0000-000000000000", false), ("00000000000000000000000000000000", false),
            ("01010101010101010101010101010102", false), ("9774d56d682e549c", false), ("n/a", false), ("", false),
            ("8f0e1a5c-3f77-4f0a-9a3e-0c6d2b1f7e5", false), ("8f0e1a5c_3f77_4f0a_9a3e_0c6d2b1f7e55", false),
            ("３f2a9c0de1b4587766554433221100ff", false), ("3f2a9c0de1b4587766554433221100f\u{0}", false),
            (String(repeating: "0123456789abcdef", count: 4) + "0", false),
            (String(repeating: "0123456789abcdef", count: 100_000), false),
        ])
    func form(text: String, isTaken: Bool) {
        #expect((OldDeviceId(text) != nil) == isTaken)
    }

    @Test("stays with the player where the device's key leads to a guest already: a response may get lost there too")
    func guest() async throws {
        let world = try await world()
        let device = ProofMaker()
        let guest = try await world.server.logIn(device).read(LogInResponse.self).user.id
        for _ in 0..<2 {
            let answer = try await world.adopt("nakama", Self.device, on: device)
            #expect(
                try answer.status == 200 && answer.read(LogInResponse.self).user.id == Self.hana.rawValue,
                "\(answer.text)")
        }
        #expect(try await world.server.logIn(device).read(LogInResponse.self).user.id == guest)
        expect(try await world.adopt("nakama", Self.device), 401, .providerTokenReplayed)
    }

    @Test("presented by two devices at once opens one session, and by one device twice the same user")
    func race() async throws {
        let world = try await world()
        async let first = world.adopt("nakama", Self.device)
        async let second = world.adopt("nakama", Self.device)
        let statuses = try await [first.status, second.status]
        #expect(statuses.sorted() == [200, 401])
        let device = ProofMaker()
        async let one = world.adopt("nakama", Self.second, on: device, [("Idempotency-Key", "attempt-number-one")])
        async let other = world.adopt("nakama", Self.second, on: device, [("Idempotency-Key", "attempt-number-two")])
        let both = try await [one.status, other.status]
        #expect(both == [200, 200])
    }

    @Test("leads within its application alone, where another one's use of the same id does not count")
    func tenants() async throws {
        let world = try await world()
        let elsewhere = try await TestServer(store: world.server.store, clock: world.server.clock)
        #expect(elsewhere.application.id != world.server.application.id)
        func adopt() async throws -> Answer {
            let proof = try ProofMaker().proof("POST", elsewhere.url(APIPath.adopt), at: elsewhere.clock.now)
            return try await elsewhere.send(
                .post, APIPath.adopt, [("DPoP", proof)], body: #"{"protocol": "nakama", "token": "\#(Self.device)"}"#)
        }
        // Not taken there, then taken without a user, then with one.
        #expect(try await adopt().status == 400)
        _ = try await elsewhere.modules.providers.manageOldServices.set(
            .nakama, to: .init(), in: elsewhere.application.id, isCurrent: { _ in true }, by: .local)
        expect(try await adopt(), 401, .credentialRefused)
        let now = elsewhere.clock.now
        var twin = User(
            id: Identifier(rawValue: "twin"), application: elsewhere.application.id, createdAt: now, updatedAt: now)
        twin.identities = [try #require(OldDeviceId(Self.device)).identity(linkedAt: now)]
        let outcomes = try await elsewhere.modules.imports.importUsers(
            [ImportedUser(user: twin)], into: elsewhere.application.id, of: .native, isRehearsal: false)
        #expect(outcomes == [.imported])
        #expect(try await world.adopt("nakama", Self.device).status == 200)
        let taken = try await adopt()
        #expect(try taken.status == 200 && taken.read(LogInResponse.self).user.id == "twin", "\(taken.text)")
        expect(try await adopt(), 401, .providerTokenReplayed)
    }

    @Test("does not come along in an export once it was used: nobody else's device can present it on another server")
    func export() async throws {
        let world = try await world()
        func identities() async throws -> [Identity] {
            let export = world.server.modules.imports.exportApplication
            let begun = try await export.begin(world.server.application.id, takesSecrets: true, by: .local)
            let users = try await export.users(of: begun.application, after: nil)
            return users.first { $0.user.id == Self.hana }?.user.identities ?? []
        }
        #expect(try await identities().count == 2)
        #expect(try await world.adopt("nakama", Self.device).status == 200)
        let left = try await identities()
        let second = try #require(OldDeviceId(Self.second)).identity(linkedAt: world.server.clock.now)
        #expect(left.filter { $0.provider == .anonymous }.map(\.subject) == [second.subject])
        #expect(left.contains { $0.provider == .device })
    }

    @Test("is tried no more than 120 times an hour from one address")
    func limit() async throws {
        let world = try await world()
        for _ in 0..<120 { expect(try await world.adopt("nakama", UUID().uuidString), 401, .credentialRefused) }
        expect(try await world.adopt("nakama", Self.device), 429, .rateLimited)
    }

    @Test("that was used is no way in without its key: the last key of a player whom nothing else leads to stays")
    func lastKey() async throws {
        let world = try await world(devices: [Self.device])
        let (device, keys) = try await adopted(Self.device, world)
        let admins = try await AdminWorld(world.server, roles: [])
        expect(try await admins.send("owner", .delete, keys.one), 409, .lastWayIn)
        let all = try await admins.send("owner", .delete, keys.all)
        #expect(try all.read(RemovedDeviceKeysResponse.self).removed == 0)
        #expect(try await world.server.logIn(device).read(LogInResponse.self).user.id == Self.hana.rawValue)
        #expect(try await world.adopt("nakama", Self.device, on: device).status == 200)
    }

    @Test("that was used goes with its key where another id leads to the player, which does")
    func removedKey() async throws {
        let world = try await world()
        let (device, keys) = try await adopted(Self.device, world)
        let admins = try await AdminWorld(world.server, roles: [])
        #expect(try await admins.send("owner", .delete, keys.one).status == 204)
        expect(try await world.adopt("nakama", Self.device, on: device), 401, .credentialRefused)
        let other = try await world.adopt("nakama", Self.second)
        let identities = try other.read(LogInResponse.self).user.identities
        #expect(identities.map(\.provider).sorted() == ["anonymous", "device"], "\(other.text)")
    }

    /// A device that has come by an id, and the paths of the admin API for its key and for all keys.
    private func adopted(
        _ id: String, _ world: OldServiceWorld
    ) async throws -> (device: ProofMaker, keys: (one: String, all: String)) {
        let device = ProofMaker()
        let user = try await world.adopt("nakama", id, on: device).read(LogInResponse.self).user
        let key = try #require(user.identities.first { $0.provider == "device" }?.subject)
        let all = "applications/\(world.server.application.id)/users/\(user.id)/device-keys"
        return (device, ("\(all)/\(key)", all))
    }

    @Test("leads to nobody after an operator ended all sessions of a user with an address, and not while disabled")
    func ended() async throws {
        let world = try await world {
            $0.email = "hana@example.com"
            $0.emailVerifiedAt = $0.createdAt
        }
        _ = try await world.server.modules.administration.users.endAllSessions(
            of: Self.hana, in: world.server.application, by: .local)
        expect(try await world.adopt("nakama", Self.device), 401, .credentialRefused)
        let other = try await self.world()
        try await other.server.modules.accounts.setUserDisabled(
            Self.hana, in: other.server.application, isDisabled: true, by: .local)
        expect(try await other.adopt("nakama", Self.device), 403, .userDisabled)
    }

    @Test(
        "stays when nothing else leads to the player, as a guest's key does: nobody is lost by a ban that is lifted",
        arguments: [true, false])
    func kept(isBan: Bool) async throws {
        let world = try await world()
        let (server, accounts) = (world.server, world.server.modules.accounts)
        if isBan {
            for isDisabled in [true, false] {
                try await accounts.setUserDisabled(
                    Self.hana, in: server.application, isDisabled: isDisabled, by: .local)
            }
        } else {
            _ = try await server.modules.administration.users.endAllSessions(
                of: Self.hana, in: server.application, by: .local)
        }
        let answer = try await world.adopt("nakama", Self.device)
        #expect(
            try answer.status == 200 && answer.read(LogInResponse.self).user.id == Self.hana.rawValue, "\(answer.text)")
    }

    @Test("leads to the user who has it also where that user was made here, such as after a merge")
    func madeHere() async throws {
        let world = try await world(devices: [])
        let (application, now) = (world.server.application.id, world.server.clock.now)
        let made = TestRandomness().newIdentifier(at: now) as Identifier<User>
        var user = User(id: made, application: application, createdAt: now, updatedAt: now)
        user.identities = [try #require(OldDeviceId(Self.device)).identity(linkedAt: now)]
        let outcomes = try await world.server.modules.imports.importUsers(
            [ImportedUser(user: user)], into: application, of: .native, isRehearsal: false)
        #expect(outcomes == [.imported])
        let answer = try await world.adopt("nakama", Self.device)
        #expect(try answer.read(LogInResponse.self).user.id == made.rawValue, "\(answer.text)")
    }

    @Test("is no id of an anonymous user of an old protocol")
    func separate() throws {
        let id = try #require(OldDeviceId(Self.device)).identity(linkedAt: Timestamp(milliseconds: 0))
        #expect(id.provider == .anonymous && id.subject != AnonymousId(Self.device)?.subject)
    }
}
