import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("Screens on which somebody else is logged in by now")
struct OtherUserScreenTests {
    let world = UIWorld()
    let password = "a long enough secret"

    @Test("delete nobody, and say so")
    func deletion() async throws {
        _ = try await world.client.signUp(username: "hana", password: password)
        let screen = await world.show(DeletionModel(word: "DELETE"))
        screen.send(.form(.typed(.confirmation, "DELETE")))
        // In another window.
        let kenji = try await world.client.signUp(username: "kenji", password: password)
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.erasedAt == nil && world.heard.errors == [.userChanged])
        #expect(screen.model.form.banner?.message == .error(.userChanged))
        screen.send(.export)
        await screen.settle()
        #expect(screen.model.exported == nil)
        #expect(try await world.client.reloadUser().id == kenji.id)
        #expect(world.server.requests(to: APIPath.export).isEmpty)
    }

    @Test("bring nobody back, whose key would take their place")
    func restoring() async throws {
        try await world.client.logInAutomatically()
        let screen = await world.show(DeletionModel(word: "DELETE"))
        screen.send(.form(.typed(.confirmation, "DELETE")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.erasedAt != nil)
        let kenji = try await world.client.signUp(username: "kenji", password: password)
        screen.send(.restore)
        await screen.settle()
        #expect(!screen.model.isRestored && world.heard.errors == [.userChanged])
        #expect(await world.client.currentUser?.id == kenji.id)
    }

    @Test("say nothing of somebody else where nobody is logged in, and the device's key is not the deleted account's")
    func restoringByAnotherKey() async throws {
        try await world.client.logInAutomatically()
        try await world.client.logIn(with: .apple(.test(user: "hana")))
        let screen = await world.show(DeletionModel(word: "DELETE"))
        screen.send(.form(.typed(.confirmation, "DELETE")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.erasedAt != nil)
        screen.send(.restore)
        await screen.settle()
        #expect(await world.client.currentUser == nil)
        #expect(screen.model.form.banner?.message == .error(.userChanged))
        let words = OkaeriError.userChanged.message(in: ["en"])
        #expect(!words.contains("else") && words.contains("log in again"))
    }

    @Test("end none of their log-ins before they have seen their own list")
    func sessions() async throws {
        _ = try await world.client.signUp(username: "hana", password: password)
        try await world.anotherClient(seed: 9).logIn(identifier: "hana", password: password)
        let tablet = world.anotherClient()
        _ = try await tablet.signUp(username: "kenji", password: password)
        let screen = await world.show(SessionsModel())
        #expect(screen.model.sessions?.count == 2)
        try await world.client.logIn(identifier: "kenji", password: password)
        screen.send(.removeOthers)
        screen.send(.confirmed)
        await screen.settle()
        #expect(world.heard.errors == [.userChanged] && world.heard.outcomes.isEmpty)
        #expect(try await tablet.reloadUser().username == "kenji")
        screen.send(.reload)
        await screen.settle()
        // Theirs now: the tablet's, and beside this log-in the one that is still to be revoked, for which the key was tried.
        let names = try #require(screen.model.sessions).filter { !$0.isCurrent }.map(\.device.name)
        #expect(Set(names) == ["Tablet", "Hana's phone"])
        screen.send(.removeOthers)
        screen.send(.confirmed)
        await screen.settle()
        #expect(world.heard.outcomes == [.sessionsEnded(count: names.count)])
    }

    @Test("link them no account that was chosen in a sheet before")
    func link() async throws {
        try await world.client.logInAutomatically()
        let slow = SlowSheet(client: world.client, password: password)
        let screen = await world.show(
            UpgradeModel(SignUpOptions(providers: [ProviderOption(.apple)])), credentials: slow)
        screen.send(.provider(.apple))
        await screen.settle()
        #expect(world.heard.errors == [.userChanged])
        #expect(try await world.client.reloadUser().username == "kenji")
        #expect(world.server.requests(to: APIPath.identity("apple")).isEmpty)
    }
}

/// A sheet that stays open until somebody else has logged in.
private struct SlowSheet: ProviderCredentials {
    let client: OkaeriClient
    let password: String

    func credential(for provider: Provider) async throws(OkaeriError) -> ProviderCredential {
        try await client.signUp(username: "kenji", password: password)
        return .apple(.test(user: "hana"))
    }
}
