import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Logging in with a provider")
struct ProviderLogInTests {
    private let world = World()

    @Test("makes a user, whom the device's key finds again at the next launch")
    func logIn() async throws {
        let okaeri = world.launch()
        let welcome = try await okaeri.logIn(with: .apple(.test(user: "hana", name: "花", email: "hana@example.com")))
        guard case .firstVisit(let user) = welcome else { throw Wrong("\(welcome)") }
        #expect(user.displayName == "花" && user.email == "hana@example.com" && !user.isAnonymous)
        #expect(await okaeri.currentUser?.id == user.id)
        #expect(await okaeri.appleUser == "hana")
        let again = try await world.launch().logInAutomatically()
        #expect(again.user.id == user.id)
        world.server.endAllSessions()
        #expect(try await okaeri.reloadUser().id == user.id)
    }

    @Test("never renews with a key that leads to another user")
    func otherKey() async throws {
        let okaeri = world.launch()
        let anonymous = try await okaeri.logInAutomatically().user
        let hana = try await okaeri.logIn(with: .apple(.test(user: "hana"))).user
        #expect(hana.id != anonymous.id)
        #expect(try await okaeri.logInAutomatically().user.id == hana.id)
        #expect(try await world.launch().logInAutomatically().user.id == hana.id)
        world.server.endAllSessions()
        await #expect(throws: OkaeriError.sessionEnded) { try await okaeri.reloadUser() }
        #expect(await okaeri.currentUser == nil)
        #expect(try await okaeri.logInAutomatically().user.id == anonymous.id)
    }

    @Test("says at the next launch that it has ended, before anybody else is logged in, to each window that asks")
    func endedBesideAnotherKey() async throws {
        let before = world.launch(inBackground: false)
        let guest = try await before.logInAutomatically().user
        try await before.logIn(with: .apple(.test(user: "hana")))
        world.server.endAllSessions()
        let okaeri = world.launch(inBackground: false)
        world.server.hold(path: APIPath.user)
        let windows = (0..<2).map { _ in Task { try await okaeri.logInAutomatically() } }
        await world.server.waitForRequests(2, to: APIPath.user)
        world.server.release()
        for window in windows { await #expect(throws: OkaeriError.self) { try await window.value } }
        #expect(await okaeri.reaches { $0 != .unknown } == .loggedOut(.ended))
        #expect(try await okaeri.logInAutomatically().user.id == guest.id)
    }

    @Test("is not undone by an automatic log-in that another process has still to repeat")
    func repetitionElsewhere() async throws {
        let guest = try await world.launch(inBackground: false).logInAutomatically().user
        let helper = world.launch()
        world.server.fail(.unreachable, path: APIPath.logInAutomatically)
        #expect(try await helper.logInAutomatically().user.id == guest.id)
        await world.clock.waitForSleepers()
        let app = world.launch(inBackground: false)
        let hana = try await app.logIn(with: .apple(.test(user: "hana"))).user
        world.clock.advanceToNextSleeper()
        // The guest's session, which the helper ends when the rest is done.
        await world.server.waitForRequests(1, to: APIPath.logOut)
        #expect(await helper.currentUser?.id == hana.id)
        #expect(await app.currentUser?.id == hana.id && world.logInCount == 2)
    }

    @Test("ends the session of the user before")
    func formerSession() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        try await okaeri.logIn(with: .apple(.test(user: "hana")))
        _ = await okaeri.deliverPendingLogOuts()
        #expect(world.server.sessionCount == 1)
    }

    @Test("gets the first answer again when the answer is lost")
    func lostAnswer() async throws {
        world.server.fail(.lostResponse, path: "/v1/log-in/apple")
        let okaeri = world.launch()
        async let answer = okaeri.logIn(with: .apple(.test(user: "hana")))
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        let welcome = try await answer
        guard case .firstVisit = welcome else { throw Wrong("\(welcome)") }
        #expect(world.server.users.count == 1 && world.server.sessionCount == 1)
    }

    @Test("goes on when its caller is cancelled: what the provider gave is good once")
    func cancelled() async throws {
        let okaeri = world.launchInSystemNetwork()
        let path = APIPath.logIn(with: "apple")
        world.server.hold(path: path)
        let caller = Task { try await okaeri.logIn(with: .apple(.test(user: "hana"))) }
        await world.server.waitForRequests(1, to: path)
        caller.cancel()
        world.server.release()
        let user = try await caller.value.user
        #expect(await okaeri.currentUser?.id == user.id)
        #expect(world.server.sessionCount == 1)
    }

    @Test("keeps the name that Apple tells once until a server has taken it, over a restart too (complaint 21)")
    func pendingName() async throws {
        world.server.isOffline = true
        await #expect(throws: OkaeriError.offline) {
            try await world.launch().logIn(with: .apple(.test(user: "hana", name: "花")))
        }
        // As apps do that log out before each try to log in.
        await world.launch(inBackground: false).logOut()
        world.server.isOffline = false
        let user = try await world.launch().logIn(with: .apple(.test(user: "hana"))).user
        #expect(user.displayName == "花")
        let taro = try await world.launch().logIn(with: .apple(.test(user: "taro"))).user
        #expect(taro.displayName == nil)
    }

    @Test(
        "keeps that name also where the vault cannot be read, and does not say then that nobody is logged in",
        arguments: [true, false])
    func nameBeforeVault(isLink: Bool) async throws {
        let guest = try await world.launch(inBackground: false).logInAutomatically().user
        let okaeri = world.launch(inBackground: false)
        world.vault.isLocked = true
        let first = ProviderCredential.apple(.test(user: "hana", name: "花"))
        await #expect(throws: OkaeriError.storageLocked) {
            _ = try await isLink ? okaeri.link(first) : okaeri.logIn(with: first).user
        }
        world.vault.isLocked = false
        #expect(await okaeri.currentUser?.id == guest.id)
        let second = ProviderCredential.apple(.test(user: "hana"))
        let user = try await isLink ? okaeri.link(second) : okaeri.logIn(with: second).user
        #expect(user.displayName == "花" && (user.id == guest.id) == isLink)
    }

    @Test("keeps that name when the link is refused, and forgets it when its user logs out", arguments: [false, true])
    func nameOfRefusedLink(logsOut: Bool) async throws {
        try await world.launch(vault: TestVault()).logIn(with: .apple(.test(user: "hana")))
        let okaeri = world.launch(inBackground: false)
        try await okaeri.logInAutomatically()
        let refusal = await #expect(throws: OkaeriError.self) {
            try await okaeri.link(.apple(.test(user: "hana", name: "花")))
        }
        #expect(refusal?.code == "conflict")
        if logsOut { await okaeri.logOut() }
        try await world.launch(inBackground: false).logIn(with: .apple(.test(user: "hana")))
        let request = try #require(world.server.requests(to: APIPath.logIn(with: "apple")).last)
        let body = try JSONDecoder().decode(ProviderLogInBody.self, from: #require(request.body))
        #expect(body.name == (logsOut ? nil : "花"))
    }

    @Test(
        "keeps nobody out by a name that no server takes, and logs out nobody who typed one",
        arguments: [
            (String(repeating: "花", count: 201), String(repeating: "花", count: 200)), ("花\n子", "花子"),
            ("\u{7}", nil), ("a" + String(repeating: "\u{301}", count: 31), nil),
        ] as [(String, String?)])
    func strangeName(name: String, taken: String?) async throws {
        let guest = try await world.launch(inBackground: false).logInAutomatically().user
        world.server.isOffline = true
        let okaeri = world.launch(inBackground: false)
        await #expect(throws: OkaeriError.offline) {
            try await okaeri.logIn(with: .apple(.test(user: "hana", name: name)))
        }
        #expect(await world.launch(inBackground: false).currentUser?.id == guest.id)
        world.server.isOffline = false
        #expect(try await okaeri.logIn(with: .apple(.test(user: "hana"))).user.displayName == taken)
        let request = try #require(world.server.requests(to: APIPath.logIn(with: "apple")).last)
        let body = try JSONDecoder().decode(ProviderLogInBody.self, from: #require(request.body))
        #expect(body.name == taken)
    }

    @Test("keeps id and session of an anonymous user who links Apple, and gives both back after unlinking")
    func link() async throws {
        let okaeri = world.launch()
        let anonymous = try await okaeri.logInAutomatically().user
        let linked = try await okaeri.link(.apple(.test(user: "hana", name: "花")))
        #expect(linked.id == anonymous.id && !linked.isAnonymous && linked.displayName == "花")
        #expect(await okaeri.currentUser == linked)
        let unlinked = try await okaeri.unlink(.apple)
        #expect(unlinked.id == anonymous.id && unlinked.identities.map(\.provider) == ["device"])
        #expect(world.server.sessionCount == 1)
    }

    @Test("links once when the answer is lost")
    func lostLink() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        world.server.fail(.lostResponse, path: APIPath.identity("apple"))
        async let answer = okaeri.link(.apple(.test(user: "hana")))
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(try await answer.identities.map(\.provider) == ["device", "apple"])
    }

    @Test("unlinks also when the answer is lost: that a repetition finds it gone is no failure, but an unknown one is")
    func lostUnlink() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        try await okaeri.link(.apple(.test(user: "hana")))
        world.server.fail(.lostResponse, path: APIPath.identity("apple"))
        async let answer = okaeri.unlink(.apple)
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(try await answer.identities.map(\.provider) == ["device"])
        #expect(await okaeri.currentUser?.identities.map(\.provider) == ["device"])
        #expect(world.server.requests(to: APIPath.identity("apple")).count == 3)
        await #expect(throws: OkaeriError.providerRefused(.identityUnknown)) { try await okaeri.unlink(.apple) }
    }

    @Test("tells a taken identity, whose credential still logs in: no second sheet (complaint 4)")
    func taken() async throws {
        let hana = try await world.launch(vault: TestVault()).logIn(with: .apple(.test(user: "hana"))).user
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        let credential = AppleCredential.test(user: "hana")
        await #expect {
            try await okaeri.link(.apple(credential))
        } throws: { ($0 as? OkaeriError)?.code == "conflict" }
        #expect(try await okaeri.logIn(with: .apple(credential)).user.id == hana.id)
    }

    @Test("refuses what the server does not believe, and the last way in")
    func refused() async throws {
        let okaeri = world.launch(vault: TestVault())
        var credential = AppleCredential.test(user: "hana")
        credential.nonce = "another"
        let wrong = credential
        await #expect(throws: OkaeriError.providerRefused(.providerTokenInvalid)) {
            try await okaeri.logIn(with: .apple(wrong))
        }
        let other = world.launch()
        try await other.logInAutomatically()
        try await other.logIn(with: .test(.google, user: "g", nonce: "n"))
        await #expect(throws: OkaeriError.lastWayIn) { try await other.unlink(.google) }
    }

    @Test("greets with nobody else's welcome when another process merges into another user before the response")
    func mergedMeanwhile() async throws {
        let hana = try await world.launch(vault: TestVault()).logIn(with: .apple(.test(user: "hana"))).user
        let (app, helper) = (world.launch(inBackground: false), world.launch(inBackground: false))
        try await app.logInAutomatically()
        let refusal = await #expect(throws: OkaeriError.self) {
            try await helper.link(.apple(.test(user: "hana")))
        }
        guard case .conflict(let found) = refusal else { throw Wrong("\(String(describing: refusal))") }
        let path = APIPath.logIn(with: "apple")
        world.server.hold(path: path)
        let late = Task { try await app.logIn(with: .apple(.test(user: "taro"))) }
        await world.server.waitForRequests(2, to: path)
        #expect(try await helper.resolve(found, by: .merge).user.id == hana.id)
        world.server.release()
        await #expect(throws: OkaeriError.userChanged) { try await late.value }
        #expect(await app.currentUser?.id == hana.id)
        // Taro's session is ended.
        #expect(await app.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 2)
    }

    @Test("makes a session fresh by key when an anonymous user needs that to link")
    func freshness() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        let problem = Problem(title: "t", status: 403, code: .reauthenticationRequired)
        world.server.fail(.problem(problem), path: APIPath.identity("apple"))
        let user = try await okaeri.link(.apple(.test(user: "hana")))
        #expect(!user.isAnonymous && world.logInCount == 2)
    }

    @Test(
        "logs out when the person withdraws Apple's consent, if Apple was the way in",
        arguments: [
            (AppleCredentialState.revoked, true), (.notFound, true), (.authorized, false), (.transferred, false),
        ])
    func withdrawn(state: AppleCredentialState, isLoggedOut: Bool) async throws {
        let okaeri = world.launch()
        try await okaeri.logIn(with: .apple(.test(user: "hana")))
        await okaeri.take(state)
        #expect((await okaeri.currentUser == nil) == isLoggedOut)
    }

    @Test("logs out at a later launch too, though the key has renewed the log-in since", arguments: [true, false])
    func withdrawnLater(isByPassword: Bool) async throws {
        let okaeri = world.launch(inBackground: false)
        let hana = try await okaeri.signUp(username: "hana", password: "four quiet words")
        try await okaeri.link(.apple(.test(user: "hana")))
        #expect(try await okaeri.logIn(with: .apple(.test(user: "hana"))).user.id == hana.id)
        // Another way in, after which Apple's word counts no more.
        if isByPassword { try await okaeri.logIn(identifier: "hana", password: "four quiet words") }
        let next = world.launch(inBackground: false)
        try await next.logInAutomatically()
        world.server.endAllSessions()
        try await next.reloadUser()
        await next.take(.revoked)
        #expect((await next.currentUser == nil) == !isByPassword)
    }

    @Test("stays logged in when the system was asked about a user of before")
    func withdrawnByAnother() async throws {
        let okaeri = world.launch()
        try await okaeri.logIn(with: .apple(.test(user: "hana")))
        let asked = await okaeri.appleUser
        let taro = try await okaeri.logIn(with: .apple(.test(user: "taro"))).user
        await okaeri.take(.revoked, of: asked)
        #expect(await okaeri.currentUser?.id == taro.id)
        await okaeri.take(.revoked, of: await okaeri.appleUser)
        #expect(await okaeri.currentUser == nil)
    }

    @Test("stays logged in when Apple was only linked")
    func withdrawnLink() async throws {
        let okaeri = world.launch()
        try await okaeri.logInAutomatically()
        try await okaeri.link(.apple(.test(user: "hana")))
        await okaeri.take(.revoked)
        #expect(await okaeri.currentUser != nil)
    }

    @Test("makes nonces that Apple gets hashed, and finds them in tokens")
    func nonce() {
        let nonce = AppleNonce(randomness: TestRandomness(seed: 1))
        #expect(nonce.value.count == 43 && nonce.hashed.count == 64)
        let credential = AppleCredential.test(user: "hana", nonce: nonce)
        #expect(nonce.isIn(credential.identityToken))
        #expect(!AppleNonce().isIn(credential.identityToken) && !nonce.isIn("") && !nonce.isIn("a.b.c"))
    }

    @Test("never prints what proves the person")
    func redaction() {
        let credential = AppleCredential.test(user: "hana")
        for text in ["\(credential)", String(reflecting: credential), "\(ProviderCredential.apple(credential))"] {
            #expect(!text.contains(credential.identityToken) && !text.contains(credential.nonce))
        }
    }

    private struct Wrong: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
