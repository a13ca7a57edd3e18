import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("A device's key that can never be used again")
struct LostKeyTests {
    let world = World()
    let password = "a long enough secret"
    private let damaged = OkaeriError.storageDamaged("lost by the test")

    @Test("keeps nobody out whose session still works")
    func session() async throws {
        let user = try await world.launch(inBackground: false).logInAutomatically().user
        world.vault.loseKeys()
        let client = world.launch(inBackground: false)
        #expect(try await client.logInAutomatically().user.id == user.id)
        #expect(await client.currentUser?.id == user.id)
    }

    @Test("logs out when the session has ended, says so, and lets a guest begin anew on wish alone")
    func guest() async throws {
        let user = try await world.launch(inBackground: false).logInAutomatically().user
        world.vault.loseKeys()
        world.server.endAllSessions()
        let client = world.launch(inBackground: false)
        for _ in 0..<2 {
            await #expect(throws: damaged) { try await client.logInAutomatically() }
            #expect(await client.reaches { $0 != .unknown && $0.user == nil } == .loggedOut(.keyLost))
        }
        #expect(world.server.users.count == 1)
        #expect(await client.automaticLogInBeginsAnew)
        await client.useNewDeviceKey()
        guard case .firstVisit(let new) = try await client.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(new.id != user.id)
        #expect(try await world.launch().logInAutomatically().user.id == new.id)
    }

    @Test("is what a check of the storage tells of, until the device has begun anew with another")
    func checked() async throws {
        try await world.launch(inBackground: false).logInAutomatically()
        world.vault.loseKeys()
        world.server.endAllSessions()
        let client = world.launch(inBackground: false)
        await #expect(throws: damaged) { try await client.logInAutomatically() }
        await #expect(throws: damaged) { try await client.checkStorage() }
        await client.useNewDeviceKey()
        let user = try await client.logInAutomatically().user
        try await client.checkStorage()
        #expect(try await world.launch(inBackground: false).logInAutomatically().user.id == user.id)
    }

    @Test("gives way to a new one with a log-in by password")
    func password() async throws {
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        world.vault.loseKeys()
        world.server.endAllSessions()
        await #expect(throws: damaged) { try await client.logInAutomatically() }
        #expect(try await client.logIn(identifier: "hana", password: password).user.id == hana.id)
        #expect(try await world.launch().logInAutomatically().user.id == hana.id)
    }

    @Test("gives way to a new one when somebody comes back, however many the device has had since")
    func comingBack() async throws {
        let client = world.launch(inBackground: false)
        let hana = try await client.signUp(username: "hana", password: password)
        for _ in 0..<9 {
            await client.logOut()
            // A guest in between has a key of their own.
            try await client.logInAutomatically()
            #expect(try await client.logIn(identifier: "hana", password: password).user.id == hana.id)
        }
        await client.logOut()
        try await client.logInAutomatically()
        world.vault.loseKeys()
        let next = world.launch(inBackground: false)
        #expect(try await next.logIn(identifier: "hana", password: password).user.id == hana.id)
        world.server.endAllSessions()
        #expect(try await next.reloadUser().id == hana.id)
    }

    @Test("gives way to a new one with a transfer code")
    func transfer() async throws {
        let other = world.launch(vault: TestVault(), inBackground: false)
        let user = try await other.logInAutomatically().user
        let code = try await other.issueTransferCode().code
        let client = world.launch(inBackground: false)
        try await client.logInAutomatically()
        world.vault.loseKeys()
        world.server.endAllSessions()
        await #expect(throws: damaged) { try await client.logInAutomatically() }
        #expect(try await client.redeemTransferCode(code).welcome.user.id == user.id)
        #expect(try await world.launch().logInAutomatically().user.id == user.id)
    }

    @Test("is tried again at each log-in, in case that it works after all")
    func again() async throws {
        let vault = TestVault(MemoryVault())
        let user = try await world.launch(vault: vault, inBackground: false).logInAutomatically().user
        var record = VaultRecord.read(try await vault.loadRecord(for: world.server.application))
        record.logOut(because: .keyLost)
        try await vault.saveRecord(record.written(), for: world.server.application)
        let client = world.launch(vault: vault, inBackground: false)
        #expect(await client.reaches { $0 != .unknown } == .loggedOut(.keyLost))
        #expect(try await client.logInAutomatically().user.id == user.id)
    }

    @Test(
        "differs by the error from one that cannot be used now",
        arguments: [
            ("CryptoTokenKit", -3, true), ("CryptoTokenKit", -6, true), ("NSOSStatusErrorDomain", -25_300, true),
            ("NSOSStatusErrorDomain", -26_275, true), ("NSOSStatusErrorDomain", -25_308, false),
            ("CryptoTokenKit", -2, false), ("CryptoTokenKit", -9, false),
            ("com.apple.LocalAuthentication", -1004, false), ("another", -3, false),
        ])
    func errors(domain: String, code: Int, isFinal: Bool) {
        let error = EnclaveFailure(domain: domain, code: code).vaultError("sign")
        let reason = "the Secure Enclave does not sign (\(domain) \(code))"
        #expect(error == (isFinal ? .damaged(reason) : .unreadableNow(reason)))
    }
}
