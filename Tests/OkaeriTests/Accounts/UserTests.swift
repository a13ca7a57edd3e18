import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("Users")
struct UserTests {
    let world = World()

    @Test("are changed by merging: named values change, removed ones go, others stay")
    func update() async throws {
        let client = world.launch()
        try await client.logInAutomatically(
            user: NewUser(displayName: "花子", locale: "ja", fields: ["level": 1, "pet": ["kind": "cat", "age": 2]]))
        let user = try await client.update(
            UserChanges(locale: .removed, fields: ["level": 2, "pet": ["age": nil, "name": "Tama"], "old": nil]))
        #expect(user.displayName == "花子")
        #expect(user.locale == nil)
        #expect(user.fields == ["level": 2, "pet": ["kind": "cat", "name": "Tama"]])
        #expect(await client.currentUser == user)
        #expect(await world.launch().currentUser == user)
        let emptied = try await client.update(UserChanges(removesAllFields: true))
        #expect(emptied.fields.isEmpty)
    }

    @Test("are never taken for somebody else, whose response something on the way has kept")
    func responseOfSomebodyElse() async throws {
        let other = world.launch(vault: TestVault(), inBackground: false)
        try await other.logInAutomatically(user: NewUser(displayName: "花子"))
        let body = try #require(world.server.users.first)
        let kept = TransportResponse(status: 200, body: try JSONEncoder().encode(body))
        let export = TransportResponse(status: 200, body: try await other.exportUser())
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        world.server.fail(.response(kept), path: APIPath.user, times: 2)
        world.server.fail(.response(export), path: APIPath.export)
        let unexpected = OkaeriError.unexpectedResponse(status: 200)
        await #expect(throws: unexpected) { try await client.reloadUser() }
        await #expect(throws: unexpected) { try await client.update(UserChanges(displayName: .set("太郎"))) }
        await #expect(throws: unexpected) { try await client.exportUser() }
        #expect(await client.currentUser == user && body.id != user.id)
        #expect(try await client.reloadUser() == user)
    }

    @Test("are taken over from the response to a change, also after the server's clock was put back")
    func clockPutBack() async throws {
        let client = world.launch(inBackground: false)
        let guest = try await client.logInAutomatically().user
        var body = try #require(world.server.users.first)
        body.updatedAt = WireTime(guest.updatedAt.addingTimeInterval(-3600))
        body.isAnonymous = false
        let earlier = TransportResponse(status: 200, body: try JSONEncoder().encode(body))
        world.server.fail(.response(earlier), path: APIPath.user)
        _ = try await client.reloadUser()
        #expect(await client.currentUser == guest)
        world.server.fail(.response(earlier), path: APIPath.upgrade)
        let upgraded = try await client.upgrade(username: "hana", password: "correct horse battery")
        #expect(await client.currentUser == upgraded && upgraded == User(body))
        #expect(await world.launch(inBackground: false).currentUser == upgraded)
        await client.logOut()
        #expect(await client.reaches { $0.user == nil } == .loggedOut(.registeredUserLoggedOut))
    }

    @Test("are not changed by values that break a rule; each rule is named")
    func invalidValues() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        let error = await #expect(throws: OkaeriError.self) {
            try await client.update(UserChanges(displayName: .set(String(repeating: "花", count: 201))))
        }
        guard case .invalidValues(let problems) = error else {
            Issue.record("not about values: \(String(describing: error))")
            return
        }
        #expect(problems.map(\.field) == ["displayName"])
        #expect(await client.currentUser?.displayName == nil)
    }

    @Test("are not sent numbers that JSON does not have")
    func infinity() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        let error = await #expect(throws: OkaeriError.self) {
            try await client.update(UserChanges(fields: ["score": .number(.infinity)]))
        }
        #expect(error?.code == "invalid_values")
        #expect(world.server.requests(to: APIPath.user).isEmpty)
    }

    @Test("changed elsewhere are seen after reloading")
    func reload() async throws {
        let folder = try TemporaryFolder()
        let phone = world.launch(vault: FileVault(directory: folder.url))
        try await phone.logInAutomatically()
        let other = MemoryVault()
        try await other.saveRecord(
            #require(try await FileVault(directory: folder.url).loadRecord(for: "demo")), for: "demo")
        try await world.launch(vault: other).update(UserChanges(displayName: .set("花子")))
        #expect(await phone.currentUser?.displayName == nil)
        #expect(try await phone.reloadUser().displayName == "花子")
        #expect(await phone.currentUser?.displayName == "花子")
        withExtendedLifetime(folder) {}
    }

    @Test("take every value over from the wire")
    func wire() throws {
        let time = WireTime(millisecondsSince1970: 1_795_220_142_123)
        var body = UserBody(
            id: "u1", isAnonymous: false, displayName: "花子", locale: "ja", fields: ["a": 1],
            identities: [IdentityBody(provider: "device", subject: "s", linkedAt: time)], createdAt: time,
            updatedAt: time)
        (body.username, body.email, body.phone) = ("hana", "hana@example.com", "+81312345678")
        (body.emailVerified, body.phoneVerified, body.hasPassword) = (true, true, true)
        (body.lastLogInAt, body.previousLogInAt) = (time, time)
        let user = User(body)
        let date = Date(timeIntervalSince1970: 1_795_220_142.123)
        #expect(user.id == "u1" && !user.isAnonymous && user.hasPassword)
        #expect(user.username == "hana" && user.email == "hana@example.com" && user.emailVerified)
        #expect(user.phone == "+81312345678" && user.phoneVerified)
        #expect(user.displayName == "花子" && user.locale == "ja" && user.fields == ["a": 1])
        #expect(user.identities == [User.Identity(provider: "device", subject: "s", linkedAt: date)])
        #expect([user.createdAt, user.updatedAt, user.lastLogInAt, user.previousLogInAt].allSatisfy { $0 == date })
        #expect(WireTime(date) == time)
    }
}
