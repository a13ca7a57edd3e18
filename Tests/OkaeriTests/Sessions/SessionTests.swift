import Foundation
import Okaeri
import OkaeriTesting
@_spi(Base64URL) import OkaeriWire
import Testing

@Suite("Sessions")
struct SessionTests {
    let world = World()

    @Test("of all devices are listed, newest first, with the own one marked")
    func list() async throws {
        try await world.launch().logInAutomatically(device: DeviceInfo(name: "Old phone", model: "A1"))
        world.clock.advance(by: .seconds(60))
        let client = world.launch()
        try await client.logInAutomatically()
        let sessions = try await client.sessions()
        #expect(sessions.map(\.device.name) == ["Hana's phone", "Old phone"])
        #expect(sessions.map(\.isCurrent) == [true, false])
        #expect(sessions.map(\.createdAt) == [world.clock.now, world.clock.now.addingTimeInterval(-60)])
        #expect(sessions.allSatisfy { $0.createdWith == "automatic" && $0.protocol == "native" })
    }

    @Test("can be ended one by one; an unknown one is an error")
    func endOne() async throws {
        try await world.launch().logInAutomatically()
        let client = world.launch()
        try await client.logInAutomatically()
        let other = try #require(try await client.sessions().last)
        try await client.endSession(other.id)
        #expect(try await client.sessions().map(\.isCurrent) == [true])
        await #expect(throws: OkaeriError.sessionUnknown) { try await client.endSession(other.id) }
    }

    @Test("without a name are none, and never all of them")
    func endNameless() async throws {
        try await world.launch().logInAutomatically()
        let client = world.launch()
        try await client.logInAutomatically()
        await #expect(throws: OkaeriError.sessionUnknown) { try await client.endSession("") }
        await #expect(throws: OkaeriError.sessionUnknown) { try await client.endSession("../sessions") }
        #expect(world.server.sessionCount == 2)
    }

    @Test("that are the own one end by logging out")
    func endOwn() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        try await client.endSession(#require(try await client.sessions().first).id)
        #expect(await client.currentUser == nil)
        await world.server.waitForRequests(1, to: APIPath.logOut)
    }

    @Test("of other devices can be ended at once")
    func endOthers() async throws {
        for _ in 0..<3 { try await world.launch().logInAutomatically() }
        let client = world.launch()
        try await client.logInAutomatically()
        #expect(try await client.endOtherSessions() == 3)
        #expect(world.server.sessionCount == 1)
        #expect(try await client.endOtherSessions() == 0)
    }

    @Test("give access tokens, which are kept until a minute before their end")
    func accessTokens() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        let first = try await client.accessToken()
        world.clock.advance(by: .seconds(539))
        #expect(try await client.accessToken() == first)
        #expect(first.expiresAt == world.clock.now.addingTimeInterval(61))
        world.clock.advance(by: .seconds(1))
        #expect(try await client.accessToken() != first)
        #expect(world.server.requests(to: APIPath.token).count == 2)
    }

    @Test("give another access token when the app asks for a fresh one, and keep that one from then on")
    func forcedTokens() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        let (first, bound) = (try await client.accessToken(), try await client.boundAccessToken())
        let second = try await client.accessToken(forcingRefresh: true)
        #expect(second != first)
        #expect(try await client.accessToken() == second)
        #expect(try await client.boundAccessToken() == bound)
        #expect(try await client.boundAccessToken(forcingRefresh: true) != bound)
        world.server.isOffline = true
        await #expect(throws: OkaeriError.offline) { try await client.accessToken(forcingRefresh: true) }
        #expect(try await client.accessToken() == second)
    }

    @Test("give another access token after the device's clock was put back: how long the kept one lives is not known")
    func clockPutBack() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        let first = try await client.accessToken()
        world.clock.advance(by: .seconds(-3600))
        #expect(try await client.accessToken() != first)
    }

    @Test("give access tokens for each audience that the application lists")
    func audiences() async throws {
        world.server.audiences = ["shop"]
        let client = world.launch()
        try await client.logInAutomatically()
        let own = try await client.accessToken(for: nil)
        let shop = try await client.accessToken(for: "shop")
        #expect(own != shop)
        await #expect(throws: OkaeriError.audienceNotAllowed) { try await client.accessToken(for: "bank") }
    }

    @Test("give another access token as soon as the user is known to have other claims")
    func claims() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        let first = try await client.accessToken()
        world.server.setRoles(of: user.id, ["editor"], permissions: ["posts:write"], claims: ["plan": "pro"])
        #expect(try await client.accessToken() == first)
        let known = try await client.reloadUser()
        #expect(known.roles == ["editor"] && known.permissions == ["posts:write"])
        #expect(known.claims == ["roles": ["editor"], "plan": "pro"] && known.claimsVersion != nil)
        let second = try await client.accessToken()
        #expect(second != first)
        #expect(try await client.accessToken() == second)
        // Another launch knows the roles without asking.
        #expect(await world.launch().currentUser?.roles == ["editor"])
        let part = second.value.split(separator: ".")[1]
        let bytes = try #require(Base64URL.bytes(of: part.utf8))
        let claims = try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
        #expect(claims["roles"] == ["editor"] && claims["claims_version"] == known.claimsVersion.map { .string($0) })
    }

    @Test("give access tokens that are bound to the device's key, beside those that are not")
    func boundTokens() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        func claims(_ token: AccessToken) throws -> [String: JSONValue] {
            let bytes = try #require(Base64URL.bytes(of: token.value.split(separator: ".")[1].utf8))
            return try JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
        }
        let bearer = try await client.accessToken()
        let bound = try await client.boundAccessToken()
        #expect(bound != bearer)
        #expect(try claims(bearer)["cnf"] == nil)
        let key = try #require(try await client.deviceKeys().first)
        #expect(try claims(bound)["cnf"] == ["jkt": .string(key.thumbprint)])
        // Each is kept by itself.
        #expect(try await client.accessToken() == bearer)
        #expect(try await client.boundAccessToken() == bound)
    }

    @Test("of an earlier user give no access token to the next")
    func tokensOfNextUser() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        let token = try await client.accessToken()
        await client.logOut()
        world.server.erase(user.id)
        try await client.logInAutomatically()
        #expect(try await client.accessToken() != token)
    }

    @Test("give no access token of a session of before: it may have ended, and says an older time of log-in")
    func tokensOfEarlierSession() async throws {
        let client = world.launch()
        try await client.logInAutomatically()
        let first = try await client.accessToken()
        try await client.reauthenticate()
        let second = try await client.accessToken()
        world.server.endAllSessions()
        try await client.reloadUser()
        let third = try await client.accessToken()
        #expect(Set([first, second, third]).count == 3)
        #expect(try await client.accessToken() == third)
    }

    @Test(
        "keep no access token whose response comes after a proof of presence, or after other claims",
        arguments: [true, false])
    func lateTokens(isByPresence: Bool) async throws {
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        world.server.hold(path: APIPath.token)
        let late = Task { try await client.accessToken() }
        await world.server.waitForRequests(1, to: APIPath.token)
        if isByPresence {
            try await client.reauthenticate()
        } else {
            world.server.setRoles(of: user.id, ["editor"])
            try await client.reloadUser()
            world.server.isOffline = true
            await #expect(throws: OkaeriError.offline) { try await client.accessToken() }
            world.server.isOffline = false
        }
        world.server.release()
        let first = try await late.value
        let second = try await client.accessToken()
        #expect(second != first)
        #expect(try await client.accessToken() == second)
    }

    @Test("give no access token of a user whom another process has forgotten")
    func tokensOfForgottenUser() async throws {
        let (app, helper) = (world.launch(inBackground: false), world.launch(inBackground: false))
        try await app.logInAutomatically()
        let token = try await helper.accessToken()
        try await app.forgetDevice()
        let next = try await app.logInAutomatically().user
        #expect(try await helper.accessToken() != token)
        #expect(await helper.currentUser?.id == next.id)
    }

    @Test("do not take a response for a user who is forgotten as one for the next")
    func callOfForgottenUser() async throws {
        let client = world.launch(inBackground: false)
        let first = try await client.logInAutomatically().user
        world.server.hold(path: APIPath.user)
        let late = Task { try await client.reloadUser() }
        await world.server.waitForRequests(1, to: APIPath.user)
        try await client.forgetDevice()
        let second = try await client.logInAutomatically().user
        world.server.release()
        await #expect(throws: OkaeriError.userChanged) { try await late.value }
        #expect(await client.currentUser == second && first.id != second.id)
    }

    @Test("of a disabled user end, and the state says so")
    func disabled() async throws {
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        world.server.disable(user.id)
        await #expect(throws: OkaeriError.userDisabled) { try await client.reloadUser() }
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.ended))
        await #expect(throws: OkaeriError.userDisabled) { try await client.logInAutomatically() }
    }

    @Test("of a disabled user say so to all calls that are under way", arguments: [true, false])
    func disabledTogether(hasSession: Bool) async throws {
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        if hasSession {
            let problem = Problem(title: "disabled", status: 403, code: .userDisabled)
            world.server.fail(.problem(problem), path: APIPath.user, times: 20)
        } else {
            world.server.disable(user.id)
        }
        world.server.hold(path: APIPath.user)
        let errors = await withTaskGroup(of: OkaeriError?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(OkaeriError) {
                        try await client.reloadUser()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            await world.server.waitForRequests(20, to: APIPath.user)
            world.server.release()
            return await group.reduce(into: [OkaeriError?]()) { $0.append($1) }
        }
        #expect(errors.count == 20 && errors.allSatisfy { $0 == .userDisabled })
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.ended))
    }

    @Test("of an erased user are not silently continued with another user")
    func erased() async throws {
        let client = world.launch(inBackground: false)
        let user = try await client.logInAutomatically().user
        world.server.erase(user.id)
        await #expect(throws: OkaeriError.userChanged) {
            try await client.update(UserChanges(displayName: .set("花子")))
        }
        #expect(world.server.users.first?.displayName == nil)
        #expect(await client.currentUser?.id == world.server.users.first?.id)
    }

    @Test(
        "of a registered user whose key the server does not know any more are not continued as a new guest's",
        arguments: [false, true])
    func unknownKeyOfMember(isLaunch: Bool) async throws {
        let before = world.launch(inBackground: false)
        let hana = try await before.signUp(username: "hana", password: "a long enough secret")
        world.server.erase(hana.id)
        let client = isLaunch ? world.launch(inBackground: false) : before
        if isLaunch {
            await #expect(throws: OkaeriError.sessionEnded) { try await client.logInAutomatically() }
        } else {
            await #expect(throws: OkaeriError.sessionEnded) { try await client.reloadUser() }
        }
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.ended))
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
        // Who asks again goes on as the guest, and the button for it says that this one is new.
        #expect(await client.automaticLogInBeginsAnew)
        let guest = try await client.logInAutomatically().user
        #expect(await !client.automaticLogInBeginsAnew)
        #expect(guest.isAnonymous && world.server.users.map(\.id) == [guest.id])
    }

    @Test("are no guest's either where the response that would have said so got lost, and the app was killed")
    func unknownKeyAfterLostResponse() async throws {
        let hana = try await world.launch(inBackground: false)
            .signUp(username: "hana", password: "a long enough secret")
        world.server.erase(hana.id)
        world.clock.advance(by: .seconds(60))
        world.server.fail(.lostResponse, path: APIPath.logInAutomatically)
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == hana.id)
        #expect(world.server.users.map(\.isAnonymous) == [true])
        let next = world.launch(inBackground: false)
        await #expect(throws: OkaeriError.sessionEnded) { try await next.logInAutomatically() }
        #expect(await next.reaches { $0 != .unknown } == .loggedOut(.ended))
        #expect(await next.automaticLogInBeginsAnew)
        #expect(try await next.logInAutomatically().user.id == world.server.users.first?.id)
        #expect(world.server.users.count == 1)
    }

    @Test("after the end of such a log-in are renewed by a key of their own, and not left beside the guest's")
    func keyAfterUnknownOne() async throws {
        let before = try await world.launch(inBackground: false).logIn(with: .apple(.test(user: "hana"))).user
        world.server.erase(before.id)
        let okaeri = world.launch(inBackground: false)
        await #expect(throws: OkaeriError.sessionEnded) { try await okaeri.logInAutomatically() }
        let hana = try await okaeri.logIn(with: .apple(.test(user: "hana"))).user
        world.server.endAllSessions()
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == hana.id)
        #expect(try await okaeri.reloadUser().id == hana.id)
    }

    @Test("that are opened while the device is being forgotten do not count, and are ended")
    func forgettingMeanwhile() async throws {
        let client = world.launch()
        world.server.hold(path: APIPath.logInAutomatically)
        let late = Task { try await client.logInAutomatically() }
        await world.server.waitForRequests(1, to: APIPath.logInAutomatically)
        try await client.forgetDevice()
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await late.value }
        #expect(await client.currentUser == nil)
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("that begin before the keys are gone do not count either: their user would be lost with the session")
    func beginningWhileForgetting() async throws {
        let client = world.launch(inBackground: false)
        let lock = try await world.vault.lock(.change, for: world.server.application)
        let forgetting = Task { try await client.forgetDevice() }
        await world.vault.waitForLocks(.change, count: 2)
        world.server.hold(path: APIPath.logInAutomatically)
        let late = Task { try await client.logInAutomatically() }
        await world.server.waitForRequests(1, to: APIPath.logInAutomatically)
        lock.release()
        try await forgetting.value
        world.server.release()
        await #expect(throws: OkaeriError.loggedOutMeanwhile) { try await late.value }
        #expect(await client.currentUser == nil)
        #expect(await client.deliverPendingLogOuts())
        #expect(world.server.sessionCount == 0)
    }

    @Test("and keys are gone after the device has forgotten everything; the next log-in makes a user")
    func forgetting() async throws {
        let client = world.launch()
        let user = try await client.logInAutomatically().user
        try await client.forgetDevice()
        #expect(await client.currentUser == nil)
        guard case .firstVisit(let next) = try await client.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(next.id != user.id)
    }
}
