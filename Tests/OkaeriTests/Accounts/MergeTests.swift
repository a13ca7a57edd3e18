import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

@Suite("Two users of one person")
struct MergeTests {
    private let world = World()
    private let password = "four quiet words"

    /// The conflict that a call tells of.
    private func conflict(_ call: () async throws(OkaeriError) -> User) async throws -> MergeConflict {
        do throws(OkaeriError) {
            _ = try await call()
        } catch {
            guard case .conflict(let conflict) = error else { throw Unexpected("\(error)") }
            #expect(!error.message(in: ["ja"]).isEmpty && !"\(conflict)".contains("okm_"))
            return conflict
        }
        throw Unexpected("there is no conflict")
    }

    @Test("over Apple's identity are one again without a second sheet, and the device leads there")
    func apple() async throws {
        let owner = world.launch(vault: TestVault())
        let hana = try await owner.logIn(with: .apple(.test(user: "hana", name: "花"))).user
        let app = world.launch()
        let anonymous = try await app.logInAutomatically(user: NewUser(fields: ["level": 3])).user
        let credential = AppleCredential.test(user: "hana")
        let found = try await conflict { () async throws(OkaeriError) in try await app.link(.apple(credential)) }
        let preview = try await app.preview(found)
        #expect(preview.current.id == anonymous.id && preview.other.id == hana.id)
        #expect(preview.merged.fields == ["level": 3])
        let result = try await app.resolve(found, by: .merge)
        #expect(result.user.id == hana.id && result.leftUser?.id == anonymous.id)
        #expect(await app.currentUser?.id == hana.id)
        #expect(try await app.reloadUser().fields == ["level": 3])
        let merge = try #require(result.merge)
        try await app.undoMerge(merge)
        #expect(await app.currentUser?.id == anonymous.id)
        #expect(try await world.launch().logInAutomatically().user.id == anonymous.id)
        await #expect(throws: OkaeriError.mergeRefused) { try await app.resolve(found, by: .keep) }
    }

    @Test("over a user name, with that user's password: keep and switch do what they say")
    func password() async throws {
        let hana = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch()
        let anonymous = try await app.logInAutomatically().user
        func upgrade() async throws(OkaeriError) -> User {
            try await app.upgrade(username: "hana", password: password)
        }
        #expect(try await app.resolve(try await conflict(upgrade), by: .keep).user.id == anonymous.id)
        #expect(await app.currentUser?.id == anonymous.id)
        let switched = try await app.resolve(try await conflict(upgrade), by: .switch)
        #expect(switched.user.id == hana.id && switched.merge == nil && switched.leftUser?.erasedAt != nil)
        #expect(try await world.launch().logInAutomatically().user.id == hana.id)
    }

    @Test("are not brought together by halves: a vault that gives no key stops it before the server does it")
    func lockedKey() async throws {
        let hana = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        let anonymous = try await app.logInAutomatically().user
        let found = try await conflict { () async throws(OkaeriError) in
            try await app.upgrade(username: "hana", password: password)
        }
        world.vault.refusesKeys = true
        await #expect(throws: OkaeriError.storageUnavailable("refused by the test")) {
            try await app.resolve(found, by: .merge)
        }
        #expect(await app.currentUser?.id == anonymous.id)
        world.vault.refusesKeys = false
        #expect(try await app.resolve(found, by: .merge).user.id == hana.id)
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("are brought together where the device's key is lost, and the session goes on")
    func lostKey() async throws {
        let hana = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch(inBackground: false)
        try await app.logInAutomatically()
        let found = try await conflict { () async throws(OkaeriError) in
            try await app.upgrade(username: "hana", password: password)
        }
        world.vault.loseKeys()
        #expect(try await app.resolve(found, by: .merge).user.id == hana.id)
        #expect(await app.currentUser?.id == hana.id)
        #expect(try await app.reloadUser().id == hana.id)
    }

    /// A guest on a device, and Hana, with whom there is a conflict.
    private func guestAndHana(_ app: OkaeriClient) async throws -> (conflict: MergeConflict, hana: User) {
        let hana = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        try await app.logInAutomatically()
        let found = try await conflict { () async throws(OkaeriError) in
            try await app.upgrade(username: "hana", password: password)
        }
        return (found, hana)
    }

    @Test("are resolved all the same when the response got lost: the next try finds out", arguments: [false, true])
    func lostResponse(merges: Bool) async throws {
        let choice = merges ? MergeChoice.merge : .switch
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let (found, hana) = try await guestAndHana(app)
        world.server.fail(.lostResponse, path: APIPath.merge)
        await #expect(throws: OkaeriError.offline) { try await app.resolve(found, by: choice) }
        let result = try await app.resolve(found, by: choice)
        #expect(result.user.id == hana.id && result.merge == nil)
        #expect(await app.currentUser?.id == hana.id)
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("stay two also where the response to that got lost: the same again gets the same")
    func lostResponseOfKeeping() async throws {
        let app = world.launch(inBackground: false, retry: RetryPolicy(maximumTries: 1))
        let (found, _) = try await guestAndHana(app)
        let guest = await app.currentUser
        world.server.fail(.lostResponse, path: APIPath.merge)
        await #expect(throws: OkaeriError.offline) { try await app.resolve(found, by: .keep) }
        #expect(try await app.resolve(found, by: .keep).user.id == guest?.id)
        await #expect(throws: OkaeriError.mergeRefused) { try await app.resolve(found, by: .switch) }
        #expect(await app.currentUser?.id == guest?.id)
    }

    @Test("are resolved when the caller is cancelled on the way")
    func cancelled() async throws {
        let app = world.launchInSystemNetwork()
        let (found, hana) = try await guestAndHana(app)
        world.server.hold(path: APIPath.merge)
        let caller = Task { try await app.resolve(found, by: .merge) }
        await world.server.waitForRequests(1, to: APIPath.merge)
        caller.cancel()
        world.server.release()
        let result = try await caller.value
        #expect(result.user.id == hana.id && result.merge != nil)
        #expect(try await app.reloadUser().id == hana.id)
    }

    @Test("whose ticket is over cannot be brought together by it")
    func over() async throws {
        _ = try await world.launch(vault: TestVault()).signUp(username: "hana", password: password)
        let app = world.launch()
        try await app.logInAutomatically()
        let found = try await conflict { () async throws(OkaeriError) in
            try await app.upgrade(username: "hana", password: password)
        }
        world.clock.advance(by: .seconds(600))
        await #expect(throws: OkaeriError.mergeRefused) { try await app.resolve(found, by: .merge) }
    }
}

/// What a test did not wait for.
private struct Unexpected: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}
