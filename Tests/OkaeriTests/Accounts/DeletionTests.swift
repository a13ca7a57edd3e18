import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Deletion by the user")
struct DeletionTests {
    let world = World()

    @Test("logs out, is reported at the next log-in, and can be taken back")
    func restored() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically(user: NewUser(displayName: "花子")).user
        let erasedAt = try await client.deleteUser()
        #expect(erasedAt == world.clock.now.addingTimeInterval(7 * 86_400))
        #expect(await client.currentUser == nil)
        #expect(world.server.sessionCount == 0)
        let again = world.launch()
        await #expect(throws: OkaeriError.userDeleted(erasedAt: erasedAt)) { try await again.logInAutomatically() }
        let welcome = try await again.restoreUser()
        #expect(welcome.user.id == user.id && welcome.user.displayName == "花子")
        #expect(try await world.launch().logInAutomatically().user.id == user.id)
        #expect(world.server.requests(to: APIPath.logOut).isEmpty)
    }

    @Test("has happened also where its response gets lost, and can be taken back")
    func lostResponse() async throws {
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        let end = world.clock.now.addingTimeInterval(7 * 86_400)
        world.server.fail(.lostResponse, path: APIPath.user)
        async let erasedAt = client.deleteUser()
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(try await erasedAt == end)
        #expect(await client.currentUser == nil)
        #expect(try await client.restoreUser().user.id == user.id)
    }

    @Test("is taken back for good also during a log-in that is not to be remembered")
    func restoredFromTemporary() async throws {
        let password = "four quiet words"
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        _ = try await client.deleteUser()
        try await client.logIn(identifier: "hana", password: password, rememberMe: .untilQuit)
        #expect(try await client.restoreUser().user.id == user.id)
        #expect(await world.launch().currentUser?.id == user.id)
    }

    @Test("is not taken back as somebody else, to whom the device's key leads")
    func notSomebodyElse() async throws {
        let client = world.launch(inBackground: false)
        let guest = try await client.logInAutomatically().user
        let hana = try await client.logIn(with: .apple(.test(user: "hana"))).user
        _ = try await client.deleteUser()
        await #expect(throws: OkaeriError.userChanged) { try await client.restoreUser() }
        #expect(await client.currentUser == nil)
        let welcome = try await client.logIn(with: .apple(.test(user: "hana")), restoring: true)
        #expect(welcome.user.id == hana.id && hana.id != guest.id)
    }

    @Test("is final when the time is over: the next log-in makes a user")
    func final() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        _ = try await client.deleteUser()
        world.clock.advance(by: .seconds(7 * 86_400))
        let welcome = try await world.launch().logInAutomatically()
        guard case .firstVisit(let new) = welcome else {
            Issue.record("not .firstVisit: \(welcome)")
            return
        }
        #expect(new.id != user.id)
    }

    @Test("can be preceded by an export of everything")
    func export() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically(user: NewUser(fields: ["level": 3])).user
        let export = try JSONDecoder().decode(ExportResponse.self, from: try await client.exportUser())
        #expect(export.user.id == user.id && export.user.fields == ["level": 3])
        #expect(export.sessions.count == 1)
    }
}
