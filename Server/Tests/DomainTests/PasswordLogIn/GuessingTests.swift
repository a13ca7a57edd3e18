import Domain
import StorageSQLite
import TestWorld
import Testing

@Suite("Guessing passwords")
struct GuessingTests {
    let world: TestWorld
    let password = Secret("a long enough secret")

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server), passwordFailures: .passwordFailures)
    }

    @Test("costs no waiting five times, then 1 s, then twice as long each time up to 15 minutes")
    func delays() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<5 { await refused(.credentialRefused, "hana", application) }
        for seconds: Int64 in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            await refused(.rateLimited(retryAfter: .seconds(seconds)), "hana", application)
            world.clock.advance(by: .seconds(seconds) - .milliseconds(1))
            await refused(.rateLimited(retryAfter: .milliseconds(1)), "hana", application)
            world.clock.advance(by: .milliseconds(1))
            await refused(.credentialRefused, "hana", application)
        }
    }

    @Test("never goes on after a hundred failures in a row, until a day has passed")
    func hundred() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<100 {
            await refused(.credentialRefused, "hana", application)
            world.clock.advance(by: .seconds(900))
        }
        world.clock.advance(by: .days(1) - .seconds(901))
        await refused(.rateLimited(retryAfter: .seconds(1)), "hana", application, password)
        world.clock.advance(by: .seconds(1))
        _ = try await world.logIn("hana", password, to: application)
    }

    @Test("makes the right password wait too, and it ends the count")
    func rightPassword() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<5 { await refused(.credentialRefused, "HANA", application) }
        await refused(.rateLimited(retryAfter: .seconds(1)), "hana", application, password)
        world.clock.advance(by: .seconds(1))
        _ = try await world.logIn("hana", password, to: application)
        for _ in 0..<5 { await refused(.credentialRefused, "hana", application) }
    }

    @Test("is the same for somebody who does not exist, down to the number of hashes")
    func unknown() async throws {
        let application = try await world.makeApplication()
        _ = try await world.signUp("hana", password, to: application)
        for _ in 0..<7 {
            var answers: [DomainError?] = []
            var comparisons: [Int] = []
            for name in ["hana", "nobody"] {
                let before = world.passwords.counted.comparisons
                answers.append(
                    await world.refusal { _ = try await world.logIn(name, Secret("wrong"), to: application) })
                comparisons.append(world.passwords.counted.comparisons - before)
            }
            #expect(answers[0] != nil && answers[0] == answers[1])
            #expect(comparisons[0] == comparisons[1])
        }
    }

    @Test("never keeps a device with its key out")
    func deviceKey() async throws {
        let application = try await world.makeApplication()
        let device = TestDevice()
        let signUp = try await world.signUp("hana", password, to: application, with: device)
        for _ in 0..<6 { _ = await world.refusal { _ = try await world.logIn("hana", Secret("x"), to: application) } }
        let logIn = try await world.logIn(device, to: application)
        #expect(logIn.user.id == signUp.user.id)
    }

    @Test("of many users from one address is refused after 120 in an hour, for that address only")
    func spraying() async throws {
        let application = try await world.makeApplication()
        for number in 0..<120 { await refused(.credentialRefused, "user \(number)", application) }
        await refused(.rateLimited(retryAfter: .seconds(3600)), "another", application)
        let elsewhere = ClientAddress(text: "192.0.2.8", allowanceGroup: "192.0.2.8")
        let answer = await world.refusal {
            _ = try await world.logIn("another", Secret("wrong"), to: application, from: elsewhere)
        }
        #expect(answer == .credentialRefused)
        world.clock.advance(by: .seconds(3600))
        await refused(.credentialRefused, "another", application)
    }

    @Test("forgets counts that nobody goes on with")
    func forgotten() async throws {
        let application = try await world.makeApplication()
        await refused(.credentialRefused, "hana", application)
        world.clock.advance(by: .days(1) + .milliseconds(1))
        try await world.useCases.removeWhatIsOver()
        let subject = TypedIdentifier(.username, shown: "hana").failureSubject
        let left = try await world.engine.read { transaction throws(DomainError) in
            try transaction.failures(of: subject, in: application.id)
        }
        #expect(left == nil)
    }

    private func refused(
        _ expected: DomainError, _ name: String, _ application: Application, _ password: Secret = Secret("wrong"),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let answer = await world.refusal { _ = try await world.logIn(name, password, to: application) }
        #expect(answer == expected, sourceLocation: sourceLocation)
    }
}
