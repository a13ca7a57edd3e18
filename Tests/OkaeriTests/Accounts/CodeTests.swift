import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Codes by mail")
struct CodeTests {
    let world = World()
    let password = "a long enough secret"

    private func signUp(isVerified: Bool = true) async throws -> User {
        let user = try await world.launch(vault: TestVault()).signUp(email: "hana@example.com", password: password)
        if isVerified { world.server.verify(email: "hana@example.com") }
        return user
    }

    private var code: String { world.server.mails.last?.code ?? "" }

    @Test("log in on another device, whose next launch is automatic")
    func logIn() async throws {
        let hana = try await signUp()
        let phone = TestVault()
        let app = world.launch(vault: phone)
        let anonymous = try await app.logInAutomatically().user
        let request = try await app.requestLogInCode(email: "Hana@example.com")
        #expect(request.expiresAt == world.clock.now.addingTimeInterval(600))
        // The app may be started anew while the person looks for the mail.
        let kept = try JSONDecoder().decode(LogInCodeRequest.self, from: JSONEncoder().encode(request))
        let welcome = try await world.launch(vault: phone).logIn(code: code, for: kept)
        #expect(welcome.user.id == hana.id && anonymous.id != hana.id)
        #expect(try await world.launch(vault: phone).logInAutomatically().user.id == hana.id)
        #expect(world.server.users.contains { $0.id == anonymous.id })
        await #expect(throws: OkaeriError.codeRefused) { try await app.logIn(code: code, for: kept) }
    }

    @Test("use no second key for a person who logs out and in again, of whose address the device keeps nothing legible")
    func again() async throws {
        let hana = try await signUp()
        let app = world.launch(inBackground: false)
        for _ in 0..<3 {
            let request = try await app.requestLogInCode(email: "Hana@example.com")
            #expect(try await app.logIn(code: code, for: request).user.id == hana.id)
            await app.logOut()
        }
        // That of the device on which she signed up, and this one's.
        #expect(world.server.users.first { $0.id == hana.id }?.identities.count == 2)
        let record = try #require(try await world.vault.loadRecord(for: world.server.application))
        #expect(!String(decoding: record, as: UTF8.self).lowercased().contains("hana@"))
        // Somebody else's code leads to another key.
        _ = try await world.launch(vault: TestVault()).signUp(email: "taro@example.com", password: password)
        world.server.verify(email: "taro@example.com")
        let request = try await app.requestLogInCode(email: "taro@example.com")
        let taro = try await app.logIn(code: code, for: request).user
        world.server.endAllSessions()
        #expect(try await app.reloadUser().id == taro.id)
    }

    @Test("use one key for each of two people who use a device in turn, as passwords do", arguments: [false, true])
    func inTurn(byPassword: Bool) async throws {
        let hana = try await signUp()
        let taro = try await world.launch(vault: TestVault()).signUp(email: "taro@example.com", password: password)
        world.server.verify(email: "taro@example.com")
        let app = world.launch(inBackground: false)
        for round in 0..<3 {
            for user in [hana, taro] {
                let email = try #require(user.email)
                world.clock.advance(by: .seconds(600))
                if byPassword {
                    _ = try await app.logIn(identifier: email, password: password)
                } else {
                    let request = try await app.requestLogInCode(email: email)
                    _ = try await app.logIn(code: code, for: request)
                }
                // The key renews the session, and opens the next launch.
                world.server.endAllSessions()
                #expect(try await app.reloadUser().id == user.id)
                #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == user.id)
                await app.logOut()
            }
            // Somebody who has no account, in between.
            guard round == 1 else { continue }
            #expect(try await app.logInAutomatically().user.isAnonymous)
        }
        for user in [hana, taro] {
            // That of the device on which they signed up, and this one's.
            let identities = world.server.users.first { $0.id == user.id }?.identities ?? []
            #expect(identities.filter { $0.provider == "device" }.count == 2)
        }
        // One more is sent when the second comes for the first time: the first's key is tried.
        #expect(world.server.requests(to: APIPath.logInWithPassword).count == (byPassword ? 7 : 0))
    }

    @Test("use a key of their own for somebody whose key leads to another user since, by a transfer code")
    func transferredKey() async throws {
        let hana = try await signUp()
        let app = world.launch(inBackground: false)
        let first = try await app.requestLogInCode(email: "hana@example.com")
        _ = try await app.logIn(code: code, for: first)
        let other = world.launch(vault: TestVault(), inBackground: false)
        let taro = try await other.signUp(email: "taro@example.com", password: password)
        let transfer = try await other.issueTransferCode().code
        #expect(try await app.redeemTransferCode(transfer).welcome.user.id == taro.id)
        world.clock.advance(by: .seconds(600))
        let second = try await app.requestLogInCode(email: "hana@example.com")
        #expect(try await app.logIn(code: code, for: second).user.id == hana.id)
        world.server.endAllSessions()
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("use a key of their own from the second on where a guest has the former one by a lost transfer")
    func lostTransfer() async throws {
        let hana = try await signUp()
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        func logIn() async throws -> User {
            world.clock.advance(by: .seconds(600))
            let request = try await app.requestLogInCode(email: "hana@example.com")
            return try await app.logIn(code: code, for: request).user
        }
        #expect(try await logIn().id == hana.id)
        let other = world.launch(vault: TestVault(), inBackground: false)
        let guest = try await other.logInAutomatically().user
        let transfer = try await other.issueTransferCode().code
        world.server.fail(.lostResponse, path: APIPath.logInWithTransferCode)
        await #expect(throws: OkaeriError.offline) { try await app.redeemTransferCode(transfer) }
        world.server.endAllSessions()
        #expect(try await app.logInAutomatically().user.id == guest.id)
        #expect(try await logIn().id == hana.id)
        world.server.endAllSessions()
        await #expect(throws: OkaeriError.sessionEnded) { try await app.reloadUser() }
        #expect(try await logIn().id == hana.id)
        world.server.endAllSessions()
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("are asked for with the same answer when there is no such user, or the address is not verified")
    func nobody() async throws {
        _ = try await signUp(isVerified: false)
        let app = world.launch()
        for email in ["hana@example.com", "nobody@example.com"] {
            let request = try await app.requestLogInCode(email: email)
            await #expect(throws: OkaeriError.codeRefused) { try await app.logIn(code: "12345678", for: request) }
        }
        #expect(world.server.mails.isEmpty)
        await #expect(throws: OkaeriError.self) { try await app.requestLogInCode(email: "nonsense") }
    }

    @Test("are void after ten minutes, and when a newer one is asked for")
    func void() async throws {
        _ = try await signUp()
        let app = world.launch()
        let older = try await app.requestLogInCode(email: "hana@example.com")
        let olderCode = code
        let newer = try await app.requestLogInCode(email: "hana@example.com")
        await #expect(throws: OkaeriError.codeRefused) { try await app.logIn(code: olderCode, for: older) }
        world.clock.advance(by: .seconds(600))
        await #expect(throws: OkaeriError.codeRefused) { try await app.logIn(code: code, for: newer) }
    }

    @Test("log in once when the answer gets lost")
    func lostAnswer() async throws {
        let hana = try await signUp()
        let app = world.launch()
        let request = try await app.requestLogInCode(email: "hana@example.com")
        world.server.fail(.lostResponse, path: APIPath.logInWithCode)
        async let welcome = app.logIn(code: code, for: request)
        await world.clock.waitForSleepers()
        world.clock.advanceToNextSleeper()
        #expect(try await welcome.user.id == hana.id)
    }

    @Test("log in on a device on which somebody else tried to log in and got no response")
    func keyOfSomebodyElse() async throws {
        let hana = try await signUp()
        _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
        let phone = TestVault()
        let app = world.launch(vault: phone, inBackground: false, retry: RetryPolicy(maximumTries: 1))
        try await app.logInAutomatically()
        world.server.fail(.lostResponse, path: APIPath.logInWithPassword)
        await #expect(throws: OkaeriError.offline) { try await app.logIn(identifier: "kenji", password: password) }
        let request = try await app.requestLogInCode(email: "hana@example.com")
        #expect(try await app.logIn(code: code, for: request).user.id == hana.id)
        #expect(try await world.launch(vault: phone, inBackground: false).logInAutomatically().user.id == hana.id)
        // Beside his key it lasts as long as its session. The next code has a key of its own.
        world.server.endAllSessions()
        let next = world.launch(vault: phone, inBackground: false)
        await #expect(throws: OkaeriError.sessionEnded) { try await next.logInAutomatically() }
        world.clock.advance(by: .seconds(600))
        let second = try await next.requestLogInCode(email: "hana@example.com")
        #expect(try await next.logIn(code: code, for: second).user.id == hana.id)
        world.server.endAllSessions()
        #expect(try await next.reloadUser().id == hana.id)
    }

    @Test(
        "of somebody who has the former address of another are signed with that one's key once",
        arguments: [false, true])
    func changedHands(isBefore: Bool) async throws {
        let phone = world.launch(vault: TestVault(), inBackground: false)
        let hana = try await phone.signUp(email: "hana@example.com", password: password)
        world.server.verify(email: "hana@example.com")
        let tablet = world.launch(inBackground: false)
        func logIn() async throws -> User {
            world.clock.advance(by: .seconds(600))
            let request = try await tablet.requestLogInCode(email: "hana@example.com")
            return try await tablet.logIn(code: code, for: request).user
        }
        #expect(try await logIn().id == hana.id)
        await tablet.logOut()
        if isBefore {
            _ = try await world.launch(vault: TestVault()).signUp(username: "kenji", password: password)
            try await tablet.logIn(identifier: "kenji", password: password)
            await tablet.logOut()
        }
        try await phone.reauthenticate(password: password)
        try await phone.requestEmailVerification(newEmail: "new@example.com")
        #expect(try await phone.verifyEmail(code: code).email == "new@example.com")
        let taro = try await world.launch(vault: TestVault()).signUp(email: "hana@example.com", password: password)
        world.server.verify(email: "hana@example.com")
        #expect(try await logIn().id == taro.id)
        world.server.endAllSessions()
        await #expect(throws: OkaeriError.sessionEnded) { try await tablet.reloadUser() }
        #expect(try await logIn().id == taro.id)
        world.server.endAllSessions()
        #expect(try await tablet.reloadUser().id == taro.id)
    }

    @Test("log in on a device whose key leads to a guest that it never heard of")
    func unheardGuest() async throws {
        let hana = try await signUp()
        let phone = TestVault()
        let app = world.launch(vault: phone, inBackground: false, retry: RetryPolicy(maximumTries: 1))
        world.server.fail(.lostResponse, path: APIPath.logInAutomatically)
        await #expect(throws: OkaeriError.offline) { try await app.logInAutomatically() }
        let request = try await app.requestLogInCode(email: "hana@example.com")
        #expect(try await app.logIn(code: code, for: request).user.id == hana.id)
        #expect(try await world.launch(vault: phone, inBackground: false).logInAutomatically().user.id == hana.id)
    }

    @Test("verify the address, and bring in a new one when the session is fresh")
    func verification() async throws {
        let app = world.launch()
        try await app.signUp(email: "hana@example.com", password: password)
        try await app.requestEmailVerification()
        #expect(try await app.verifyEmail(code: code).emailVerified)
        try await app.requestEmailVerification(newEmail: "new@example.com")
        #expect(world.server.mails.last?.email == "new@example.com")
        #expect(await app.currentUser?.email == "hana@example.com")
        #expect(try await app.verifyEmail(code: code).email == "new@example.com")
        world.clock.advance(by: .seconds(601))
        await #expect(throws: OkaeriError.reauthenticationRequired) {
            try await app.requestEmailVerification(newEmail: "third@example.com")
        }
    }

    @Test("verify the address from a link, without a session")
    func link() async throws {
        let app = world.launch()
        try await app.signUp(email: "hana@example.com", password: password)
        try await app.requestEmailVerification()
        try await world.launch(vault: TestVault()).verifyEmail(token: code)
        #expect(try await app.reloadUser().emailVerified)
    }

    @Test("set a new password, after which every device logs in anew")
    func reset() async throws {
        let app = world.launch()
        try await app.signUp(email: "hana@example.com", password: password)
        let other = world.launch(vault: TestVault())
        try await other.requestPasswordReset(email: "nobody@example.com")
        #expect(world.server.mails.isEmpty)
        try await other.requestPasswordReset(email: "hana@example.com")
        let token = code
        await #expect(throws: OkaeriError.self) { try await other.resetPassword(token: token, newPassword: "short") }
        try await other.resetPassword(token: token, newPassword: "another secret")
        await #expect(throws: OkaeriError.codeRefused) {
            try await other.resetPassword(token: token, newPassword: "a third secret")
        }
        await #expect(throws: OkaeriError.credentialRefused) {
            try await other.logIn(identifier: "hana@example.com", password: password)
        }
        try await other.logIn(identifier: "hana@example.com", password: "another secret")
    }

    @Test("come in the person's language")
    func languages() async throws {
        try await world.launch().requestPasswordReset(email: "hana@example.com")
        let sent = world.server.requests.last { $0.url.path == APIPath.requestPasswordReset }
        #expect(sent?.headers["Accept-Language"]?.isEmpty == false)
    }
}
