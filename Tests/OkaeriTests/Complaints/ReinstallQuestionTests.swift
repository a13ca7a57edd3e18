import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

/// A person who is asked after a re-install, and who answers when the test says so.
private final class Person: Sendable {
    let questions = Protected<[FoundAccount]>([])
    private let (answers, continuation) = AsyncStream<ReinstallChoice>.makeStream()
    private let (asked, arrival) = AsyncStream<Void>.makeStream()

    var policy: ReinstallPolicy {
        .ask { [self] found in
            questions.withValue { $0.append(found) }
            arrival.yield()
            for await answer in answers { return answer }
            return .later
        }
    }

    var questionCount: Int { questions.withValue { $0.count } }

    func answer(_ choice: ReinstallChoice) { continuation.yield(choice) }

    func waitForQuestion() async { for await _ in asked { return } }
}

@Suite("The question after a re-installation", .timeLimit(.minutes(5)))
struct ReinstallQuestionTests {
    let world = World()
    let keychain = MemoryItems()
    private let person = Person()

    private func vault(_ installation: TemporaryFolder, _ policy: ReinstallPolicy? = nil) -> ItemVault {
        ItemVault(
            items: keychain, keys: SoftwareKeys(), directory: installation.url, reinstall: policy ?? person.policy)
    }

    /// The user of an installation that is removed afterwards.
    private func earlierUser() async throws -> User {
        let folder = try TemporaryFolder()
        let client = world.launch(vault: vault(folder))
        try await client.logInAutomatically()
        let user = try await client.update(UserChanges(displayName: .set("花子")))
        withExtendedLifetime(folder) {}
        return user
    }

    @Test("complaint 10: is asked once for all callers, with who was found, and they wait for the answer")
    func keep() async throws {
        let user = try await earlierUser()
        #expect(person.questionCount == 0)
        let folder = try TemporaryFolder()
        let client = world.launch(vault: vault(folder))
        var states = client.states.makeAsyncIterator()
        #expect(await states.next() == .unknown)
        let before = world.server.requests.count
        let callers = (0..<5).map { _ in Task { try await client.logInAutomatically().user.id } }
        let looking = Task { await client.currentUser?.id }
        await person.waitForQuestion()
        #expect(world.server.requests.count == before)
        person.answer(.keep)
        for caller in callers { #expect(try await caller.value == user.id) }
        #expect(await looking.value == user.id)
        #expect(person.questions.withValue { $0 } == [FoundAccount(application: "demo", user: user)])
        #expect(try await world.launch(vault: vault(folder)).logInAutomatically().user.id == user.id)
        #expect(person.questionCount == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: removes what was found when the answer is to wipe, and is not asked again")
    func wipe() async throws {
        let user = try await earlierUser()
        let folder = try TemporaryFolder()
        let client = world.launch(vault: vault(folder))
        person.answer(.wipe)
        guard case .firstVisit(let next) = try await client.logInAutomatically() else {
            Issue.record("not .firstVisit")
            return
        }
        #expect(next.id != user.id)
        #expect(try await world.launch(vault: vault(folder)).logInAutomatically().user.id == next.id)
        #expect(person.questionCount == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: loses nothing while it is open, also when the app is closed without an answer")
    func unanswered() async throws {
        let user = try await earlierUser()
        let kept = keychain.items.withValue { $0 }
        let folder = try TemporaryFolder()
        let closed = world.launch(vault: vault(folder))
        let caller = Task { try await closed.logInAutomatically() }
        await person.waitForQuestion()
        caller.cancel()
        #expect(keychain.items.withValue { $0 } == kept)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        let next = Person()
        next.answer(.keep)
        let client = world.launch(vault: vault(folder, next.policy))
        #expect(try await client.logInAutomatically().user.id == user.id)
        #expect(next.questionCount == 1)
        // The first client hears of its answer too late to do harm.
        person.answer(.wipe)
        _ = await caller.result
        #expect(try await client.reloadUser().id == user.id)
        #expect(keychain.items.withValue { $0["demo.key"] } == kept["demo.key"])
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: can be put off by who has no screen; the vault then counts as locked")
    func later() async throws {
        let user = try await earlierUser()
        let folder = try TemporaryFolder()
        let client = world.launch(vault: vault(folder), inBackground: false)
        person.answer(.later)
        await #expect(throws: OkaeriError.storageLocked) { try await client.logInAutomatically() }
        await #expect(throws: OkaeriError.storageLocked) { try await client.logInAutomatically() }
        #expect(person.questionCount == 1)
        let other = world.launch(vault: vault(folder))
        person.answer(.keep)
        #expect(try await other.logInAutomatically().user.id == user.id)
        #expect(person.questionCount == 2)
        // What another process has decided holds here too.
        #expect(try await client.logInAutomatically().user.id == user.id)
        #expect(person.questionCount == 2)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: is asked about the device's key alone too, and not about nothing")
    func keyAlone() async throws {
        let earlier = try TemporaryFolder()
        let old = world.launch(vault: vault(earlier))
        let user = try await old.logInAutomatically().user
        await old.logOut()
        #expect(person.questionCount == 0)
        let folder = try TemporaryFolder()
        person.answer(.keep)
        #expect(try await world.launch(vault: vault(folder)).logInAutomatically().user.id == user.id)
        #expect(person.questions.withValue { $0 } == [FoundAccount(application: "demo", user: nil)])
        withExtendedLifetime((earlier, folder)) {}
    }

    @Test("complaint 10: is one question for all keys of a device that has changed hands", arguments: [true, false])
    func severalKeys(keeps: Bool) async throws {
        let earlier = try TemporaryFolder()
        let old = vault(earlier)
        var record = VaultRecord()
        record.keySlot = 1
        try await old.saveRecord(record.written(), for: "demo")
        let key = try await old.deviceKey(for: "demo.1").publicKey
        let folder = try TemporaryFolder()
        let new = vault(folder)
        person.answer(keeps ? .keep : .wipe)
        #expect(try await new.loadRecord(for: "demo") == (keeps ? record.written() : nil))
        #expect(try await (new.deviceKey(for: "demo.1").publicKey == key) == keeps)
        #expect(person.questionCount == 1)
        withExtendedLifetime((earlier, folder)) {}
    }

    @Test("complaint 10: is not asked when a record is damaged and its copy of the keys counts")
    func damagedRecord() async throws {
        let folder = try TemporaryFolder()
        let client = world.launch(vault: vault(folder), inBackground: false)
        try await client.signUp(username: "hana", password: "a long enough secret")
        await client.logOut()
        try keychain.replace("demo.record", Data("{".utf8))
        let next = world.launch(vault: vault(folder), inBackground: false)
        #expect(await next.reaches { $0 != .unknown } == .loggedOut(.registeredUserLoggedOut))
        #expect(person.questionCount == 0)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: is not asked again when what was to be wiped could not be wiped at once")
    func wipeLater() async throws {
        _ = try await earlierUser()
        let folder = try TemporaryFolder()
        let new = vault(folder)
        let asking = Task { try await new.loadRecord(for: "demo") }
        await person.waitForQuestion()
        keychain.refusesRemoval.withValue { $0 = true }
        person.answer(.wipe)
        await #expect(throws: VaultError.unwritable("refused by the test")) { try await asking.value }
        keychain.refusesRemoval.withValue { $0 = false }
        #expect(try await new.loadRecord(for: "demo") == nil)
        #expect(person.questionCount == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("complaint 10: is never about what this process has stored, also when its folder goes while it runs")
    func folderGone() async throws {
        let folder = try TemporaryFolder()
        let client = world.launch(vault: vault(folder))
        let user = try await client.logInAutomatically().user
        try FileManager.default.removeItem(at: folder.url)
        #expect(try await client.reloadUser().id == user.id)
        #expect(await client.currentUser?.id == user.id)
        #expect(person.questionCount == 0)
        // The client has made the folder anew.
        withExtendedLifetime(folder) {}
    }
}
