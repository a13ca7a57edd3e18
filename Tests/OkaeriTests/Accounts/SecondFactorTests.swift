import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("A second factor in an app")
struct SecondFactorTests {
    private let world = World()
    private let password = "wind over the sea 7"

    init() { world.server.secondFactorMode = .optional }

    /// A registered user with an authenticator app, on the first device.
    private func owner() async throws -> (okaeri: OkaeriClient, app: TestTOTP, codes: [String]) {
        let okaeri = world.launch()
        try await okaeri.signUp(username: "hana", password: password)
        let offer = try await okaeri.requestTOTP()
        let app = TestTOTP(secret: offer.secret)
        let added = try await okaeri.addTOTP(offer, code: app.code(at: world.clock.now), named: "Phone")
        // The code that confirmed the key counts no more.
        world.clock.advance(by: .seconds(30))
        return (okaeri, app, try #require(added.recoveryCodes).codes)
    }

    private func tablet(_ vault: TestVault = TestVault()) -> OkaeriClient {
        world.launch(vault: vault, inBackground: false)
    }

    /// What a log-in by password on another device fails with.
    private func challenge(
        _ okaeri: OkaeriClient, _ rememberMe: RememberMe = .automatic
    ) async throws -> SecondFactorChallenge {
        let error = await #expect(throws: OkaeriError.self) {
            try await okaeri.logIn(identifier: "hana", password: password, rememberMe: rememberMe)
        }
        return try #require(error?.secondFactorChallenge)
    }

    @Test("is added with a code of the app, with ten recovery codes that are shown once")
    func added() async throws {
        let (okaeri, app, codes) = try await owner()
        #expect(Set(codes).count == 10)
        let list = try await okaeri.secondFactors()
        #expect(list.factors.map(\.name) == ["Phone"] && list.recoveryCodesLeft == 10)
        #expect(list.factors.first?.kind == .totp)
        let second = try await okaeri.requestTOTP()
        let code = TestTOTP(secret: second.secret).code(at: world.clock.now)
        #expect(try await okaeri.addTOTP(second, code: code).recoveryCodes == nil)
        #expect(app.code(at: world.clock.now) != code)
    }

    @Test("ends what was ordered without it: a transfer code, and another address")
    func orderedBefore() async throws {
        let okaeri = world.launch()
        try await okaeri.signUp(username: "hana", password: password)
        let transferCode = try await okaeri.issueTransferCode().code
        try await okaeri.requestEmailVerification(newEmail: "hana@example.com")
        let mailed = try #require(world.server.mails.last?.code)
        let offer = try await okaeri.requestTOTP()
        try await okaeri.addTOTP(offer, code: TestTOTP(secret: offer.secret).code(at: world.clock.now))
        await #expect(throws: OkaeriError.codeRefused) { try await okaeri.verifyEmail(code: mailed) }
        await #expect(throws: OkaeriError.transferCodeRefused) { try await tablet().redeemTransferCode(transferCode) }
    }

    @Test("keeps an upgrade by its user's name and password from offering a merge, which could not be done")
    func merge() async throws {
        let (okaeri, app, _) = try await owner()
        let tablet = tablet()
        try await tablet.logInAutomatically()
        let error = await #expect(throws: OkaeriError.self) {
            try await tablet.upgrade(username: "hana", password: password)
        }
        guard case .identifierTaken? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // A log-in leads there.
        let id = try await tablet.logIn(
            secondFactor: .totp(app.code(at: world.clock.now)), for: try await challenge(tablet)
        ).user.id
        #expect(id == (await okaeri.currentUser?.id))
    }

    @Test("finishes a log-in on another device, which is automatic from then on", arguments: [false, true])
    func logIn(byRecoveryCode: Bool) async throws {
        let (okaeri, app, codes) = try await owner()
        let vault = TestVault()
        let tablet = tablet(vault)
        let challenge = try await challenge(tablet)
        #expect(challenge.factors == [.totp, .recoveryCode])
        #expect(await tablet.currentUser == nil)
        let proof: SecondFactorProof =
            byRecoveryCode ? .recoveryCode(codes[0].uppercased()) : .totp(app.code(at: world.clock.now))
        let welcome = try await tablet.logIn(secondFactor: proof, for: challenge)
        #expect(welcome.user.id == (await okaeri.currentUser?.id))
        world.server.endAllSessions()
        #expect(try await self.tablet(vault).logInAutomatically().user.id == welcome.user.id)
        #expect(try await tablet.secondFactors().recoveryCodesLeft == (byRecoveryCode ? 9 : 10))
    }

    @Test("finishes every way of log-in that can ask", arguments: ["code", "apple"])
    func ways(way: String) async throws {
        let (okaeri, app, _) = try await owner()
        let apple = { AppleCredential.test(user: "hana") }
        let tablet = tablet()
        let error: OkaeriError?
        if way == "code" {
            let user = try await mailedUser(okaeri)
            #expect(user.emailVerified)
            let request = try await tablet.requestLogInCode(email: "hana@example.com")
            let code = try #require(world.server.mails.last?.code)
            error = await #expect(throws: OkaeriError.self) { try await tablet.logIn(code: code, for: request) }
        } else {
            try await okaeri.link(.apple(apple()))
            error = await #expect(throws: OkaeriError.self) { try await tablet.logIn(with: .apple(apple())) }
        }
        let challenge = try #require(error?.secondFactorChallenge)
        let id = try await tablet.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge).user.id
        #expect(id == (await okaeri.currentUser?.id))
        // A person who withdrew Apple's consent is logged out of what Apple let in.
        await tablet.take(.revoked)
        #expect((await tablet.currentUser == nil) == (way == "apple"))
    }

    private func mailedUser(_ okaeri: OkaeriClient) async throws -> User {
        try await okaeri.requestEmailVerification(newEmail: "hana@example.com")
        return try await okaeri.verifyEmail(code: try #require(world.server.mails.last?.code))
    }

    @Test("is not asked for where the device counts as one, nor of a passkey that recognised its user")
    func exempt() async throws {
        world.server.passkeyDomain = "example.com"
        let (okaeri, _, _) = try await owner()
        let passkeys = TestPasskeys()
        try await okaeri.addPasskey(with: passkeys)
        let id = try await okaeri.logIn(identifier: "hana", password: password).user.id
        #expect(try await tablet().logInWithPasskey(passkeys).user.id == id)
    }

    @Test("is asked of a device that only the key lets in, where devices do not count; the same user goes on")
    func automatic() async throws {
        let (okaeri, app, _) = try await owner()
        let id = await okaeri.currentUser?.id
        world.server.deviceKeysCountAsSecondFactor = false
        world.server.endAllSessions()
        let error = await #expect(throws: OkaeriError.self) { try await okaeri.reloadUser() }
        #expect(error == .secondFactorRequired(error?.secondFactorChallenge))
        // Nobody is logged out by that: the copy stays.
        #expect(await okaeri.currentUser?.id == id)
        let challenge = try #require(error?.secondFactorChallenge)
        try await okaeri.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge)
        #expect(try await okaeri.reloadUser().id == id)
    }

    @Test("lets the guest of a device keep the key: the newcomer gets one of its own")
    func guest() async throws {
        let (_, app, _) = try await owner()
        let vault = TestVault()
        let tablet = tablet(vault)
        let guest = try await tablet.logInAutomatically().user
        let challenge = try await challenge(tablet)
        #expect(await tablet.currentUser?.id == guest.id)
        let id = try await tablet.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge).user.id
        world.server.endAllSessions()
        #expect(try await tablet.reloadUser().id == id && id != guest.id)
        #expect(world.server.users.first { $0.id == guest.id }?.identities.count == 1)
    }

    @Test(
        "gives a device a key for its user beside those of other registered ones", arguments: [false, true], [1, 2])
    func otherUser(isLoggedOut: Bool, others: Int) async throws {
        let (_, app, _) = try await owner()
        let vault = TestVault()
        let tablet = world.launch(vault: vault, inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let kenji = try await tablet.signUp(username: "kenji", password: password)
        if others == 2 {
            // The next key leads to another user by a request whose response got lost.
            world.server.fail(.lostResponse, path: APIPath.signUp)
            await #expect(throws: OkaeriError.offline) {
                try await tablet.signUp(username: "mika", password: password)
            }
        }
        if isLoggedOut { await tablet.logOut() }
        let before = world.server.users.first { $0.id == kenji.id }?.identities
        let challenge = try await challenge(tablet)
        let hana = try await tablet.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge).user
        #expect(hana.username == "hana")
        // At its end the session is opened anew by the key, and nobody is asked for anything.
        world.server.endAllSessions()
        #expect(try await tablet.reloadUser().id == hana.id)
        world.server.endAllSessions()
        #expect(try await self.tablet(vault).logInAutomatically().user.id == hana.id)
        #expect(world.server.users.first { $0.id == kenji.id }?.identities == before)
        #expect(try await tablet.logIn(identifier: "kenji", password: password).user.id == kenji.id)
    }

    @Test("keeps a provider from giving its user a mail address")
    func addressOfProvider() async throws {
        let (okaeri, _, _) = try await owner()
        let user = try await okaeri.link(.apple(.test(user: "hana", name: "花", email: "hana@example.com")))
        #expect(user.displayName == "花" && user.email == nil)
    }

    @Test("begins no log-in again whose credential counts once, beside another user's key")
    func otherUserByProvider() async throws {
        let (okaeri, app, _) = try await owner()
        let tablet = tablet()
        try await tablet.signUp(username: "kenji", password: password)
        try await okaeri.link(.apple(AppleCredential.test(user: "hana")))
        let error = await #expect(throws: OkaeriError.self) {
            try await tablet.logIn(with: .apple(AppleCredential.test(user: "hana")))
        }
        let challenge = try #require(error?.secondFactorChallenge)
        #expect(world.server.requests(to: APIPath.logIn(with: "apple")).count == 1)
        let id = try await tablet.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge).user.id
        #expect(id == (await okaeri.currentUser?.id))
    }

    @Test("finishes a log-in that is not to be remembered", arguments: [RememberMe.untilQuit, .never])
    func temporary(rememberMe: RememberMe) async throws {
        let (_, app, _) = try await owner()
        let vault = TestVault()
        let tablet = tablet(vault)
        let challenge = try await challenge(tablet, rememberMe)
        try await tablet.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge)
        #expect(await tablet.currentUser?.username == "hana")
        let sent = try #require(world.server.requests(to: APIPath.logInWithSecondFactor).last)
        #expect((sent.headers[HeaderName.proof] == nil) == (rememberMe == .never))
        #expect(await self.tablet(vault).currentUser == nil)
    }

    @Test("adds an app on the way in where the application requires one", arguments: [1, 2])
    func enrolment(tries: Int) async throws {
        let phone = world.launch()
        try await phone.signUp(username: "hana", password: password)
        world.server.secondFactorMode = .required
        let tablet = tablet()
        let error = await #expect(throws: OkaeriError.self) {
            try await tablet.logIn(identifier: "hana", password: password)
        }
        let challenge = try #require(error?.secondFactorChallenge)
        #expect(error == .secondFactorEnrolmentRequired(challenge) && challenge.factors.isEmpty)
        let offer = try await tablet.requestTOTP(for: challenge)
        if tries == 2 {
            await #expect(throws: OkaeriError.secondFactorRefused(.codeInvalid)) {
                try await tablet.logIn(confirming: offer, code: "abc", for: challenge)
            }
        }
        let code = TestTOTP(secret: offer.secret).code(at: world.clock.now)
        let ended = try await tablet.logIn(confirming: offer, code: code, named: "Phone", for: challenge)
        #expect(ended.recoveryCodes?.codes.count == 10 && ended.welcome.user.username == "hana")
        #expect(try await tablet.secondFactors().factors.map(\.name) == ["Phone"])
    }

    @Test("must have been shown lately to change factors, and is shown by a code or a recovery code")
    func notRecent() async throws {
        let (okaeri, app, codes) = try await owner()
        world.clock.advance(by: .seconds(700))
        try await okaeri.reauthenticate(password: password)
        await #expect(throws: OkaeriError.secondFactorNotRecent) { try await okaeri.replaceRecoveryCodes() }
        try await okaeri.reauthenticate(secondFactor: .recoveryCode(codes[3]))
        let new = try await okaeri.replaceRecoveryCodes()
        #expect(Set(new.codes).isDisjoint(with: codes))
        world.clock.advance(by: .seconds(700))
        try await okaeri.reauthenticate(secondFactor: .totp(app.code(at: world.clock.now)))
        let id = try #require(try await okaeri.secondFactors().factors.first?.id)
        try await okaeri.removeSecondFactor(id)
        #expect(try await okaeri.secondFactors().recoveryCodesLeft == 0)
        await #expect(throws: OkaeriError.secondFactorRefused(.unknown)) { try await okaeri.removeSecondFactor("") }
    }

    @Test("is not offered to guests, nor where the application has none")
    func notEnabled() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        await #expect(throws: OkaeriError.secondFactorRefused(.notEnabled)) { try await okaeri.requestTOTP() }
        world.server.secondFactorMode = .off
        let tablet = tablet()
        try await tablet.signUp(username: "hana", password: password)
        await #expect(throws: OkaeriError.secondFactorRefused(.notEnabled)) { try await tablet.requestTOTP() }
    }

    @Test("brings a user back who asked to be deleted, when the log-in wished so")
    func restored() async throws {
        let (okaeri, app, _) = try await owner()
        _ = try await okaeri.deleteUser()
        let tablet = tablet()
        let error = await #expect(throws: OkaeriError.self) {
            try await tablet.logIn(identifier: "hana", password: password, restoring: true)
        }
        let challenge = try #require(error?.secondFactorChallenge)
        let welcome = try await tablet.logIn(secondFactor: .totp(app.code(at: world.clock.now)), for: challenge)
        #expect(welcome.user.username == "hana")
    }

    @Test(
        "of a test is that of the RFC",
        arguments: [(59.0, "287082"), (1_111_111_109, "081804"), (1_234_567_890, "005924"), (20_000_000_000, "353130")])
    func vectors(seconds: TimeInterval, code: String) {
        // RFC 6238, appendix B: the ASCII digits 1 to 0, twice.
        let app = TestTOTP(secret: "gezd gnbv gy3t qojq GEZDGNBVGY3TQOJQ")
        #expect(app.code(at: Date(timeIntervalSince1970: seconds)) == code)
    }
}
