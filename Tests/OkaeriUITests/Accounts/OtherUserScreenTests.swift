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

    @Test("link them no account that was chosen in a sheet before", arguments: [true, false])
    func link(hadGuest: Bool) async throws {
        if hadGuest { try await world.client.logInAutomatically() }
        let slow = SlowSheet(client: world.client, meanwhile: .signUp(password: password))
        let screen = await world.show(
            UpgradeModel(SignUpOptions(providers: [ProviderOption(.apple)])), credentials: slow)
        screen.send(.provider(.apple))
        await screen.settle()
        #expect(world.heard.errors == [.userChanged])
        #expect(try await world.client.reloadUser().username == "kenji")
        #expect(world.server.requests(to: APIPath.identity("apple")).isEmpty)
    }

    @Test("link a guest who came while the sheet was open: nobody else was logged in before")
    func linkOfLateGuest() async throws {
        let slow = SlowSheet(client: world.client, meanwhile: .logInAutomatically)
        let screen = await world.show(
            UpgradeModel(SignUpOptions(providers: [ProviderOption(.apple)])), credentials: slow)
        screen.send(.provider(.apple))
        await screen.settle()
        #expect(world.heard.errors.isEmpty && world.heard.outcomes.count == 1)
        #expect(await world.client.currentUser?.identities.contains { $0.provider == "apple" } == true)
    }

    @Test("say that nobody is logged in where that is so after the sheet")
    func linkAfterLogOut() async throws {
        try await world.client.logInAutomatically()
        let slow = SlowSheet(client: world.client, meanwhile: .logOut)
        let screen = await world.show(
            UpgradeModel(SignUpOptions(providers: [ProviderOption(.apple)])), credentials: slow)
        screen.send(.provider(.apple))
        await screen.settle()
        #expect(world.heard.errors == [.notLoggedIn])
    }
}

/// A sheet that stays open until something else has happened.
private struct SlowSheet: ProviderCredentials {
    enum Meanwhile: Hashable, Sendable {
        case signUp(password: String)
        case logInAutomatically
        case logOut
    }

    let client: OkaeriClient
    let meanwhile: Meanwhile

    func credential(for provider: Provider) async throws(OkaeriError) -> ProviderCredential {
        switch meanwhile {
        case .signUp(let password): try await client.signUp(username: "kenji", password: password)
        case .logInAutomatically: try await client.logInAutomatically()
        case .logOut: await client.logOut()
        }
        return .apple(.test(user: "hana"))
    }
}
