import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// Issue 18: a thief's device key survived a password change and “log out everywhere”, and nobody could see it.
@Suite("Device keys")
struct DeviceKeyTests {
    private let server: TestServer
    private let owner: Person
    private let second: Person

    init() async throws {
        server = try await TestServer()
        owner = try await server.person(body: #"{"device": {"name": "Phone", "model": "P1"}}"#)
        #expect(try await owner.upgrade().status == 200)
        server.clock.advance(by: .seconds(60))
        let device = ProofMaker()
        let proof = try device.proof("POST", server.url(APIPath.logInWithPassword), at: server.clock.now)
        let answer = try await server.logIn(
            "hana", AccountTests.password, #", "device": {"name": "Tablet"}"#, headers: [("DPoP", proof)])
        second = Person(server: server, device: device, logIn: try answer.read(LogInResponse.self))
    }

    private func keys(_ person: Person) async throws -> [DeviceKeyBody] {
        try await person.send(.get, APIPath.deviceKeys).read(DeviceKeyListResponse.self).deviceKeys
    }

    @Test("are listed with device, time and last use, and the own one is marked")
    func list() async throws {
        let listed = try await keys(second)
        #expect(listed.map(\.device?.name) == ["Phone", "Tablet"] && listed.map(\.isCurrent) == [false, true])
        #expect(listed.allSatisfy { $0.lastUsedAt != nil } && listed[0].device?.model == "P1")
        #expect(listed[0].addedAt.millisecondsSince1970 < listed[1].addedAt.millisecondsSince1970)
        let identities = try await second.send(.get, APIPath.user).read(UserBody.self).identities
        #expect(listed.map(\.thumbprint) == identities.map(\.subject))
    }

    @Test("are removed one by one: the device's sessions end, it gets a notice, and comes back by the password")
    func remove() async throws {
        let thumbprint = try #require(try await keys(owner).last?.thumbprint)
        let answer = try await owner.send(.delete, APIPath.deviceKey(thumbprint))
        #expect(answer.status == 204, "\(answer.text)")
        expect(try await second.send(.get, APIPath.user), 401, .sessionInvalid)
        let refused = try await server.logIn(second.device)
        expect(refused, 403, .deviceKeyRemoved)
        #expect(try refused.read(Problem.self).reason == "device_key_removed")
        #expect(try await owner.send(.get, APIPath.user).status == 200)
        #expect(try await keys(owner).map(\.device?.name) == ["Phone"])
        expect(try await owner.send(.delete, APIPath.deviceKey(thumbprint)), 404, .identityUnknown)
        let entry = try #require(try await entries(.deviceKeyRemoved).first)
        #expect(entry.actor == .user(Identifier(rawValue: owner.logIn.user.id)) && entry.origin.requestId != nil)
        #expect(entry.details["device-key"] == thumbprint && entry.origin.address == "192.0.2.1")
    }

    @Test("are removed all but the own one")
    func removeOthers() async throws {
        let answer = try await owner.send(.delete, APIPath.deviceKeys)
        #expect(try answer.read(RemovedDeviceKeysResponse.self).removed == 1)
        expect(try await server.logIn(second.device), 403, .deviceKeyRemoved)
        expect(try await second.send(.get, APIPath.user), 401, .sessionInvalid)
        #expect(try await server.logIn(owner.device).status == 200)
        #expect(try await entries(.otherDeviceKeysRemoved).count == 1)
    }

    @Test("of other users are nobody's to remove, and tell nothing")
    func foreign() async throws {
        let stranger = try await server.person()
        let thumbprint = try #require(try await keys(stranger).first?.thumbprint)
        expect(try await owner.send(.delete, APIPath.deviceKey(thumbprint)), 404, .identityUnknown)
        expect(try await owner.send(.delete, APIPath.deviceKey("nothing")), 404, .identityUnknown)
        #expect(try await server.logIn(stranger.device).status == 200)
    }

    @Test("of guests stay when they are the last way in")
    func lastWayIn() async throws {
        let guest = try await server.person()
        let thumbprint = try #require(try await keys(guest).first?.thumbprint)
        expect(try await guest.send(.delete, APIPath.deviceKey(thumbprint)), 409, .lastWayIn)
        let others = try await guest.send(.delete, APIPath.deviceKeys)
        #expect(try others.read(RemovedDeviceKeysResponse.self).removed == 0)
        #expect(try await server.logIn(guest.device).status == 200)
    }

    @Test(
        "are removed in a fresh session only",
        arguments: [APIPath.deviceKeys, APIPath.deviceKey("x"), APIPath.sessions])
    func freshness(path: String) async throws {
        server.clock.advance(by: .seconds(601))
        expect(try await owner.send(.delete, path), 403, .reauthenticationRequired)
        #expect(try await keys(owner).count == 2)
    }

    @Test("go with “log out everywhere”, but for the own one")
    func logOutEverywhere() async throws {
        let answer = try await owner.send(.delete, APIPath.sessions).read(EndedSessionsResponse.self)
        #expect(answer.ended == 1 && answer.removedDeviceKeys == 1)
        expect(try await server.logIn(second.device), 403, .deviceKeyRemoved)
    }

    @Test("are shown to admins, who remove one or all")
    func admins() async throws {
        let world = try await AdminWorld(server, roles: [])
        let path = world.path("/users/\(owner.logIn.user.id)")
        let shown = try #require(try await world.send("owner", .get, path).json["deviceKeys"]?.list)
        #expect(shown.compactMap { $0["device"]?["name"]?.text } == ["Phone", "Tablet"])
        let thumbprint = try #require(shown.last?["thumbprint"]?.text)
        #expect(try await world.send("owner", .delete, "\(path)/device-keys/\(thumbprint)").status == 204)
        expect(try await server.logIn(second.device), 403, .deviceKeyRemoved)
        expect(try await world.send("owner", .delete, "\(path)/device-keys/\(thumbprint)"), 404, .identityUnknown)
        let all = try await world.send("owner", .delete, "\(path)/device-keys")
        #expect(try all.read(RemovedDeviceKeysResponse.self).removed == 1)
        expect(try await server.logIn(owner.device), 403, .deviceKeyRemoved)
        let entries = try await entries(.deviceKeyRemoved)
        #expect(entries.count == 1 && entries.first?.actor.rawValue.hasPrefix("admin:") == true)
        let guest = try await server.person()
        let key = try #require(try await keys(guest).first?.thumbprint)
        let last = world.path("/users/\(guest.logIn.user.id)/device-keys/\(key)")
        expect(try await world.send("owner", .delete, last), 409, .lastWayIn)
    }

    @Test("are removed on the dashboard and on the own account page")
    func pages() async throws {
        let world = try await AdminWorld(server, roles: [])
        let dashboard = world.browser()
        let path = world.page("users/\(owner.logIn.user.id)")
        let page = try await dashboard.get(path)
        let thumbprint = try #require(try await keys(owner).last?.thumbprint)
        #expect(page.html.contains("Tablet") && page.html.contains(thumbprint))
        let removed = try await dashboard.post("\(path)/device-keys/\(thumbprint)/remove", [:], token: page.token)
        #expect(removed.status == 303, "\(removed.html)")
        expect(try await server.logIn(second.device), 403, .deviceKeyRemoved)

        let browser = Browser(server)
        try await browser.fill("log-in", ["identifier": "hana", "password": AccountTests.password])
        let account = try await browser.get(browser.path("account"))
        let own = try #require(try await keys(owner).first?.thumbprint)
        #expect(account.html.contains("Phone") && account.html.contains(own))
        let done = try await browser.post(browser.path("account/identity"), ["key": own], token: account.token)
        #expect(done.status == 303, "\(done.html)")
        expect(try await server.logIn(owner.device), 403, .deviceKeyRemoved)
        expect(try await owner.send(.get, APIPath.user), 401, .sessionInvalid)
    }

    @Test("tell a disabled owner's device that the account is closed, not that another log-in would help")
    func disabledOwner() async throws {
        #expect(try await owner.send(.delete, APIPath.deviceKeys).status == 200)
        try await server.modules.accounts.setUserDisabled(
            Identifier(rawValue: owner.logIn.user.id), in: server.application, isDisabled: true, by: .local)
        expect(try await server.logIn(second.device), 403, .userDisabled)
    }

    @Test("that were removed make new users once the account is erased")
    func erased() async throws {
        #expect(try await owner.send(.delete, APIPath.deviceKeys).status == 200)
        try await server.modules.deletion.eraseUser(
            Identifier(rawValue: owner.logIn.user.id), in: server.application.id, by: .local)
        #expect(try await server.logIn(second.device).status == 201)
    }

    @Test("that were removed are forgotten after 400 days")
    func forgotten() async throws {
        #expect(try await owner.send(.delete, APIPath.deviceKeys).status == 200)
        server.clock.advance(by: RemovedDeviceKey.memory)
        try await server.modules.sessions.purgeExpired()
        expect(try await server.logIn(second.device), 403, .deviceKeyRemoved)
        server.clock.advance(by: .milliseconds(1))
        try await server.modules.sessions.purgeExpired()
        #expect(try await server.logIn(second.device).status == 201)
    }

    private func entries(_ action: AuditEntry.Action) async throws -> [AuditEntry] {
        try await server.modules.administration.audit.list(in: server.application.id).filter { $0.action == action }
    }
}
