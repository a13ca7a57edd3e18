import Domain
import enum OkaeriWire.JSONValue
import StorageSQLite
import TestWorld
import Testing

@Suite("Automatic log-in")
struct LogInAutomaticallyTests {
    let world: TestWorld
    let device = TestDevice()

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), firstLaunches: .firstLaunches)
    }

    @Test("makes an anonymous user on the first launch and greets it with its last log-in on the next")
    func twoLaunches() async throws {
        let application = try await world.makeApplication()
        let firstTime = world.clock.now
        let first = try await world.logIn(device, to: application)
        #expect(first.isNew && first.user.isAnonymous && first.previousLogInAt == nil)
        #expect(first.user.identities.map(\.subject) == [device.thumbprint])
        world.clock.advance(by: .days(2))
        let second = try await world.logIn(device, to: application)
        #expect(!second.isNew)
        #expect(second.user.id == first.user.id)
        #expect(second.previousLogInAt == firstTime)
        #expect(second.user.lastLogInAt == world.clock.now)
    }

    @Test("takes no proof twice, also when the clock is set back after the clean-up (issue 23)")
    func clockSetBack() async throws {
        let application = try await world.makeApplication()
        let proof = try device.presented(at: world.clock.now)
        let request = LogInAutomatically.Request(application: application, proof: proof, address: TestWorld.address)
        _ = try await world.modules.logIns.logInAutomatically(request)
        world.clock.advance(by: .seconds(300))
        try await world.modules.sessions.purgeExpired()
        world.clock.advance(by: .seconds(-290))
        await #expect(throws: DomainError.proofReplayed) {
            try await world.modules.logIns.logInAutomatically(request)
        }
    }

    @Test("keeps one session for each device, but spares those of the last ten minutes")
    func replacedSessions() async throws {
        let application = try await world.makeApplication()
        let first = try await world.logIn(device, to: application)
        world.clock.advance(by: .seconds(599))
        let parallel = try await world.logIn(device, to: application)
        _ = try await world.authenticate(first.token, in: application)
        world.clock.advance(by: .seconds(2))
        let last = try await world.logIn(device, to: application)
        await #expect(throws: DomainError.sessionInvalid) {
            try await world.authenticate(first.token, in: application)
        }
        let sessions = try await world.modules.sessions.listSessions(of: last.user.id, in: application)
        #expect(sessions.map(\.id) == [last.session.id, parallel.session.id])
    }

    @Test("answers the repetition of an attempt as the first try, with a new token for the same session")
    func repeatedAttempt() async throws {
        let application = try await world.makeApplication()
        let first = try await world.logIn(device, to: application, attempt: "attempt one")
        world.clock.advance(by: .seconds(3))
        let again = try await world.logIn(device, to: application, attempt: "attempt one")
        #expect(again.isNew && again.previousLogInAt == nil && again.session.id == first.session.id)
        #expect(again.user.lastLogInAt == first.user.lastLogInAt)
        await #expect(throws: DomainError.sessionInvalid) {
            try await world.authenticate(first.token, in: application)
        }
        _ = try await world.authenticate(again.token, in: application)
        let next = try await world.logIn(device, to: application, attempt: "attempt two")
        #expect(!next.isNew && next.previousLogInAt == first.user.lastLogInAt)
    }

    @Test("gives no other device the session of an attempt that it guesses")
    func guessedAttempt() async throws {
        let application = try await world.makeApplication()
        let first = try await world.logIn(device, to: application, attempt: "guess")
        let other = try await world.logIn(TestDevice(), to: application, attempt: "guess")
        #expect(other.isNew && other.user.id != first.user.id && other.session.id != first.session.id)
        _ = try await world.authenticate(first.token, in: application)
    }

    @Test("refuses a used proof and changes nothing")
    func replay() async throws {
        let application = try await world.makeApplication()
        let proof = try device.presented(at: world.clock.now)
        let request = LogInAutomatically.Request(
            application: application, proof: proof, address: TestWorld.address)
        let first = try await world.modules.logIns.logInAutomatically(request)
        await #expect(throws: DomainError.proofReplayed) {
            try await world.modules.logIns.logInAutomatically(request)
        }
        #expect(try await world.modules.sessions.listSessions(of: first.user.id, in: application).count == 1)
    }

    @Test("gives the same device another user in another application")
    func applicationsApart() async throws {
        let one = try await world.makeApplication("One")
        let two = try await world.makeApplication("Two")
        let (first, second) = (try await world.logIn(device, to: one), try await world.logIn(device, to: two))
        #expect(second.isNew && first.user.id != second.user.id)
    }

    @Test("limits first launches by address, tells when to come again, and lets known devices in meanwhile")
    func firstLaunchLimit() async throws {
        let application = try await world.makeApplication()
        _ = try await world.logIn(device, to: application)
        for _ in 1..<30 { _ = try await world.logIn(TestDevice(), to: application) }
        world.clock.advance(by: .seconds(600))
        await #expect(throws: DomainError.rateLimited(retryAfter: .seconds(3000))) {
            try await world.logIn(TestDevice(), to: application)
        }
        #expect(try await !world.logIn(device, to: application).isNew)
        let neighbour = ClientAddress(text: "192.0.2.8", allowanceGroup: "192.0.2.8")
        #expect(try await world.logIn(TestDevice(), to: application, from: neighbour).isNew)
        #expect(try await world.logIn(TestDevice(), to: try await world.makeApplication("Other")).isNew)
        world.clock.advance(by: .seconds(3000))
        #expect(try await world.logIn(TestDevice(), to: application).isNew)
    }

    @Test("names every value that breaks its rule, and makes no user")
    func badValues() async throws {
        let application = try await world.makeApplication()
        let request = LogInAutomatically.Request(
            application: application, proof: try device.presented(at: world.clock.now),
            device: DeviceDescription(name: String(repeating: "n", count: 201), system: "iOS\u{7}19"),
            newUser: .init(displayName: "", locale: "not a tag", fields: ["a": .string("\0")]),
            address: TestWorld.address)
        await #expect(
            throws: DomainError.fieldsRefused([
                ValidationError(field: "device.name", rule: .tooLong(maximumCharacters: 200)),
                ValidationError(field: "device.system", rule: .controlCharacter),
                ValidationError(field: "user.displayName", rule: .empty),
                ValidationError(field: "user.locale", rule: .notALanguageTag),
                ValidationError(field: "user.fields.a", rule: .controlCharacter),
            ])
        ) { try await world.modules.logIns.logInAutomatically(request) }
        #expect(try await world.modules.directory.listUsers(in: application.id).isEmpty)
    }
}
