import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Being there, and coming back")
struct PresenceTests {
    private let world = World()
    private let password = "four quiet words"

    @Test("is proved by Apple, and by nobody else's identity there")
    func apple() async throws {
        let app = world.launch()
        try await app.logIn(with: .apple(.test(user: "hana")))
        world.clock.advance(by: .seconds(600))
        await #expect(throws: OkaeriError.reauthenticationRequired) { try await app.changePassword(to: password) }
        await #expect(throws: OkaeriError.credentialRefused) {
            try await app.reauthenticate(with: .apple(.test(user: "taro")))
        }
        try await app.reauthenticate(with: .apple(.test(user: "hana")))
        #expect(try await app.changePassword(to: password) == 0)
    }

    /// A person whom Apple proves, on the device of a guest: the key renews no session of theirs.
    private func appleUser(_ app: OkaeriClient) async throws -> User {
        try await app.logInAutomatically()
        return try await app.logIn(with: .apple(.test(user: "hana"))).user
    }

    @Test("leaves the person logged in when the caller is cancelled on the way")
    func cancelled() async throws {
        let app = world.launchInSystemNetwork()
        let hana = try await appleUser(app)
        world.server.hold(path: APIPath.reauthenticate)
        let caller = Task { try await app.reauthenticate(with: .apple(.test(user: "hana"))) }
        await world.server.waitForRequests(1, to: APIPath.reauthenticate)
        caller.cancel()
        world.server.release()
        try await caller.value
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("leaves the person logged in when another call has the token of before")
    func tokenOfBefore() async throws {
        let app = world.launch(inBackground: false)
        let hana = try await appleUser(app)
        try await proves(hana, by: app, while: app)
    }

    /// A person proves to be there while another call, of the same process or another one, has the token of before: the
    /// refusal of that token is there first.
    private func proves(_ user: User, by app: OkaeriClient, while other: OkaeriClient) async throws {
        world.server.hold(path: APIPath.reauthenticate)
        let proof = Task { try await app.reauthenticate(with: .apple(.test(user: "hana"))) }
        await world.server.waitForRequests(1, to: APIPath.reauthenticate)
        let call = Task { try await other.reloadUser() }
        await world.server.waitForRequests(1, to: APIPath.user)
        for _ in 0..<1000 { await Task.yield() }
        world.server.release()
        try await proof.value
        #expect(try await call.value.id == user.id)
        #expect(await other.currentUser?.id == user.id)
    }

    @Test("leaves the person logged in when the response gets lost, and is proved by the second try")
    func lostResponse() async throws {
        let app = world.launch(inBackground: false)
        let hana = try await appleUser(app)
        world.clock.advance(by: .seconds(600))
        world.server.fail(.lostResponse, path: APIPath.reauthenticate)
        async let proof: Void = app.reauthenticate(with: .apple(.test(user: "hana")))
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        try await proof
        #expect(try await app.changePassword(to: password) == 0)
        #expect(await app.currentUser?.id == hana.id)
    }

    /// An app whose proof of presence got no response, and the person who proved it.
    private func lostProof() async throws -> (app: OkaeriClient, user: User) {
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let user = try await appleUser(app)
        world.clock.advance(by: .seconds(600))
        world.server.fail(.lostResponse, path: APIPath.reauthenticate)
        await #expect(throws: OkaeriError.offline) {
            try await app.reauthenticate(with: .apple(.test(user: "hana")))
        }
        return (app, user)
    }

    @Test("leaves the person logged in when all responses get lost: the next call asks for the token once more")
    func lostForNow() async throws {
        let (app, hana) = try await lostProof()
        // Not while nobody knows whether the token was replaced.
        world.server.fail(.unreachable, path: APIPath.reauthenticate)
        await #expect(throws: OkaeriError.offline) { try await app.reloadUser() }
        #expect(await app.currentUser?.id == hana.id)
        #expect(try await app.reloadUser().id == hana.id)
        #expect(try await app.changePassword(to: password) == 0)
    }

    @Test("leaves the person logged in when all responses get lost and the person proves it once more")
    func lostAndProvedAgain() async throws {
        let (app, hana) = try await lostProof()
        try await app.reauthenticate(with: .apple(.test(user: "hana")))
        #expect(try await app.changePassword(to: password) == 0)
        #expect(await app.currentUser?.id == hana.id)
    }

    @Test("is not sent again after a limit has refused it: a wrong password would be tried in front of the right one")
    func rateLimited() async throws {
        let app = world.launch(inBackground: false)
        try await app.signUp(username: "hana", password: password)
        let problem = Problem(title: "", status: 429, code: .rateLimited)
        world.server.fail(.problem(problem, retryAfter: 60), path: APIPath.reauthenticate)
        await #expect(throws: OkaeriError.rateLimited(retryAfter: .seconds(60))) {
            try await app.reauthenticate(password: "four other words")
        }
        world.clock.advance(by: .seconds(60))
        try await app.reauthenticate(password: password)
        #expect(world.server.requests(to: APIPath.reauthenticate).count == 2)
    }

    @Test("leaves the person logged in when the response gets lost and a limit refuses the next try")
    func lostAndLimited() async throws {
        let app = world.launch(inBackground: false)
        let hana = try await appleUser(app)
        let problem = Problem(title: "", status: 429, code: .rateLimited)
        world.server.fail(.lostResponse, path: APIPath.reauthenticate)
        world.server.fail(.problem(problem, retryAfter: 60), path: APIPath.reauthenticate)
        let proof = Task { try await app.reauthenticate(with: .apple(.test(user: "hana"))) }
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        await #expect(throws: OkaeriError.rateLimited(retryAfter: .seconds(60))) { try await proof.value }
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("leaves the person logged in when the response gets lost and the vault gives no key for a while")
    func lostWithoutKey() async throws {
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let hana = try await appleUser(app)
        // From now on each request has a proof.
        world.server.proofRequired = true
        try await app.reloadUser()
        world.server.fail(.lostResponse, path: APIPath.reauthenticate)
        await #expect(throws: OkaeriError.offline) {
            try await app.reauthenticate(with: .apple(.test(user: "hana")))
        }
        world.vault.refusesKeys = true
        await #expect(throws: OkaeriError.storageUnavailable("refused by the test")) {
            try await app.reauthenticate(with: .apple(.test(user: "hana")))
        }
        world.vault.refusesKeys = false
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("leaves the person logged in in another process of the app, which waits for the token")
    func otherProcess() async throws {
        let app = world.launch(inBackground: false)
        let hana = try await appleUser(app)
        try await proves(hana, by: app, while: world.launch(inBackground: false))
    }

    @Test("leaves no session at the server when the person logs out on the way")
    func loggedOutOnTheWay() async throws {
        let app = world.launch(inBackground: false)
        _ = try await appleUser(app)
        world.server.hold(path: APIPath.reauthenticate)
        let proof = Task { try await app.reauthenticate(with: .apple(.test(user: "hana"))) }
        await world.server.waitForRequests(1, to: APIPath.reauthenticate)
        await app.logOut()
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await proof.value }
        #expect(await app.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("leaves no session at the server when the response gets lost and the person logs out then")
    func lostAndLoggedOut() async throws {
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        _ = try await appleUser(app)
        world.server.fail(.lostResponse, path: APIPath.reauthenticate)
        await #expect(throws: OkaeriError.offline) {
            try await app.reauthenticate(with: .apple(.test(user: "hana")))
        }
        await app.logOut()
        #expect(await app.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("is proved twice at a time, one after the other")
    func twice() async throws {
        let app = world.launch(inBackground: false)
        let hana = try await appleUser(app)
        async let first: Void = app.reauthenticate(with: .apple(.test(user: "hana")))
        async let second: Void = app.reauthenticate(with: .apple(.test(user: "hana")))
        _ = try await (first, second)
        #expect(try await app.reloadUser().id == hana.id)
        #expect(world.server.requests(to: APIPath.reauthenticate).count == 2)
    }

    @Test("is proved by a mailed code")
    func code() async throws {
        let app = world.launch()
        try await app.signUp(email: "hana@example.com", password: password)
        let verification = try await {
            try await app.requestEmailVerification(); return world.server.mails.last
        }()
        try await app.verifyEmail(code: try #require(verification?.code))
        world.clock.advance(by: .seconds(600))
        let request = try await app.requestLogInCode(email: "hana@example.com")
        try await app.reauthenticate(code: try #require(world.server.mails.last?.code), for: request)
        #expect(try await app.changePassword(to: "another secret") == 0)
    }

    @Test("brings a user under deletion back by password and by Apple, on wish")
    func restoring() async throws {
        let app = world.launch()
        let user = try await app.signUp(username: "hana", password: password)
        let erasedAt = try await app.deleteUser()
        let phone = world.launch(vault: TestVault())
        await #expect(throws: OkaeriError.userDeleted(erasedAt: erasedAt)) {
            try await phone.logIn(identifier: "hana", password: password)
        }
        #expect(try await phone.logIn(identifier: "hana", password: password, restoring: true).user.id == user.id)
        #expect(try await phone.logIn(identifier: "hana", password: password).user.id == user.id)

        let taro = try await phone.logIn(with: .apple(.test(user: "taro"))).user
        let end = try await phone.deleteUser()
        await #expect(throws: OkaeriError.userDeleted(erasedAt: end)) {
            try await phone.logIn(with: .apple(.test(user: "taro")))
        }
        #expect(try await phone.logIn(with: .apple(.test(user: "taro")), restoring: true).user.id == taro.id)
    }
}
