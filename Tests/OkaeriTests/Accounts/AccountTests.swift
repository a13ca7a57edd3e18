import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Accounts with a password")
struct AccountTests {
    let world = World()
    let password = "a long enough secret"

    @Test("keep id, session and key when the anonymous user is upgraded, however old the session is")
    func upgrade() async throws {
        let app = world.launch()
        let anonymous = try await app.logInAutomatically().user
        world.clock.advance(by: .seconds(3600))
        let user = try await app.upgrade(
            username: "hana", password: password, changes: UserChanges(displayName: .set("花"), fields: ["score": 3]))
        #expect(user.id == anonymous.id && !user.isAnonymous && user.hasPassword && user.displayName == "花")
        #expect(await app.currentUser?.username == "hana")
        #expect(try await world.launch().logInAutomatically().user.id == anonymous.id)
        await #expect(throws: OkaeriError.alreadyRegistered) {
            try await app.upgrade(username: "x", password: password)
        }
    }

    @Test("are known on the device when the response to the upgrade was lost, and another one is tried")
    func lostUpgrade() async throws {
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let anonymous = try await app.logInAutomatically().user
        world.server.fail(.lostResponse, path: APIPath.upgrade)
        await #expect(throws: OkaeriError.offline) { try await app.upgrade(username: "hana", password: password) }
        #expect(await app.currentUser?.isAnonymous == true)
        await #expect(throws: OkaeriError.alreadyRegistered) {
            try await app.upgrade(username: "hanako", password: password)
        }
        let user = await app.currentUser
        #expect(user?.id == anonymous.id && user?.username == "hana" && user?.isAnonymous == false)
    }

    @Test("are found from another device, whose next launch is automatic")
    func logIn() async throws {
        let user = try await world.launch().signUp(username: "hana", password: password)
        let phone = TestVault()
        let welcome = try await world.launch(vault: phone).logIn(identifier: "HANA", password: password)
        #expect(welcome.user.id == user.id)
        #expect(try await world.launch(vault: phone).logInAutomatically().user.id == user.id)
    }

    @Test("leave the device's anonymous user with the key that it had")
    func otherUser() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch()
        let anonymous = try await app.logInAutomatically().user
        let hana = try await app.logIn(identifier: "hana", password: password).user
        #expect(hana.id != anonymous.id)
        #expect(try await world.launch().logInAutomatically().user.id == hana.id)
        #expect(world.server.users.first { $0.id == anonymous.id }?.identities.count == 1)
        // Logged out, and in as somebody who is not the key's: still automatic afterwards.
        let kenji = try await world.launch().signUp(username: "kenji", password: password)
        await app.logOut()
        #expect(try await app.logIn(identifier: "hana", password: password).user.id == hana.id)
        #expect(try await world.launch().logInAutomatically().user.id == hana.id && kenji.id != hana.id)
    }

    @Test("are made once on a device whose key leads to a guest that it never heard of")
    func unheardGuest() async throws {
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        world.server.fail(.lostResponse, path: APIPath.logInAutomatically)
        await #expect(throws: OkaeriError.offline) { try await app.logInAutomatically() }
        let hana = try await app.signUp(username: "hana", password: password)
        #expect(await app.currentUser?.id == hana.id)
        #expect(await app.deliverPendingLogOuts())
        // The guest's, and hers.
        #expect(world.server.sessionCount == 2)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == hana.id)
    }

    @Test("are logged in all the same when they cannot log in with a key of their own right after they were made")
    func unheardGuestAndNoNetwork() async throws {
        let (password, app) = (password, world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1)))
        world.server.fail(.lostResponse, path: APIPath.logInAutomatically)
        await #expect(throws: OkaeriError.offline) { try await app.logInAutomatically() }
        world.server.fail(.unreachable, path: APIPath.logInWithPassword)
        let hana = try await app.signUp(username: "hana", password: password)
        #expect(try await app.reloadUser().id == hana.id)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == hana.id)
        #expect(try await app.logIn(identifier: "hana", password: password).user.id == hana.id)
    }

    @Test("open no account of somebody else who tried to log in on the device and got no response")
    func keyOfSomebodyElse() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let taro = try await world.launch(vault: TestVault()).signUp(username: "taro", password: password)
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        try await app.logInAutomatically()
        world.server.fail(.lostResponse, path: APIPath.logInWithPassword)
        await #expect(throws: OkaeriError.offline) { try await app.logIn(identifier: "kenji", password: password) }
        try await app.upgrade(username: "hana", password: password)
        #expect(try await app.logIn(identifier: "taro", password: password).user.id == taro.id)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == taro.id)
    }

    @Test("leave no session at the server when the log-in with a key of its own comes to nothing")
    func secondKeyWithoutNetwork() async throws {
        let (password, app) = (password, world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1)))
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        try await app.signUp(username: "hana", password: password)
        world.server.hold(path: APIPath.logInWithPassword)
        let logIn = Task { try await app.logIn(identifier: "kenji", password: password) }
        await world.server.waitForRequests(1, to: APIPath.logInWithPassword)
        world.server.fail(.unreachable, path: APIPath.logInWithPassword)
        world.server.release()
        await #expect(throws: OkaeriError.offline) { try await logIn.value }
        #expect(await app.currentUser?.username == "hana")
        #expect(await app.deliverPendingLogOuts())
        // Kenji's on the device where he signed up, and hers.
        #expect(world.server.sessionCount == 2)
    }

    @Test("live until the app quits when they are not to be remembered", arguments: [RememberMe.untilQuit, .never])
    func notRemembered(rememberMe: RememberMe) async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch()
        let anonymous = try await app.logInAutomatically().user
        let hana = try await app.logIn(identifier: "hana", password: password, rememberMe: rememberMe).user
        #expect(await app.currentUser?.id == hana.id)
        #expect(try await app.reloadUser().id == hana.id)
        let session = try #require(try await app.sessions().first { $0.isCurrent })
        #expect((session.device.name == nil) == (rememberMe == .never))
        let next = world.launch()
        #expect(await next.currentUser == nil)
        #expect(try await next.logInAutomatically().user.id == anonymous.id)
    }

    @Test(
        "that are not remembered do all that only their owner may do",
        arguments: [RememberMe.untilQuit, .never], [true, false])
    func ownerOfPassing(rememberMe: RememberMe, isKeyLost: Bool) async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        try await app.logInAutomatically()
        if isKeyLost { world.vault.loseKeys() }
        try await app.logIn(identifier: "hana", password: password, rememberMe: rememberMe)
        #expect(try await app.endOtherSessions() == 1)
        _ = try await app.issueTransferCode()
        _ = try await app.exportUser()
        world.clock.advance(by: .seconds(600))
        try await app.reauthenticate(password: password)
        _ = try await app.deleteUser()
        #expect(await app.currentUser == nil)
    }

    @Test("that are not remembered stay when the app logs in automatically meanwhile, as long as the session holds")
    func automaticMeanwhile() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        let guest = try await app.logInAutomatically().user
        let hana = try await app.logIn(identifier: "hana", password: password, rememberMe: .untilQuit).user
        #expect(try await app.logInAutomatically().user.id == hana.id)
        world.server.isOffline = true
        #expect(try await app.logInAutomatically().user.id == hana.id)
        world.server.isOffline = false
        #expect(await app.currentUser?.id == hana.id)
        world.server.endAllSessions()
        #expect(try await app.logInAutomatically().user.id == guest.id)
        #expect(await app.currentUser?.id == guest.id)
    }

    @Test(
        "that are not remembered are bound to the device's key where every request needs a proof",
        arguments: [RememberMe.untilQuit, .never])
    func notRememberedWithProofs(rememberMe: RememberMe) async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        world.server.proofRequired = true
        let app = world.launch()
        let hana = try await app.logIn(identifier: "hana", password: password, rememberMe: rememberMe).user
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("that are not remembered and have no key end, and begin anew with one, once every request needs a proof")
    func notRememberedBeforeProofs() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        let hana = try await app.logIn(identifier: "hana", password: password, rememberMe: .never).user
        world.server.proofRequired = true
        await #expect(throws: OkaeriError.sessionEnded) { try await app.reloadUser() }
        #expect(await app.reaches { $0 != .unknown } == .loggedOut(.ended))
        _ = try await app.logIn(identifier: "hana", password: password, rememberMe: .never)
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("that are not remembered have a new key where every request needs a proof and the device's own is lost")
    func notRememberedWithoutKey() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        world.server.proofRequired = true
        let app = world.launch(inBackground: false)
        try await app.logInAutomatically()
        try await app.reloadUser()
        world.vault.loseKeys()
        let hana = try await app.logIn(identifier: "hana", password: password, rememberMe: .never).user
        #expect(try await app.reloadUser().id == hana.id)
        await app.logOut()
        #expect(await app.deliverPendingLogOuts())
        // Hers on the device where she signed up, and the guest's, which nothing can end but the lost key.
        #expect(world.server.sessionCount == 2)
    }

    @Test("that are not remembered end at the server with the log-out, and are not renewed")
    func endsPassing() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch()
        _ = try await app.logIn(identifier: "hana", password: password, rememberMe: .untilQuit)
        await app.logOut()
        #expect(await app.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 1)
        #expect(await app.currentUser == nil)
        _ = try await app.logIn(identifier: "hana", password: password, rememberMe: .never)
        world.server.endAllSessions()
        await #expect(throws: OkaeriError.sessionEnded) { try await app.reloadUser() }
        #expect(await app.currentUser == nil)
    }

    @Test("that are not remembered end also while the vault can neither be read nor written")
    func endsPassingWithoutVault() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        let guest = try await app.logInAutomatically().user
        try await app.logIn(identifier: "hana", password: password, rememberMe: .never)
        world.vault.isLocked = true
        world.server.endAllSessions()
        await #expect(throws: OkaeriError.sessionEnded) { try await app.reloadUser() }
        #expect(await app.currentUser == nil)
        world.vault.isLocked = false
        #expect(try await app.logInAutomatically().user.id == guest.id)
    }

    @Test("that are not remembered outlive a call that comes back refused after another has renewed the token")
    func renewedMeanwhile() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        let hana = try await app.logIn(identifier: "hana", password: password, rememberMe: .untilQuit).user
        world.server.fail(
            .problem(Problem(title: "old token", status: 401, code: .sessionInvalid)), path: APIPath.user)
        world.server.hold(path: APIPath.user)
        let late = Task { try await app.reloadUser() }
        await world.server.waitForRequests(1, to: APIPath.user)
        try await app.reauthenticate(password: password)
        world.server.release()
        #expect(try await late.value.id == hana.id)
        #expect(await app.currentUser?.id == hana.id)
    }

    @Test("that are not remembered stay when a log-in by a provider or a passkey comes to nothing")
    func failedSuccessors() async throws {
        let passkeys = TestPasskeys()
        world.server.passkeyDomain = "example.com"
        let elsewhere = world.launch(vault: TestVault(), inBackground: false)
        try await elsewhere.signUp(username: "taro", password: password)
        try await elsewhere.addPasskey(with: passkeys)
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        let hana = try await app.logIn(identifier: "hana", password: password, rememberMe: .untilQuit).user
        world.server.isOffline = true
        await #expect(throws: OkaeriError.offline) {
            try await app.logIn(with: .apple(.test(user: "kenji", name: "健二")))
        }
        world.server.isOffline = false
        let refusal = Problem(title: "refused", status: 401, code: .passkeyInvalid)
        world.server.fail(.problem(refusal), path: APIPath.logInWithPasskey)
        await #expect(throws: OkaeriError.passkeyRefused(.invalid(rule: nil))) {
            try await app.logInWithPasskey(passkeys)
        }
        #expect(await app.currentUser?.id == hana.id)
        #expect(try await app.reloadUser().id == hana.id)
        // The one that takes their place ends them, and has the name that Apple tells once.
        let kenji = try await app.logIn(with: .apple(.test(user: "kenji"))).user
        #expect(kenji.displayName == "健二")
        #expect(await world.launch(inBackground: false).currentUser?.id == kenji.id)
        #expect(await app.deliverPendingLogOuts())
        // Two on other devices, and his.
        #expect(world.server.sessionCount == 3)
    }

    @Test("that are not remembered have no successor when somebody logs out in another process before its response")
    func overtakenSuccessor() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let (app, widget) = (world.launch(inBackground: false), world.launch(inBackground: false))
        try await app.logIn(identifier: "hana", password: password, rememberMe: .untilQuit)
        try await widget.logInAutomatically()
        let path = APIPath.logIn(with: "apple")
        world.server.hold(path: path)
        let late = Task { try await app.logIn(with: .apple(.test(user: "kenji"))) }
        await world.server.waitForRequests(1, to: path)
        await widget.logOut()
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await late.value }
        #expect(await app.currentUser == nil)
        #expect(await world.launch(inBackground: false).currentUser == nil)
        #expect(await app.deliverPendingLogOuts())
        // That of the device on which she signed up.
        #expect(world.server.sessionCount == 1)
    }

    @Test(
        "open nothing by a password when somebody logs out or forgets the device before the response",
        arguments: [false, true], [RememberMe.automatic, .untilQuit, .never])
    func overtaken(isForgotten: Bool, rememberMe: RememberMe) async throws {
        let (password, app) = (password, world.launch(inBackground: false))
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        world.server.hold(path: APIPath.logInWithPassword)
        let late = Task { try await app.logIn(identifier: "hana", password: password, rememberMe: rememberMe) }
        await world.server.waitForRequests(1, to: APIPath.logInWithPassword)
        if isForgotten { try await app.forgetDevice() } else { await app.logOut() }
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await late.value }
        #expect(await app.currentUser == nil)
        #expect(await app.deliverPendingLogOuts())
        // That of the device on which she signed up.
        #expect(world.server.sessionCount == 1)
    }

    @Test("have the new password where the response to the change gets lost, and the change is sent again")
    func lostChange() async throws {
        let (password, app) = (password, world.launch(inBackground: false))
        try await app.signUp(username: "hana", password: password)
        world.server.fail(.lostResponse, path: APIPath.password)
        async let ended = app.changePassword(from: password, to: "another secret")
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(try await ended == 0)
        try await app.reauthenticate(password: "another secret")
        await #expect(throws: OkaeriError.credentialRefused) {
            try await app.changePassword(from: password, to: "yet another secret")
        }
    }

    @Test("refuse what is wrong with typed errors")
    func errors() async throws {
        let app = world.launch()
        _ = try await app.signUp(username: "hana", password: password)
        await #expect(throws: OkaeriError.credentialRefused) {
            try await app.logIn(identifier: "hana", password: "wrong")
        }
        await #expect(throws: OkaeriError.credentialRefused) {
            try await app.logIn(identifier: "nobody", password: password)
        }
        let taken = await #expect(throws: OkaeriError.self) {
            try await app.signUp(username: "HANA", password: password)
        }
        guard case .identifierTaken(let problems) = taken else {
            return #expect(Bool(false), "\(String(describing: taken))")
        }
        #expect(problems.map(\.field) == ["username"])
        #expect(await app.currentUser?.username == "hana")
    }

    @Test("are asked for the password where the owner must be there, and go on under a new token")
    func presence() async throws {
        let app = world.launch()
        _ = try await app.signUp(username: "hana", password: password)
        let other = TestVault()
        _ = try await world.launch(vault: other).logIn(identifier: "hana", password: password)
        world.clock.advance(by: .seconds(600))
        await #expect(throws: OkaeriError.reauthenticationRequired) {
            try await app.changePassword(to: "another secret")
        }
        await #expect(throws: OkaeriError.credentialRefused) { try await app.reauthenticate(password: "wrong") }
        try await app.reauthenticate(password: password)
        #expect(try await app.changePassword(to: "another secret") == 1)
        #expect(try await app.changePassword(from: "another secret", to: "yet another secret") == 0)
        #expect(try await app.reloadUser().username == "hana")
    }
}
