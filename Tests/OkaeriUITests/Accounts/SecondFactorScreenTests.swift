import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("Second factors on the screens")
struct SecondFactorScreenTests {
    let world = UIWorld()
    let password = "wind over the sea 7"

    init() { world.server.secondFactorMode = .optional }

    /// A registered user with an authenticator app, on another device.
    private func owner() async throws -> (okaeri: OkaeriClient, app: TestTOTP, codes: [String]) {
        let okaeri = world.anotherClient()
        try await okaeri.signUp(username: "hana", password: password)
        let offer = try await okaeri.requestTOTP()
        let app = TestTOTP(secret: offer.secret)
        let added = try await okaeri.addTOTP(offer, code: app.code(at: world.clock.now))
        world.clock.advance(by: .seconds(30))
        return (okaeri, app, try #require(added.recoveryCodes).codes)
    }

    /// What the log-in screen leads to.
    private func logIn() async throws -> ScreenDestination {
        let screen = await world.show(try LogInModel())
        screen.send(.form(.typed(.username, "hana")))
        screen.send(.form(.typed(.password, password)))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.isEnabled && screen.model.form.banner == nil)
        return try #require(world.heard.shown.last)
    }

    private func secondFactorScreen() async throws -> ScreenRunner<SecondFactorModel> {
        guard case .secondFactor(let challenge, by: let method) = try await logIn() else {
            Issue.record("\(world.heard.shown)")
            throw CancellationError()
        }
        return await world.show(SecondFactorModel(.logIn(challenge, by: method)))
    }

    @Test("are asked for after the password, and a whole code is sent at once")
    func code() async throws {
        let (okaeri, app, _) = try await owner()
        let screen = try await secondFactorScreen()
        #expect(screen.model.form[.code]?.kind == .oneTimeCode)
        screen.send(.form(.typed(.code, app.code(at: world.clock.now))))
        await screen.settle()
        guard case .loggedIn(let welcome, by: .password)? = world.heard.outcomes.last else {
            Issue.record("\(world.heard.log)")
            return
        }
        #expect(welcome.user.id == (await okaeri.currentUser?.id))
        #expect(world.heard.shown.last == .home(welcome.user) && screen.model.form.phase == .done)
    }

    @Test("are recovery codes too, typed as people type them")
    func recoveryCode() async throws {
        let (okaeri, _, codes) = try await owner()
        let screen = try await secondFactorScreen()
        screen.send(.recoveryCode)
        #expect(screen.model.step == .recoveryCode && screen.model.form[.code] == nil)
        screen.send(
            .form(.typed(.custom("recoveryCode"), codes[4].uppercased().replacingOccurrences(of: "-", with: " "))))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.phase == .done)
        #expect(try await okaeri.secondFactors().recoveryCodesLeft == 9)
    }

    @Test("that are wrong leave an empty field and a word, and make the person wait in the end")
    func wrong() async throws {
        _ = try await owner()
        let screen = try await secondFactorScreen()
        for _ in 0..<5 {
            screen.send(.form(.typed(.code, "000000")))
            await screen.settle()
            #expect(screen.model.form.text(of: .code).isEmpty)
            #expect(screen.model.form.banner?.message == .error(.secondFactorRefused(.codeInvalid)))
        }
        screen.send(.form(.typed(.code, "000000")))
        await screen.settle()
        #expect(screen.model.form.pause?.secondsLeft == 1 && !screen.model.form.canSubmit)
    }

    @Test("are added on the way in where the application requires one, and the codes are kept before the app goes on")
    func enrolment() async throws {
        try await world.anotherClient().signUp(username: "hana", password: password)
        world.server.secondFactorMode = .required
        guard case .secondFactorEnrolment(let purpose) = try await logIn() else {
            Issue.record("\(world.heard.shown)")
            return
        }
        let screen = await world.show(SecondFactorEnrolmentModel(purpose))
        let offer = try #require(screen.model.offer)
        #expect(offer.link?.scheme == "otpauth")
        screen.send(.copy)
        await screen.settle()
        #expect(world.heard.copied == [offer.secret])
        screen.send(.form(.typed(.code, TestTOTP(secret: offer.secret).code(at: world.clock.now))))
        await screen.settle()
        #expect(world.heard.outcomes == [.secondFactorAdded])
        guard case .recoveryCodes(let codes, after: let after)? = world.heard.shown.last else {
            Issue.record("\(world.heard.shown)")
            return
        }
        let shown = await world.show(RecoveryCodesModel(codes, after: after))
        #expect(shown.model.codes.count == 10)
        shown.send(.copy)
        await shown.settle()
        #expect(world.heard.copied.last == codes.codes.joined(separator: "\n"))
        // The person keeps them in another tab, and comes back.
        shown.send(.form(.disappeared))
        shown.send(.form(.appeared))
        await shown.settle()
        #expect(shown.model.codes == codes.codes && shown.model.form.isEnabled)
        #expect(shown.model.staysUntilRead, "a swipe would take the codes away")
        shown.send(.kept)
        await shown.settle()
        #expect(shown.model.codes.isEmpty && !shown.model.staysUntilRead)
        guard case .loggedIn(let welcome, by: .password)? = world.heard.outcomes.last else {
            Issue.record("\(world.heard.log)")
            return
        }
        #expect(world.heard.shown.last == .home(welcome.user))
    }

    @Test("whose first code is wrong keep the same key")
    func enrolmentWrongCode() async throws {
        try await world.client.signUp(username: "hana", password: password)
        let screen = await world.show(SecondFactorEnrolmentModel(.account))
        let offer = try #require(screen.model.offer)
        screen.send(.form(.typed(.code, "000000")))
        await screen.settle()
        #expect(screen.model.offer == offer && screen.model.form.text(of: .code).isEmpty)
        world.clock.advance(by: .seconds(600))
        screen.send(.form(.typed(.code, TestTOTP(secret: offer.secret).code(at: world.clock.now))))
        await screen.settle()
        // The log-in is as old as the key by now: it is asked whether it is still the same person.
        #expect(world.heard.shown.last == .reauthentication(for: .secondFactorEnrolment))
        try await world.client.reauthenticate(password: password)
        screen.send(.form(.presenceProved))
        await screen.settle()
        #expect(screen.model.offer == nil)
        screen.send(.reload)
        await screen.settle()
        #expect(screen.model.offer != nil && screen.model.offer != offer)
    }

    @Test("are listed in the account, removed after the second factor was shown once more, and codes replaced")
    func list() async throws {
        let (okaeri, app, _) = try await owner()
        let screen = await world.show(SecondFactorsModel(), client: okaeri)
        let factor = try #require(screen.model.factors?.first)
        #expect(screen.model.recoveryCodesLeft == 10)
        screen.send(.replaceCodes)
        await screen.settle()
        guard case .recoveryCodes(_, after: .account)? = world.heard.shown.last else {
            Issue.record("\(world.heard.shown)")
            return
        }
        screen.send(.add)
        await screen.settle()
        #expect(world.heard.shown.last == .secondFactorEnrolment(.account))
        world.clock.advance(by: .seconds(700))
        try await okaeri.reauthenticate(password: password)
        screen.send(.list(.remove(factor.id)))
        #expect(screen.model.question == .remove(factor))
        screen.send(.list(.confirmed))
        await screen.settle()
        #expect(world.heard.shown.last == .secondFactorPresence(for: .secondFactors))
        let presence = await world.show(SecondFactorModel(.presence(for: .secondFactors)), client: okaeri)
        presence.send(.form(.typed(.code, app.code(at: world.clock.now))))
        await presence.settle()
        #expect(world.heard.outcomes.last == .presenceProved && world.heard.log.last == "close")
        screen.send(.list(.form(.presenceProved)))
        await screen.settle()
        #expect(screen.model.factors?.isEmpty == true && world.heard.outcomes.last == .secondFactorRemoved)
    }

    @Test("are not needed with a passkey that recognises its user")
    func passkey() async throws {
        world.server.passkeyDomain = "example.com"
        let passkeys = TestPasskeys()
        let (okaeri, _, _) = try await owner()
        try await okaeri.addPasskey(with: passkeys)
        guard case .secondFactor(let challenge, by: let method) = try await logIn() else {
            Issue.record("\(world.heard.shown)")
            return
        }
        let screen = await world.show(
            SecondFactorModel(.logIn(challenge, by: method), offersPasskey: true), passkeys: passkeys)
        #expect(challenge.hasPasskey == true && screen.model.offersPasskey)
        screen.send(.passkey)
        await screen.settle()
        guard case .loggedIn(_, by: .passkey)? = world.heard.outcomes.last else {
            Issue.record("\(world.heard.log)")
            return
        }
    }

    @Test("offer no passkey to somebody who has none, and one where an older server does not say so")
    func noPasskey() async throws {
        world.server.passkeyDomain = "example.com"
        _ = try await owner()
        guard case .secondFactor(let challenge, by: let method) = try await logIn() else {
            Issue.record("\(world.heard.shown)")
            return
        }
        #expect(challenge.hasPasskey == false)
        var model = SecondFactorModel(.logIn(challenge, by: method), offersPasskey: true)
        #expect(!model.offersPasskey && model.handle(.passkey).isEmpty)
        let unsaid = SecondFactorChallenge(
            SecondFactorChallengeBody(ticket: "t", factors: ["totp"], expiresAt: WireTime(millisecondsSince1970: 0)))
        #expect(unsaid.hasPasskey == nil)
        #expect(SecondFactorModel(.logIn(unsaid, by: .password), offersPasskey: true).offersPasskey)
        #expect(!SecondFactorModel(.logIn(unsaid, by: .password)).offersPasskey)
    }

    @Test("lead back to the list, past the key that is confirmed")
    func stack() {
        var stack = ScreenStack(root: .secondFactors)
        stack.go(to: .secondFactorEnrolment(.account))
        stack.go(to: .recoveryCodes(RecoveryCodes(["a"]), after: .account))
        #expect(stack.path.count == 1)
        let hasClosed = stack.close()
        #expect(hasClosed && stack.path.isEmpty)
        stack.go(to: .secondFactorPresence(for: .secondFactors))
        stack.hear(.presenceProved, from: .secondFactor)
        #expect(stack.proof == ScreenStack.Proof(count: 1, screen: .secondFactors))
        var alone = ScreenStack(root: .secondFactorEnrolment(.account))
        alone.go(to: .recoveryCodes(RecoveryCodes(["a"]), after: .account))
        let isLeft = alone.close()
        #expect(!isLeft)
    }
}
