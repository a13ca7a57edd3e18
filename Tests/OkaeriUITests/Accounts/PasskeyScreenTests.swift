import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("Passkeys on the screens")
struct PasskeyScreenTests {
    let world = UIWorld()
    let passkeys = TestPasskeys()

    init() { world.server.passkeyDomain = "example.com" }

    /// The owner of a passkey, on another device.
    private func owner() async throws -> User {
        let okaeri = world.anotherClient()
        try await okaeri.logInAutomatically()
        try await okaeri.addPasskey(with: passkeys)
        return try #require(await okaeri.currentUser)
    }

    private func logInScreen() async throws -> ScreenRunner<LogInModel> {
        let profile = try await world.client.applicationProfile()
        return await world.show(try LogInModel(LogInOptions(profile)), passkeys: passkeys)
    }

    @Test("log in by a button, and are remembered as the last way")
    func button() async throws {
        let owner = try await owner()
        let screen = try await logInScreen()
        await passkeys.waitForAutoFill()
        screen.send(.passkey)
        await screen.settle()
        guard case .loggedIn(let welcome, by: .passkey)? = world.heard.outcomes.first else {
            Issue.record("\(world.heard.log)")
            return
        }
        #expect(welcome.user.id == owner.id && screen.model.form.phase == .done)
    }

    @Test("log in from above the keyboard, while everything else can be used")
    func keyboard() async throws {
        let owner = try await owner()
        let screen = try await logInScreen()
        await passkeys.waitForAutoFill()
        #expect(screen.model.form.isEnabled)
        screen.send(.form(.typed(.username, "hana")))
        passkeys.chooseAutoFill()
        await screen.settleOffer()
        guard case .loggedIn(_, by: .passkey)? = world.heard.outcomes.first else {
            Issue.record("\(world.heard.log)")
            return
        }
        #expect(await world.client.currentUser?.id == owner.id)
    }

    @Test("are offered above the keyboard again after a try that came to nothing")
    func offeredAgain() async throws {
        _ = try await owner()
        let screen = try await logInScreen()
        await passkeys.waitForAutoFill(1)
        screen.send(.form(.typed(.username, "nobody")))
        screen.send(.form(.typed(.password, "wrong password")))
        screen.send(.form(.submit))
        await screen.settle()
        await passkeys.waitForAutoFill(2)
        passkeys.chooseAutoFill()
        await screen.settleOffer()
        #expect(screen.model.form.phase == .done)
    }

    @Test("are not offered beneath another screen, and offered again when the log-in is back")
    func offeredWhenBack() async throws {
        let screen = try await logInScreen()
        await passkeys.waitForAutoFill(1)
        screen.send(.signUp)
        await screen.settleOffer()
        passkeys.chooseAutoFill()
        await screen.settleOffer()
        #expect(world.heard.outcomes.isEmpty && world.heard.shown == [.signUp(identifier: "")])
        screen.send(.form(.appeared))
        await passkeys.waitForAutoFill(2)
    }

    @Test("are left to the screen of the second factor that a log-in leads to")
    func secondFactor() throws {
        var model = try LogInModel(LogInOptions(fields: [.default, .guestButton, .passkey]))
        let first = model.begin()
        _ = model.handle(.guest)
        let refusal = ScreenReport.Kind.response(
            .failure(.secondFactorRequired(ScreenReports.challenge)), attempt: model.form.attempt)
        let onwards = model.take(ScreenReport(refusal, at: ScreenReports.instant))
        #expect(onwards == [.show(.secondFactor(ScreenReports.challenge, by: .guest))])
        let back = model.handle(.form(.appeared))
        #expect(first == [ScreenEffect(.offerPasskeys)] && back == first)
    }

    @Test("are not shown where the application has none, and a closed sheet tells nothing")
    func absent() async throws {
        world.server.passkeyDomain = nil
        let profile = try await world.client.applicationProfile()
        #expect(!LogInOptions(profile).fields.contains(.passkey) && !SignUpOptions(profile).offersPasskeys)
        passkeys.isCancelled = true
        world.server.passkeyDomain = "example.com"
        let screen = try await logInScreen()
        screen.send(.passkey)
        await screen.settle()
        #expect(world.heard.log.isEmpty && screen.model.form.banner == nil && screen.model.form.isEnabled)
    }

    @Test("save a guest's data in one touch, with nothing typed")
    func upgrade() async throws {
        let guest = try await world.client.logInAutomatically().user
        let options = SignUpOptions(try await world.client.applicationProfile())
        let screen = await world.show(UpgradeModel(options), passkeys: passkeys)
        screen.send(.passkey)
        await screen.settle()
        guard case .home(let user)? = world.heard.shown.last else {
            Issue.record("\(world.heard.log)")
            return
        }
        #expect(user.id == guest.id && !user.isAnonymous)
    }

    @Test("are listed, added, renamed, and removed after a question")
    func list() async throws {
        try await world.client.logInAutomatically()
        let screen = await world.show(PasskeysModel(), passkeys: passkeys)
        #expect(screen.model.passkeys == [])
        screen.send(.add)
        await screen.settle()
        let added = try #require(screen.model.passkeys?.first)
        screen.send(.rename(added.id))
        screen.send(.list(.form(.typed(.custom("name"), "鍵"))))
        screen.send(.list(.form(.submit)))
        await screen.settle()
        #expect(screen.model.passkeys?.map(\.name) == ["鍵"] && screen.model.renamed == nil)
        screen.send(.list(.confirmed))
        screen.send(.list(.remove(added.id)))
        #expect(screen.model.question != nil)
        screen.send(.list(.refused))
        #expect(screen.model.question == nil && screen.model.passkeys?.count == 1)
        screen.send(.list(.remove(added.id)))
        screen.send(.list(.confirmed))
        await screen.settle()
        #expect(screen.model.passkeys == [] && passkeys.credentials.isEmpty)
        #expect(world.heard.outcomes.last == .passkeyRemoved)
    }

    @Test("stay when they are the last way in, which the screen says")
    func lastWayIn() async throws {
        try await world.client.logInAutomatically()
        let screen = await world.show(PasskeysModel(), passkeys: passkeys)
        screen.send(.add)
        await screen.settle()
        world.server.fail(
            .problem(Problem(title: "last_way_in", status: 409, code: .lastWayIn)),
            path: APIPath.passkey(try #require(screen.model.passkeys?.first).id))
        screen.send(.list(.remove(try #require(screen.model.passkeys?.first).id)))
        screen.send(.list(.confirmed))
        await screen.settle()
        #expect(screen.model.form.banner?.message == .error(.lastWayIn) && screen.model.passkeys?.count == 1)
    }

    @Test("prove that the person is still there")
    func presence() async throws {
        try await world.client.logInAutomatically()
        try await world.client.addPasskey(with: passkeys)
        world.clock.advance(by: .seconds(700))
        let user = try #require(await world.client.currentUser)
        let model = ReauthenticationModel(user, for: .passkeys)
        #expect(model.hasPasskey && model.providers.isEmpty)
        let screen = await world.show(model, passkeys: passkeys)
        screen.send(.passkey)
        await screen.settle()
        #expect(world.heard.outcomes == [.presenceProved])
    }
}
